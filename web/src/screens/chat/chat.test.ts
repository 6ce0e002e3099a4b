import { describe, expect, it } from "vitest";
import type { ContextView } from "@/api/generated";
import type { LiveEpoch } from "@/live/state";
import { askedOf, changeOf, isGrave } from "./approval-words";
import { partsOf, sourcesOf } from "./context-parts";
import { conversationsOf, KEPT_MAX, lookedAt } from "./conversations";
import { failureOf, isStopped, retryLine } from "./failures";
import { foundLines, marked } from "./found";
import { left, over } from "./length";
import { chatSearch } from "./search";
import { keptOr } from "./seen";
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

describe("conversations", () => {
  const epoch = (change: Partial<LiveEpoch>) =>
    ({
      agent: "felix",
      sender: "kim",
      state: "committed",
      content: "the **heron**",
      reply: "is grey",
      session: "s",
      turns: [],
      sentAt: "2026-01-01T00:00:00Z",
      endedAt: "2026-01-01T00:00:01Z",
      lastSeq: 1,
      ...change,
    }) as LiveEpoch;

  it("have the title that they began with, what was said last, and what is new since a look", () => {
    const epochs = [
      epoch({ id: "1", lastSeq: 10 }),
      epoch({ id: "2", session: "t", content: "other", lastSeq: 20, endedAt: "2026-01-02T00:00:00Z" }),
      epoch({ id: "3", lastSeq: 30, reply: "yes", endedAt: "2026-01-03T00:00:00Z" }),
      epoch({
        id: "4",
        session: "t",
        state: "open",
        reply: null,
        lastSeq: 40,
        endedAt: null,
        sentAt: "2026-01-04T00:00:00Z",
      }),
    ];
    const all = conversationsOf(epochs, { s: 10 }, 5);
    expect(
      all.map(({ id, title, last, unread, epochs, isOpen }) => [id, title, last, unread, epochs, isOpen]),
    ).toEqual([
      ["t", "other", "kim: the heron", 1, 2, true],
      ["s", "the heron", "felix: yes", 1, 2, false],
    ]);
    // What ended before this browser counted is no news.
    expect(conversationsOf(epochs, {}, 100).every((one) => one.unread === 0)).toBe(true);
    const seen = lookedAt({ s: 10 }, epochs);
    expect(seen).toEqual({ s: 30, t: 20 });
    expect(lookedAt(seen, epochs)).toBe(seen);
    expect(conversationsOf(epochs, seen, 5).every((one) => one.unread === 0)).toBe(true);
  });

  it("are looked at for good, though only so many are kept by name", () => {
    const epochs = Array.from({ length: KEPT_MAX + 50 }, (_, at) =>
      epoch({ id: `${at}`, session: `s${at}`, lastSeq: at + 1 }),
    );
    const seen = lookedAt({}, epochs);
    expect(Object.keys(seen)).toHaveLength(KEPT_MAX);
    expect(conversationsOf(epochs, seen, 0).every((one) => one.unread === 0)).toBe(true);
    expect(lookedAt(seen, epochs)).toBe(seen);
    const again = epoch({ id: "again", session: "s0", lastSeq: 9_000 });
    expect(conversationsOf([...epochs, again], seen, 0).filter((one) => one.unread > 0)).toMatchObject([
      { id: "s0", unread: 1 },
    ]);
    expect(lookedAt(seen, [again]).s0).toBe(9_000);
  });

  it("are counted anew in another home", () => {
    const kept = { since: 40, seen: { s: 50 } };
    expect(keptOr(kept, 60)).toBe(kept);
    expect(keptOr(kept, 40)).toBe(kept);
    for (const other of [keptOr(kept, 39), keptOr(null, 39)]) expect(other).toEqual({ since: 39, seen: {} });
  });

  it("are searched into one list, each exchange once", () => {
    const here = [
      epoch({ id: "1", sentAt: "2026-01-01T00:00:00Z" }),
      epoch({ id: "2", content: "pond", reply: "deep" }),
    ];
    const said = [
      { content: "the heron again", speaker: "kim", epoch: "1" },
      { content: "a heron of long ago", speaker: "nico", epoch: "0" },
      { content: "no exchange", speaker: "nico", epoch: null },
    ];
    expect(foundLines(here, "heron", said).map(({ epoch, speaker }) => [epoch, speaker])).toEqual([
      ["1", "kim"],
      ["0", "nico"],
      [null, "nico"],
    ]);
    expect(foundLines(here, "grey", []).map((line) => [line.speaker, line.text])).toEqual([
      ["felix", "is grey"],
    ]);
    expect(marked("a (Heron) here", "(heron) x.y")).toEqual([
      { text: "a ", isFound: false },
      { text: "(Heron)", isFound: true },
      { text: " here", isFound: false },
    ]);
  });
});

