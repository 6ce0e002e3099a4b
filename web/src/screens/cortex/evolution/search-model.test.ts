import { expect, it } from "vitest";
import type { RankingSearchView } from "@/api/generated";
import {
  byChance,
  expectedMs,
  gain,
  isRunning,
  ordersOf,
  placeOf,
  planned,
  searchState,
  seedWords,
} from "./search-model";

const search = (more: Partial<RankingSearchView> = {}): RankingSearchView => ({
  citizen: "felix",
  by: "@user",
  started_at: "2026-11-30T08:00:00Z",
  state: "searching",
  kind: "structure",
  part: "weights",
  seed: 7,
  population: 24,
  generation: 3,
  generations: 20,
  evaluations: 70,
  questions: 31,
  held_out: 13,
  best: 0.71249,
  today: 0.7,
  worked_ms: 900,
  outcome: null,
  report: null,
  ...more,
});
const ended = (kind: string) =>
  search({ state: "ended", outcome: { kind, text: "so it ended", evolution_id: null } });

it("where a search is has a word for each state, and unknown ones stay readable", () => {
  expect(searchState(search()).word).toBe("running");
  expect(searchState(search({ state: "waiting" })).word).toBe("waits for its turn");
  expect(searchState(search({ state: "resting" })).word).toBe("resting");
  expect(
    ["proposed", "not_better", "too_few", "stopped", "failed"].map((end) => searchState(ended(end)).word),
  ).toEqual([
    "finished: one is proposed",
    "finished: nothing better",
    "too few questions",
    "stopped",
    "failed",
  ]);
  expect(searchState(ended("some_new_end")).word).toBe("ended");
  expect([null, undefined, ended("failed"), search()].map(isRunning)).toEqual([false, false, false, true]);
});

it("how far it is names the best beside today's order once there is one", () => {
  expect(placeOf(search())).toBe("generation 3 of 20, best 0.712, today 0.700");
  expect(placeOf(search({ best: null }))).toBe("generation 3 of 20");
});

it("today's order stands first among what was found, and nothing is shown before all was measured", () => {
  expect(ordersOf(search())).toEqual([]);
  const found = {
    kind: "weights",
    score: 0.9,
    missed: 1,
    p: 0.02,
    chosen: 0.95,
    expression: "(f)",
    is_winner: true,
  };
  const report = { held_out: 13, today: 0.1, today_missed: 11, found: [found] };
  const orders = ordersOf(search({ report }));
  expect(orders.map((one) => [one.name, one.score, one.p, one.isWinner])).toEqual([
    ["Today's order", 0.1, null, false],
    ["Best by weights alone", 0.9, 0.02, true],
  ]);
});

it("a gain is a difference of scores, and chance is told in hundredths", () => {
  expect([gain(0.9, 0.1), gain(0.1, 0.4), gain(0.5001, 0.5)]).toEqual([
    "0.800 more than today",
    "0.300 less than today",
    "the same as today",
  ]);
  expect(byChance(0.02)).toContain("about 2 of 100");
  expect(byChance(0.0001)).toContain("fewer than 1 of 100");
  expect(byChance(Number.NaN)).toContain("not known");
});

it("what a search takes is reckoned from its budget and the pace of the last one", () => {
  expect(planned("structure", 60, 120)).toBe(14_400);
  expect(planned("weights", 60, 120)).toBe(7_200);
  expect(expectedMs(null, 14_400)).toBeNull();
  expect(expectedMs(search({ evaluations: 70 }), 14_400)).toBeNull();
  expect(expectedMs(search({ evaluations: 1_000, worked_ms: 5_000 }), 14_400)).toBe(72_000);
  expect(expectedMs(search({ evaluations: 1_000, worked_ms: 5_000_000 }), 14_400)).toBe(7_200_000);
});

it("a seed that a browser cannot write exactly is not written as if it could", () => {
  expect(seedWords(7)).toBe("7");
  expect(seedWords(2 ** 60)).toMatch(/^about 1\.15/);
});
