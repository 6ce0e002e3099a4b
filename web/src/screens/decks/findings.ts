// What is wrong with a deck, where it is wrong.
import type { DeckStateView, FindingView } from "./types";

/** By card, its findings. */
export function findingsByCard(legality: readonly FindingView[]): Map<string, FindingView[]> {
  const all = new Map<string, FindingView[]>();
  for (const one of legality) if (one.card) all.set(one.card, [...(all.get(one.card) ?? []), one]);
  return all;
}

/** Errors first; those of the deck as a whole before those of cards. */
export function inWeight(legality: readonly FindingView[]): FindingView[] {
  const weight = (one: FindingView) => (one.severity === "warning" ? 2 : 0) + (one.card ? 1 : 0);
  return [...legality].sort((a, b) => weight(a) - weight(b));
}

/** `legal`, `not legal: 3 reasons` */
export function legalWords({ legal, legality }: Pick<DeckStateView, "legal" | "legality">): string {
  const warnings = legality.filter((one) => one.severity === "warning").length;
  const errors = legality.length - warnings;
  if (!legal) return `not legal: ${errors} ${errors === 1 ? "reason" : "reasons"}`;
  return warnings > 0 ? `legal, ${warnings} to look at` : "legal";
}
