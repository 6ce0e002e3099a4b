// What is made of a search before it is drawn. Pure.
import type { RankingSearchView } from "@/api/generated";
import { type BadgeTone, count } from "@/ui";

/** What the keeper takes, and what it takes where nobody says (`crates/evolution/src/limits.rs`). */
export const GENERATIONS = { min: 1, max: 500, usual: 60 } as const;
export const POPULATION = { min: 12, max: 1_000, usual: 120 } as const;
/** The largest seed that a browser writes exactly. */
export const SEED_MAX = Number.MAX_SAFE_INTEGER;
/** How long a search is at work at most. */
const WORK_MAX_MS = 2 * 3_600_000;
/** Expressions from which the pace of a search is known well enough to go by. */
const PACE_FROM = 100;

/** Both parts, or weights alone. */
export type SearchKind = "structure" | "weights";

const ENDS: Record<string, { word: string; tone: BadgeTone }> = {
  proposed: { word: "finished: one is proposed", tone: "life" },
  not_better: { word: "finished: nothing better", tone: "plain" },
  too_few: { word: "too few questions", tone: "wait" },
  stopped: { word: "stopped", tone: "plain" },
  failed: { word: "failed", tone: "fail" },
};

/** Where a search is, in a few words. */
export function searchState(search: RankingSearchView): { word: string; tone: BadgeTone } {
  switch (search.state) {
    case "reading":
      return { word: "reads the record", tone: "thought" };
    case "waiting":
      return { word: "waits for its turn", tone: "wait" };
    case "searching":
      return { word: "running", tone: "thought" };
    case "ended":
      return ENDS[search.outcome?.kind ?? ""] ?? { word: "ended", tone: "plain" };
    default:
      return { word: search.state, tone: "plain" };
  }
}

export const isRunning = (search: RankingSearchView | null | undefined): boolean =>
  Boolean(search) && search?.state !== "ended";

/** What a part of a search looks for. */
export function partName(part: string): string {
  return part === "weights" ? "weights" : part === "structure" ? "other expressions" : part;
}

export const score = (value: number | null | undefined): string => value?.toFixed(3) ?? "–";

/** How much more than today's order, as a difference of scores. */
export function gain(found: number, today: number): string {
  const text = Math.abs(found - today).toFixed(3);
  if (Number(text) === 0) return "the same as today";
  return `${text} ${found > today ? "more" : "less"} than today`;
}

/** How far it is, in a line. */
export function placeOf(search: RankingSearchView): string {
  const { generation, generations, best, today } = search;
  const place = `generation ${generation} of ${generations}`;
  if (best === null || best === undefined) return place;
  const beside = today === null || today === undefined ? "" : `, today ${score(today)}`;
  return `${place}, best ${score(best)}${beside}`;
}

/** How often chance alone gives as much, in words. */
export function byChance(p: number): string {
  if (!Number.isFinite(p)) return "how often chance gives as much is not known";
  const of100 = Math.round(p * 100);
  if (p < 0.01) return "chance alone gives as much in fewer than 1 of 100 such searches";
  return `chance alone gives as much in about ${of100} of 100 such searches`;
}

export interface OrderRow {
  name: string;
  /** The score on the questions that it was chosen by. */
  chosen: number | null | undefined;
  /** The score on those held out. */
  score: number;
  missed: number;
  p: number | null;
  isWinner: boolean;
  expression: string | null;
}

/** Today's order and what was found, on the questions that nothing was chosen by. */
export function ordersOf(search: RankingSearchView): OrderRow[] {
  const { report } = search;
  if (!report) return [];
  const today: OrderRow = {
    name: "Today's order",
    chosen: search.today,
    score: report.today,
    missed: report.today_missed,
    p: null,
    isWinner: false,
    expression: null,
  };
  const found = report.found.map((one) => ({
    name: one.kind === "weights" ? "Best by weights alone" : "Best of other expressions",
    chosen: one.chosen,
    score: one.score,
    missed: one.missed,
    p: one.p,
    isWinner: one.is_winner,
    expression: one.expression,
  }));
  return [today, ...found];
}

/** Expressions that a search measures at most. */
export function planned(kind: SearchKind, generations: number, population: number): number {
  return generations * population * (kind === "structure" ? 2 : 1);
}

/** How long so many take at the pace of a search before; null where none was long enough to say. In milliseconds. */
export function expectedMs(last: RankingSearchView | null | undefined, expressions: number): number | null {
  if (!last || last.evaluations < PACE_FROM || last.worked_ms <= 0) return null;
  return Math.min(WORK_MAX_MS, (last.worked_ms / last.evaluations) * expressions);
}

/** The seed as somebody can type it again. */
export function seedWords(seed: number): string {
  return Number.isSafeInteger(seed) ? String(seed) : `about ${seed.toPrecision(6)}, too long for a browser`;
}

export const questions = (n: number): string => `${count(n)} ${n === 1 ? "question" : "questions"}`;
