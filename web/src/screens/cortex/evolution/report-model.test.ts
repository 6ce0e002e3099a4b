import { expect, it } from "vitest";
import type { ComparedPairView, EvolutionReportView, EvolutionView, Json } from "@/api/generated";
import { money } from "@/ui";
import {
  comparisonOf,
  judgeChance,
  judgedWords,
  medianRows,
  ordersWords,
  pairsOf,
  pairTitle,
  powerWords,
  probability,
  sentence,
  totalRows,
  verdictOf,
} from "./report-model";

const leg = (more: object = {}) => ({ wall_us: 1, cpu_us: 0, memory_bytes: 0, calls: [], ...more });
const pair = (request: string, more: object = {}): ComparedPairView => ({
  seq: 1,
  stage_percent: null,
  request,
  candidate_first: false,
  main: leg(),
  candidate: leg(),
  agrees: true,
  divergence: null,
  ...more,
});

const comparison = (more: { [key: string]: Json } = {}): { [key: string]: Json } => ({
  version: 1,
  rule: { size: "wall" },
  progress: "complete",
  judgement: { state: "not_enough" },
  sentences: ["only 24 of at least 30 pairs can be used so far"],
  usable: 24,
  unusable: [
    { because: { record: "schema_changed" }, pairs: 2 },
    { because: "too_many", pairs: 1 },
  ],
  measures: [
    {
      measure: "wall",
      pairs: 24,
      main: { p50: 200_000 },
      candidate: { p50: 100_000 },
      change: -0.5,
      interval: { low: -0.6, high: -0.4 },
      p: 0.0002,
    },
    {
      measure: "calls",
      pairs: 3,
      main: { p50: 2 },
      candidate: { p50: 1.5 },
      change: null,
      interval: null,
      p: null,
    },
    { measure: "memory", main: { p50: null }, candidate: {} },
  ],
  failures: [{ kind: "timeout", main: 0, candidate: 2 }],
  ...more,
});

const report = (
  change: Partial<EvolutionView>,
  compared: { [key: string]: Json } | null,
): EvolutionReportView => {
  const totals = { errors: 0, calls: 0, unpriced: 0 };
  return {
    version: 1,
    evolution: { state: "reported", verdict: "reported", why: null, ...change } as EvolutionView,
    change: {},
    comparison: compared,
    agreement: { pairs: compared ? 24 : 0, judged: 24, agreeing: 20 },
    main: { ...totals, tokens: 900, cost_microusd: 2_000 },
    candidate: { ...totals, errors: 1, tokens: 450, cost_microusd: 500 },
    divergences: [],
    divergences_total: 0,
    watched: { pairs: 0, judged: 0, agreeing: 0 },
  };
};
const verdict = (change: Partial<EvolutionView>, compared: { [key: string]: Json } | null) => {
  const whole = report(change, compared);
  return verdictOf(whole, comparisonOf(whole));
};

it("figures are read, and what is missing or of another form is left out", () => {
  const found = comparisonOf(report({}, comparison()));
  expect(found?.measures.map((one) => one.measure)).toEqual(["wall", "calls"]);
  expect(found?.unusable.map((one) => one.because)).toEqual(["record", "too_many"]);
  const odd = comparisonOf(report({}, { measures: "none", sentences: [1, "yes"], judgement: [] }));
  expect(odd).toMatchObject({ measures: [], sentences: ["yes"], state: "", usable: 0 });
  expect(comparisonOf(report({}, null))).toBeNull();
});

it("each side is told in its own unit, with how sure the difference is", () => {
  const whole = report({}, comparison());
  const found = comparisonOf(whole);
  const rows = found ? medianRows(found) : [];
  expect(rows[0]).toEqual({
    name: "Time",
    main: "200 ms",
    candidate: "100 ms",
    change: "−50 %",
    sure: ["−60 % to −40 %", "p < 0.001 for a gain"],
  });
  expect(rows[1]).toMatchObject({ name: "Calls of tools", candidate: "1.5", change: "–", sure: [] });
  const totals = totalRows(whole, money);
  expect(totals.map((one) => `${one.name} ${one.main} ${one.candidate} ${one.change}`)).toEqual([
    "Failed requests 0 1 ",
    "Tokens 900 450 −50 %",
    "Cost $0.0020 $0.0005 −75 %",
  ]);
  expect([0.0004, 0.02, 0.25].map(probability)).toEqual(["p < 0.001", "p = 0.020", "p = 0.25"]);
});

