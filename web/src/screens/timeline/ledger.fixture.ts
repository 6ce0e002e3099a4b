// A ledger for tests: dense, with what is read counted.
import type { AnyEvent } from "@/live/event";
import { fits } from "./filter";
import type { Find, Read } from "./source";

export const line = (seq: number, more: Partial<AnyEvent> = {}): AnyEvent =>
  ({
    seq,
    tick: Math.floor(seq / 10),
    timestamp: new Date(seq * 1_000).toISOString(),
    entity: "@felix",
    author: "@felix",
    kind: "stdout.written",
    v: 1,
    data: { content: `line ${seq}` },
    ...more,
  }) as AnyEvent;

export interface Asked {
  after: number;
  through: number;
}

export interface Sought {
  way: "back" | "on";
  from: number;
}

/** A keeper that finds in a ledger of `head` lines, which `make` makes, and looks at `lines` of them at each asking. */
export function keeperOf(
  head: number,
  make: (seq: number) => AnyEvent = line,
  lines = 50_000,
): { find: Find; asked: Sought[] } {
  const asked: Sought[] = [];
  const find: Find = async ({ filter, way, from, limit, signal }) => {
    asked.push({ way, from });
    await Promise.resolve();
    signal?.throwIfAborted();
    const step = way === "back" ? -1 : 1;
    const events: AnyEvent[] = [];
    let at = from + step;
    for (let looked = 0; at >= 1 && at <= head && looked < lines && events.length < limit; looked += 1) {
      const event = make(at);
      if (fits(filter, event)) events.push(event);
      at += step;
    }
    const next = at < 1 || at > head ? null : at - step;
    return { events: way === "back" ? events.reverse() : events, next, damaged: 0 };
  };
  return { find, asked };
}

/** Reads of a ledger whose lines `make` makes, and what was asked of it. */
export function ledgerOf(make: (seq: number) => AnyEvent | null = line): { read: Read; asked: Asked[] } {
  const asked: Asked[] = [];
  const read: Read = async ({ after, through, limit = 500, signal }) => {
    const end = Math.min(through, after + limit);
    asked.push({ after, through: end });
    await Promise.resolve();
    signal?.throwIfAborted();
    const seqs = Array.from({ length: Math.max(0, end - after) }, (_, at) => after + at + 1);
    return { events: seqs.map(make).filter((event) => event !== null), through: end };
  };
  return { read, asked };
}

export const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
