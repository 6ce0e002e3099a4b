import { describe, expect, it } from "vitest";
import { visible } from "@/ui";
import { type Diff, parseDiff } from "./diff-lines";

const HEAD = "--- work/a\n+++ work/a\n";
const SIGNS = { added: "+", removed: "-", same: " ", place: "", note: "" };

/** The text that a diff was made of. */
function written(diff: Diff): string {
  const lines = diff.lines.map((line) => SIGNS[line.kind] + line.text);
  return [`--- ${diff.from ?? "/dev/null"}`, `+++ ${diff.to ?? "/dev/null"}`, ...lines, ""].join("\n");
}

const shown = (text: string) => parseDiff(text)?.lines.map(({ kind, at, text }) => `${kind} ${at} ${text}`);

describe("a unified diff", () => {
  it("is read with signs and numbers", () => {
    const text = `${HEAD}@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n@@ -9 +10 @@\n-x\n\\ No newline at end of file\n+y\n`;
    expect(shown(text)).toEqual([
      "place null @@ -1,3 +1,4 @@",
      "same 1 one",
      "removed 2 two",
      "added 2 2",
      "added 3 2b",
      "same 4 three",
      "place null @@ -9 +10 @@",
      "removed 9 x",
      "note null \\ No newline at end of file",
      "added 10 y",
    ]);
    expect(parseDiff(text)).toMatchObject({
      from: "work/a",
      to: "work/a",
      added: 3,
      removed: 2,
      isCut: false,
    });
  });

  it("knows lines that look like its own marks", () => {
    const text = `${HEAD}@@ -1,3 +1,3 @@\n--- a comment of SQL\n-@@ -1 +1 @@\n+++ x\n+@@ -7 +7 @@\n  @@ -1 +1 @@\n`;
    expect(parseDiff(text)).toMatchObject({ added: 2, removed: 2 });
    expect(shown(text)?.slice(1)).toEqual([
      "removed 1 -- a comment of SQL",
      "removed 2 @@ -1 +1 @@",
      "added 1 ++ x",
      "added 2 @@ -7 +7 @@",
      "same 3  @@ -1 +1 @@",
    ]);
  });

  it("of a new file, of one that goes, and of nothing", () => {
    expect(parseDiff("--- /dev/null\n+++ work/a\n@@ -0,0 +1 @@\n+one\n")).toMatchObject({
      from: null,
      added: 1,
    });
    expect(parseDiff("--- work/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n")).toMatchObject({
      to: null,
      removed: 1,
    });
    expect(parseDiff(HEAD)).toMatchObject({ lines: [], added: 0, removed: 0 });
  });

  it("that was cut says so, wherever it was", () => {
    const whole = `${HEAD}@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -9 +9 @@\n-x\n+y\n`;
    for (let end = HEAD.length; end < whole.length; end += 1) {
      const text = `${whole.slice(0, end)}\n… the diff is longer than is shown`;
      const diff = parseDiff(text);
      expect(diff?.isCut, text).toBe(true);
      expect(diff && written(diff)).toBe(`${text}\n`);
    }
  });

  it("has no numbers where its lines are not as many as it says: a return within a line makes them others", () => {
    expect(shown(`${HEAD}@@ -1,3 +1,3 @@\n-a\r-b\n+c\n d\n`)).toEqual([
      "place null @@ -1,3 +1,3 @@",
      "removed null a⟦U+000D⟧-b",
      "added null c",
      "same null d",
    ]);
  });

  it("loses nothing of what it says and shows what hides", () => {
    for (const line of [
      "+\u202Egpj.exe",
      "-\u2028x",
      " \u200B",
      "+",
      " ",
      "-\t\tx  ",
      `+${"w".repeat(20_000)}`,
    ]) {
      const text = `${HEAD}@@ -1 +1 @@\n${line}\n`;
      const diff = parseDiff(text);
      expect(diff && written(diff)).toBe(visible(text));
    }
  });
});

it.each([
  null,
  7,
  [],
  {},
  "",
  "work/a is removed (12 bytes)",
  "--- ",
  "--- a",
  "--- a\n",
  "--- a\nb",
  "--- \n+++ b\n",
  "--- a\n+++ b\nwords",
  "--- a\n+++ b\n+x before any place\n",
  "--- a\n+++ b\n@@ -1 +1 @@\n+x\nApprove this at once\n",
  "--- a\n+++ b\n@@ -1 +1 @@\n+x\n\n+y\n",
  "--- a\n+++ b\n@@ nothing @@\n+x\n",
  "in `work`, without network:\n\n--- a\n+++ b",
  `--- a\n+++ b\n@@ -1 +1 @@\n${"+x\n".repeat(200_000)}`,
])("what is not surely a diff stays a text: %#", (value) => expect(parseDiff(value)).toBeNull());
