// Where in the ledger a filter fits: looked for from one place on, back and forth, a piece at a time, and no farther than is
// wanted. Keeps sequences alone; what stands there is read again by `Pages`.
import type { AnyEvent } from "@/live/event";
import { type Filter, fits } from "./filter";
import { Changing, type Read } from "./source";

/** Lines of the first piece; each further one is twice as long, up to the longest. */
const PIECE_MIN = 256;
export const PIECE_MAX = 2_048;
/** Lines that one going reads before it asks whether to go on. */
export const LINES_A_GO = 32_768;

export type Way = "back" | "on";

export class Matches extends Changing {
  error: unknown = null;
  /** Sequences that fit, ascending. */
  seqs: readonly number[] = [];
  /** How many were put before the first that was found: rows of a list move by so many. */
  before = 0;
  /** All behind `low` and up to `high` has been looked through. */
  low: number;
  high: number;
  /** Ways on which a going ended without finding enough. */
  readonly spent = new Set<Way>();
  readonly #going = new Map<Way, AbortController>();

  constructor(
    readonly filter: Filter,
    from: number,
    private readonly read: Read,
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
    if (this.error !== null || this.#going.has(way) || this.spent.has(way)) return;
    if (way === "back" ? this.low === 0 : this.high >= head) return;
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
    this.#take("on", fresh, last.seq);
  }

  close(): void {
    for (const going of this.#going.values()) going.abort();
    this.#going.clear();
  }

  async #go(way: Way, wanted: number, head: number, signal: AbortSignal): Promise<void> {
    let piece = PIECE_MIN;
    let lines = 0;
    const enough = this.seqs.length + wanted;
    while (this.seqs.length < enough) {
      const after = way === "back" ? Math.max(0, this.low - piece) : this.high;
      const through = way === "back" ? this.low : Math.min(head, this.high + piece);
      if (after >= through) return;
      if (lines >= LINES_A_GO) {
        this.spent.add(way);
        return;
      }
      const read = await this.read({ after, through, limit: through - after, thoughts: true, signal });
      if (signal.aborted) return;
      this.#take(way, read.events, way === "back" ? after : read.through);
      lines += through - after;
      piece = Math.min(piece * 2, PIECE_MAX);
    }
  }

  #take(way: Way, events: readonly AnyEvent[], end: number): void {
    const fitting = events.filter((event) => fits(this.filter, event));
    const seqs = fitting.map((event) => event.seq);
    if (way === "back") {
      this.low = end;
      this.seqs = [...seqs, ...this.seqs];
      this.before += seqs.length;
    } else {
      this.high = end;
      if (seqs.length > 0) this.seqs = [...this.seqs, ...seqs];
    }
    this.found(fitting);
    this.changed();
  }
}
