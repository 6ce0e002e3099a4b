import { describe, expect, it } from "vitest";
import { givenLine, givenText } from "./given";

describe("what a tool was given", () => {
  it("stands there as names and values, without the marks of JSON", () => {
    expect(givenText({ command: '\\spawn @pip says "hello" ---' })).toBe(
      'command: \\spawn @pip says "hello" ---',
    );
    expect(givenText({ query: "heron", limit: 3, tags: ["a", "b"], on: null })).toBe(
      'query: heron\nlimit: 3\ntags: ["a", "b"]\non: null',
    );
    expect(givenText({})).toBe("nothing");
    expect(givenText(undefined)).toBe("");
    expect(givenText([1])).toBe("[\n  1\n]");
  });

  it("lets no line of a text look like another name", () => {
    expect(givenText({ content: "harmless\neffect: read" })).toBe("content:\n  harmless\n  effect: read");
    expect(givenText({ content: "a\u2028effect: read" })).toBe("content:\n  a\n  effect: read");
  });

  it("tells a text from a number, and from nothing", () => {
    expect(givenText({ a: "5", b: 5, c: "null", d: "", e: " x", f: '{"a":1}' })).toBe(
      'a: "5"\nb: 5\nc: "null"\nd: ""\ne: " x"\nf: "{\\"a\\":1}"',
    );
  });

  it("is one short line on a closed card", () => {
    expect(givenLine({ query: "the\nheron" })).toBe("the heron");
    expect(givenLine({ query: "heron", limit: 3 })).toBe("query: heron, limit: 3");
    expect(givenLine({ query: "x".repeat(500) }, 10)).toBe("xxxxxxxxxx…");
    expect(givenLine({})).toBe("");
    expect(givenLine(null)).toBe("");
  });
});
