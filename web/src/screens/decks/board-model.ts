// The board: a deck's cards by place and, in the deck itself, by type, by cost or by tag. The commander comes first, lands last.
import type { DeckCardView, DeckStateView, DeckZone } from "@/api/generated";
import { MOVE_ZONES, ZONES, zoneTitle } from "./zones";

export const GROUPINGS = ["type", "cost", "tag"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface BoardColumn {
  id: string;
  title: string;
  cards: readonly DeckCardView[];
  count: number;
}

export interface BoardSection {
  zone: DeckZone;
  title: string;
  count: number;
  columns: readonly BoardColumn[];
}

const TYPES: [group: string, title: string][] = [
  ["creature", "Creatures"],
  ["planeswalker", "Planeswalkers"],
  ["battle", "Battles"],
  ["instant", "Instants"],
  ["sorcery", "Sorceries"],
  ["artifact", "Artifacts"],
  ["enchantment", "Enchantments"],
  ["other", "Other"],
  ["land", "Lands"],
];

/** What tells one entry of a deck from all others. */
export function keyOf(card: Pick<DeckCardView, "zone" | "oracle_id" | "printing" | "finish">): string {
  const { set = "", number = "" } = card.printing ?? {};
  return [card.zone, card.oracle_id, set, number, card.finish].join("|");
}

/** All entries, each once, wherever the keeper lists them. */
export function entriesOf(state: Pick<DeckStateView, "commander" | "cards">): DeckCardView[] {
  const all = new Map<string, DeckCardView>();
  for (const card of [...state.commander, ...state.cards]) all.set(keyOf(card), card);
  return [...all.values()];
}

/** The sections of the board. Places that are empty are there where a card can be put into them. */
export function sectionsOf(
  state: Pick<DeckStateView, "commander" | "cards">,
  grouping: Grouping,
): BoardSection[] {
  const all = entriesOf(state);
  const sections = ZONES.map((zone) => {
    const cards = all.filter((card) => card.zone === zone);
    const columns = zone === "main" ? grouped(cards, grouping) : [column(zone, zoneTitle(zone), cards)];
    return { zone, title: zoneTitle(zone), count: countOf(cards), columns };
  });
  // What is empty stands after the cards, but for the places that every deck has.
  const isEmpty = (one: BoardSection) => one.count === 0 && one.zone !== "commander" && one.zone !== "main";
  return [
    ...sections.filter((one) => !isEmpty(one)),
    ...sections.filter((one) => isEmpty(one) && MOVE_ZONES.includes(one.zone)),
  ];
}

function grouped(cards: readonly DeckCardView[], grouping: Grouping): BoardColumn[] {
  const groups = new Map<string, DeckCardView[]>();
  for (const card of cards) {
    const group = groupOf(card, grouping);
    groups.set(group, [...(groups.get(group) ?? []), card]);
  }
  return [...groups]
    .sort(([a], [b]) => rankOf(a, grouping) - rankOf(b, grouping) || a.localeCompare(b))
    .map(([group, some]) => column(group, titleOf(group, grouping), some));
}

function column(id: string, title: string, cards: readonly DeckCardView[]): BoardColumn {
  const sorted = [...cards].sort((a, b) => a.mana_value - b.mana_value || a.name.localeCompare(b.name));
  return { id, title, cards: sorted, count: countOf(cards) };
}

const LANDS = "land";
const UNTAGGED = "";
const COST_MAX = 7;

function groupOf(card: DeckCardView, grouping: Grouping): string {
  if (grouping === "tag") return card.tags[0] ?? UNTAGGED;
  if (grouping === "cost" && card.group !== LANDS) return String(Math.min(COST_MAX, card.mana_value));
  return TYPES.some(([group]) => group === card.group) ? card.group : "other";
}

function rankOf(group: string, grouping: Grouping): number {
  if (grouping === "type") return TYPES.findIndex(([one]) => one === group);
  if (grouping === "cost") return group === LANDS ? COST_MAX + 1 : Number(group);
  return group === UNTAGGED ? 1 : 0;
}

function titleOf(group: string, grouping: Grouping): string {
  if (grouping === "tag") return group === UNTAGGED ? "Without a tag" : group;
  if (grouping === "cost" && group !== LANDS)
    return Number(group) === COST_MAX ? "Costs 7 and more" : `Costs ${group}`;
  return TYPES.find(([one]) => one === group)?.[1] ?? group;
}

export function countOf(cards: readonly Pick<DeckCardView, "count">[]): number {
  return cards.reduce((sum, card) => sum + card.count, 0);
}

/** The cards that count towards the hundred. */
export function deckCount(state: Pick<DeckStateView, "commander" | "cards">): number {
  return countOf(entriesOf(state).filter((card) => card.zone === "commander" || card.zone === "main"));
}

export type Arrow = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" | "Home" | "End";

/** Where an arrow leads among the columns of the board: up and down in a column and on to the next, left and right beside. */
export function neighbour(
  columns: readonly (readonly string[])[],
  at: string,
  arrow: Arrow,
): string | undefined {
  const full = columns.filter((one) => one.length > 0);
  const col = full.findIndex((one) => one.includes(at));
  const here = full[col];
  if (!here) return full[0]?.[0];
  const row = here.indexOf(at);
  switch (arrow) {
    case "ArrowDown":
      return here[row + 1] ?? full[col + 1]?.[0];
    case "ArrowUp":
      return here[row - 1] ?? full[col - 1]?.at(-1);
    case "Home":
      return full[0]?.[0];
    case "End":
      return full.at(-1)?.at(-1);
    default: {
      const beside = full[col + (arrow === "ArrowRight" ? 1 : -1)];
      return beside?.[Math.min(row, beside.length - 1)];
    }
  }
}
