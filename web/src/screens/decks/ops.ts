// Lines of an edit, made from what is on the board.
import type { CardRef, DeckCardView, DeckOp, DeckZone, EntryTarget } from "@/api/generated";

export const refOf = (card: Pick<DeckCardView, "oracle_id" | "name">): CardRef => ({
  id: card.oracle_id,
  name: card.name,
});

/** Exactly this entry: another printing or finish of the card is another one. */
export function targetOf(
  card: Pick<DeckCardView, "oracle_id" | "name" | "zone" | "printing" | "finish">,
): EntryTarget {
  const target: EntryTarget = { card: refOf(card), zone: card.zone, finish: card.finish };
  if (card.printing) target.printing = card.printing;
  return target;
}

export const addOne = (card: DeckCardView): DeckOp => ({ op: "add", entry: targetOf(card), count: 1 });

export const removeOne = (card: DeckCardView): DeckOp => ({ op: "remove", entry: targetOf(card), count: 1 });

export const removeAll = (card: DeckCardView): DeckOp => ({
  op: "remove",
  entry: targetOf(card),
  count: card.count,
});

export const moveTo = (card: DeckCardView, to: DeckZone): DeckOp => ({
  op: "move",
  entry: targetOf(card),
  to,
  count: card.count,
});

/** A card that is not in the deck yet. */
export const addNew = (card: Pick<DeckCardView, "oracle_id" | "name">, zone: DeckZone): DeckOp => ({
  op: "add",
  entry: { card: refOf(card), zone },
  count: 1,
});
