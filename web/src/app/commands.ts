// What can be done, by name and by key: one registry for the palette, the help and the keyboard.
import { useEffect, useRef, useSyncExternalStore } from "react";

export interface Command {
  id: string;
  label: string;
  /** Where it stands in palette and help. */
  group: string;
  /** `mod+k`, `g h`, `?`, `escape`. Keys without a modifier do nothing while somebody types. */
  keys?: string;
  /** A media key of the keyboard (`mediaplaypause`), which works while somebody types, too. */
  mediaKey?: string;
  /** Other words that find it. */
  words?: string;
  run: () => void;
}

let commands: readonly Command[] = [];
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

function register(added: readonly Command[]): () => void {
  commands = [...commands.filter((known) => !added.some((one) => one.id === known.id)), ...added];
  tell();
  return () => {
    commands = commands.filter((known) => !added.includes(known));
    tell();
  };
}

/** Offers commands while the component is there. `runs` may close over anything: the newest ones are called. */
export function useCommands(offered: readonly Command[]): void {
  const newest = useRef(offered);
  newest.current = offered;
  const shape = offered
    .map((one) => `${one.id}\u0000${one.label}\u0000${one.keys ?? ""}\u0000${one.group}`)
    .join("\u0001");
  // biome-ignore lint/correctness/useExhaustiveDependencies: registered anew only when names or keys changed
  useEffect(
    () =>
      register(
        newest.current.map((one) => ({
          ...one,
          run: () => newest.current.find((now) => now.id === one.id)?.run(),
        })),
      ),
    [shape],
  );
}

export function useAllCommands(): readonly Command[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => commands,
  );
}

/** Between the keys of a sequence. */
const SEQUENCE_MS = 1_200;

/** Listens for keys on the whole page. Returns how to end it. */
export function listenForKeys(): () => void {
  let before = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = spelled(event);
    if (!key) return;
    const media = commands.findLast((one) => one.mediaKey === key);
    if (media) {
      event.preventDefault();
      media.run();
      return;
    }
    const isPlain = !key.includes("mod+") && !key.includes("alt+");
    if (
      isPlain &&
      key !== "escape" &&
      (isTyping(event.target) || document.querySelector("[role=dialog],[role=menu]"))
    )
      return;
    const sequence = before ? `${before} ${key}` : key;
    const found =
      commands.findLast((one) => one.keys === sequence) ?? commands.findLast((one) => one.keys === key);
    clearTimeout(timer);
    before = "";
    if (found) {
      event.preventDefault();
      found.run();
    } else if (commands.some((one) => one.keys?.startsWith(`${key} `))) {
      before = key;
      timer = setTimeout(() => {
        before = "";
      }, SEQUENCE_MS);
    }
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}

export function spelled(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
): string {
  const key = event.key.toLowerCase();
  if (["control", "meta", "alt", "shift"].includes(key)) return "";
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push("mod");
  if (event.altKey) parts.push("alt");
  // A sign such as ? has its shift in it.
  if (event.shiftKey && (key.length > 1 || /[a-z]/.test(key))) parts.push("shift");
  parts.push(key === " " ? "space" : key);
  return parts.join("+");
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && ["checkbox", "radio", "button", "range"].includes(target.type))
    return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}
