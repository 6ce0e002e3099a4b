import { describe, expect, it } from "vitest";
import type { LiveEpoch } from "@/live/state";
import { sectionsOf, sourcesOf } from "./context-parts";
import { chatSearch } from "./search";
import { holds, newSession } from "./transcript";

describe("a rendered context", () => {
  const system = [
    "# I am Felix",
    "",
    "# What you know at this moment",
    "",
    "## Identity now",
    "- You are Felix. [profile]",
    "## Current situation",
    "```text",
    "## Not a heading [f1]",
    "```",
    "- Known: the heron is grey. [f14] [c17/0]",
  ].join("\n");

  it("is taken apart at its own headings alone", () => {
    expect(sectionsOf(system).map((section) => section.name)).toEqual([
      "Who it is",
      "Identity now",
      "Current situation",
    ]);
    expect(sectionsOf("only this")).toEqual([{ name: "Who it is", text: "only this" }]);
  });

  it("names the source of each line", () => {
    expect(sourcesOf("- Known: the heron is grey. [f14] [c17/0]")).toEqual({
      text: "- Known: the heron is grey.",
      sources: [
        { kind: "line", label: "f14", seq: 14, what: "a fact" },
        { kind: "line", label: "c17/0", seq: 17, what: "something that was said" },
      ],
    });
    expect(sourcesOf("it is [not a mark here] at the end").sources).toEqual([]);
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
