// Where a scrolled list of any length stands. Browsers bound the height of an element; a longer list is drawn at that bound: a
// small movement goes row by row all the same, a large one (the bar is dragged) goes by proportion.

/** Tallest element that every browser lays out exactly, in pixels. */
export const DRAWN_MAX = 8_000_000;
/** So many heights of the view count as a small movement. */
const SMALL_VIEWS = 3;

export interface Shape {
  rows: number;
  /** Height of a row, in pixels. */
  row: number;
  /** Height of what is seen, in pixels. */
  view: number;
}

export interface Place {
  /** Pixels of the whole list above what is seen. */
  top: number;
  /** The same, as the browser's bar has it. */
  drawn: number;
}

export function heightOf(shape: Shape): number {
  return shape.rows * shape.row;
}

/** Height of the element. */
export function drawnHeightOf(shape: Shape): number {
  return Math.min(heightOf(shape), DRAWN_MAX);
}

/** The last place. */
export function endOf(shape: Shape): number {
  return Math.max(0, heightOf(shape) - shape.view);
}

/** Where the bar stands for a place in the list. */
export function toDrawn(top: number, shape: Shape): number {
  const end = endOf(shape);
  const drawnEnd = Math.max(0, drawnHeightOf(shape) - shape.view);
  return end === drawnEnd || end === 0 ? clamp(top, 0, end) : (clamp(top, 0, end) / end) * drawnEnd;
}

/** The place after the bar has moved. */
export function moved(from: Place, drawn: number, shape: Shape): Place {
  const end = endOf(shape);
  const drawnEnd = Math.max(0, drawnHeightOf(shape) - shape.view);
  if (end === drawnEnd) return { top: clamp(drawn, 0, end), drawn };
  const by = drawn - from.drawn;
  const isSmall = Math.abs(by) <= SMALL_VIEWS * shape.view;
  // At the bar's ends are the list's ends, whatever way led there.
  if (isSmall && drawn > 0 && drawn < drawnEnd - 1) return { top: clamp(from.top + by, 0, end), drawn };
  return { top: clamp((drawn / drawnEnd) * end, 0, end), drawn };
}

/** Rows that are drawn: those that are seen and some around them. Empty where nothing is seen. */
export function rowsAt(top: number, shape: Shape, around: number): { first: number; last: number } {
  if (shape.rows === 0 || shape.view <= 0) return { first: 0, last: -1 };
  const first = Math.floor(top / shape.row) - around;
  const last = Math.ceil((top + shape.view) / shape.row) - 1 + around;
  return { first: clamp(first, 0, shape.rows - 1), last: clamp(last, 0, shape.rows - 1) };
}

/** Where the list must stand so that a row is seen; unchanged where it is seen already, unless it is to be in the middle. */
export function topFor(row: number, top: number, shape: Shape, align: "near" | "middle"): number {
  const at = row * shape.row;
  if (align === "middle") return clamp(at - (shape.view - shape.row) / 2, 0, endOf(shape));
  if (at < top) return clamp(at, 0, endOf(shape));
  return at + shape.row > top + shape.view ? clamp(at + shape.row - shape.view, 0, endOf(shape)) : top;
}

function clamp(n: number, low: number, high: number): number {
  return Math.min(Math.max(n, low), Math.max(low, high));
}
