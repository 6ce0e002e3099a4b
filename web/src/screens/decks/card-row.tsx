import { Minus, Plus, TriangleAlert } from "lucide-react";
import { memo } from "react";
import type { DeckCardView, DeckFindingView } from "@/api/generated";
import { cx, IconButton, visible, visibleLine } from "@/ui";
import { keyOf } from "./board-model";
import { type CardAct, CardMenu, minusOne, plusOne } from "./card-menu";
import { CardThumb } from "./card-text";
import { ManaCost } from "./mana-cost";
import { PREVIEW_ID } from "./preview";

export const BOARD_HINT_ID = "board-hint";

export interface RowHandlers {
  onAct: (card: DeckCardView, act: CardAct) => void;
  /** `isByKey`: not by a pointer. */
  onOpen: (card: DeckCardView, isByKey: boolean) => void;
  onPress: (card: DeckCardView, event: React.PointerEvent) => void;
  onKey: (card: DeckCardView, event: React.KeyboardEvent<HTMLElement>) => void;
  onFocus: (card: DeckCardView, element: HTMLElement) => void;
  onHover: (card: DeckCardView, element: HTMLElement, pointer: string) => void;
  onLeave: () => void;
}

interface Props {
  card: DeckCardView;
  findings: readonly DeckFindingView[];
  commanders: readonly DeckCardView[];
  /** Whether Tab leads here: to one card of the board alone. */
  isReached: boolean;
  isCarried: boolean;
  isPreviewed: boolean;
  on: RowHandlers;
}

/** A card on the board, with what is wrong with it. */
export const CardRow = memo(function CardRow(props: Props) {
  const { card, findings, isReached, isCarried, isPreviewed, on } = props;
  const tabIndex = isReached ? 0 : -1;
  return (
    <li
      className={cx("break-inside-avoid", isCarried && "rounded-md outline-2 outline-accent outline-dashed")}
    >
      <div className="group relative flex items-center rounded-md hover:bg-raised">
        <button
          type="button"
          data-card={keyOf(card)}
          tabIndex={tabIndex}
          aria-describedby={isPreviewed ? `${PREVIEW_ID} ${BOARD_HINT_ID}` : BOARD_HINT_ID}
          className="flex min-h-9 min-w-0 flex-1 touch-manipulation items-center gap-2 rounded-md px-1 text-left text-sm text-ink select-none [-webkit-touch-callout:none]"
          onClick={(event) => on.onOpen(card, event.detail === 0)}
          onPointerDown={(event) => on.onPress(card, event)}
          onKeyDown={(event) => on.onKey(card, event)}
          onFocus={(event) => on.onFocus(card, event.currentTarget)}
          onBlur={on.onLeave}
          onPointerEnter={(event) => on.onHover(card, event.currentTarget, event.pointerType)}
          onPointerLeave={on.onLeave}
        >
          <span className="w-5 shrink-0 text-right text-[13px] text-muted tabular-nums">{card.count}</span>
          <CardThumb card={card} />
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {visibleLine(card.name)}
          </span>
          <ManaCost cost={card.mana_cost} />
        </button>
        <Steps {...props} tabIndex={tabIndex} />
        <CardMenu
          card={card}
          commanders={props.commanders}
          onAct={(act) => on.onAct(card, act)}
          tabIndex={tabIndex}
        />
      </div>
      {findings.map((one) => (
        <p
          key={one.code + one.message}
          className={cx(
            "flex gap-1.5 pb-1 pl-7 text-xs break-words",
            one.severity === "warning" ? "text-wait" : "text-fail",
          )}
        >
          <TriangleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
          <span className="min-w-0">{visible(one.message)}</span>
        </p>
      ))}
    </li>
  );
});

/** − and + beside the card, where there is a pointer that can rest or a focus. */
function Steps({ card, on, tabIndex }: Props & { tabIndex: number }) {
  return (
    <span className="pointer-events-none absolute right-7 flex rounded-md bg-raised opacity-0 group-focus-within:pointer-events-auto group-focus-within:opacity-100 pointer-fine:group-hover:pointer-events-auto pointer-fine:group-hover:opacity-100">
      <IconButton
        size="s"
        className="!min-w-7"
        tabIndex={tabIndex}
        label={`One less: ${card.name}`}
        icon={<Minus aria-hidden className="size-4" />}
        onClick={() => on.onAct(card, minusOne(card))}
      />
      <IconButton
        size="s"
        className="!min-w-7"
        tabIndex={tabIndex}
        label={`One more: ${card.name}`}
        icon={<Plus aria-hidden className="size-4" />}
        onClick={() => on.onAct(card, plusOne(card))}
      />
    </span>
  );
}
