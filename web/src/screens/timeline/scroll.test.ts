import { describe, expect, it } from "vitest";
import {
  DRAWN_MAX,
  drawnHeightOf,
  endOf,
  moved,
  type Place,
  rowsAt,
  type Shape,
  toDrawn,
  topFor,
} from "./scroll";

const SHORT: Shape = { rows: 1_000, row: 30, view: 600 };
const LONG: Shape = { rows: 1_000_000, row: 54, view: 600 };

describe("a list within the browser's bound", () => {
  it("stands where its bar stands", () => {
    expect(moved({ top: 0, drawn: 0 }, 1_234, SHORT)).toEqual({ top: 1_234, drawn: 1_234 });
    expect(toDrawn(1_234, SHORT)).toBe(1_234);
    expect(moved({ top: 0, drawn: 0 }, 99_999, SHORT).top).toBe(endOf(SHORT));
  });

  it("draws what is seen and a few rows around it, never outside of the list", () => {
    expect(rowsAt(3_000, SHORT, 8)).toEqual({ first: 92, last: 127 });
    expect(rowsAt(0, SHORT, 8)).toEqual({ first: 0, last: 27 });
    expect(rowsAt(endOf(SHORT), SHORT, 8)).toEqual({ first: 972, last: 999 });
    expect(rowsAt(0, { ...SHORT, rows: 0 }, 8)).toEqual({ first: 0, last: -1 });
    expect(rowsAt(0, { ...SHORT, view: 0 }, 8)).toEqual({ first: 0, last: -1 });
  });
});

describe("a list of a million rows", () => {
  it("is no taller than browsers lay out", () => {
    expect(drawnHeightOf(LONG)).toBe(DRAWN_MAX);
    expect(endOf(LONG)).toBe(53_999_400);
  });

  it("moves row by row with the wheel", () => {
    const from: Place = { top: 20_000_000, drawn: toDrawn(20_000_000, LONG) };
    expect(moved(from, from.drawn + 54, LONG).top).toBe(20_000_054);
    expect(moved(from, from.drawn - 540, LONG).top).toBe(19_999_460);
  });

  it("goes by proportion where the bar is dragged, and reaches both ends", () => {
    const from: Place = { top: 0, drawn: 0 };
    const drawnEnd = DRAWN_MAX - LONG.view;
    expect(moved(from, drawnEnd / 2, LONG).top).toBe(endOf(LONG) / 2);
    expect(moved(from, drawnEnd, LONG).top).toBe(endOf(LONG));
    expect(moved({ top: 900, drawn: 600 }, 0, LONG).top).toBe(0);
    expect(moved({ top: 53_000_000, drawn: drawnEnd - 100 }, drawnEnd, LONG).top).toBe(endOf(LONG));
  });

  it("finds its bar again for every place", () => {
    for (const top of [0, 1, 27_000_000, endOf(LONG)]) {
      const drawn = toDrawn(top, LONG);
      expect((drawn / (DRAWN_MAX - LONG.view)) * endOf(LONG)).toBeCloseTo(top, 3);
    }
  });
});

it("moves no farther than a row needs to be seen", () => {
  expect(topFor(10, 0, SHORT, "near")).toBe(0);
  expect(topFor(20, 0, SHORT, "near")).toBe(30);
  expect(topFor(5, 3_000, SHORT, "near")).toBe(150);
  expect(topFor(500, 0, SHORT, "middle")).toBe(14_715);
  expect(topFor(999, 0, SHORT, "middle")).toBe(endOf(SHORT));
});
