import { expect, it } from "vitest";
import { parseFileMatches } from "./file-matches";

const of = (matches: unknown[]) => parseFileMatches({ matches, files: 1, skipped: {}, cut: null });

it("lines around several matches stand there once, and a match stays one", () => {
  const found = of([
    { path: "work/a", line: 2, text: "two", before: ["one"], after: ["three", "four"] },
    { path: "work/b", line: 1, text: "\tb" },
    { path: "work/a", line: 3, text: "three", before: ["one", "two"], after: ["four"] },
  ]);
  expect(found?.files.items).toEqual([
    {
      path: "work/a",
      lines: [
        { at: 1, text: "one", isAround: true },
        { at: 2, text: "two" },
        { at: 3, text: "three" },
        { at: 4, text: "four", isAround: true },
      ],
    },
    { path: "work/b", lines: [{ at: 1, text: "\tb" }] },
  ]);
});

it("a line that says it is several is one", () => {
  expect(of([{ path: "a", line: 1, text: "x\ny\u202E" }])?.files.items[0]?.lines).toEqual([
    { at: 1, text: "x⟦U+000A⟧y⟦U+202E⟧" },
  ]);
});

it.each([
  { line: 1, text: "x" },
  { path: "a", line: -1, text: "x" },
  { path: "a", line: 1 },
  { path: "a", line: 1, text: "x", before: "y" },
  { path: "a", line: 1, text: "x", after: [7] },
])("what is no match: %j", (match) => expect(of([match])).toBeNull());