it("the verdict is told in plain words, with the keeper's own reasons", () => {
  expect(verdict({}, comparison())).toMatchObject({
    title: "Too little was measured for a verdict",
    reasons: ["Only 24 of at least 30 pairs can be used."],
    after: "It was only compared, as was asked for: nothing was put in force.",
  });
  const better = comparison({ judgement: { state: "promote" }, sentences: ["it costs less: −30 %"] });
  expect(verdict({ state: "watching", verdict: "promoted", why: "promoted" }, better)).toMatchObject({
    word: "better",
    reasons: ["It costs less: −30 %."],
    after: "",
  });
  const running = verdict(
    { state: "shadowing", verdict: null, requests: 40 },
    comparison({ progress: "running" }),
  );
  expect(running).toMatchObject({
    word: "under way",
    after: "So far 24 of 40 requests were answered by both.",
  });
  expect(
    verdict({ verdict: null, state: "aborted", why: "enough" }, comparison({ progress: "aborted" })),
  ).toMatchObject({
    word: "aborted",
    reasons: ["Enough.", "Only 24 of at least 30 pairs can be used so far."],
  });
});

it("a decision by something beside the rule keeps its reason, and one that was never tried says so", () => {
  const worse = { state: "rejected", verdict: "rejected", why: "not as good: 3 in place of 4" };
  // Begins as the rule's words do not, and ends the trial whatever was measured.
  expect(verdict(worse, comparison())).toMatchObject({
    word: "not better",
    reasons: ["Not as good: 3 in place of 4."],
  });
  const byPerson = { state: "rejected", verdict: "marginal", why: "I would rather not" };
  expect(verdict(byPerson, comparison()).reasons).toEqual(["Only 24 of at least 30 pairs can be used."]);
  expect(verdict({ state: "rejected", verdict: null, why: "line 3 cannot be read" }, null)).toMatchObject({
    title: "It was not tried",
    reasons: ["Line 3 cannot be read."],
  });
  expect(verdict({ state: "proposed", verdict: null }, null).title).toBe("It is not tried yet");
});

it("pairs that differ come first, those of stages are no part of a trial, and none stands there twice", () => {
  const named = { request: "b", divergence: "it declines", main: leg(), candidate: leg({ judged: "worse" }) };
  const pairs = pairsOf(
    [named],
    [
      pair("a"),
      pair("b", { divergence: "it declines", agrees: false }),
      pair("c", { agrees: false }),
      pair("d", { stage_percent: 10, agrees: false }),
      pair("e", { candidate: leg({ error: "it panicked" }) }),
    ],
  );
  expect(pairs.map((one) => one.request)).toEqual(["b", "c", "e", "a"]);
  expect(pairs.map(pairTitle)).toEqual([
    "It declines.",
    "The answers differ.",
    "It fails.",
    "Both answer alike.",
  ]);
  expect(pairs[0]?.agrees).toBe(false);
});

it("a judge's count says in how many pairs both orders agreed, and how likely its lead is", () => {
  expect(ordersWords({ better: 6, worse: 9, tie: 9 })).toMatch(
    /^In 15 of 24 pairs .* In the other 9 it preferred neither/,
  );
  expect(ordersWords({ better: 1, worse: 0, tie: 0 })).toBe(
    "In 1 of 1 pair it preferred the same reply in both orders.",
  );
  expect(judgeChance({ better: 5, worse: 5, p: 1 })).toBe("It prefers neither side.");
  expect(judgeChance({ better: 9, worse: 1, p: 0.0215 })).toContain("the change more often");
  expect(judgeChance({ better: 9, worse: 1, p: 0.0215 })).toContain("about 2 of 100");
  expect(["better", "worse", "tie", null, "else"].map(judgedWords)).toEqual([
    "judge prefers the change",
    "judge prefers what was before",
    "judge prefers neither",
    null,
    null,
  ]);
});

it("how many pairs it takes is said beside how many there were", () => {
  expect(powerWords("100 pairs find a gain of 15 % nine times in ten", 24)).toBe(
    "100 pairs find a gain of 15 % nine times in ten. Here 24 were measured.",
  );
  expect(powerWords(null, 1)).toContain("1 was measured");
  expect([sentence("it declines"), sentence("Why not?"), sentence("")]).toEqual([
    "It declines.",
    "Why not?",
    "",
  ]);
});
