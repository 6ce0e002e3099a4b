import { describe, expect, it } from "vitest";
import type { DeckOp } from "@/api/generated";
import { deckCount, keyOf, neighbour, sectionsOf } from "./board-model";
import { move, movesOf } from "./card-menu";
import { byZone } from "./compare-model";
import { card, deckState, forest, summary } from "./deck.fixture";
import { deckSession } from "./deck-session";
import { curveColumns, deltaRows, mean } from "./delta";
import { findingsByCard, inWeight, legalWords } from "./findings";
import { costWords, symbolsOf } from "./mana";
import { placeBeside } from "./place";
import { deckSearch } from "./search";
import { amount, bracketWords, changeWords, lineWords } from "./words";

const titles = (...args: Parameters<typeof sectionsOf>) =>
  sectionsOf(...args)
    .find((one) => one.zone === "main")
    ?.columns.map((column) => `${column.title} ${column.count}`);

describe("the board", () => {
  const state = deckState({
    cards: [
      forest(30),
      card("Sol Ring", { group: "artifact", mana_value: 1 }),
      card("Craw Wurm", { mana_value: 6, tags: ["big"] }),
      card("Elf", { mana_value: 1 }),
      card("Ulamog", { mana_value: 10 }),
      card("Odd", { group: "conspiracy" }),
      card("Token", { zone: "tokens" }),
    ],
  });

  it("begins with the commander, ends the deck with its lands and all with what is empty", () => {
    expect(sectionsOf(state, "type").map((one) => one.zone)).toEqual([
      "commander",
      "main",
      "tokens",
      "companion",
      "sideboard",
      "maybeboard",
    ]);
    expect(titles(state, "type")).toEqual(["Creatures 3", "Artifacts 1", "Other 1", "Lands 30"]);
  });

  it("groups by cost with lands last, and by tag with the untagged last", () => {
    expect(titles(state, "cost")).toEqual([
      "Costs 1 2",
      "Costs 2 1",
      "Costs 6 1",
      "Costs 7 and more 1",
      "Lands 30",
    ]);
    expect(titles(state, "tag")).toEqual(["big 1", "Without a tag 34"]);
  });

  it("sorts by cost, then by name", () => {
    const creatures = sectionsOf(state, "type").find((one) => one.zone === "main")?.columns[0];
    expect(creatures?.cards.map((one) => one.name)).toEqual(["Elf", "Craw Wurm", "Ulamog"]);
  });

  it("counts what is in the deck and leads it, once, also where the keeper lists a commander twice", () => {
    const lead = card("Ezuri", { zone: "commander" });
    expect(
      deckCount({ commander: [lead], cards: [lead, forest(98), card("X", { zone: "maybeboard" })] }),
    ).toBe(99);
  });

  it("tells printings and finishes of one card apart", () => {
    const one = card("Forest");
    const keys = [
      one,
      { ...one, finish: "foil" as const },
      { ...one, printing: { set: "lea", number: "1" } },
      { ...one, zone: "sideboard" as const },
    ].map(keyOf);
    expect(new Set(keys).size).toBe(4);
  });

  it("leads the arrows through all cards, and no further", () => {
    const columns = [["a"], [], ["b", "c", "d"], ["e"]];
    expect(neighbour(columns, "a", "ArrowDown")).toBe("b");
    expect(neighbour(columns, "b", "ArrowUp")).toBe("a");
    expect(neighbour(columns, "d", "ArrowRight")).toBe("e");
    expect(neighbour(columns, "e", "ArrowLeft")).toBe("b");
    expect(neighbour(columns, "a", "ArrowUp")).toBeUndefined();
    expect(neighbour(columns, "e", "ArrowDown")).toBeUndefined();
    expect(neighbour(columns, "c", "Home")).toBe("a");
    expect(neighbour(columns, "c", "End")).toBe("e");
    expect(neighbour(columns, "gone", "ArrowDown")).toBe("a");
  });
});

