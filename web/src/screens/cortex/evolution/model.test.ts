import { expect, it } from "vitest";
import type { ComparedPairView, EvolutionView } from "@/api/generated";
import { answersTo, comparisonsOf, divergencesOf, figuresOf, quantile, share, stateOf } from "./model";

const leg = (wall_us: number, more: object = {}) => ({
  error: null,
  repeats: null,
  wall_us,
  cpu_us: 0,
  memory_bytes: 64,
  tokens: null,
  cost_microusd: null,
  calls: [],
  ...more,
});
const pair = (main: number, candidate: number, more: object = {}): ComparedPairView => ({
  seq: 1,
  stage_percent: null,
  request: "e",
  candidate_first: false,
  main: leg(main),
  candidate: leg(candidate),
  agrees: true,
  divergence: null,
  ...more,
});
const change = (state: string, more: object = {}) =>
  ({ state, in_force: false, stage_percent: null, ...more }) as EvolutionView;

it("a relative change has a sign, and none where it rounds to nothing", () => {
  expect([-0.143, 0.025, 0, -0.0001, 1.5, Number.NaN].map(share)).toEqual([
    "−14 %",
    "+2.5 %",
    "0.0 %",
    "0.0 %",
    "+150 %",
    "unknown",
  ]);
});

it("interval and p stand at their figure; a share has no sign, and a count is no figure", () => {
  const measured = { latency: -0.14, latency_low: -0.18, latency_high: -0.09, latency_p: 0.003 };
  const more = { agreement: 0.97, errors_p: 1, pairs: 120 };
  const found = figuresOf({ predicted: { latency: -0.2, memory: 0 }, measured: { ...measured, ...more } });
  expect(found.map((one) => one.name)).toEqual(["agreement", "errors", "latency", "memory"]);
  expect(found[0]?.measured).toBe("97 %");
  expect(found[1]).toMatchObject({ measured: undefined, p: 1 });
  expect(found[2]).toMatchObject({
    expected: "−20 %",
    measured: "−14 %",
    interval: "−18 % to −9.0 %",
    p: 0.003,
  });
});

it("only what both measured is compared, and a failed leg measured nothing", () => {
  const failed = pair(100, 1, { candidate: leg(1, { error: "it panicked" }) });
  const found = comparisonsOf([pair(100, 80), pair(200, 160), failed]);
  expect(found.map((one) => one.measure.key)).toEqual(["wall", "memory"]);
  expect(found[0]?.main).toMatchObject({ values: [100, 200], low: 125, median: 150, high: 175 });
  expect(found[0]?.candidate.median).toBe(120);
  expect(comparisonsOf([])).toEqual([]);
  expect(quantile([7], 0.25)).toBe(7);
});

it("pairs that differ or fail are divergences, and those that nobody could judge are none", () => {
  const failed = pair(1, 1, { main: leg(1, { error: "timed out" }) });
  const differs = pair(1, 1, { agrees: false });
  expect(divergencesOf([pair(1, 1), pair(1, 1, { agrees: null }), failed, differs])).toEqual([
    failed,
    differs,
  ]);
});

it("what can be done follows from the state", () => {
  expect(answersTo(change("awaits_approval"))).toEqual(["approve", "reject"]);
  expect(answersTo(change("shadowing"))).toEqual(["abort"]);
  expect(answersTo(change("watching"))).toEqual(["rollback"]);
  expect(answersTo(change("kept", { in_force: true }))).toEqual(["rollback"]);
  expect(answersTo(change("kept"))).toEqual([]);
  expect(answersTo(change("rolled_back"))).toEqual([]);
  expect(stateOf(change("kept", { in_force: true })).word).toBe("in force");
  expect(stateOf(change("watching", { stage_percent: 10 })).word).toBe("answers 10 %");
  expect(stateOf(change("new_state")).word).toBe("new_state");
});
