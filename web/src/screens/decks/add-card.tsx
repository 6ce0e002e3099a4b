// Finding a card of the table and putting it into the deck.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useId, useState } from "react";
import { messageOf } from "@/api/errors";
import type { CardFactsView, DeckStateView } from "@/api/generated";
import { cx, Input, visible, visibleLine } from "@/ui";
import { edit } from "./acts";
import { ManaCost } from "./mana-cost";
import { addNew } from "./ops";
import { foundQuery } from "./queries";

export const ADD_CARD_ID = "add-card";

export function AddCard({ state, className }: { state: DeckStateView; className?: string }) {
  const client = useQueryClient();
  return (
    <CardFinder
      id={ADD_CARD_ID}
      label="Add a card"
      deck={state.deck_id}
      {...(className ? { className } : {})}
      onChoose={(card) =>
        void edit(client, state.deck_id, [addNew(card, "main")], `${card.name} added to the deck`)
      }
    />
  );
}

/** A field that finds cards while somebody types; arrows choose, Enter takes. */
export function CardFinder({
  id,
  label,
  deck,
  className,
  onChoose,
}: {
  id?: string;
  label: string;
  deck: string;
  className?: string;
  onChoose: (card: CardFactsView) => void;
}) {
  const own = useId();
  const field = id ?? own;
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [isAny, setAny] = useState(false);
  const q = useDeferredValue(text.trim());
  const found = useQuery(foundQuery(q, deck, isAny));
  const items = q.length > 1 ? (found.data?.items ?? []) : [];
  const chosen = items[Math.min(at, items.length - 1)];
  const take = (card: CardFactsView | undefined) => {
    if (!card) return;
    onChoose(card);
    setText("");
    setAt(0);
  };
  const isOpen = q.length > 1;
  return (
    <div className={cx("relative", className)}>
      <Input
        id={field}
        label={label}
        hideLabel
        placeholder={`${label}: name, type, words of its text…`}
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-expanded={isOpen}
        aria-controls={`${field}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && chosen ? `${field}-${chosen.oracle_id}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (move) setAt(Math.max(0, Math.min(items.length - 1, at + move)));
          else if (event.key === "Enter") take(chosen);
          else if (event.key === "Escape" && text) setText("");
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <div
        hidden={!isOpen}
        className="absolute inset-x-0 top-full z-20 mt-1 overflow-hidden rounded-lg border border-line-strong bg-surface shadow-xl"
      >
        <div
          id={`${field}-list`}
          role="listbox"
          aria-label="Cards that were found"
          className="max-h-80 overflow-y-auto p-1"
        >
          {items.map((card) => (
            <Found
              key={card.oracle_id}
              id={`${field}-${card.oracle_id}`}
              card={card}
              isChosen={card === chosen}
              onTake={() => take(card)}
            />
          ))}
        </div>
        <p role="status" className="px-3 py-1 text-[13px] text-muted">
          {found.isError
            ? visible(messageOf(found.error))
            : found.isFetching
              ? "Looking…"
              : items.length === 0
                ? "No card was found."
                : ""}
        </p>
        <label className="flex items-center gap-2 border-t border-line px-3 py-2 text-[13px] text-muted">
          <input type="checkbox" checked={isAny} onChange={(event) => setAny(event.target.checked)} />
          cards of other colours than the commander's too
        </label>
      </div>
    </div>
  );
}

function Found(props: { id: string; card: CardFactsView; isChosen: boolean; onTake: () => void }) {
  const { card, isChosen } = props;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard acts in the field above
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field above
    <div
      id={props.id}
      role="option"
      aria-selected={isChosen}
      onClick={props.onTake}
      className={cx(
        "flex cursor-pointer items-center gap-3 rounded-md px-2 py-1.5 text-sm text-ink",
        isChosen ? "bg-raised outline-1 outline-line-strong" : "hover:bg-raised",
      )}
    >
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {visibleLine(card.name)}
      </span>
      <span className="min-w-0 truncate text-xs text-muted max-sm:hidden">{visibleLine(card.type_line)}</span>
      <ManaCost cost={card.mana_cost} />
    </div>
  );
}
