import { expect, it } from "vitest";
import { parseCardDetails, parseCardSearch } from "./cards";

const details = (card: unknown) => parseCardDetails({ card })?.cards.items[0];
const hrefs = (card: unknown) => details(card)?.pictures.map((picture) => picture.href);

it("both faces of a card are read, at most four", () => {
  const faces = Array.from({ length: 9 }, (_, at) => ({ name: `Face ${at}`, loyalty: "3" }));
  expect(details({ name: "Many", faces })?.faces).toHaveLength(4);
  expect(details({ name: "One", power: "1", toughness: "*" })?.faces).toMatchObject([{ stats: "1/*" }]);
});

it("pictures are addresses alone: of the card, else of its faces, else by its number at Scryfall", () => {
  const id = "0a1b2c3d-0000-4000-8000-0123456789ab";
  const normal = "https://cards.scryfall.io/normal/a.jpg";
  expect(hrefs({ name: "A", id, image_uris: { png: "https://x.example/p.png", normal } })).toEqual([normal]);
  expect(hrefs({ name: "A", id, faces: [{ image_uris: { normal } }, { image_uris: { normal } }] })).toEqual([
    normal,
    normal,
  ]);
  expect(hrefs({ name: "A", id })).toEqual([`https://api.scryfall.com/cards/${id}?format=image`]);
  for (const odd of ["../../x", "", 7, id.toUpperCase(), `${id}/`, null])
    expect(hrefs({ name: "A", id: odd })).toEqual([]);
  for (const uri of ["javascript:x", "data:image/png;base64,x", "//x.example/p.png", 7])
    expect(hrefs({ name: "A", image_uris: { normal: uri } })).toEqual([]);
});

it("legalities and prices are said, and nothing of odd ones", () => {
  const card = details({
    name: "A",
    legalities: { commander: "legal", vintage: "restricted", standard: "not_legal", odd: 7 },
    prices: { usd: "1.50", eur: null, tix: 3 },
  });
  expect(card).toMatchObject({ legal: "commander, vintage (restricted)", facts: ["$1.50"] });
  expect(details({ name: "A", legalities: [], prices: "free" })).toMatchObject({ legal: "", facts: [] });
});

it.each([null, {}, { name: 7 }, { name: "" }, { name: "A", faces: "none" }, { name: "A", faces: [7] }])(
  "what is no card: %j",
  (card) => {
    expect(details(card)).toBeUndefined();
    expect(parseCardSearch({ cards: [card] })).toBeNull();
  },
);
