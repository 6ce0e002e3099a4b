// What is wrong with a deck, where it is wrong.
import type { DeckFindingView, DeckStateView } from "@/api/generated";

/** By card, its findings. */
export function findingsByCard(legality: readonly DeckFindingView[]): Map<string, DeckFindingView[]> {
  const all = new Map<string, DeckFindingView[]>();
  for (const one of legality)
    if (one.oracle_id) all.set(one.oracle_id, [...(all.get(one.oracle_id) ?? []), one]);
  return all;
}

/** Errors first; those of the deck as a whole before those of cards. */
export function inWeight(legality: readonly DeckFindingView[]): DeckFindingView[] {
  const weight = (one: DeckFindingView) => (one.severity === "warning" ? 2 : 0) + (one.card ? 1 : 0);
  return [...legality].sort((a, b) => weight(a) - weight(b));
}

/** `legal`, `not legal: 3 reasons` */
export function legalWords({ legal, legality }: Pick<DeckStateView, "legal" | "legality">): string {
  const warnings = legality.filter((one) => one.severity === "warning").length;
  const errors = legality.length - warnings;
  if (!legal) return `not legal: ${errors} ${errors === 1 ? "reason" : "reasons"}`;
  return warnings > 0 ? `legal, ${warnings} to look at` : "legal";
}
