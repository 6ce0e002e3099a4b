import { Remark, Table } from "./bounded";
import { counted, countOf, fieldsOf, type Kept, keptOf, keptOrNone, lineOf, numberOf } from "./read";

interface Played {
  name: string;
  /** Percent. */
  inclusion: number | null;
  synergy: number | null;
}

export interface Deck {
  source: string;
  commander: string;
  decks: number | null;
  lists: Kept<{ header: string; cards: Kept<Played> }>;
  themes: Kept<{ name: string; decks: number | null }>;
  similar: Kept<string>;
}

/** `edhrec.get_recommendations`. */
export function parseDeck(result: unknown): Deck | null {
  const fields = fieldsOf(result);
  const commander = fieldsOf(fields?.commander);
  const lists = keptOf(fields?.lists, listOf);
  const themes = keptOrNone(fields?.themes, themeOf);
  const similar = keptOrNone(fields?.similar, (name) => lineOf(name));
  if (!lists || !themes || !similar) return null;
  return {
    source: lineOf(fields?.source, 80) ?? "",
    commander: lineOf(commander?.name) ?? "",
    decks: countOf(commander?.decks),
    lists,
    themes,
    similar,
  };
}

function listOf(value: unknown) {
  const fields = fieldsOf(value);
  const cards = keptOf(fields?.cards, playedOf);
  return cards && { header: lineOf(fields?.header, 80) || lineOf(fields?.tag, 80) || "Cards", cards };
}

function playedOf(value: unknown): Played | null {
  const fields = fieldsOf(value);
  const name = lineOf(fields?.name);
  if (!name) return null;
  return { name, inclusion: numberOf(fields?.inclusion_percent), synergy: numberOf(fields?.synergy_percent) };
}

function themeOf(value: unknown) {
  const fields = fieldsOf(value);
  const name = lineOf(fields?.theme, 80);
  return name ? { name, decks: countOf(fields?.decks) } : null;
}

const percent = (value: number | null) => (value === null ? "" : `${value.toFixed(1)} %`);

const COLUMNS = [
  { name: "Card", of: (card: Played) => card.name },
  { name: "In decks", of: (card: Played) => percent(card.inclusion), isNumber: true },
  { name: "Synergy", of: (card: Played) => percent(card.synergy), isNumber: true },
];

const LISTS_MAX = 20;

export function DeckView({ model }: { model: Deck }) {
  const themes = model.themes.items.map(({ name, decks }) => (decks === null ? name : `${name} (${decks})`));
  return (
    <div className="flex flex-col gap-2">
      {model.commander && (
        <p dir="auto" className="break-words">
          <span className="font-medium text-ink">{model.commander}</span>
          {model.decks !== null && <span className="text-muted"> · {counted(model.decks, "deck")}</span>}
        </p>
      )}
      {model.lists.items.length === 0 && <Remark>No cards are recommended.</Remark>}
      {model.lists.items.slice(0, LISTS_MAX).map((list, at) => (
        <details key={at} open={at === 0}>
          <summary className="cursor-pointer break-words">
            {list.header}{" "}
            <span className="text-muted">({counted(list.cards.items.length + list.cards.more, "card")})</span>
          </summary>
          <div className="pt-1 pl-4">
            <Table label={list.header} columns={COLUMNS} rows={list.cards} />
          </div>
        </details>
      ))}
      {themes.length > 0 && <Remark>Themes: {themes.slice(0, 20).join(", ")}</Remark>}
      {model.similar.items.length > 0 && (
        <Remark>Similar: {model.similar.items.slice(0, 20).join(", ")}</Remark>
      )}
      {model.source && <Remark>{model.source}</Remark>}
    </div>
  );
}
