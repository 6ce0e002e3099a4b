import { describe, expect, it } from "vitest";
import {
  blockOf,
  counted,
  countOf,
  fieldsOf,
  keptOf,
  keptOrNone,
  lineOf,
  linesOf,
  momentOf,
  numberOf,
  pathOf,
} from "./read";

const ODD = [undefined, null, 7, true, [], {}, () => 1, Symbol("x"), Number.NaN];

describe("readers of values of any shape", () => {
  it("give a text on one line, cut, with what hides made visible", () => {
    expect(lineOf(" a\n\tb\r\n c ")).toBe("a b c");
    expect(lineOf("gpj.\u202Eexe\u2028")).toBe("gpj.⟦U+202E⟧exe⟦U+2028⟧");
    expect(lineOf("x".repeat(1_000), 3)).toBe("xxx…");
    expect(lineOf("aa🧑b", 3)).toBe("aa…");
    for (const odd of ODD) expect(lineOf(odd)).toBeNull();
  });

  it("give a path with each of its characters", () => {
    expect(pathOf(" work/a  b\n\u202Ec")).toBe(" work/a  b⟦U+000A⟧⟦U+202E⟧c");
    for (const odd of ODD) expect(pathOf(odd)).toBeNull();
  });

  it("give a text of several lines as it is", () => {
    expect(blockOf("  a\r\n\tb\u200B")).toBe("  a\n\tb⟦U+200B⟧");
    expect(blockOf("x".repeat(10), 4)).toBe("xxxx…");
    for (const odd of ODD) expect(blockOf(odd)).toBeNull();
  });

  it("give numbers that are some", () => {
    expect([numberOf(-1.5), countOf(3), countOf(0)]).toEqual([-1.5, 3, 0]);
    for (const odd of [...ODD.filter((one) => one !== 7), "7", Number.POSITIVE_INFINITY]) {
      expect(numberOf(odd)).toBeNull();
    }
    for (const odd of [-1, 1.5, 1e300, "7"]) expect(countOf(odd)).toBeNull();
  });

  it("give points in time in one form, and nothing of what is beside one", () => {
    expect(momentOf("2026-11-28T10:00:00.5+01:00")).toBe("2026-11-28T09:00:00.500Z");
    expect(momentOf("2026-11-28")).toBe("2026-11-28T00:00:00.000Z");
    for (const odd of [...ODD, "", "soon", "2026-13-41", "7", "Nov 28 2026", "2026-11-28 ".repeat(9)])
      expect(momentOf(odd)).toBeNull();
    // Engines skip what stands in brackets: it must not come along.
    expect(momentOf("2026-11-28 (\u202E)") ?? "").not.toContain("\u202E");
  });

  it("give a list whose items all fit, with the number of those that are left out", () => {
    expect(keptOf([1, 2, 3], numberOf, 2)).toEqual({ items: [1, 2], more: 1 });
    expect(keptOf([], numberOf)).toEqual({ items: [], more: 0 });
    expect(keptOf([1, "2"], numberOf)).toBeNull();
    expect(keptOf(new Array(100_000).fill(1), numberOf)).toMatchObject({ more: 99_500 });
    expect(keptOrNone(undefined, numberOf)).toEqual({ items: [], more: 0 });
    for (const odd of ODD.filter((one) => !Array.isArray(one))) expect(keptOf(odd, numberOf)).toBeNull();
    expect(keptOrNone("x", numberOf)).toBeNull();
  });

  it("give fields of objects alone", () => {
    expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
    for (const odd of [null, [], "x", 1]) expect(fieldsOf(odd)).toBeNull();
  });

  it("give lines and words of numbers", () => {
    expect([linesOf(""), linesOf("a"), linesOf("a\n\n")]).toEqual([[], ["a"], ["a", ""]]);
    expect([counted(1, "line"), counted(1_200, "line"), counted(2, "match", "matches")]).toEqual([
      "1 line",
      "1,200 lines",
      "2 matches",
    ]);
  });
});
