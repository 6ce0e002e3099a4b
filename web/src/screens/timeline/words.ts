// One line about an event, with what it is about: of thousands of one kind each is to be told from the next.

import { isRecord } from "@/api/errors";
import { EVENT_KINDS } from "@/api/generated";
import type { AnyEvent } from "@/live/event";
import { phraseOf, quote } from "@/live/words";

/** Fields that say what an event is about, the most telling first. */
const TELLING = ["content", "message", "reason", "title", "summary", "name", "condition", "node_id", "code"];

/** What happened, without its subject. */
export function told(event: AnyEvent): string {
  if (event.kind === "stdout.written") return `wrote: ${quote(event.data.content)}`;
  const phrase = phraseOf(event);
  if (!isAbout(event, phrase) || !isRecord(event.data)) return phrase;
  const data: Record<string, unknown> = event.data;
  const text = TELLING.map((field) => data[field]).find((value) => typeof value === "string" && value !== "");
  return typeof text === "string" ? `${phrase.split(/[.;:]/, 1)[0]}: ${quote(text)}` : phrase;
}

/** Whether a phrase only says what its kind is. */
function isAbout(event: AnyEvent, phrase: string): boolean {
  return EVENT_KINDS[event.kind].toLowerCase().startsWith(phrase.toLowerCase());
}
