import { expect, it, vi } from "vitest";
import { filterOf, fits } from "./filter";
import { keeperOf, line, range } from "./ledger.fixture";
import { ASKED_A_GO, FOUND_MAX, Matches, SEQS_KEPT } from "./matches";

/** Every hundredth line is one of iris. */
const sparse = (seq: number) => line(seq, seq % 100 === 0 ? { entity: "@iris" } : {});
const ofIris = { agent: "iris", kinds: [], text: "" };
const ofFelix = { agent: "felix", kinds: [], text: "" };
const nothing = () => {};

it("asks back from where it stands, no farther than is wanted", async () => {
  const { find, asked } = keeperOf(1_000_000, sparse);
  const found = vi.fn();
  const matches = new Matches(ofIris, 500_000, find, found);
  await matches.seek("back", 10, 1_000_000);
  expect(asked).toEqual([{ way: "back", from: 500_001 }]);
  expect(matches.seqs).toHaveLength(FOUND_MAX);
  expect(matches.seqs.at(-1)).toBe(500_000);
  expect(matches.seqs).toEqual([...matches.seqs].sort((a, b) => a - b));
  expect(matches.before).toBe(FOUND_MAX);
  expect(found.mock.calls.flatMap(([events]) => events)).toHaveLength(FOUND_MAX);
});

it("finds each line once on both ways", async () => {
  const { find } = keeperOf(10_000, sparse, 333);
  const matches = new Matches(ofIris, 5_050, find, nothing);
  await matches.seek("back", 1_000, 10_000);
  await matches.seek("on", 1_000, 10_000);
  expect(matches.seqs).toEqual(range(1, 100).map((n) => n * 100));
  expect([matches.low, matches.high]).toEqual([0, 10_000]);
  expect(matches.before).toBe(50);
  expect(matches.rowOf(5_100)).toBe(50);
  expect(matches.rowOf(5_101)).toBe(51);
});

it("asks a person before it goes on for ever, and goes on when it is told to", async () => {
  const rare = (seq: number) => line(seq, seq === 7 ? { entity: "@iris" } : {});
  const { find, asked } = keeperOf(40_000, rare, 1_000);
  const matches = new Matches(ofIris, 40_000, find, nothing);
  await matches.seek("back", 1, 40_000);
  expect(matches.spent.has("back")).toBe(true);
  expect(asked).toHaveLength(ASKED_A_GO);
  expect(matches.low).toBe(40_000 - ASKED_A_GO * 1_000);
  await matches.seek("back", 1, 40_000);
  expect(asked).toHaveLength(ASKED_A_GO);
  matches.again("back");
  await matches.seek("back", 1, 40_000);
  expect(matches.seqs).toEqual([7]);
});

it("keeps a bounded run, and finds again what it let go", async () => {
  const head = SEQS_KEPT * 2;
  const { find } = keeperOf(head);
  const matches = new Matches(ofFelix, head, find, nothing);
  await matches.seek("on", 1, head);
  expect(matches.isAtNewest).toBe(true);
  for (let going = 0; going < 8; going += 1) {
    await matches.seek("back", head, head);
    matches.again("back");
  }
  expect(matches.low).toBe(0);
  expect(matches.seqs).toEqual(range(1, SEQS_KEPT));
  expect([matches.high, matches.isAtNewest]).toEqual([SEQS_KEPT, false]);
  expect(matches.covers(head)).toBe(false);
  const before = matches.before;
  await matches.seek("on", FOUND_MAX, head);
  expect(matches.seqs).toEqual(range(FOUND_MAX + 1, SEQS_KEPT + FOUND_MAX));
  expect([matches.low, before - matches.before]).toEqual([FOUND_MAX, FOUND_MAX]);
});

it("tells nobody of a change where there is nothing left to look through", async () => {
  const matches = new Matches(ofIris, 0, keeperOf(0).find, nothing);
  const before = matches.version();
  await matches.seek("back", 10, 0);
  await matches.seek("on", 10, 0);
  expect(matches.version()).toBe(before);
});

it("takes new lines only where none is missing between", () => {
  const matches = new Matches(ofIris, 100, keeperOf(300, sparse).find, nothing);
  matches.follow(range(150, 300).map(sparse), 300);
  expect(matches.high).toBe(100);
  matches.follow(range(90, 300).map(sparse), 250);
  expect(matches.high).toBe(250);
  expect(matches.seqs).toEqual([200]);
});

it("says why it failed and takes nothing of what was ended", async () => {
  const away = () => Promise.reject(new Error("away"));
  const matches = new Matches(ofIris, 100, away, nothing);
  await matches.seek("back", 1, 100);
  expect(matches.error).toEqual(new Error("away"));
  const { find } = keeperOf(1_000, sparse);
  const ended = new Matches(ofIris, 1_000, find, nothing);
  const going = ended.seek("back", 1, 1_000);
  ended.close();
  await going;
  expect(ended.seqs).toEqual([]);
  expect(ended.error).toBeNull();
});

it("reads an address as a filter", () => {
  expect(filterOf({})).toBeNull();
  expect(filterOf({ kind: " , ", q: "  " })).toBeNull();
  expect(filterOf({ agent: "@felix", kind: "epoch.*,turn.started", q: " Grey  HERON " })).toEqual({
    agent: "felix",
    kinds: ["epoch.*", "turn.started"],
    text: "Grey  HERON",
  });
});

it("fits where agent, kind and text do, as the keeper finds", () => {
  const event = line(3, { data: { content: "The grey heron", more: ["in the Reeds"] } } as never);
  const does = (given: Parameters<typeof filterOf>[0]) => {
    const filter = filterOf(given);
    return filter !== null && fits(filter, event);
  };
  expect(does({ agent: "felix" })).toBe(true);
  expect(does({ agent: "iris" })).toBe(false);
  expect(does({ kind: "stdout.*" })).toBe(true);
  expect(does({ kind: "stdout.granted,epoch.*" })).toBe(false);
  expect(does({ q: "GREY heron" })).toBe(true);
  expect(does({ q: "reeds" })).toBe(true);
  expect(does({ q: "heron grey" })).toBe(false);
  expect(does({ q: "content" })).toBe(false);
});
