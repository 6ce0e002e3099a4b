// Rewriting a line of a proposal: what of it a person can change, and the line with that changed.
import type { CardRef, DeckOp, DeckZone } from "@/api/generated";

export const COUNT_MAX = 999;

/** How many cards the line is about; null where it has no count. */
export const lineCount = (line: DeckOp): number | null => ("count" in line ? line.count : null);

export function withCount(line: DeckOp, count: number): DeckOp {
  return "count" in line ? { ...line, count } : line;
}

/** The card that can be another one: what comes in. Null where the line brings none. */
export function lineCard(line: DeckOp): CardRef | null {
  if (line.op === "swap") return line.into;
  if (line.op === "add") return line.entry.card;
  return line.op === "set_commanders" && line.cards.length === 1 ? (line.cards[0] ?? null) : null;
}

/** With another card the printing of the old one is none of it. */
export function withCard(line: DeckOp, card: CardRef): DeckOp {
  if (line.op === "swap") return { ...line, into: card };
  if (line.op === "set_commanders") return { ...line, cards: [card] };
  if (line.op !== "add") return line;
  const { printing: _, ...entry } = line.entry;
  return { ...line, entry: { ...entry, card } };
}

/** Where cards come to; null where the line is about one place. */
export function lineZone(line: DeckOp): DeckZone | null {
  if (line.op === "move") return line.to;
  return line.op === "add" ? (line.entry.zone ?? "main") : null;
}

export function withZone(line: DeckOp, zone: DeckZone): DeckOp {
  if (line.op === "move") return { ...line, to: zone };
  return line.op === "add" ? { ...line, entry: { ...line.entry, zone } } : line;
}

/** Texts: the deck's name, or tags parted by commas. */
export function lineText(line: DeckOp): string | null {
  if (line.op === "rename") return line.name;
  return line.op === "set_tags" ? line.tags.join(", ") : null;
}

export function withText(line: DeckOp, text: string): DeckOp {
  if (line.op === "rename") return { ...line, name: text };
  if (line.op !== "set_tags") return line;
  const tags = text.split(",").map((tag) => tag.trim());
  return { ...line, tags: [...new Set(tags.filter(Boolean))] };
}

/** Whether there is anything of a line that can be rewritten here. */
export function canRewrite(line: DeckOp): boolean {
  return [lineCount(line), lineCard(line), lineZone(line), lineText(line)].some((one) => one !== null);
}

/** Whether a line can be sent. */
export function isWhole(line: DeckOp): boolean {
  const count = lineCount(line);
  const least = line.op === "set_count" ? 0 : 1;
  if (count !== null && !(Number.isInteger(count) && count >= least && count <= COUNT_MAX)) return false;
  return line.op !== "rename" || line.name.trim() !== "";
}
