// What is made of a report before it is drawn. Pure: the verdict and its sentences are the keeper's, only their order and the words
// around them are made here.
import type {
  ComparedLegView,
  ComparedPairView,
  EvolutionReportView,
  Json,
  ReportedDivergenceView,
} from "@/api/generated";
import { type BadgeTone, count } from "@/ui";
import { isByRule, MEASURES, share } from "./model";

/** Figures of a comparison that are drawn, as far as the report has them. */
export interface Comparison {
  progress: string;
  state: string;
  sentences: string[];
  /** The measure that decides. */
  size: string;
  usable: number;
  unusable: { because: string; pairs: number }[];
  measures: MeasureRow[];
  failures: { kind: string; main: number; candidate: number }[];
}

export interface MeasureRow {
  measure: string;
  pairs: number;
  /** Medians, in the measure's own unit. */
  main: number;
  candidate: number;
  change: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
}

type Fields = { [key: string]: Json };
const fields = (value: Json | undefined | null): Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const number = (value: Json | undefined): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

/** Reads the figures; null before a trial. What is missing or of another form is left out. */
export function comparisonOf(report: EvolutionReportView): Comparison | null {
  if (!report.comparison) return null;
  const found = report.comparison;
  return {
    progress: text(found.progress),
    state: text(fields(found.judgement).state),
    sentences: list(found.sentences).map(text).filter(Boolean),
    size: text(fields(found.rule).size),
    usable: number(found.usable) ?? 0,
    unusable: list(found.unusable).map((one) => {
      const { because, pairs } = fields(one);
      return { because: text(because) || (Object.keys(fields(because))[0] ?? ""), pairs: number(pairs) ?? 0 };
    }),
    measures: list(found.measures).flatMap((one) => measureRow(fields(one)) ?? []),
    failures: list(found.failures).map((one) => {
      const { kind, main, candidate } = fields(one);
      return { kind: text(kind), main: number(main) ?? 0, candidate: number(candidate) ?? 0 };
    }),
  };
}

function measureRow(found: Fields): MeasureRow | null {
  const [main, candidate] = [number(fields(found.main).p50), number(fields(found.candidate).p50)];
  if (main === null || candidate === null) return null;
  const { low, high } = fields(found.interval);
  return {
    measure: text(found.measure),
    pairs: number(found.pairs) ?? 0,
    main,
    candidate,
    change: number(found.change),
    low: number(low),
    high: number(high),
    p: number(found.p),
  };
}

/** A line of the table: both sides, and what changed. */
export interface FigureRow {
  name: string;
  main: string;
  candidate: string;
  change: string;
  /** Where the change lies in 95 of 100 resamples, and its p value. */
  sure: string[];
}

export function probability(p: number): string {
  if (p < 0.001) return "p < 0.001";
  return `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`;
}

/** Medians of a request. */
export function medianRows(comparison: Comparison): FigureRow[] {
  return comparison.measures.map((one) => {
    const known = MEASURES.find((measure) => measure.key === one.measure);
    const format = known?.format ?? ((value: number) => count(Math.round(value * 10) / 10));
    const interval = one.low === null || one.high === null ? "" : `${share(one.low)} to ${share(one.high)}`;
    // At the measure that decides, the keeper asks for a gain alone.
    const of = one.measure === comparison.size ? " for a gain" : "";
    const parts = [interval, one.p === null ? "" : `${probability(one.p)}${of}`];
    return {
      name: known?.name ?? (one.measure === "calls" ? "Calls of tools" : one.measure),
      main: format(one.main),
      candidate: format(one.candidate),
      change: one.change === null ? "–" : share(one.change),
      sure: parts.filter(Boolean),
    };
  });
}

