import { oneOf, text } from "@/app/search";

export const DECK_TABS = ["board", "review", "figures", "history", "chat"] as const;
export type DeckTab = (typeof DECK_TABS)[number];

/** What stands in the address of a deck: which part is shown, and which proposal is looked at. */
export interface DeckSearch {
  tab?: DeckTab | undefined;
  proposal?: string | undefined;
}

export function deckSearch(search: Record<string, unknown>): DeckSearch {
  return { tab: oneOf(search.tab, DECK_TABS), proposal: text(search.proposal, 100) };
}
