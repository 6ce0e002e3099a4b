// How long a message may be.

/** In Unicode scalar values, as the keeper counts them. */
export const CHARS_MAX = 10_000;

/** By how many characters a text is longer than a message may be. */
export function over(text: string): number {
  return text.length <= CHARS_MAX ? 0 : Math.max(0, Array.from(text).length - CHARS_MAX);
}

/** How many characters a message has room for. */
export function left(text: string): number {
  return CHARS_MAX - Array.from(text).length;
}

/** The same as `over` in words. */
export function overWords(by: number): string {
  return `${by.toLocaleString("en")} characters longer than a message may be (${CHARS_MAX.toLocaleString("en")}). Nothing was cut.`;
}
