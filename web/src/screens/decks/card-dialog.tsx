import { ArrowLeftRight, Minus, Plus, TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { DeckCardView, DeckFindingView } from "@/api/generated";
import { Badge, Button, Dialog, IconButton, visible, visibleLine } from "@/ui";
import { type CardAct, minusOne, movesOf, plusOne, takeOut } from "./card-menu";
import { CardPicture, CardText } from "./card-text";
import { amount } from "./words";
import { zoneTitle } from "./zones";

/** A card with all that it says and all that can be done with it. */
export function CardDialog({
  card,
  currency,
  findings,
  commanders,
  onAct,
  onClose,
}: {
  card: DeckCardView | null;
  currency: string;
  findings: readonly DeckFindingView[];
  commanders: readonly DeckCardView[];
  onAct: (card: DeckCardView, act: CardAct) => void;
  onClose: () => void;
}) {
  if (!card) return null;
  const act = (one: CardAct) => onAct(card, one);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={visibleLine(card.name)} size="l">
      <div className="flex flex-col gap-4 px-4 pb-4 sm:flex-row">
        {card.image && <Faces key={card.oracle_id} card={card} />}
        <div className="flex min-w-0 flex-1 flex-col gap-3">
          <CardText card={card} />
          <Facts card={card} currency={currency} />
          {findings.map((one) => (
            <p key={one.code + one.message} className="flex gap-2 text-sm break-words text-fail">
              <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
              {visible(one.message)}
            </p>
          ))}
          <div className="flex items-center gap-2">
            <IconButton
              tone="plain"
              label="One less"
              icon={<Minus aria-hidden className="size-4" />}
              onClick={() => act(minusOne(card))}
            />
            <span className="min-w-8 text-center text-ink tabular-nums">{card.count}</span>
            <IconButton
              tone="plain"
              label="One more"
              icon={<Plus aria-hidden className="size-4" />}
              onClick={() => act(plusOne(card))}
            />
            <span className="text-[13px] text-muted">in {zoneTitle(card.zone)}</span>
          </div>
          <div className="flex flex-wrap gap-2">
            {movesOf(card, commanders).map((one) => (
              <Button key={one.label} size="s" onClick={() => act(one)}>
                {one.label}
              </Button>
            ))}
            <Button size="s" tone="danger" onClick={() => act(takeOut(card))}>
              Remove
            </Button>
          </div>
        </div>
      </div>
    </Dialog>
  );
}

function Faces({ card }: { card: DeckCardView }) {
  const [face, setFace] = useState(0);
  const faces = card.faces?.length ?? 1;
  return (
    <div className="mx-auto w-full max-w-60 shrink-0 empty:hidden">
      <CardPicture key={face} card={card} face={face} />
      {faces > 1 && (
        <Button
          size="s"
          className="mt-2 w-full"
          icon={<ArrowLeftRight aria-hidden className="size-4" />}
          onClick={() => setFace((face + 1) % faces)}
        >
          Other side
        </Button>
      )}
    </div>
  );
}

function Facts({ card, currency }: { card: DeckCardView; currency: string }) {
  const printing =
    card.printing && [card.printing.set.toUpperCase(), card.printing.number].filter(Boolean).join(" ");
  return (
    <div className="flex flex-wrap gap-1.5">
      <Badge>{card.price == null ? "no price" : amount(card.price, currency)}</Badge>
      <Badge>{printing ? visibleLine(printing) : "any printing"}</Badge>
      {card.finish !== "nonfoil" && <Badge>{visibleLine(card.finish)}</Badge>}
      {card.tags.map((tag) => (
        <Badge key={tag} tone="thought">
          {visibleLine(tag)}
        </Badge>
      ))}
    </div>
  );
}
