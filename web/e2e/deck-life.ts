// A keeper that knows cards, and a deck that an agent proposes changes for. The cards are those of `crates/deck`, taken from a file as
// on a machine without a network.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { BINARY, type Keeper } from "./keeper";
import { calls, says } from "./model";

const FIXTURES = fileURLToPath(new URL("../../crates/deck/tests/fixtures/", import.meta.url));

export const DECK_CONFIG = '[tools]\nallow = ["deck.*", "memory.*"]\n[irc]\nlisten = "off"\n';

export const ELVES = `Commander
1 Ezuri, Renegade Leader (SOM) 119

Deck
1 Llanowar Elves
1 Bloom Tender #ramp
1 Forest Bear
1 Wilson, Refined Grizzly
1 Primeval Titan
1 Star Printing Elemental
1 Cultivate #ramp
1 Sol Ring (C21) 263 #ramp
1 Arcane Signet
1 Birthing Pod
1 Swiftfoot Boots
1 Raised by Giants
1 Lightning Bolt
1 Command Tower
1 Dryad Arbor
30 Forest
1 Blitzschlag

Maybeboard
1 Golden Egg
`;

/** A deck that is nearly whole. */
export const LONG_LIST = `Commander
1 Ezuri, Renegade Leader (SOM) 119

Deck
1 Llanowar Elves #ramp
1 Bloom Tender #ramp
1 Forest Bear
1 Wilson, Refined Grizzly
1 Ley Weaver
1 Pir, Imaginative Rascal
1 Primeval Titan
1 Star Printing Elemental
1 Kozilek, Butcher of Truth
1 Golos, Tireless Pilgrim
1 Clara Oswald
1 Cultivate #ramp
1 Lightning Bolt
1 Sol Ring (C21) 263 #ramp
1 Arcane Signet #ramp
1 Birthing Pod
1 Æther Vial
1 Swiftfoot Boots
1 Golden Egg
1 Raised by Giants
1 Command Tower
1 Dryad Arbor
1 Urza's Saga
1 Flooded Strand
1 Wastes
74 Forest
1 Blitzschlag

Maybeboard
1 The Everforger
1 The Eternity Elevator
`;

/** Whatever a test looks at of a deck. */
export interface SeenDeck {
  deck_id: string;
  rev: number;
  legal: boolean;
  commander: { name: string }[];
  cards: { name: string; count: number; zone: string; oracle_id: string }[];
  proposals: { id: string; ops: { id: number; state: string; card: string; cause?: string }[] }[];
}

/** Gives the keeper the cards of the fixtures. */
export async function pullCards(keeper: Keeper): Promise<void> {
  const file = join(keeper.home, "bulk.jsonl.gz");
  await writeFile(file, await promisify(gzip)(await readFile(`${FIXTURES}cards.jsonl`)));
  await promisify(execFile)(BINARY, ["cards", "pull", "--file", file], {
    env: { ABIDE_HOME: keeper.home, ABIDE_TEST: "1", PATH: process.env.PATH ?? "", LC_ALL: "C" },
  });
}

export function createDeck(
  keeper: Keeper,
  name = "Elves of the Deep Wood",
  cards = ELVES,
): Promise<SeenDeck> {
  return keeper.api("POST", "/deck/create", { name, cards, citizen: "felix" }) as Promise<SeenDeck>;
}

export function seen(keeper: Keeper, deck: string): Promise<SeenDeck> {
  return keeper.api("GET", `/deck/state?deck_id=${encodeURIComponent(deck)}`) as Promise<SeenDeck>;
}

export const countOf = (deck: SeenDeck, name: string, zone = "main") =>
  deck.cards.find((card) => card.name === name && card.zone === zone)?.count ?? 0;

/** What Felix would like to change. */
export const PLAN = [
  { op: "remove", card: "Lightning Bolt" },
  { op: "swap", card: "Forest Bear", into: "Squee, Dubious Monarch" },
  { op: "add", card: "Wastes", count: 1 },
  { op: "move", card: "Golden Egg", zone: "maybeboard", to: "main" },
  { op: "set_count", card: "Forest", count: 32 },
];

/** Lets the agent propose; gives the proposal's id. */
export async function propose(
  keeper: Keeper,
  deck: string,
  ops: readonly unknown[] = PLAN,
  reason = "Lightning Bolt is not green, and there is room for lands.",
): Promise<string> {
  const before = await seen(keeper, deck);
  keeper.model.script(
    calls("deck.propose", { deck_id: deck, deck_rev: before.rev, reason, ops }),
    says("I have put a proposal before you: look at each line."),
  );
  await keeper.say("What would you change in this deck?", {
    citizen: "felix",
    session_id: `direct:user:deck:${deck}`,
  });
  const after = await seen(keeper, deck);
  const id = after.proposals.find((one) => !before.proposals.some((old) => old.id === one.id))?.id;
  if (!id) throw new Error("nothing was proposed");
  return id;
}
