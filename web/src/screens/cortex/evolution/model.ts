// What is made of a change's figures before they are drawn. Pure: no figure here decides anything, the keeper's verdict does.
import type { ComparedLegView, ComparedPairView, EvolutionView } from "@/api/generated";
import { type BadgeTone, bytes, duration, money } from "@/ui";

/** Differing pairs that are drawn before somebody asks for more. */
export const DIVERGENCES_SHOWN = 20;

/** Shares of a hundred requests that a change answers, one after the other. */
export const STAGES = [10, 50, 100] as const;

const STATES: Record<string, { word: string; tone: BadgeTone }> = {
  proposed: { word: "proposed", tone: "plain" },
  validated: { word: "checked", tone: "plain" },
  checkpointed: { word: "checked", tone: "plain" },
  shadowing: { word: "is tried", tone: "thought" },
  awaits_approval: { word: "waits for you", tone: "wait" },
  accepted: { word: "accepted", tone: "life" },
  backed_up: { word: "accepted", tone: "life" },
  watching: { word: "is watched", tone: "thought" },
  kept: { word: "kept", tone: "life" },
  rejected: { word: "rejected", tone: "fail" },
  reported: { word: "compared", tone: "plain" },
  rolled_back: { word: "rolled back", tone: "fail" },
  aborted: { word: "aborted", tone: "fail" },
};

/** The state of a change in a word. One that was kept once and is replaced since is in force no more. */
export function stateOf(change: EvolutionView): { word: string; tone: BadgeTone } {
  const known = STATES[change.state] ?? { word: change.state, tone: "plain" as const };
  if (change.state === "kept" && change.in_force) return { word: "in force", tone: "life" };
  if (change.state === "watching") return { ...known, word: `answers ${change.stage_percent} %` };
  return known;
}

/** Whether a reason is the keeper's own about its rule; the report has it in more words. */
export function isByRule(why: string | null | undefined): boolean {
  return /^(better|not better|too little was measured|not enough was measured)\b/.test(why ?? "");
}

export type Answer = "approve" | "reject" | "rollback" | "abort";

/** What a person can do about a change, the obvious first. */
export function answersTo(change: EvolutionView): Answer[] {
  switch (change.state) {
    case "awaits_approval":
      return ["approve", "reject"];
    case "proposed":
    case "validated":
    case "checkpointed":
    case "shadowing":
    case "accepted":
      return ["abort"];
    case "backed_up":
    case "watching":
      return ["rollback"];
    case "kept":
      return change.in_force ? ["rollback"] : [];
    default:
      return [];
  }
}

/** A relative change: −14 %, +2.5 %. */
export function share(change: number): string {
  if (!Number.isFinite(change)) return "unknown";
  const percent = change * 100;
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  const text = Math.abs(percent).toFixed(digits);
  const sign = Number(text) === 0 ? "" : percent < 0 ? "−" : "+";
  return `${sign}${text} %`;
}

export interface Figure {
  name: string;
  expected: string | undefined;
  measured: string | undefined;
  /** Where it lies in 95 of 100 resamples, and the p value, where the keeper says them. */
  interval: string | undefined;
  p: number | undefined;
}

const PARTS = /_(low|high|p)$/;
/** How the figures begin that are a share of the pairs, and no change. */
const AGREEMENT = "agreement";
/** How many pairs there are is said elsewhere. */
const PAIRS = "pairs";

/** The figures of a change: what was expected beside what was measured, with what belongs to one figure at it. */
export function figuresOf({ predicted, measured }: Pick<EvolutionView, "predicted" | "measured">): Figure[] {
  const names = new Set(
    [...Object.keys(predicted), ...Object.keys(measured)].map((name) => name.replace(PARTS, "")),
  );
  names.delete(PAIRS);
  return [...names]
    .sort((a, b) => a.localeCompare(b))
    .map((name) => {
      const show = (value: number | undefined) => {
        if (value === undefined) return undefined;
        return name.startsWith(AGREEMENT) ? share(value).replace(/^[−+]/, "") : share(value);
      };
      const [low, high] = [show(measured[`${name}_low`]), show(measured[`${name}_high`])];
      return {
        name: name.replaceAll("_", " "),
        expected: show(predicted[name]),
        measured: show(measured[name]),
        interval: low !== undefined && high !== undefined ? `${low} to ${high}` : undefined,
        p: measured[`${name}_p`],
      };
    });
}

export interface Measure {
  key: string;
  name: string;
  of: (leg: ComparedLegView) => number | null | undefined;
  format: (value: number) => string;
}

const micros = (value: number) =>
  value < 1_000 ? `${Math.round(value)} µs` : duration(Math.round(value / 100) / 10);

export const MEASURES: readonly Measure[] = [
  { key: "wall", name: "Time", of: (leg) => leg.wall_us, format: micros },
  { key: "cpu", name: "Processor time", of: (leg) => leg.cpu_us, format: micros },
  { key: "memory", name: "Memory", of: (leg) => leg.memory_bytes, format: bytes },
  { key: "tokens", name: "Tokens", of: (leg) => leg.tokens, format: (value) => String(Math.round(value)) },
  { key: "cost", name: "Cost", of: (leg) => leg.cost_microusd, format: money },
];

export interface Distribution {
  values: number[];
  low: number;
  median: number;
  high: number;
}

/** Both legs of a measure, of the pairs that have it in both. */
export interface Comparison {
  measure: Measure;
  main: Distribution;
  candidate: Distribution;
}

/** The comparisons that the pairs give. A failed leg measured nothing. */
export function comparisonsOf(pairs: readonly ComparedPairView[]): Comparison[] {
  return MEASURES.flatMap((measure) => {
    const main: number[] = [];
    const candidate: number[] = [];
    for (const pair of pairs) {
      const [a, b] = [measuredOf(measure, pair.main), measuredOf(measure, pair.candidate)];
      if (a === null || b === null) continue;
      main.push(a);
      candidate.push(b);
    }
    if (main.length === 0) return [];
    return [{ measure, main: distribution(main), candidate: distribution(candidate) }];
  });
}

function measuredOf(measure: Measure, leg: ComparedLegView): number | null {
  const value = leg.error ? null : measure.of(leg);
  return value !== null && value !== undefined && Number.isFinite(value) && value > 0 ? value : null;
}

function distribution(values: readonly number[]): Distribution {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    values: sorted,
    low: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    high: quantile(sorted, 0.75),
  };
}

/** A quantile of sorted values, between the two that it lies between. */
export function quantile(sorted: readonly number[], at: number): number {
  const place = (sorted.length - 1) * at;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

/** The pairs whose answers differ, or of which one failed. */
export function divergencesOf(pairs: readonly ComparedPairView[]): ComparedPairView[] {
  return pairs.filter((pair) => pair.agrees === false || pair.main.error || pair.candidate.error);
}
