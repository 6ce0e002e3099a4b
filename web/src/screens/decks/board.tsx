// The board of a deck: every card in its place, moved by pointer, by keys or by its menu.
import { useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { DeckCardView, DeckStateView, DeckZone } from "@/api/generated";
import { Select } from "@/ui";
import { edit, notesOf } from "./acts";
import { AddCard } from "./add-card";
import { type Arrow, entriesOf, GROUPINGS, type Grouping, keyOf, neighbour, sectionsOf } from "./board-model";
import { BoardSectionView } from "./board-section";
import { Candidates } from "./candidates";
import { CardDialog } from "./card-dialog";
import { type CardAct, minusOne, move, plusOne, takeOut } from "./card-menu";
import { BOARD_HINT_ID, type RowHandlers } from "./card-row";
import { DropBar } from "./drop-bar";
import { findingsByCard } from "./findings";
import { CardPreview } from "./preview";
import { Unread } from "./unread";
import { useCarry } from "./use-carry";
import { usePreview } from "./use-preview";
import { MOVE_ZONES } from "./zones";

const GROUPING_WORDS: Record<Grouping, string> = { type: "by type", cost: "by cost", tag: "by tag" };
const ARROWS: Record<string, 1 | -1> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

export function Board(props: {
  state: DeckStateView;
  /** Whether its list was just read. */
  isImported: boolean;
  /** A card that is to have the focus as soon as it is shown. */
  wanted: string | null;
  onShown: () => void;
}) {
  const { state, isImported } = props;
  const client = useQueryClient();
  const [grouping, setGrouping] = useState<Grouping>("type");
  const [opened, setOpened] = useState<string | null>(null);
  const [reached, setReached] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const preview = usePreview();
  const entries = useMemo(() => entriesOf(state), [state]);
  const sections = useMemo(() => sectionsOf(state, grouping), [state, grouping]);
  const columns = useMemo(
    () => sections.flatMap((section) => section.columns.map((column) => column.cards.map(keyOf))),
    [sections],
  );
  const findings = useMemo(() => findingsByCard(state.legality), [state.legality]);
  const wanted = useFocusAfter(box, entries);
  useWanted(box, entries, props.wanted, props.onShown);
  const onAct = useCallback(
    async (card: DeckCardView, act: CardAct) => {
      const isDone = await edit(client, state.deck_id, [act.op], act.done);
      if (isDone && act.op.op === "move") setOpened((key) => (key === keyOf(card) ? null : key));
    },
    [client, state.deck_id],
  );
  const onDrop = (key: string, to: DeckZone, by: "pointer" | "keys") => {
    const card = entries.find((one) => keyOf(one) === key);
    if (!card) return;
    if (by === "keys") wanted.current = keyOf({ ...card, zone: to });
    void onAct(card, move(card, to));
  };
  const carrying = useCarry(box, MOVE_ZONES, onDrop);
  const newest = useRef({ carrying, columns, preview, onAct });
  newest.current = { carrying, columns, preview, onAct };
  const handlers = useHandlers(newest, box, setReached, setOpened);
  const carried = carrying.state.phase === "carried" ? carrying.state : null;
  const first = columns.flat()[0];
  const reach = reached !== null && columns.some((one) => one.includes(reached)) ? reached : first;
  const openedCard = entries.find((card) => keyOf(card) === opened) ?? null;
  return (
    <div ref={box} className="relative pb-6">
      <div className="flex flex-wrap items-end gap-3 pt-3">
        <AddCard state={state} className="min-w-40 flex-1" />
        <Select
          label="Show the deck"
          hideLabel
          className="w-32"
          value={grouping}
          onChange={(event) => setGrouping(GROUPINGS.find((one) => one === event.target.value) ?? "type")}
        >
          {GROUPINGS.map((one) => (
            <option key={one} value={one}>
              {GROUPING_WORDS[one]}
            </option>
          ))}
        </Select>
      </div>
      <Unread lines={state.unparsed} notes={notesOf(client, state.deck_id)} isOpen={isImported} />
      <Candidates state={state} />
      {sections.map((section) => (
        <BoardSectionView
          key={section.zone}
          section={section}
          isOver={carried?.over === section.zone}
          findings={findings}
          commanders={state.commander}
          reached={reach}
          carried={carried?.card.key}
          previewed={preview.shown?.id}
          on={handlers}
        />
      ))}
      <p id={BOARD_HINT_ID} className="mt-4 text-xs text-muted max-sm:sr-only">
        Arrows move between cards, Space carries one, + and − change its count, Enter shows it. A finger that
        rests on a card carries it; its menu moves it too.
      </p>
      <p role="status" aria-live="assertive" className="sr-only" data-testid="carry-said">
        {carrying.said}
      </p>
      {carried && <DropBar carried={carried} places={MOVE_ZONES} />}
      {!carried && (
        <CardPreview
          shown={preview.shown}
          onEnter={preview.stay}
          onLeave={preview.leave}
          onClose={preview.close}
        />
      )}
      <CardDialog
        card={openedCard}
        currency={state.price.currency}
        findings={openedCard ? (findings.get(openedCard.oracle_id) ?? []) : []}
        commanders={state.commander}
        onAct={(card, act) => void onAct(card, act)}
        onClose={() => setOpened(null)}
      />
    </div>
  );
}

/** After a card was moved by keys the focus goes where it went, once the keeper says that it is there. */
function useFocusAfter(box: React.RefObject<HTMLElement | null>, entries: readonly DeckCardView[]) {
  const wanted = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the cards changed
  useEffect(() => {
    if (wanted.current === null) return;
    const there = cardElement(box.current, wanted.current);
    if (!there) return;
    wanted.current = null;
    there.focus();
  }, [entries]);
  return wanted;
}

/** Leads to a card that was asked for elsewhere, once. */
function useWanted(
  box: React.RefObject<HTMLElement | null>,
  entries: readonly DeckCardView[],
  oracleId: string | null,
  onShown: () => void,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each card that is asked for
  useEffect(() => {
    if (oracleId === null) return;
    const card = entries.find((one) => one.oracle_id === oracleId);
    if (card) cardElement(box.current, keyOf(card))?.focus();
    onShown();
  }, [oracleId]);
}

function cardElement(box: ParentNode | null, key: string): HTMLElement | null {
  return box?.querySelector<HTMLElement>(`[data-card="${CSS.escape(key)}"]`) ?? null;
}

interface Newest {
  carrying: ReturnType<typeof useCarry>;
  columns: readonly (readonly string[])[];
  preview: ReturnType<typeof usePreview>;
  onAct: (card: DeckCardView, act: CardAct) => Promise<void>;
}

/** The same for the life of the board, so that a card is drawn again only when it changed. */
function useHandlers(
  newest: React.RefObject<Newest>,
  box: React.RefObject<HTMLElement | null>,
  setReached: (key: string) => void,
  setOpened: (key: string) => void,
): RowHandlers {
  return useMemo(
    () => ({
      onAct: (card, act) => void newest.current.onAct(card, act),
      onOpen: (card, isByKey) => {
        if (!isByKey && newest.current.carrying.endedCarry()) return;
        newest.current.preview.close();
        setOpened(keyOf(card));
      },
      onPress: (card, event) => newest.current.carrying.press(carriedOf(card), event),
      onKey: (card, event) => onKey(card, event, newest.current, box.current, setReached),
      onFocus: (card, element) => {
        setReached(keyOf(card));
        if (element.matches(":focus-visible")) newest.current.preview.show(keyOf(card), card, element);
      },
      onHover: (card, element, pointer) => {
        if (pointer === "mouse") newest.current.preview.show(keyOf(card), card, element);
      },
      onLeave: () => newest.current.preview.leave(),
    }),
    [newest, box, setReached, setOpened],
  );
}

const carriedOf = (card: DeckCardView) => ({ key: keyOf(card), name: card.name, from: card.zone });

function onKey(
  card: DeckCardView,
  event: KeyboardEvent<HTMLElement>,
  { carrying, columns, onAct, preview }: Newest,
  box: HTMLElement | null,
  setReached: (key: string) => void,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  if (carrying.state.phase === "carried") {
    const by = ARROWS[key];
    if (by) carrying.step(by);
    else if (key === " " || key === "Enter") carrying.drop();
    else if (key === "Escape" || key === "Tab") carrying.cancel();
    if (key !== "Tab") event.preventDefault();
    return;
  }
  const act = keyAct(card, key);
  if (key === " ") {
    preview.close();
    carrying.pick(carriedOf(card));
  } else if (act) {
    void onAct(card, act);
  } else if (key in ARROWS || key === "Home" || key === "End") {
    const next = neighbour(columns, keyOf(card), key as Arrow);
    if (next) {
      setReached(next);
      cardElement(box, next)?.focus();
    }
  } else return;
  event.preventDefault();
}

function keyAct(card: DeckCardView, key: string): CardAct | null {
  if (key === "+" || key === "=") return plusOne(card);
  if (key === "-") return minusOne(card);
  return key === "Delete" ? takeOut(card) : null;
}
