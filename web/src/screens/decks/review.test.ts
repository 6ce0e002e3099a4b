import { describe, expect, it } from "vitest";
import type { DeckOp } from "@/api/generated";
import { proposal } from "./deck.fixture";
import {
  allTicked,
  inOrder,
  isWhole,
  positionWords,
  progressWords,
  stepped,
  tickedOf,
  toggled,
  waitingLines,
} from "./review-model";
import {
  canRewrite,
  isWhole as isWholeLine,
  lineCard,
  lineCount,
  lineText,
  lineZone,
  withCard,
  withCount,
  withText,
  withZone,
} from "./rewrite-model";

const none = new Set<number>();

describe("ticks", () => {
  it("are at all lines that can be used, and come and go one by one", () => {
    const one = proposal();
    expect(tickedOf(one, none)).toEqual([1, 2]);
    const without = toggled(none, 2);
    expect(tickedOf(one, without)).toEqual([1]);
    expect(tickedOf(one, toggled(without, 2))).toEqual([1, 2]);
    expect(isWhole(one, [1, 2])).toBe(true);
    expect(isWhole(one, [1])).toBe(false);
  });
  it("outlive that a line goes stale and comes back", () => {
    const without = toggled(none, 2);
    const ops = proposal().ops.map((line) => ({ ...line, state: "stale" as const }));
    expect(tickedOf(proposal({ ops }), without)).toEqual([]);
    expect(tickedOf(proposal(), allTicked(proposal({ ops }), without, true))).toEqual([1]);
  });
  it("are all set or taken off at once, of lines that can be used", () => {
    expect(tickedOf(proposal(), allTicked(proposal(), none, false))).toEqual([]);
    expect([...allTicked(proposal(), none, false)]).toEqual([1, 2]);
    expect(tickedOf(proposal(), allTicked(proposal(), new Set([1, 2]), true))).toEqual([1, 2]);
  });
});

describe("the way through", () => {
  it("begins at the first line that waits and stops at both ends", () => {
    const one = proposal();
    expect(stepped(one, null, 1)).toBe(1);
    expect(stepped(one, 1, -1)).toBe(1);
    expect(stepped(one, 3, 1)).toBe(4);
    expect(stepped(one, 4, 1)).toBe(4);
    expect(stepped(one, 99, 1)).toBe(1);
    expect(stepped(proposal({ ops: [] }), null, 1)).toBeNull();
  });
  it("is told in words", () => {
    expect(positionWords(proposal(), 2)).toBe("2 of 4");
    expect(positionWords(proposal(), null)).toBe("4 lines");
    expect(progressWords(proposal())).toBe("2 open, 1 stale, 1 refused");
  });
  it("puts what waits before what is answered", () => {
    const ops = proposal().ops.map((line) => ({ ...line, state: "taken" as const }));
    const [a, b, c] = [proposal({ id: "a", ops }), proposal({ id: "b" }), proposal({ id: "c", ops })];
    const { waiting, answered } = inOrder([a, b, c]);
    expect(waiting.map((one) => one.id)).toEqual(["b"]);
    expect(answered.map((one) => one.id)).toEqual(["c", "a"]);
    expect(waitingLines([a, b, c])).toBe(3);
  });
});

describe("rewriting a line", () => {
  const add: DeckOp = {
    op: "add",
    entry: { card: { id: "a", name: "A" }, zone: "main", printing: { set: "lea" }, finish: "foil" },
    count: 1,
  };
  it("changes the card without keeping the old one's printing", () => {
    expect(withCard(add, { id: "b", name: "B" })).toEqual({
      op: "add",
      entry: { card: { id: "b", name: "B" }, zone: "main", finish: "foil" },
      count: 1,
    });
    const swap: DeckOp = { op: "swap", out: add.entry, into: { id: "x", name: "X" }, count: 1 };
    expect(lineCard(withCard(swap, { id: "b", name: "B" }))).toEqual({ id: "b", name: "B" });
    expect(withCard(swap, { id: "b", name: "B" })).toMatchObject({ out: add.entry });
  });
  it("changes counts, places and texts where a line has them, and nothing where it has none", () => {
    expect(lineCount(withCount(add, 4))).toBe(4);
    expect(lineZone(withZone(add, "sideboard"))).toBe("sideboard");
    const tags: DeckOp = { op: "set_tags", entry: add.entry, tags: ["x"] };
    expect(withText(tags, " ramp, draw,, ramp ")).toMatchObject({ tags: ["ramp", "draw"] });
    expect(lineText(withText({ op: "rename", name: "a" }, "b"))).toBe("b");
    const colour: DeckOp = { op: "choose_colour", card: { id: "a", name: "A" }, colour: "W" };
    expect(canRewrite(colour)).toBe(false);
    for (const same of [withCount(colour, 3), withZone(colour, "main"), withText(colour, "x")])
      expect(same).toBe(colour);
  });
  it("lets nothing go that no keeper takes", () => {
    expect(isWholeLine(withCount(add, 0))).toBe(false);
    expect(isWholeLine(withCount(add, 1.5))).toBe(false);
    expect(isWholeLine(withCount(add, Number.NaN))).toBe(false);
    expect(isWholeLine(withCount(add, 1000))).toBe(false);
    expect(isWholeLine({ op: "set_count", entry: add.entry, count: 0 })).toBe(true);
    expect(isWholeLine({ op: "rename", name: " " })).toBe(false);
    expect(isWholeLine(add)).toBe(true);
  });
});