/** What both did in all; what neither did anything of is left out, but for failures. */
export function totalRows(
  { main, candidate }: EvolutionReportView,
  money: (value: number) => string,
): FigureRow[] {
  const row = (name: string, a: number, b: number, format: (value: number) => string): FigureRow => ({
    name,
    main: format(a),
    candidate: format(b),
    change: a > 0 ? share(b / a - 1) : "–",
    sure: [],
  });
  const rows = [{ ...row("Failed requests", main.errors, candidate.errors, count), change: "" }];
  if (main.calls + candidate.calls > 0) rows.push(row("Calls of tools", main.calls, candidate.calls, count));
  const known = (name: string, key: "tokens" | "cost_microusd", format: (value: number) => string) => {
    const [a, b] = [main[key] ?? null, candidate[key] ?? null];
    if ((a ?? 0) + (b ?? 0) === 0) return;
    const text = (value: number | null) => (value === null ? "not known" : format(value));
    rows.push(
      a !== null && b !== null
        ? row(name, a, b, format)
        : { name, main: text(a), candidate: text(b), change: "–", sure: [] },
    );
  };
  known("Tokens", "tokens", count);
  known("Cost", "cost_microusd", money);
  return rows;
}

export interface Verdict {
  title: string;
  tone: BadgeTone;
  word: string;
  /** Why, a sentence each. */
  reasons: string[];
  /** What followed from it; empty where the state of the change says it. */
  after: string;
}

type Judged = Pick<Verdict, "title" | "tone" | "word">;
const NO_VERDICT: Judged = {
  title: "Too little was measured for a verdict",
  tone: "plain",
  word: "no verdict",
};
const JUDGED: Record<string, Judged> = {
  promote: { title: "The change is better", tone: "life", word: "better" },
  marginal: { title: "Too few pairs to decide without a person", tone: "wait", word: "a person decides" },
  reject: { title: "The change is not shown to be better", tone: "fail", word: "not better" },
  not_enough: NO_VERDICT,
};

const DECIDED: Record<string, string> = { promoted: "promote", marginal: "marginal", rejected: "reject" };

/** The verdict in plain words. */
export function verdictOf(report: EvolutionReportView, comparison: Comparison | null): Verdict {
  const { evolution: change } = report;
  const why = change.why ? [sentence(change.why)] : [];
  if (!comparison || (report.agreement.pairs === 0 && comparison.progress !== "running")) {
    const ended = change.state === "rejected" || change.state === "aborted";
    const title = ended ? "It was not tried" : "It is not tried yet";
    return { title, tone: ended ? "fail" : "plain", word: "no verdict", reasons: why, after: "" };
  }
  const sentences = comparison.sentences.map(sentence);
  if (comparison.progress === "running") {
    const of = change.requests ? ` of ${change.requests}` : "";
    const after = `So far ${report.agreement.pairs}${of} requests were answered by both.`;
    return { title: "The trial is under way", tone: "thought", word: "under way", reasons: sentences, after };
  }
  if (comparison.progress === "aborted") {
    return {
      title: "The trial was aborted",
      tone: "fail",
      word: "aborted",
      reasons: [...why, ...sentences],
      after: "",
    };
  }
  const decided = DECIDED[change.verdict ?? ""];
  const judged = JUDGED[decided ?? comparison.state] ?? NO_VERDICT;
  const reasons = hasReasonOfItsOwn(change) ? why : sentences.map((one) => one.replace(/ so far\.$/, "."));
  const after =
    change.verdict === "reported" ? "It was only compared, as was asked for: nothing was put in force." : "";
  return { ...judged, reasons, after };
}

/** Whether the trial was decided by something beside the rule: what tools and commands give, say. Later moves have other reasons. */
function hasReasonOfItsOwn({ state, verdict, why }: EvolutionReportView["evolution"]): boolean {
  const isDecisions =
    state === "awaits_approval" || state === "reported" || (state === "rejected" && verdict === "rejected");
  return isDecisions && Boolean(why) && !isByRule(why);
}

/** A sentence of the keeper's, which begins small and has no full stop. */
export function sentence(words: string): string {
  const [first] = words;
  if (!first) return "";
  const end = /[.!?…]$/.test(words) ? "" : ".";
  return `${first.toUpperCase()}${words.slice(first.length)}${end}`;
}

