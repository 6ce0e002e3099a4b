// Where in the ledger a filter fits: the keeper is asked from one place on, back and forth, and no farther than is wanted. Keeps
// a bounded run of sequences alone; what stands there is read again by `Pages`.
import type { AnyEvent } from "@/live/event";
import { type Filter, fits } from "./filter";
import { Changing, type Find, type Way } from "./source";

/** Events of one asking. */
export const FOUND_MAX = 200;
/** Askings that one going makes before it asks whether to go on: the keeper looks for a moment at each. */
export const ASKED_A_GO = 32;
/** Sequences that are kept; beyond, those farthest from the way that is gone are let go, and found again when they are wanted. */
export const SEQS_KEPT = 20_000;

export class Matches extends Changing {
  error: unknown = null;
  /** Sequences that fit, ascending. */
  seqs: readonly number[] = [];
  /** How many were put before the first that was found, less those that were let go there: rows of a list move by so many. */
  before = 0;
  /** All behind `low` and up to `high` has been looked through. */
  low: number;
  high: number;
  /** Whether what was looked through has come to the newest and goes on with it. */
  isAtNewest = false;
  /** Lines that may fit and cannot be read. */
  damaged = 0;
  /** Ways on which a going ended without finding enough. */
  readonly spent = new Set<Way>();
  readonly #going = new Map<Way, AbortController>();

  constructor(
    readonly filter: Filter,
    from: number,
    private readonly find: Find,
    /** Gets what was found. */
    private readonly found: (events: readonly AnyEvent[]) => void,
  ) {
    super();
    this.low = from;
    this.high = from;
  }

  get isSearching(): boolean {
    return this.#going.size > 0;
  }

  /** Whether a place is in what was looked through. */
  covers(seq: number): boolean {
    return seq >= this.low && seq <= this.high;
  }

  /** The row of an event, or of the first one behind it. */
  rowOf(seq: number): number {
    let low = 0;
    let high = this.seqs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.seqs[middle] ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Looks for so many more on one way. A way that is being gone or spent is not gone again. */
  async seek(way: Way, wanted: number, head: number): Promise<void> {
    if (this.error !== null || this.#going.has(way) || this.spent.has(way) || this.#isAtEnd(way, head))
      return;
    const going = new AbortController();
    this.#going.set(way, going);
    this.changed();
    try {
      await this.#go(way, wanted, head, going.signal);
    } catch (error) {
      if (!going.signal.aborted) this.error = error;
    }
    if (this.#going.get(way) === going) this.#going.delete(way);
    this.changed();
  }

  /** Goes on where a going was spent, or after a failure. */
  again(way: Way): void {
    this.error = null;
    this.spent.delete(way);
    this.changed();
  }

  /** Takes new lines, if they follow what was looked through. */
  follow(events: readonly AnyEvent[], head: number): void {
    if (this.#going.has("on")) return;
    const fresh = events.filter((event) => event.seq > this.high && event.seq <= head);
    const isDense = fresh.every((event, at) => event.seq === this.high + at + 1);
    const last = fresh.at(-1);
    if (!last || !isDense) return;
    this.#take(
      "on",
      fresh.filter((event) => fits(this.filter, event)),
      last.seq,
    );
  }

  close(): void {
    for (const going of this.#going.values()) going.abort();
    this.#going.clear();
  }

  #isAtEnd(way: Way, head: number): boolean {
    if (way === "back") return this.low === 0;
    if (this.high >= head) this.isAtNewest = true;
    return this.high >= head;
  }

  async #go(way: Way, wanted: number, head: number, signal: AbortSignal): Promise<void> {
    let [missing, asked] = [wanted, 0];
    while (missing > 0 && !this.#isAtEnd(way, head)) {
      if (asked === ASKED_A_GO) {
        this.spent.add(way);
        return;
      }
      const from = way === "back" ? this.low + 1 : this.high;
      const { events, next, damaged } = await this.find({
        filter: this.filter,
        way,
        from,
        limit: FOUND_MAX,
        signal,
      });
      if (signal.aborted) return;
      asked += 1;
      missing -= events.length;
      this.damaged += damaged;
      // Back, `next` is the first line that was looked at; on, the last one.
      const end = way === "back" ? (next ?? 1) - 1 : (next ?? Math.max(head, events.at(-1)?.seq ?? 0));
      this.#take(way, events, end);
    }
  }

  #take(way: Way, events: readonly AnyEvent[], end: number): void {
    const seqs = events.map((event) => event.seq);
    if (way === "back") {
      this.low = end;
      this.before += seqs.length;
      this.seqs = [...seqs, ...this.seqs];
    } else {
      this.high = end;
      if (seqs.length > 0) this.seqs = [...this.seqs, ...seqs];
    }
    this.#letGo(way);
    this.found(events);
    this.changed();
  }

  /** Lets go of what is too much on the other way; that way is then open again. */
  #letGo(way: Way): void {
    const excess = this.seqs.length - SEQS_KEPT;
    if (excess <= 0) return;
    if (way === "back") {
      this.seqs = this.seqs.slice(0, SEQS_KEPT);
      this.high = this.seqs.at(-1) ?? this.high;
      this.isAtNewest = false;
      this.#going.get("on")?.abort();
      this.spent.delete("on");
    } else {
      this.seqs = this.seqs.slice(excess);
      this.before -= excess;
      this.low = (this.seqs[0] ?? 1) - 1;
      this.#going.get("back")?.abort();
      this.spent.delete("back");
    }
  }
}
