import { useSyncExternalStore } from "react";

const KEY = "abide.sender";
const listeners = new Set<() => void>();
/** As it stands in the field, which may be empty for a moment. */
let typed: string | null = null;

/** Who speaks: a name that the keeper accepts, kept in this browser. */
export function senderName(): string {
  return localStorage.getItem(KEY) || "user";
}

export function keepSenderName(name: string): void {
  typed = name;
  localStorage.setItem(KEY, name.trim() || "user");
  for (const listener of listeners) listener();
}

/** The same, as it is being changed anywhere on the page. */
export function useSenderName(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => typed ?? senderName(),
  );
}
