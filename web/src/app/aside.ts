// Matters that were put aside in this browser: until a time, or until they come up anew. The keeper is told nothing: they stay open,
// and anybody else sees them.
import { useMemo, useSyncExternalStore } from "react";
import { isRecord } from "@/api/errors";
import type { AttentionView } from "@/api/generated";
import { useNow } from "@/ui/time";

const KEY = "abide.aside";
const KEPT_MAX = 500;
/** No end. */
const DONE = 0;

/** By matter, until when in milliseconds; 0 for as long as it is the same matter. */
export type Aside = Readonly<Record<string, number>>;

/** Names a matter as it is now: the same name with another beginning is another matter. */
export const asideKey = ({ id, since }: Pick<AttentionView, "id" | "since">) => `${id} ${since}`;

export function isAside(aside: Aside, matter: Pick<AttentionView, "id" | "since">, now: number): boolean {
  const until = aside[asideKey(matter)];
  return until !== undefined && (until === DONE || until > now);
}

/** A moment to be reminded at, by its name. */
export const SNOOZES = [
  { label: "For 1 hour", until: (now: Date) => now.getTime() + 3_600_000 },
  { label: "For 4 hours", until: (now: Date) => now.getTime() + 4 * 3_600_000 },
  { label: "Until tomorrow at 8", until: (now: Date) => tomorrowAt(now, 8) },
] as const;

function tomorrowAt(now: Date, hour: number): number {
  const day = new Date(now);
  day.setDate(day.getDate() + 1);
  day.setHours(hour, 0, 0, 0);
  return day.getTime();
}

let aside: Aside = read();
const listeners = new Set<() => void>();

function read(): Aside {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    if (!isRecord(kept)) return {};
    return Object.fromEntries(
      Object.entries(kept).filter((one): one is [string, number] => typeof one[1] === "number"),
    );
  } catch {
    return {};
  }
}

function set(next: Aside): void {
  aside = Object.fromEntries(Object.entries(next).slice(-KEPT_MAX));
  localStorage.setItem(KEY, JSON.stringify(aside));
  for (const listener of listeners) listener();
}

/** What is kept now, without some of it. Read anew, for other tabs put aside too. */
function without(keys: readonly string[]): Aside {
  return Object.fromEntries(Object.entries(read()).filter(([key]) => !keys.includes(key)));
}

/** Puts matters aside until a time, or for good where none is given. Gives how that is undone. */
export function putAside(matters: readonly AttentionView[], until: number = DONE): () => void {
  const keys = matters.map(asideKey);
  set({ ...without(keys), ...Object.fromEntries(keys.map((key) => [key, until])) });
  return () => set(without(keys));
}

export function takeBack(matter: AttentionView): void {
  set(without([asideKey(matter)]));
}

/** Those that need somebody now, and those that were put aside. */
export function useMatters(all: readonly AttentionView[] | undefined): {
  open: AttentionView[];
  aside: AttentionView[];
} {
  const now = useNow();
  const kept = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => aside,
  );
  return useMemo(() => {
    const open: AttentionView[] = [];
    const away: AttentionView[] = [];
    for (const one of all ?? []) (isAside(kept, one, now) ? away : open).push(one);
    return { open, aside: away };
  }, [all, kept, now]);
}
