// Putting a row of a list elsewhere: by keys, by the pointer, by a menu. Pure; `reorder-list.tsx` has the page around it.

/** A row that is carried: which, where it would be dropped, and by what. */
export interface CarriedRow {
  id: number;
  to: number;
  by: "keys" | "pointer";
}

/** The places that rows may take, both included. */
export interface Places {
  first: number;
  last: number;
}

/** The same rows with one of them elsewhere. */
export function moved<T>(rows: readonly T[], from: number, to: number): T[] {
  const next = [...rows];
  const [row] = next.splice(from, 1);
  if (row !== undefined) next.splice(to, 0, row);
  return next;
}

/** The row that the moved one stands before then; `end` where it is the last: null, or the first of a list that goes round. */
export function beforeAt(
  ids: readonly number[],
  from: number,
  to: number,
  end: number | null,
): number | null {
  return moved(ids, from, to)[to + 1] ?? end;
}

/** A place within those that rows may take. */
export function within(to: number, { first, last }: Places): number {
  return Math.max(first, Math.min(last, to));
}

/** Where a key carries a row that is at `to`; null for any other key. */
export function placeByKey(key: string, to: number, places: Places): number | null {
  switch (key) {
    case "ArrowUp":
      return within(to - 1, places);
    case "ArrowDown":
      return within(to + 1, places);
    case "PageUp":
      return within(to - 10, places);
    case "PageDown":
      return within(to + 10, places);
    case "Home":
      return places.first;
    case "End":
      return places.last;
    default:
      return null;
  }
}

/** Read aloud while a row is carried. */
export const reorderWords = {
  picked: (name: string, at: number, of: number) =>
    `${name} picked up, place ${at + 1} of ${of}. Arrows choose a place, Space drops, Escape puts it back.`,
  over: (name: string, at: number, of: number) => `${name}, place ${at + 1} of ${of}.`,
  dropped: (name: string, at: number, of: number) => `${name} dropped at place ${at + 1} of ${of}.`,
  stays: (name: string) => `${name} stays where it was.`,
};
