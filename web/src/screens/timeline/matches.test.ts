import { expect, it, vi } from "vitest";
import { filterOf, fits } from "./filter";
import { ledgerOf, line, range } from "./ledger.fixture";
import { LINES_A_GO, Matches } from "./matches";

/** Every hundredth line is one of iris. */
const sparse = (seq: number) => line(seq, seq % 100 === 0 ? { entity: "@iris" } : {});
const ofIris = { agent: "iris", kinds: [], words: [] };

it("looks back from where it stands, no farther than is wanted", async () => {
  const { read, asked } = ledgerOf(sparse);
  const found = vi.fn();
  const matches = new Matches(ofIris, 100_000, read, found);
  await matches.seek("back", 10, 100_000);
  expect(matches.seqs.length).toBeGreaterThanOrEqual(10);
  expect(matches.seqs.at(-1)).toBe(100_000);
  expect(matches.seqs).toEqual([...matches.seqs].sort((a, b) => a - b));
  expect(matches.before).toBe(matches.seqs.length);
  expect(asked.reduce((sum, one) => sum + one.through - one.after, 0)).toBeLessThan(5_000);
  expect(found.mock.calls.flatMap(([events]) => events)).toHaveLength(matches.seqs.length);
});

it("finds each line once on both ways", async () => {
  const { read } = ledgerOf(sparse);
  const matches = new Matches(ofIris, 5_050, read, () => {});
  await matches.seek("back", 1_000, 10_000);
  await matches.seek("on", 1_000, 10_000);
  expect(matches.seqs).toEqual(range(1, 100).map((n) => n * 100));
  expect(matches.low).toBe(0);
  expect(matches.high).toBe(10_000);
  expect(matches.before).toBe(50);
  expect(matches.rowOf(5_100)).toBe(50);
  expect(matches.rowOf(5_101)).toBe(51);
});

it("asks before it reads on for ever, and goes on when it is told to", async () => {
  const { read, asked } = ledgerOf((seq) => line(seq, seq === 7 ? { entity: "@iris" } : {}));
  const matches = new Matches(ofIris, 60_000, read, () => {});
  await matches.seek("back", 1, 60_000);
  expect(matches.spent.has("back")).toBe(true);
  expect(matches.low).toBeGreaterThan(60_000 - LINES_A_GO - 3_000);
  const so = asked.length;
  await matches.seek("back", 1, 60_000);
  expect(asked).toHaveLength(so);
  matches.again("back");
  await matches.seek("back", 1, 60_000);
  expect(matches.seqs).toEqual([7]);
});

it("tells nobody of a change where there is nothing left to look through", async () => {
  const matches = new Matches(ofIris, 0, ledgerOf().read, () => {});
  const before = matches.version();
  await matches.seek("back", 10, 0);
  await matches.seek("on", 10, 0);
  expect(matches.version()).toBe(before);
});

it("takes new lines only where none is missing between", () => {
  const matches = new Matches(ofIris, 100, ledgerOf(sparse).read, () => {});
  matches.follow(range(150, 300).map(sparse), 300);
  expect(matches.high).toBe(100);
  matches.follow(range(90, 300).map(sparse), 250);
  expect(matches.high).toBe(250);
  expect(matches.seqs).toEqual([200]);
});

it("says why it failed and takes nothing of what was ended", async () => {
  const matches = new Matches(
    ofIris,
    100,
    () => Promise.reject(new Error("away")),
    () => {},
  );
  await matches.seek("back", 1, 100);
  expect(matches.error).toEqual(new Error("away"));
  const { read } = ledgerOf(sparse);
  const ended = new Matches(ofIris, 1_000, read, () => {});
  const going = ended.seek("back", 1, 1_000);
  ended.close();
  await going;
  expect(ended.seqs).toEqual([]);
  expect(ended.error).toBeNull();
});

it("reads an address as a filter", () => {
  expect(filterOf({})).toBeNull();
  expect(filterOf({ kind: " , " })).toBeNull();
  expect(filterOf({ agent: "@felix", kind: "epoch.*,turn.started", q: " Grey  HERON " })).toEqual({
    agent: "felix",
    kinds: ["epoch.*", "turn.started"],
    words: ["grey", "heron"],
  });
});

it("fits where agent, kind and every word do", () => {
  const event = line(3, { data: { content: "The grey heron" } } as never);
  const does = (given: Parameters<typeof filterOf>[0]) => {
    const filter = filterOf(given);
    return filter !== null && fits(filter, event);
  };
  expect(does({ agent: "felix" })).toBe(true);
  expect(does({ agent: "iris" })).toBe(false);
  expect(does({ kind: "stdout.*" })).toBe(true);
  expect(does({ kind: "stdout.granted,epoch.*" })).toBe(false);
  expect(does({ q: "heron stdout.written" })).toBe(true);
  expect(does({ q: "heron egret" })).toBe(false);
});
