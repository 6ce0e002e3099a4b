import { describe, expect, it } from "vitest";
import type { ContextView } from "@/api/generated";
import type { LiveEpoch } from "@/live/state";
import { partsOf, sourcesOf } from "./context-parts";
import { chatSearch } from "./search";
import { holds, newSession } from "./transcript";

describe("a rendered context", () => {
  it("has all parts that the keeper names, with their sizes", () => {
    const part = (part: string, title: string, text: string) => ({ part, title, text, chars: 9, tokens: 3 });
    const parts = [
      part("tools", "Tools", ""),
      part("identity", "Who you are", "# Who you are\nI am Felix. {f1}"),
      part("section", "Current situation", "## Current situation\n- Known: the heron is grey. {f14}"),
      part("message", "Message", "[kim · direct · Fri 2026-11-27 22:10 UTC]\nhello"),
    ];
    const shown = partsOf({ parts } as unknown as ContextView);
    expect(shown.map(({ name, isQuoted }) => [name, isQuoted])).toEqual([
      ["Tools", false],
      ["Who it is", true],
      ["Current situation", false],
      ["The message", true],
    ]);
    expect(shown[2]?.text).toBe("- Known: the heron is grey. {f14}");
    expect(shown.every(({ chars, tokens }) => chars === 9 && tokens === 3)).toBe(true);
  });

  it("names the source of each line", () => {
    expect(sourcesOf("- Known: the heron is grey. {f14} {c17/0}")).toEqual({
      text: "- Known: the heron is grey.",
      sources: [
        { kind: "line", label: "f14", seq: 14, what: "a fact" },
        { kind: "line", label: "c17/0", seq: 17, what: "something that was said" },
      ],
    });
    expect(sourcesOf("- of an older context [f14]").sources).toHaveLength(1);
    for (const none of ["it is {a mark of more than some words} at the end", "it is {Not One}", "a [1, 2]"])
      expect(sourcesOf(none).sources).toEqual([]);
  });
});

describe("a conversation", () => {
  const epoch = {
    content: "what of the Heron?",
    reply: "It is grey.",
    sender: "nicolas",
    turns: [{ calls: [{ name: "memory.recall", arguments: { query: "pond" } }] }],
  } as unknown as LiveEpoch;

  it("is searched in all that was said and done", () => {
    for (const query of ["heron grey", "nicolas", "recall pond", "  "])
      expect(holds(epoch, query)).toBe(true);
    expect(holds(epoch, "heron blue")).toBe(false);
  });

  it("takes nothing odd from an address", () => {
    expect(chatSearch({ session: "a", epoch: {}, q: ["x"] })).toEqual({
      session: "a",
      epoch: undefined,
      q: undefined,
    });
    expect(chatSearch({ session: "s".repeat(500) }).session?.length).toBe(200);
  });

  it("has a name that the keeper takes", () => {
    expect(newSession("user", new Date("2026-01-02T03:04:05Z"))).toBe("direct:user:2026-01-02-030405");
    expect(newSession("u".repeat(200), new Date()).length).toBeLessThanOrEqual(128);
  });
});