describe("moves", () => {
  const lead = card("Ezuri", { zone: "commander" });
  it("name every place but the one where the card is, and leading instead of others apart from beside them", () => {
    expect(movesOf(card("Elf"), []).map((one) => one.label)).toEqual([
      "Move to Commander",
      "Move to Maybeboard",
      "Move to Sideboard",
      "Move to Companion",
    ]);
    const [instead, beside] = movesOf(card("Elf"), [lead]);
    expect(instead).toMatchObject({
      label: "Lead the deck instead of Ezuri",
      op: { op: "set_commanders", cards: [{ id: "elf", name: "Elf" }] },
    });
    expect(beside).toMatchObject({
      label: "Lead the deck beside Ezuri",
      op: { op: "move", to: "commander" },
    });
  });
  it("take all copies of exactly this printing", () => {
    const foil = card("Forest", { count: 8, finish: "foil", printing: { set: "lea", number: "9" } });
    expect(move(foil, "maybeboard").op).toEqual({
      op: "move",
      entry: {
        card: { id: "forest", name: "Forest" },
        zone: "main",
        finish: "foil",
        printing: { set: "lea", number: "9" },
      },
      to: "maybeboard",
      count: 8,
    });
  });
});

describe("words", () => {
  const ring = { card: { id: "r", name: "Sol Ring" } };
  const lines: [DeckOp, string][] = [
    [
      { op: "add", entry: { ...ring, printing: { set: "c21", number: "263" } }, count: 1 },
      "Add 1 × Sol Ring (C21 263)",
    ],
    [{ op: "add", entry: { ...ring, zone: "maybeboard" }, count: 2 }, "Add 2 × Sol Ring to Maybeboard"],
    [{ op: "remove", entry: { ...ring, zone: "main" }, count: 1 }, "Remove 1 × Sol Ring"],
    [{ op: "set_count", entry: ring, count: 0 }, "Set Sol Ring to 0"],
    [{ op: "move", entry: ring, to: "sideboard", count: 1 }, "Move 1 × Sol Ring from Deck to Sideboard"],
    [
      { op: "swap", out: ring, into: { id: "s", name: "Mana Vault" }, count: 1 },
      "Swap 1 × Sol Ring for Mana Vault",
    ],
    [
      {
        op: "set_commanders",
        cards: [
          { id: "a", name: "A" },
          { id: "b", name: "B" },
        ],
      },
      "Lead with A and B",
    ],
    [{ op: "choose_colour", card: { id: "a", name: "A" }, colour: "U" }, "Choose blue for A"],
    [{ op: "choose_colour", card: { id: "a", name: "A" } }, "Choose no colour for A"],
    [{ op: "set_tags", entry: ring, tags: [] }, "Take all tags off Sol Ring"],
    [{ op: "rename", name: "New\u202e" }, "Name the deck “New⟦U+202E⟧”"],
  ];
  it.each(lines)("say what a line does: %j", (op, words) => {
    expect(lineWords(op).text).toBe(words);
  });

  it("say of a line of tomorrow that it is not known", () => {
    expect(lineWords({ op: "shuffle" } as unknown as DeckOp).text).toMatch(/does not know/);
  });

  it("say what a revision changed", () => {
    const key = { zone: "main" as const, card: "x" };
    const say = (before: number, after: number, zone: "main" | "maybeboard" = "main") =>
      changeWords(
        {
          of: "entry",
          key: { ...key, zone },
          ...(before ? { before: { count: before, name: "Elf" } } : {}),
          ...(after ? { after: { count: after, name: "Elf" } } : {}),
        },
        (id) => id,
      );
    expect(say(0, 2)).toBe("+ 2 Elf");
    expect(say(1, 0)).toBe("− 1 Elf");
    expect(say(8, 9, "maybeboard")).toBe("Elf in Maybeboard: 8 → 9");
    expect(say(1, 1)).toBe("Elf: tags or label changed");
    expect(changeWords({ of: "colour", card: "p", after: "W" }, () => "Piper")).toBe("Piper: white chosen");
    expect(changeWords({ of: "name", before: "A", after: "B" }, (id) => id)).toBe("Named “B” instead of “A”");
  });

  it("give amounts their own currency", () => {
    expect(amount(123_456, "usd")).toBe("$1,234.56");
    expect(amount(5, "EUR")).toBe("€0.05");
    expect(amount(250, "tix")).toBe("2.50 tix");
    expect(amount(250, "gbp")).toBe("2.50 gbp");
  });

  it("keep a person's bracket apart from the estimate", () => {
    expect(bracketWords({ estimate: 3, reasons: [] })).toBe("about 3");
    expect(bracketWords({ estimate: 3, set: 2, reasons: [] })).toBe("2, estimated 3");
  });

  it("read mana costs aloud", () => {
    expect(symbolsOf("{2}{W/U}{G/P} // {R}")).toEqual(["2", "W/U", "G/P", "//", "R"]);
    expect(costWords("{2}{W/U}{G/P}")).toBe("2, white or blue, green or life");
    expect(costWords("")).toBe("no cost");
    expect(symbolsOf("{1}".repeat(500))).toHaveLength(24);
  });
});

