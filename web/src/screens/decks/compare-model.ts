import type { CardDifference, DeckZone } from "@/api/generated";
import { ZONES } from "./zones";

/** Differences by place, in the order of a deck; what one deck lacks whole comes before what both have. */
export function byZone(items: readonly CardDifference[]): [DeckZone, CardDifference[]][] {
  const weight = (one: CardDifference) => (one.after === 0 ? 0 : one.before === 0 ? 1 : 2);
  return ZONES.map((zone): [DeckZone, CardDifference[]] => [
    zone,
    items
      .filter((one) => one.zone === zone)
      .sort((a, b) => weight(a) - weight(b) || a.name.localeCompare(b.name)),
  ]).filter(([, some]) => some.length > 0);
}
