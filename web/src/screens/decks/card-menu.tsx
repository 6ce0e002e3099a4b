import { Minus, MoreHorizontal, Move, Plus, Trash2 } from "lucide-react";
import type { DeckCardView, DeckOp, DeckStateView, DeckZone } from "@/api/generated";
import { type ButtonProps, IconButton, Menu, type MenuItem } from "@/ui";
import { entriesOf, keyOf } from "./board-model";
import { addOne, moveTo, refOf, removeAll, removeOne } from "./ops";
import { MOVE_ZONES, zoneTitle } from "./zones";

/** What can be done with a card of the board, each with the words that say it was done. */
export interface CardAct {
  label: string;
  /** Said when it was done; a count is that of the deck then, for others may have pressed meanwhile. */
  done: string | ((state: DeckStateView) => string);
  op: DeckOp;
}

const counted = (card: DeckCardView) => (state: DeckStateView) => {
  const now = entriesOf(state).find((one) => keyOf(one) === keyOf(card));
  return now ? `${card.name}: ${now.count}` : `${card.name} removed`;
};

export const plusOne = (card: DeckCardView): CardAct => ({
  label: "One more",
  done: counted(card),
  op: addOne(card),
});

export const minusOne = (card: DeckCardView): CardAct => ({
  label: "One less",
  done: counted(card),
  op: removeOne(card),
});

export const takeOut = (card: DeckCardView): CardAct => ({
  label: "Remove from the deck",
  done: `${card.name} removed`,
  op: removeAll(card),
});

export const move = (card: DeckCardView, to: DeckZone): CardAct => ({
  label: `Move to ${zoneTitle(to)}`,
  done: `${card.name} moved to ${zoneTitle(to)}`,
  op: moveTo(card, to),
});

/** Where a card can go; to lead in place of others is another thing than to lead beside them. */
export function movesOf(card: DeckCardView, commanders: readonly DeckCardView[]): CardAct[] {
  const moves = MOVE_ZONES.filter((zone) => zone !== card.zone).map((zone) => move(card, zone));
  const others = commanders.filter((one) => one.oracle_id !== card.oracle_id);
  if (card.zone === "commander" || others.length === 0) return moves;
  const [lead, ...rest] = moves;
  if (!lead) return moves;
  const names = others.map((one) => one.name).join(" and ");
  return [
    {
      label: `Lead the deck instead of ${names}`,
      done: `${card.name} leads the deck`,
      op: { op: "set_commanders", cards: [refOf(card)] },
    },
    { ...lead, label: `Lead the deck beside ${names}` },
    ...rest,
  ];
}

/** "Move to…" and the other acts, behind one button at the card. */
export function CardMenu({
  card,
  commanders,
  onAct,
  ...rest
}: {
  card: DeckCardView;
  commanders: readonly DeckCardView[];
  onAct: (act: CardAct) => void;
} & Omit<ButtonProps, "children" | "icon">) {
  const icon = "size-4";
  const item = (act: CardAct, picture: MenuItem["icon"], danger = false): MenuItem => ({
    label: act.label,
    icon: picture,
    danger,
    onSelect: () => onAct(act),
  });
  return (
    <Menu
      label={`Move ${card.name} to…`}
      trigger={
        <IconButton
          {...rest}
          size="s"
          className="!min-w-7 shrink-0"
          label={`Move to… (${card.name})`}
          icon={<MoreHorizontal aria-hidden className={icon} />}
        />
      }
      items={[
        ...movesOf(card, commanders).map((act) => item(act, <Move aria-hidden className={icon} />)),
        item(plusOne(card), <Plus aria-hidden className={icon} />),
        item(minusOne(card), <Minus aria-hidden className={icon} />),
        ...(card.count > 1 ? [item(takeOut(card), <Trash2 aria-hidden className={icon} />, true)] : []),
      ]}
    />
  );
}
