import { type Address, addressOf, OutsideLink } from "./address";
import { Remark, useBounded } from "./bounded";
import {
  blockOf,
  counted,
  countOf,
  type Fields,
  fieldsOf,
  type Kept,
  keptOf,
  keptOrNone,
  lineOf,
} from "./read";

interface Face {
  name: string;
  cost: string;
  type: string;
  text: string;
  /** `2/3`, or loyalty or defence. */
  stats: string;
}

interface Card {
  name: string;
  /** What is on it; two or more where it has several faces. */
  faces: Face[];
  /** Set, rarity, prices, in a few words each. */
  facts: string[];
  legal: string;
  page: Address | null;
  /** Nothing is loaded from elsewhere: a person follows the link. */
  pictures: Address[];
}

export interface Cards {
  cards: Kept<Card>;
  total: number | null;
  warnings: Kept<string>;
}

/** `scryfall.search`. */
export function parseCardSearch(result: unknown): Cards | null {
  const fields = fieldsOf(result);
  const cards = keptOf(fields?.cards, cardOf);
  const warnings = keptOrNone(fields?.warnings, (warning) => lineOf(warning));
  return cards && warnings && { cards, total: countOf(fields?.total), warnings };
}

/** `scryfall.get_card_details`. */
export function parseCardDetails(result: unknown): Cards | null {
  const card = cardOf(fieldsOf(result)?.card);
  return card && { cards: { items: [card], more: 0 }, total: null, warnings: { items: [], more: 0 } };
}

const FACES_MAX = 4;

function cardOf(value: unknown): Card | null {
  const fields = fieldsOf(value);
  const name = lineOf(fields?.name);
  if (!fields || !name) return null;
  const several = keptOrNone(fields.faces, (face) => fieldsOf(face));
  if (!several) return null;
  const faces = several.items.slice(0, FACES_MAX);
  return {
    name,
    faces: (faces.length > 0 ? faces : [fields]).map(faceOf),
    facts: factsOf(fields),
    legal: legalOf(fields),
    page: addressOf(fields.scryfall_uri),
    pictures: picturesOf([fields, ...faces]),
  };
}

function faceOf(fields: Fields): Face {
  const [power, toughness] = [lineOf(fields.power, 10), lineOf(fields.toughness, 10)];
  const body = power && toughness ? `${power}/${toughness}` : null;
  return {
    name: lineOf(fields.name) ?? "",
    cost: lineOf(fields.mana_cost, 100) ?? "",
    type: lineOf(fields.type_line) ?? "",
    text: blockOf(fields.oracle_text, 3_000) ?? "",
    stats: body ?? lineOf(fields.loyalty, 10) ?? lineOf(fields.defense, 10) ?? "",
  };
}

const CURRENCIES = { usd: "$", eur: "€", tix: "tix " } as const;

function factsOf(fields: Fields): string[] {
  const prices = fieldsOf(fields.prices);
  const price = Object.entries(CURRENCIES).flatMap(([name, sign]) => {
    const amount = lineOf(prices?.[name], 12);
    return amount ? `${sign}${amount}` : [];
  });
  const commander = lineOf(fields.commander, 20);
  return [
    lineOf(fields.set_name, 80) || lineOf(fields.set, 12),
    lineOf(fields.rarity, 20),
    commander && `commander: ${commander.replaceAll("_", " ")}`,
    fields.game_changer === true && "game changer",
    ...price,
  ].flatMap((fact) => fact || []);
}

function legalOf(fields: Fields): string {
  const all = Object.entries(fieldsOf(fields.legalities) ?? {}).slice(0, 40);
  const words = all.flatMap(([format, value]) => {
    const legal = lineOf(value, 20);
    if (!legal || legal === "not_legal") return [];
    const name = lineOf(format, 20);
    return legal === "legal" ? (name ?? []) : `${name} (${legal})`;
  });
  return words.join(", ");
}

const SIZES = ["normal", "large", "png", "small"];
/** The number of a card at Scryfall, which has its picture under it. */
const CARD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function picturesOf(places: readonly Fields[]): Address[] {
  const named = places.flatMap((fields) => {
    const pictures = fieldsOf(fields.image_uris);
    const first = SIZES.flatMap((size) => addressOf(pictures?.[size]) ?? [])[0];
    return first ?? [];
  });
  if (named.length > 0) return named;
  const id = places[0]?.id;
  if (typeof id !== "string" || !CARD_ID.test(id)) return [];
  const made = addressOf(`https://api.scryfall.com/cards/${id}?format=image`);
  return made ? [made] : [];
}

export function CardsView({ model }: { model: Cards }) {
  const { shown, rest } = useBounded(model.cards, 10);
  return (
    <div className="flex flex-col items-start gap-2">
      {model.total !== null && <Remark>{counted(model.total, "card")} in all.</Remark>}
      <ul className="flex flex-col gap-3">
        {shown.map((card, at) => (
          <li key={at} className="flex flex-col gap-1 border-l-2 border-line pl-3">
            <CardPart card={card} />
          </li>
        ))}
      </ul>
      {rest}
      {model.warnings.items.slice(0, 5).map((warning, at) => (
        <Remark key={at}>{warning}</Remark>
      ))}
    </div>
  );
}

function CardPart({ card }: { card: Card }) {
  return (
    <>
      {card.faces.map((face, at) => (
        <div key={at}>
          <p dir="auto" className="break-words">
            <span className="font-medium text-ink">{face.name || card.name}</span>
            {face.cost && <span className="text-muted"> {face.cost}</span>}
          </p>
          {(face.type || face.stats) && (
            <p dir="auto" className="break-words text-muted">
              {[face.type, face.stats].filter(Boolean).join(" · ")}
            </p>
          )}
          {face.text && (
            <p dir="auto" className="break-words whitespace-pre-line">
              {face.text}
            </p>
          )}
        </div>
      ))}
      {card.facts.length > 0 && <Remark>{card.facts.join(" · ")}</Remark>}
      {card.legal && <Remark>Legal in {card.legal}</Remark>}
      {(card.page || card.pictures.length > 0) && (
        <p className="flex flex-wrap gap-x-3">
          {card.page && <OutsideLink to={card.page}>Card at {card.page.host}</OutsideLink>}
          {card.pictures.map((picture, at) => (
            <OutsideLink key={at} to={picture}>
              {card.pictures.length > 1 ? `Picture ${at + 1}` : "Picture"} at {picture.host}
            </OutsideLink>
          ))}
        </p>
      )}
    </>
  );
}
