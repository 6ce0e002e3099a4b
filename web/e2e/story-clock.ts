// The time of a story: what a keeper does within a minute is told as an evening and a morning. A mark says at what time of the
// story something happens; between marks time passes as it does, or faster by the mark's rate.

interface Mark {
  real: number;
  story: number;
  rate: number;
}

export class StoryClock {
  #marks: Mark[] = [];
  #starts = new Map<string, number>();
  #end: { real: number; story: number } | null = null;

  /** It is now so late in the story. */
  at(time: string, rate = 1): void {
    this.#mark(Date.parse(time), rate);
  }

  /** So much time passes at once. */
  skip(ms: number): void {
    this.#mark(this.told(Date.now()) + ms, this.#marks.at(-1)?.rate ?? 1);
  }

  /** Something that counts how long it runs starts now. */
  begins(what: string): void {
    this.#starts.set(what, this.told(Date.now()));
  }

  /** How long it has run. */
  ranFor(what: string): number {
    const now = this.told(Date.now());
    return now - (this.#starts.get(what) ?? now);
  }

  /** Time stands still from now on; the present of the story. */
  stop(): number {
    const real = Date.now();
    this.#end = { real, story: this.told(real) };
    return this.#end.story;
  }

  /** How long it has stood still. */
  get stoodStill(): number {
    return this.#end ? Date.now() - this.#end.real : 0;
  }

  /** The time of the story at a real time. What lies ahead stays ahead. */
  told(real: number): number {
    const at = this.#marks.findLastIndex((mark) => mark.real <= real);
    const mark = this.#marks[Math.max(0, at)];
    if (!mark) return real;
    if (this.#end && real > this.#end.real)
      return this.#end.story + (real <= Date.now() ? 0 : real - this.#end.real);
    const next = this.#marks[at + 1];
    const told = mark.story + (real - mark.real) * mark.rate;
    return next && at >= 0 ? Math.min(told, next.story) : told;
  }

  #mark(story: number, rate: number): void {
    this.#marks.push({ real: Date.now(), story, rate });
  }
}
