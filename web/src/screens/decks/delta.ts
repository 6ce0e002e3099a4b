// Before and after, for exactly what is ticked.
import type { DeckSummaryView } from "@/api/generated";
import { amount, bracketWords } from "./words";

export interface DeltaRow {
  label: string;
  before: string;
  after: string;
  isSame: boolean;
  /** A deck that would be illegal, or of another size than a hundred, is said to be. */
  warns: boolean;
}

const FULL = 100;

export function deltaRows(before: DeckSummaryView, after: DeckSummaryView): DeltaRow[] {
  const row = (label: string, of: (one: DeckSummaryView) => string, warns = false): DeltaRow => {
    const [was, is] = [of(before), of(after)];
    return { label, before: was, after: is, isSame: was === is, warns };
  };
  return [
    row("Cards", (one) => String(one.count), after.count !== FULL),
    row("Legal", (one) => (one.legal ? "legal" : "not legal"), !after.legal),
    row("Price", (one) => amount(one.price.total, one.price.currency)),
    row("Priced", (one) => `${one.price.priced} of ${one.price.of}`),
    row("Bracket", (one) => bracketWords(one.bracket)),
    row("Mean cost", (one) => mean(one.curve)),
  ];
}

/** Mean mana value of a curve whose last column holds 7 and more. */
export function mean(curve: readonly number[]): string {
  const cards = curve.reduce((sum, n) => sum + n, 0);
  if (cards === 0) return "none";
  const value = curve.reduce((sum, n, at) => sum + n * at, 0) / cards;
  return `${(curve.at(-1) ?? 0) > 0 ? "≥ " : ""}${value.toFixed(2)}`;
}

export interface CurveColumn {
  label: string;
  before: number;
  after: number;
}

/** The columns of two curves side by side, and the height that holds both. */
export function curveColumns(
  before: readonly number[],
  after: readonly number[],
): { columns: CurveColumn[]; top: number } {
  const length = Math.max(before.length, after.length);
  const columns = Array.from({ length }, (_, at) => ({
    label: at === length - 1 && length === 8 ? "7+" : String(at),
    before: before[at] ?? 0,
    after: after[at] ?? 0,
  }));
  return { columns, top: Math.max(1, ...before, ...after) };
}

/** A curve in words, for those who do not see the bars. */
export function curveWords(curve: readonly number[]): string {
  return curveColumns(curve, curve)
    .columns.map((one) => `cost ${one.label}: ${one.after}`)
    .join(", ");
}
