import { describe, expect, it } from "vitest";
import { HIGHLIGHT_CHARS_MAX, highlight, languageName } from "./highlight";

const kinds = (text: string, language: string) =>
  highlight(text, language)
    .filter((piece) => piece.kind !== "plain")
    .map((piece) => `${piece.kind}:${piece.text}`);

const LANGUAGES =
  "rust ts py sh json toml yaml sql go c cpp java css html diff constructor __proto__ klingon".split(" ");
const TEXTS = [
  '"never closed',
  "/* never closed",
  "'''",
  "`",
  "\u{1F9D1}\u200D\u{1F680} \\",
  "\n\n",
  '"""a',
  'r#"a',
  "0x",
  "$$$",
  "#",
  "<!--",
];

describe("code", () => {
  it("has comments, strings, numbers and words of its language", () => {
    expect(kinds('fn main() { let x = "a // b"; // why\n 42 }', "rust")).toEqual([
      "keyword:fn",
      "keyword:let",
      'string:"a // b"',
      "comment:// why",
      "number:42",
    ]);
    expect(kinds("def f(): # why\n  return 'x' + 1.5", "py")).toEqual([
      "keyword:def",
      "comment:# why",
      "keyword:return",
      "string:'x'",
      "number:1.5",
    ]);
    const ticks = "`x $b`";
    expect(kinds(`const a = ${ticks} /* c */`, "ts")).toEqual([
      "keyword:const",
      `string:${ticks}`,
      "comment:/* c */",
    ]);
    expect(kinds('{"a": [1, true]}', "json")).toEqual(['string:"a"', "number:1", "keyword:true"]);
    expect(kinds("echo $# # why", "bash")).toEqual(["keyword:echo", "comment:# why"]);
    expect(kinds("SELECT a FROM b -- why", "sql")).toEqual([
      "keyword:SELECT",
      "keyword:FROM",
      "comment:-- why",
    ]);
    expect(kinds("@@ 1 @@\n-a\n+b\n c", "diff")).toEqual(["heading:@@ 1 @@\n", "removed:-a\n", "added:+b\n"]);
    // A lifetime is no string.
    expect(kinds("fn f<'a>(x: &'a str)", "rust")).toEqual(["keyword:fn"]);
  });

  it("is the same text in any language, whatever stands in it", () => {
    for (const language of LANGUAGES)
      for (const one of TEXTS)
        for (const text of [one, `${one}\nx = 1`, `a ${one} b`.repeat(50)])
          expect(
            highlight(text, language)
              .map((piece) => piece.text)
              .join(""),
            `${language}: ${text}`,
          ).toBe(text);
  });

  it("stays plain where it is long, or of no language that is known", () => {
    const long = "let ".repeat(HIGHLIGHT_CHARS_MAX / 4 + 1);
    expect(highlight(long, "rust")).toEqual([{ text: long, kind: "plain" }]);
    expect(highlight("let x", "klingon")).toEqual([{ text: "let x", kind: "plain" }]);
  });

  it("is called by its name", () => {
    expect(["rs", "tsx", "klingon", ""].map(languageName)).toEqual(["Rust", "TypeScript", "klingon", ""]);
    expect(languageName("k".repeat(500)).length).toBeLessThan(30);
  });
});