const UNUSABLE: Record<string, string> = {
  main_unmeasured: "what is in force could not be measured",
  record: "the record does not let both be compared",
  repeated: "the same request stands there already",
  too_many: "more are not looked at",
};

export const unusableWords = (because: string): string => UNUSABLE[because] ?? because.replaceAll("_", " ");

/** How many pairs it takes, beside how many there were. */
export function powerWords(power: string | null | undefined, pairs: number): string {
  const measured = `${count(pairs)} ${pairs === 1 ? "was" : "were"} measured`;
  if (!power) return `Fewer than 20 usable pairs are too few to say how many it takes; ${measured}.`;
  return sentence(`${power}. Here ${measured}`);
}

/** A request with what both did. */
export interface SeenPair {
  request: string;
  main: ComparedLegView;
  candidate: ComparedLegView;
  divergence: string | null;
  agrees: boolean | null;
}

/**
 * The pairs of a trial, those that differ first. The report names the first fifty of these; the others are among the pairs that the
 * change itself shows.
 */
export function pairsOf(
  divergences: readonly ReportedDivergenceView[],
  compared: readonly ComparedPairView[],
): SeenPair[] {
  const trial = compared.filter((pair) => pair.stage_percent === null || pair.stage_percent === undefined);
  const known = new Map(trial.map((pair) => [pair.request, pair]));
  const first = divergences.map((one) => ({ ...one, agrees: known.get(one.request)?.agrees ?? null }));
  const named = new Set(divergences.map((one) => one.request));
  const rest = trial
    .filter((pair) => !named.has(pair.request))
    .map(({ request, main, candidate, divergence, agrees }) => ({
      request,
      main,
      candidate,
      divergence: divergence ?? null,
      agrees: agrees ?? null,
    }));
  return [...first, ...rest.filter(differs), ...rest.filter((pair) => !differs(pair))];
}

export function differs(pair: SeenPair): boolean {
  return Boolean(pair.divergence) || pair.agrees === false || hasFailed(pair);
}

export const hasFailed = ({ main, candidate }: SeenPair): boolean => Boolean(main.error || candidate.error);

/** What a pair is, in a line. */
export function pairTitle(pair: SeenPair): string {
  if (pair.divergence) return sentence(pair.divergence);
  if (pair.candidate.error) return pair.main.error ? "Both fail." : "It fails.";
  if (pair.main.error) return "It answers where the other fails.";
  if (pair.agrees === true) return "Both answer alike.";
  return pair.agrees === false ? "The answers differ." : "Whether the answers agree cannot be said.";
}

/** What a judge said of a pair, from the side of the change. */
export function judgedWords(said: string | null | undefined): string | null {
  switch (said) {
    case "better":
      return "judge prefers the change";
    case "worse":
      return "judge prefers what was before";
    case "tie":
      return "judge prefers neither";
    default:
      return null;
  }
}

export const isPreferred = (pair: SeenPair): boolean =>
  pair.candidate.judged === "better" || pair.candidate.judged === "worse";

export const pairsWord = (n: number) => `${count(n)} ${n === 1 ? "pair" : "pairs"}`;

/** What both orders of a judge's questions came to. */
export function ordersWords({ better, worse, tie }: { better: number; worse: number; tie: number }): string {
  const all = better + worse + tie;
  const same = `In ${count(better + worse)} of ${pairsWord(all)} it preferred the same reply in both orders.`;
  if (tie === 0) return same;
  const rest = tie === 1 ? "the other one" : `the other ${count(tie)}`;
  return `${same} In ${rest} it preferred neither: the replies were equal, it called them a tie, or its answer changed with the order.`;
}

/** How likely a judge's preference is by chance. */
export function judgeChance({ better, worse, p }: { better: number; worse: number; p: number }): string {
  if (better === worse) return "It prefers neither side.";
  const side = better > worse ? "the change" : "what was before";
  const times = p < 0.01 ? "fewer than 1 of 100" : `about ${Math.round(p * 100)} of 100`;
  return `It prefers ${side} more often. Without any difference a lead like that would show in ${times} trials.`;
}