describe("what did not work", () => {
  const CODES = [
    "deadline",
    "bad_voice",
    "turn_failed",
    "poison",
    "breaker",
    "turns_spent",
    "outcome_unknown",
    "mind_gone",
    "refused",
    "model_rejected",
    "context_too_long",
    "budget",
  ];

  it("has a headline of its own for each code, and one for any other", () => {
    const headlines = CODES.map((code) => failureOf(code).headline);
    expect(new Set(headlines).size).toBe(CODES.length);
    expect(headlines).not.toContain(failureOf("something new").headline);
    const abort = (code: string) => ({ abort: { code, message: "" } });
    expect(isStopped(abort("cancelled"))).toBe(true);
    expect(CODES.some((code) => isStopped(abort(code)))).toBe(false);
  });

  it("does not blame the model for a process that a person ended", () => {
    const ended = failureOf("turn_failed", "process_ended");
    expect(ended.cause).toEqual({ kind: "agent", label: "See its process" });
    expect(ended.headline).not.toContain("model");
    expect(failureOf("turn_failed", "unavailable")).toEqual(failureOf("turn_failed"));
    expect(failureOf("deadline", "process_ended")).toEqual(failureOf("deadline"));
  });

  it("is asked again in words", () => {
    const failed = { attempt: 1, code: "overloaded", message: "HTTP 529" };
    expect(retryLine(failed, 3)).toBe("The provider is overloaded; trying again, attempt 2 of 3");
    expect(retryLine({ ...failed, code: "new", attempt: 3 }, 3)).toBe(
      "An attempt failed; trying again, attempt 4",
    );
    expect(retryLine(failed, null)).toBe("The provider is overloaded; trying again, attempt 2");
  });

  it("is a text that is too long, counted as the keeper counts", () => {
    expect(over("w".repeat(10_000))).toBe(0);
    expect(over("w".repeat(10_003))).toBe(3);
    expect(over("\u{1F9D1}".repeat(10_000))).toBe(0);
    expect(left("\u{1F9D1}".repeat(9_999))).toBe(1);
  });
});

describe("a call that waits", () => {
  it("says what it would change, and takes the worst where that is not known", () => {
    expect(changeOf("read")).toContain("changes nothing");
    expect(changeOf("world")).toContain("outside");
    expect(changeOf(null)).toContain("not known");
    expect([null, "world", "state", "read"].map(isGrave)).toEqual([true, true, false, false]);
  });

  it("says who asked, and what the agent gave as its reason", () => {
    const approval = { callId: "2" } as never;
    const turn = (text: string | null, thought: string, id: string) => ({ text, thought, calls: [{ id }] });
    const epoch = { sender: "kim", content: "do it", sentAt: "x" } as unknown as LiveEpoch;
    const asked = (turns: unknown[]) => askedOf(approval, { ...epoch, turns } as LiveEpoch);
    expect(asked([turn("one", "", "1"), turn("because", "deep", "2")])).toMatchObject({
      sender: "kim",
      message: "“do it”",
      why: "“because”",
    });
    expect(asked([turn(null, "deep", "2")])?.why).toBe("“deep”");
    expect(asked([])?.why).toBe("");
    expect(askedOf(approval, undefined)).toBeNull();
  });
});
