// Total readers of what a tool gave: a value of any shape goes in, what is asked for or null comes out. Texts come out with
// everything hidden in them made visible and cut to a length, so that what draws them has nothing left to check.
import { isRecord } from "@/api/errors";
import { visible, visibleLine } from "@/ui";
import { whole } from "@/ui/code";

/** Longest list that is read; what is beyond it is counted. */
export const ITEMS_KEPT = 500;
/** Longest text that is read at all. */
export const TEXT_CHARS = 256 * 1024;
const LINE_CHARS = 300;
const PATH_CHARS = 4_096;

export type Fields = Record<string, unknown>;

/** The beginning of a list, and how many of it are not there. */
export interface Kept<T> {
  items: T[];
  more: number;
}

export function fieldsOf(value: unknown): Fields | null {
  return isRecord(value) ? value : null;
}

/** A text on one line; line ends and rows of spaces are one space. */
export function lineOf(value: unknown, chars = LINE_CHARS): string | null {
  if (typeof value !== "string") return null;
  // Not by `trim`, which takes characters away that are not seen.
  return visibleLine(
    cut(value, chars)
      .replace(/[ \t\r\n]+/g, " ")
      .replace(/^ | $/g, ""),
  );
}

/** The path of a file: each of its characters, also line ends and spaces. */
export function pathOf(value: unknown): string | null {
  return typeof value === "string" ? visibleLine(cut(value, PATH_CHARS)) : null;
}

/** A text of several lines. */
export function blockOf(value: unknown, chars = TEXT_CHARS): string | null {
  return typeof value === "string" ? visible(cut(value, chars)) : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A whole number, not below zero. */
export function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** A point in time in the one form that is shown; null where it is not surely one. */
export function momentOf(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 40 || !/^\d{4}-\d\d-\d\d/.test(value)) return null;
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** A list in which each item has the shape that is asked for; null where one has not. */
export function keptOf<T>(
  value: unknown,
  itemOf: (item: unknown) => T | null,
  itemsMax = ITEMS_KEPT,
): Kept<T> | null {
  if (!Array.isArray(value)) return null;
  const items: T[] = [];
  for (const one of value.slice(0, itemsMax)) {
    const item = itemOf(one);
    if (item === null) return null;
    items.push(item);
  }
  return { items, more: value.length - items.length };
}

/** A list that may be missing. */
export function keptOrNone<T>(value: unknown, itemOf: (item: unknown) => T | null): Kept<T> | null {
  return value === undefined || value === null ? { items: [], more: 0 } : keptOf(value, itemOf);
}

/** The lines of a text whose last line end ends a line and begins none. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** A text without its end, where it is longer. */
export function cut(text: string, chars: number): string {
  return text.length > chars ? `${whole(text, chars)}…` : text;
}

/** `1 line`, `1,200 lines`. */
export function counted(n: number, one: string, several = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : several}`;
}
