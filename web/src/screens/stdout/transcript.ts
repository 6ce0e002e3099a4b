// What was given and what came of it, for as long as the page is open.
import { useSyncExternalStore } from "react";
import { call } from "@/api/client";
import { ApiError, messageOf } from "@/api/errors";

export const ENTRIES_KEPT = 200;

export interface Entry {
  id: number;
  as: string;
  command: string;
  at: string;
  /** Null while it runs. */
  output: string | null;
  /** Whether the output tells a mistake. */
  isError: boolean;
}

let next = 1;
let entries: readonly Entry[] = [];
const listeners = new Set<() => void>();

function set(all: readonly Entry[]): void {
  entries = all.slice(-ENTRIES_KEPT);
  for (const listener of listeners) listener();
}

export function useEntries(): readonly Entry[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => entries,
  );
}

export function clearEntries(): void {
  set(entries.filter((entry) => entry.output === null));
}

/** Carries a command out. What it says stands in the transcript, a mistake as well. */
export async function carryOut(as: string, command: string): Promise<boolean> {
  const id = next++;
  set([...entries, { id, as, command, at: new Date().toISOString(), output: null, isError: false }]);
  const end = (output: string, isError: boolean) =>
    set(entries.map((entry) => (entry.id === id ? { ...entry, output, isError } : entry)));
  try {
    const { output } = await call("POST /stdout", { body: { as, command } });
    end(output, false);
    return true;
  } catch (error) {
    const isUnsure = error instanceof ApiError && error.status === 0;
    end(isUnsure ? `${messageOf(error)}; whether it was carried out is not known` : messageOf(error), true);
    return false;
  }
}

/** Where in what was typed a mistake stands, from 0, by the place in its text; null where none is told. */
export function placeOf(message: string): number | null {
  const told = /\bat character (\d{1,6})\b/.exec(message);
  return told ? Number(told[1]) - 1 : null;
}

/** The offset of the n-th character; the language counts whole characters, text fields count halves of some. */
export function offsetOf(text: string, characters: number): number {
  return Array.from(text).slice(0, characters).join("").length;
}
