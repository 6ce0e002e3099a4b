// Decks in words: lines of proposals, changes, prices, brackets. Names are of others, so what is not seen is made visible.

import type { DeckBracketView, DeckChange, DeckOp, DeckPriceView, EntryTarget } from "@/api/generated";
import { visibleLine } from "@/ui/visible";
import { zoneTitle } from "./zones";

/** What a line does: a sign that says it at a glance, a verb that says it aloud. */
export interface LineWords {
  sign: "+" | "−" | "⇄" | "→" | "=" | "✎";
  text: string;
  tone: "come" | "gone" | "other";
}

const times = (count: number, name: string) => `${count} × ${visibleLine(name)}`;

/** The place, where it is not the deck itself. */
const at = (entry: EntryTarget, word: string) =>
  entry.zone && entry.zone !== "main" ? ` ${word} ${zoneTitle(entry.zone)}` : "";

const printed = (entry: EntryTarget) =>
  entry.printing
    ? ` (${visibleLine([entry.printing.set.toUpperCase(), entry.printing.number].filter(Boolean).join(" "))})`
    : "";

export function lineWords(line: DeckOp): LineWords {
  switch (line.op) {
    case "add":
      return {
        sign: "+",
        tone: "come",
        text: `Add ${times(line.count, line.entry.card.name)}${printed(line.entry)}${at(line.entry, "to")}`,
      };
    case "remove":
      return {
        sign: "−",
        tone: "gone",
        text: `Remove ${times(line.count, line.entry.card.name)}${printed(line.entry)}${at(line.entry, "from")}`,
      };
    case "set_count":
      return {
        sign: "=",
        tone: "other",
        text: `Set ${visibleLine(line.entry.card.name)} to ${line.count}${at(line.entry, "in")}`,
      };
    case "move":
      return {
        sign: "→",
        tone: "other",
        text: `Move ${times(line.count, line.entry.card.name)} from ${zoneTitle(line.entry.zone ?? "main")} to ${zoneTitle(line.to)}`,
      };
    case "swap":
      return {
        sign: "⇄",
        tone: "other",
        text: `Swap ${times(line.count, line.out.card.name)} for ${visibleLine(line.into.name)}${at(line.out, "in")}`,
      };
    case "set_commanders":
      return {
        sign: "=",
        tone: "other",
        text: `Lead with ${line.cards.map((card) => visibleLine(card.name)).join(" and ")}`,
      };
    case "choose_colour":
      return {
        sign: "=",
        tone: "other",
        text: line.colour
          ? `Choose ${colourName(line.colour)} for ${visibleLine(line.card.name)}`
          : `Choose no colour for ${visibleLine(line.card.name)}`,
      };
    case "set_tags":
      return {
        sign: "✎",
        tone: "other",
        text:
          line.tags.length > 0
            ? `Tag ${visibleLine(line.entry.card.name)} with ${line.tags.map(visibleLine).join(", ")}`
            : `Take all tags off ${visibleLine(line.entry.card.name)}`,
      };
    case "rename":
      return { sign: "✎", tone: "other", text: `Name the deck “${visibleLine(line.name)}”` };
    default:
      return { sign: "✎", tone: "other", text: "Something that this page does not know" };
  }
}

/** What changed in a revision, for a list. `nameOf` knows cards of the deck by their id. */
export function changeWords(change: DeckChange, nameOf: (card: string) => string): string {
  if (change.of === "name")
    return `Named “${visibleLine(change.after)}” instead of “${visibleLine(change.before)}”`;
  if (change.of === "colour") {
    const card = visibleLine(nameOf(change.card));
    return change.after ? `${card}: ${colourName(change.after)} chosen` : `${card}: no colour chosen`;
  }
  if (change.of !== "entry") return "Something that this page does not know";
  const { before, after, key } = change;
  const name = visibleLine(after?.name ?? before?.name ?? nameOf(key.card));
  const where = key.zone === "main" ? "" : ` in ${zoneTitle(key.zone)}`;
  const [was, is] = [before?.count ?? 0, after?.count ?? 0];
  if (was === is) return `${name}${where}: tags or label changed`;
  if (was === 0) return `+ ${is} ${name}${where}`;
  if (is === 0) return `− ${was} ${name}${where}`;
  return `${name}${where}: ${was} → ${is}`;
}

const COLOURS: Record<string, string> = {
  W: "white",
  U: "blue",
  B: "black",
  R: "red",
  G: "green",
  C: "colourless",
};

export function colourName(letter: string): string {
  return COLOURS[letter] ?? visibleLine(letter);
}

const SIGNS: Record<string, string> = { usd: "$", eur: "€", tix: "tix" };

/** An amount in hundredths. */
export function amount(hundredths: number, currency: string): string {
  const code = currency.toLowerCase();
  const text = (hundredths / 100).toLocaleString("en", {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  if (code === "tix") return `${text} tix`;
  return SIGNS[code] ? `${SIGNS[code]}${text}` : `${text} ${currency}`;
}

export const coverage = (price: DeckPriceView) => `${price.priced} of ${price.of} priced`;

const BRACKETS: Record<number, string> = {
  1: "Exhibition",
  2: "Core",
  3: "Upgraded",
  4: "Optimized",
  5: "cEDH",
};

export const bracketName = (bracket: number) =>
  BRACKETS[bracket] ? `${bracket}, ${BRACKETS[bracket]}` : String(bracket);

/** What a person said comes first; the estimate stands beside it. */
export function bracketWords({ estimate, set }: DeckBracketView): string {
  if (set == null) return estimate == null ? "unknown" : `about ${estimate}`;
  return estimate == null ? String(set) : `${set}, estimated ${estimate}`;
}

export const cards = (n: number) => `${n} ${n === 1 ? "card" : "cards"}`;

/** Who did something. */
export function actorWords(by: { who: string; name: string }): string {
  return visibleLine(by.name) || by.who;
}

const CAUSES: Record<string, string> = {
  created: "begun",
  edited: "edited",
  taken: "lines of a proposal approved",
  undone: "a revision undone",
};

/** Why there is a revision. */
export const causeWords = (cause: string) => CAUSES[cause] ?? visibleLine(cause);
