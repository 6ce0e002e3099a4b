// Reading an address: everything that stands in one may have been written by anybody.

/** A short text, or nothing. */
export function text(value: unknown, chars = 200): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.length > 0 ? value.slice(0, chars) : undefined;
}

/** One of these, or nothing. */
export function oneOf<T extends string>(value: unknown, all: readonly T[]): T | undefined {
  return all.find((one) => one === value);
}

/** A whole number from 0, or nothing. */
export function whole(value: unknown): number | undefined {
  const n = typeof value === "number" ? value : typeof value === "string" ? Number(value) : Number.NaN;
  return Number.isSafeInteger(n) && n >= 0 ? n : undefined;
}
