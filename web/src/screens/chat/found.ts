// One list of what a search finds: in the exchanges that are here, and in all that was ever said. Each exchange once.
import type { LiveEpoch } from "@/live/state";
import { plain } from "@/live/words";
import type { Said } from "./queries";
import { holds } from "./transcript";

export interface FoundLine {
  /** The exchange that it leads to; null where memory knows none. */
  epoch: string | null;
  speaker: string;
  text: string;
  at: string | null;
}

const CHARS = 160;

/** What was found, the newest first; what has no time stands behind. */
export function foundLines(epochs: readonly LiveEpoch[], q: string, said: readonly Said[]): FoundLine[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const here = epochs
    .filter((epoch) => words.length > 0 && holds(epoch, q))
    .map((epoch) => lineOf(epoch, words));
  const known = new Map(epochs.map((epoch) => [epoch.id, epoch]));
  const shown = new Set(here.map((line) => line.epoch));
  const beyond: FoundLine[] = [];
  for (const one of said) {
    if (one.epoch !== null && shown.has(one.epoch)) continue;
    if (one.epoch !== null) shown.add(one.epoch);
    const at = (one.epoch && known.get(one.epoch)?.sentAt) || null;
    beyond.push({ epoch: one.epoch, speaker: one.speaker, text: around(one.content, words), at });
  }
  return [...here, ...beyond].sort((a, b) => (b.at ?? "").localeCompare(a.at ?? ""));
}

function lineOf(epoch: LiveEpoch, words: readonly string[]): FoundLine {
  const holdsAny = (text: string) => words.some((word) => text.toLowerCase().includes(word));
  const isOfReply = !holdsAny(epoch.content) && epoch.reply !== null && holdsAny(epoch.reply);
  const text = isOfReply ? (epoch.reply ?? "") : epoch.content;
  return {
    epoch: epoch.id,
    speaker: isOfReply ? epoch.agent : epoch.sender,
    text: around(text, words),
    at: epoch.sentAt,
  };
}

/** The part of a text in which the first of the words stands. */
function around(text: string, words: readonly string[]): string {
  const flat = plain(text, text.length).replace(/\s+/g, " ");
  const lower = flat.toLowerCase();
  const at = Math.max(
    0,
    Math.min(...words.map((word) => lower.indexOf(word)).filter((one) => one >= 0), flat.length),
  );
  if (flat.length <= CHARS) return flat;
  const from = at >= flat.length ? 0 : Math.max(0, at - 40);
  return `${from > 0 ? "…" : ""}${flat.slice(from, from + CHARS)}${from + CHARS < flat.length ? "…" : ""}`;
}

/** A text in pieces, those that were looked for marked. */
export function marked(text: string, q: string): { text: string; isFound: boolean }[] {
  const words = q.split(/\s+/).filter(Boolean).slice(0, 8);
  if (words.length === 0) return [{ text, isFound: false }];
  const any = new RegExp(
    `(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`,
    "giu",
  );
  return text.split(any).map((piece, at) => ({ text: piece, isFound: at % 2 === 1 }));
}
