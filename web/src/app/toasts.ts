// Short words about what was done, with a way back where there is one.
import { useSyncExternalStore } from "react";
import { messageOf } from "@/api/errors";

export interface Toast {
  id: number;
  title: string;
  note?: string;
  tone: "plain" | "fail";
  /** How long it stands. */
  ms: number;
  undo?: { label: string; run: () => void };
  onGone?: () => void;
}

const SHOWN_MAX = 4;
let next = 1;
let toasts: readonly Toast[] = [];
const listeners = new Set<() => void>();

function set(all: readonly Toast[]): void {
  toasts = all;
  for (const listener of listeners) listener();
}

export function toast(given: Partial<Toast> & { title: string }): number {
  const one: Toast = { tone: "plain", ms: 6_000, ...given, id: next++ };
  const all = [...toasts, one];
  for (const old of all.slice(0, -SHOWN_MAX)) old.onGone?.();
  set(all.slice(-SHOWN_MAX));
  return one.id;
}

/** Says that something failed. */
export function toastError(what: string, error: unknown): void {
  toast({ title: what, note: messageOf(error), tone: "fail", ms: 12_000 });
}

export function dismiss(id: number): void {
  const gone = toasts.find((one) => one.id === id);
  set(toasts.filter((one) => one.id !== id));
  gone?.onGone?.();
}

/** Takes a toast away without what its going would do. */
export function drop(id: number): void {
  set(toasts.filter((one) => one.id !== id));
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
}
