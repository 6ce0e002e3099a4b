// Texts of others on one line.
import { visibleLine } from "@/ui/visible";

const QUOTE_CHARS = 90;
/** What a mark of Markdown may take of a text, beside what is shown of it. */
const MARKS = 4;
const NAMES_SHOWN = 8;

/** The beginning of a text on one line, in quotes. */
export function quote(text: string, chars = QUOTE_CHARS): string {
  const line = text.replace(/\s+/g, " ").trim();
  const points = Array.from(visibleLine(line.slice(0, chars * 2)));
  return points.length > chars ? `“${points.slice(0, chars).join("")}…”` : `“${points.join("")}”`;
}

/** The same of a text in Markdown, such as an answer. */
export function quotePlain(text: string, chars = QUOTE_CHARS): string {
  return quote(plain(text, chars), chars);
}

/** The words of a text in Markdown, without its tables and most of its marks: enough for one line of so many characters. */
export function plain(text: string, chars = QUOTE_CHARS): string {
  return text
    .slice(0, MARKS * chars)
    .replace(/^\s*\|.*$/gm, "")
    .replace(/^\s*(#{1,6}|>|[-*+]|\d+\.)\s+/gm, "")
    .replace(/^\s*(```|~~~).*$/gm, "")
    .replace(/(\*\*|__|~~|`)/g, "")
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, "$1")
    .trim();
}

/** Why, where somebody said so. */
export function why({ reason }: { reason?: string }): string {
  return reason ? `: ${quote(reason)}` : "";
}

/** Names, a few of them. */
export function some(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN;
  return names.slice(0, NAMES_SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** A day and a time, short. */
export function moment(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime())
    ? at
    : time.toLocaleString([], { dateStyle: "short", timeStyle: "short" });
}

/** The beginning of an id, enough to tell it from its neighbours. */
export function short(id: string): string {
  return id.length > 12 ? `…${id.slice(-8)}` : id;
}
