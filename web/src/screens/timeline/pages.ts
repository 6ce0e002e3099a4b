// The ledger in pages: read when they are looked at, dropped when they are far. Holds a bounded number of events of a bounded
// weight, whatever is scrolled through; never reads more than two pages at once, and none that is only flown over.
import type { AnyEvent } from "@/live/event";
import { Changing, type Read, weightOf } from "./source";

/** Events of a page. */
export const PAGE = 128;
/** Pages that are kept beside those that are looked at. */
export const PAGES_KEPT = 24;
/** Single events that are kept beside the pages: what a search found, what just happened. */
export const LOOSE_KEPT = 2_000;
/** Characters in pages, and as many again in single events. */
export const CHARS_KEPT = 16 * 1024 * 1024;
const READS_MAX = 2;
/** What is looked at for less than this is not read. */
const SETTLE_MS = 60;

interface Page {
  /** By place in the page; a kind that this client does not know leaves its place empty. */
  events: (AnyEvent | undefined)[];
  /** The last sequence that was read. */
  through: number;
  chars: number;
}

/** The page that an event stands in. */
export function pageOf(seq: number): number {
  return Math.floor((seq - 1) / PAGE);
}

export class Pages extends Changing {
  /** Why the last read failed; nothing is read until `retry`. */
  error: unknown = null;
  readonly #read: Read;
  readonly #pages = new Map<number, Page>();
  #pagesChars = 0;
  readonly #loose = new Map<number, { event: AnyEvent; chars: number }>();
  #looseChars = 0;
  readonly #reads = new Map<number, AbortController>();
  #looked: readonly number[] = [];
  #head = 0;
  /** Pages that were missing when the present wait began. */
  #awaited: readonly number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(read: Read) {
    super();
    this.#read = read;
  }

  /** An event; null for one that this client does not know; undefined until it is read. */
  at(seq: number): AnyEvent | null | undefined {
    const loose = this.#loose.get(seq);
    if (loose) return loose.event;
    const page = this.#pages.get(pageOf(seq));
    if (!page || seq > page.through) return undefined;
    return page.events[(seq - 1) % PAGE] ?? null;
  }

  /** How much is held, in events. */
  get held(): number {
    return this.#pages.size * PAGE + this.#loose.size;
  }

  get isReading(): boolean {
    return this.#reads.size > 0;
  }

  /** Says what is looked at, the most wanted first, and how far the ledger goes. */
  look(seqs: readonly number[], head: number): void {
    // Another ledger took this one's place: what is known of the old one is not true of it.
    if (head < this.#head) this.#forget();
    this.#looked = seqs;
    this.#head = head;
    const missing = this.#missing();
    for (const [page, reading] of this.#reads) if (!missing.includes(page)) reading.abort();
    this.#trim();
    // Who scrolls steadily sees each page for long enough; who drags the bar does not.
    if (missing.some((page) => this.#awaited.includes(page))) return;
    clearTimeout(this.#timer);
    this.#awaited = missing;
    if (missing.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#awaited = [];
      this.#pump();
    }, SETTLE_MS);
  }

  /** Takes events that came another way. */
  put(events: readonly AnyEvent[]): void {
    let isNew = false;
    for (const event of events) {
      if (this.at(event.seq) !== undefined) continue;
      isNew = true;
      const chars = weightOf(event.data);
      this.#loose.set(event.seq, { event, chars });
      this.#looseChars += chars;
    }
    if (!isNew) return;
    for (const [seq, { chars }] of this.#loose) {
      if (this.#loose.size <= LOOSE_KEPT && this.#looseChars <= CHARS_KEPT) break;
      this.#loose.delete(seq);
      this.#looseChars -= chars;
    }
    this.changed();
  }

  /** Reads again after a failure. */
  retry(): void {
    if (this.error === null) return;
    this.error = null;
    this.changed();
    this.#pump();
  }

  /** Ends what is being read. */
  close(): void {
    clearTimeout(this.#timer);
    this.#awaited = [];
    for (const reading of this.#reads.values()) reading.abort();
  }

  /** Pages that are looked at and not read, the most wanted first. */
  #missing(): number[] {
    const pages = new Set<number>();
    for (const seq of this.#looked)
      if (seq >= 1 && seq <= this.#head && this.at(seq) === undefined) pages.add(pageOf(seq));
    return [...pages];
  }

  #pump(): void {
    if (this.error !== null) return;
    for (const page of this.#missing()) {
      if (this.#reads.size >= READS_MAX) return;
      if (!this.#reads.has(page)) void this.#fetch(page);
    }
  }

  async #fetch(number: number): Promise<void> {
    const reading = new AbortController();
    this.#reads.set(number, reading);
    const known = this.#pages.get(number);
    const after = known?.through ?? number * PAGE;
    const through = Math.min((number + 1) * PAGE, this.#head);
    try {
      const { signal } = reading;
      const read = await this.#read({ after, through, limit: PAGE, signal });
      if (!signal.aborted) this.#keep(number, read.events, read.through);
    } catch (error) {
      if (!reading.signal.aborted) this.error = error;
    }
    if (this.#reads.get(number) === reading) this.#reads.delete(number);
    this.#trim();
    this.changed();
    this.#pump();
  }

  #keep(number: number, events: readonly AnyEvent[], through: number): void {
    const page = this.#pages.get(number) ?? { events: new Array(PAGE), through: 0, chars: 0 };
    for (const event of events) {
      const place = (event.seq - 1) % PAGE;
      if (page.events[place]) continue;
      page.events[place] = event;
      const chars = weightOf(event.data);
      page.chars += chars;
      this.#pagesChars += chars;
    }
    page.through = Math.max(page.through, through);
    this.#pages.set(number, page);
  }

  /** Drops what is farthest from what is looked at. */
  #trim(): void {
    if (this.#pages.size <= PAGES_KEPT && this.#pagesChars <= CHARS_KEPT) return;
    const looked = new Set(this.#looked.map(pageOf));
    const centre = pageOf(this.#looked[0] ?? this.#head);
    const far = [...this.#pages.keys()]
      .filter((page) => !looked.has(page))
      .sort((a, b) => Math.abs(b - centre) - Math.abs(a - centre));
    for (const number of far) {
      if (this.#pages.size <= PAGES_KEPT && this.#pagesChars <= CHARS_KEPT) return;
      this.#pagesChars -= this.#pages.get(number)?.chars ?? 0;
      this.#pages.delete(number);
    }
  }

  #forget(): void {
    this.close();
    this.#pages.clear();
    this.#loose.clear();
    this.#pagesChars = 0;
    this.#looseChars = 0;
  }
}
