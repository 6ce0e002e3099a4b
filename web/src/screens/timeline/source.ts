// How the timeline reads the ledger, and how what it reads into tells that it changed. Every place of the ledger is read alone.
import { call } from "@/api/client";
import type { LedgerPage } from "@/api/generated";
import { type AnyEvent, eventOf } from "@/live/event";
import type { Filter } from "./filter";

/** What lies behind `after`, up to `through`: the oldest first, and how far that went. */
export type Read = (query: ReadQuery) => Promise<{ events: AnyEvent[]; through: number }>;

export interface ReadQuery {
  after: number;
  through: number;
  limit: number;
  /** An epoch, where only its lines are wanted. */
  epoch?: string;
  signal?: AbortSignal;
}

/** What fits, in the order of the ledger. */
export type Find = (query: FindQuery) => Promise<Found>;

export interface FindQuery {
  filter: Filter;
  /** `back`: before `from`, the newest of it; `on`: behind `from`, the oldest of it. */
  way: Way;
  from: number;
  limit: number;
  signal?: AbortSignal;
}

export interface Found {
  events: AnyEvent[];
  /** As far as all was looked through: the next `from` of the same way; null at the ledger's end. */
  next: number | null;
  /** Lines that may fit and cannot be read. */
  damaged: number;
}

export type Way = "back" | "on";

export const readLedger: Read = async ({ after, through, limit, epoch, signal }) => {
  if (after >= through) return { events: [], through };
  const query = { after, before: through + 1, limit, epoch, thoughts: true };
  const page = await call("GET /ledger", { query, signal });
  return { events: eventsOf(page), through: numberOf(page.next) ?? through };
};

export const findInLedger: Find = async ({ filter, way, from, limit, signal }) => {
  const { agent, kinds, text } = filter;
  const place = way === "back" ? { before: from } : { after: from };
  const query = { ...place, limit, citizen: agent, kinds: kinds.join(","), q: text, thoughts: true };
  const page = await call("GET /ledger", { query, signal });
  const events = eventsOf(page);
  if (way === "back") events.reverse();
  return { events, next: numberOf(page.next), damaged: page.damaged };
};

function numberOf(cursor: string | null | undefined): number | null {
  return cursor == null ? null : Number(cursor);
}

/** Those that this client knows. */
function eventsOf(page: LedgerPage): AnyEvent[] {
  return page.items.map(eventOf).filter((event) => event !== null);
}

/** Something that changes; `version` differs after each change. */
export class Changing {
  #version = 0;
  readonly #listeners = new Set<() => void>();

  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  protected changed(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}

/** About how many characters a value holds. */
export function weightOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value === null || typeof value !== "object") return 8;
  return Object.values(value).reduce<number>((sum, one) => sum + 8 + weightOf(one), 0);
}
