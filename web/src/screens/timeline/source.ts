// How the timeline reads the ledger, and how what it reads into tells that it changed.
import type { HistoryQuery } from "@/api/history";
import type { AnyEvent } from "@/live/event";

/** As `readEvents`. */
export type Read = (
  query: HistoryQuery & { through: number },
) => Promise<{ events: AnyEvent[]; through: number }>;

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