describe("before and after", () => {
  it("tells what differs, and warns of what a deck may not be", () => {
    const rows = deltaRows(
      summary(),
      summary({
        count: 101,
        legal: false,
        price: { currency: "usd", total: 20_000, priced: 98, of: 101 },
      }),
    );
    const byLabel = Object.fromEntries(rows.map((row) => [row.label, row]));
    expect(byLabel.Cards).toMatchObject({ before: "100", after: "101", isSame: false, warns: true });
    expect(byLabel.Legal).toMatchObject({ before: "legal", after: "not legal", warns: true });
    expect(byLabel.Price).toMatchObject({ before: "$123.45", after: "$200.00", warns: false });
    expect(byLabel.Priced).toMatchObject({ after: "98 of 101" });
    expect(byLabel.Bracket).toMatchObject({ isSame: true });
  });
  it("knows no mean without cards, and only a least one with cards of 7 and more", () => {
    expect(mean([0, 0])).toBe("none");
    expect(mean([0, 1, 1, 0, 0, 0, 0, 0])).toBe("1.50");
    expect(mean([0, 0, 0, 0, 0, 0, 0, 2])).toBe("≥ 7.00");
  });
  it("sets curves side by side, also of different lengths and empty ones", () => {
    expect(curveColumns([1, 2], [3]).columns).toEqual([
      { label: "0", before: 1, after: 3 },
      { label: "1", before: 2, after: 0 },
    ]);
    expect(curveColumns([], []).top).toBe(1);
    expect(curveColumns(Array(8).fill(0), []).columns.at(-1)?.label).toBe("7+");
  });
});

describe("findings", () => {
  const { legality } = deckState();
  it("stand at their cards, those of the deck first in the list", () => {
    expect([...findingsByCard(legality).keys()]).toEqual(["grizzly-bears"]);
    const warning = { code: "rule_unread", message: "?", severity: "warning" as const };
    expect(inWeight([warning, ...[...legality].reverse()]).map((one) => one.code)).toEqual([
      "size",
      "singleton",
      "rule_unread",
    ]);
  });
  it("are counted in words", () => {
    expect(legalWords({ legal: false, legality })).toBe("not legal: 2 reasons");
    expect(legalWords({ legal: true, legality: [] })).toBe("legal");
    expect(legalWords({ legal: true, legality: [{ code: "x", message: "", severity: "warning" }] })).toBe(
      "legal, 1 to look at",
    );
  });
});

it("a comparison goes by place, and what one lacks comes first", () => {
  const row = (name: string, before: number, after: number, zone: "main" | "commander" = "main") => ({
    zone,
    card: name,
    name,
    before,
    after,
  });
  const found = byZone([row("b", 1, 2), row("a", 0, 1), row("z", 1, 0), row("lead", 1, 0, "commander")]);
  expect(found.map(([zone, items]) => [zone, items.map((one) => one.name)])).toEqual([
    ["commander", ["lead"]],
    ["main", ["z", "a", "b"]],
  ]);
});

it("a preview stands beside its card and inside of the window", () => {
  const page = { width: 1000, height: 600 };
  const size = { width: 244, height: 340 };
  expect(placeBeside({ left: 100, top: 100, right: 300, bottom: 136 }, size, page)).toEqual({
    left: 308,
    top: 8,
  });
  expect(placeBeside({ left: 700, top: 300, right: 990, bottom: 336 }, size, page)).toEqual({
    left: 448,
    top: 148,
  });
  const narrow = placeBeside({ left: 10, top: 590, right: 380, bottom: 600 }, size, {
    width: 390,
    height: 600,
  });
  expect(narrow).toEqual({ left: 138, top: 252 });
});

it("an address gives a known part or none", () => {
  expect(deckSearch({ tab: "review", proposal: "p1" })).toEqual({ tab: "review", proposal: "p1" });
  expect(deckSearch({ tab: "<b>", proposal: {} })).toEqual({ tab: undefined, proposal: undefined });
});

it("a deck has a conversation of its own, of a bounded name", () => {
  expect(deckSession("ann", "d1")).toBe("direct:ann:deck:d1");
  expect(deckSession("", "x".repeat(500)).length).toBe(128);
});
