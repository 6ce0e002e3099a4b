// The places of a deck, as they are called and in their order.
import type { DeckZone } from "@/api/generated";

const TITLES: Record<DeckZone, string> = {
  commander: "Commander",
  companion: "Companion",
  main: "Deck",
  sideboard: "Sideboard",
  maybeboard: "Maybeboard",
  attractions: "Attractions",
  stickers: "Stickers",
  tokens: "Tokens",
};

export const ZONES = Object.keys(TITLES) as DeckZone[];

/** Where a card can be put by hand. The rest comes with lists and stays where it is. */
export const MOVE_ZONES: readonly DeckZone[] = ["commander", "main", "maybeboard", "sideboard", "companion"];

/** A place's name, or what it calls itself where it is none of ours. */
export function zoneTitle(zone: string): string {
  return TITLES[zone as DeckZone] ?? zone;
}
