// A small deck with a proposal, as the keeper says it; for tests.
import type {
  DeckCardView,
  DeckOp,
  DeckProposalView,
  DeckStateView,
  DeckSummaryView,
  ProposalLineView,
} from "@/api/generated";

export function card(name: string, more: Partial<DeckCardView> = {}): DeckCardView {
  return {
    oracle_id: name.toLowerCase().replaceAll(" ", "-"),
    name,
    count: 1,
    zone: "main",
    finish: "nonfoil",
    tags: [],
    mana_cost: "{1}{G}",
    mana_value: 2,
    type_line: "Creature — Elf",
    colours: ["G"],
    colour_identity: ["G"],
    rules_text: "Vigilance",
    power: "2",
    toughness: "2",
    price: 125,
    image: false,
    findings: [],
    known: true,
    group: "creature",
    ...more,
  };
}

export const forest = (count: number) =>
  card("Forest", { count, group: "land", mana_value: 0, mana_cost: "", type_line: "Basic Land — Forest" });

export const summary = (more: Partial<DeckSummaryView> = {}): DeckSummaryView => ({
  count: 100,
  legal: true,
  price: { currency: "usd", total: 12_345, priced: 97, of: 100 },
  curve: [0, 4, 10, 8, 5, 3, 1, 1],
  bracket: { estimate: 2, reasons: ["no game changer"] },
  legality: [],
  ...more,
});

const entry = (one: DeckCardView) => ({ card: { id: one.oracle_id, name: one.name }, zone: one.zone });

export function line(id: number, op: DeckOp, more: Partial<ProposalLineView> = {}): ProposalLineView {
  return { id, op: op.op, card: "", count: 1, line: op, state: "open", cards: [], ...more };
}

const elf = card("Llanowar Elves", { mana_value: 1, mana_cost: "{G}" });
const bear = card("Grizzly Bears");
const ring = card("Sol Ring", {
  mana_value: 1,
  mana_cost: "{1}",
  group: "artifact",
  type_line: "Artifact",
  colours: [],
  colour_identity: [],
});

export function proposal(more: Partial<DeckProposalView> = {}): DeckProposalView {
  return {
    id: "p1",
    deck_rev: 3,
    by: { who: "agent", name: "felix" },
    reason: "Faster mana.",
    ops: [
      line(1, { op: "add", entry: entry(ring), count: 1 }, { cards: [ring] }),
      line(2, { op: "remove", entry: entry(bear), count: 1 }, { cards: [bear] }),
      line(
        3,
        {
          op: "swap",
          out: entry(elf),
          into: { id: "birds", name: "Birds of Paradise" },
          count: 1,
        },
        { state: "stale", cause: "Llanowar Elves: 1 → 0 in revision 4", cards: [elf] },
      ),
      line(
        4,
        { op: "add", entry: entry(card("Craterhoof Behemoth")), count: 1 },
        { state: "refused", cause: "too expensive" },
      ),
    ],
    before: summary(),
    after: summary({ price: { currency: "usd", total: 12_600, priced: 97, of: 100 } }),
    ...more,
  };
}

export function deckState(more: Partial<DeckStateView> = {}): DeckStateView {
  return {
    deck_id: "d1",
    name: "Elves",
    format: "commander",
    rev: 4,
    commander: [card("Ezuri, Renegade Leader", { zone: "commander", mana_value: 3, mana_cost: "{1}{G}{G}" })],
    cards: [elf, bear, forest(30), card("Craw Wurm", { zone: "maybeboard", mana_value: 6 })],
    unparsed: [{ line: 7, text: "1 Blitzschlag", why: "no card has this English name" }],
    legality: [
      { code: "size", message: "The deck has 33 cards, not 100.", severity: "error" },
      {
        code: "singleton",
        card: "Grizzly Bears",
        oracle_id: "grizzly-bears",
        message: "Only one is allowed.",
        severity: "error",
      },
    ],
    legal: false,
    curve: [0, 1, 1, 1, 0, 0, 0, 0],
    colours: { W: { pips: 0, sources: 0 }, G: { pips: 5, sources: 30 } },
    types: { Creature: 3, Land: 30 },
    price: { currency: "usd", total: 500, priced: 32, of: 33 },
    bracket: { estimate: 2, reasons: ["no game changer"] },
    commander_candidates: [],
    updated_at: "2026-03-12T20:00:00Z",
    proposals: [proposal()],
    ...more,
  };
}
