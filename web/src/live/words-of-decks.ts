// What a line about a deck says. Its subject is the keeper, who keeps decks, or the agent whose epoch did it (`subjectOf`).
import { type AnyEvent, nameOf } from "./event";
import { quote, quotePlain } from "./quote";

/** The name in a deck's data, which only the keeper reads whole. */
function nameIn(deck: unknown): string {
  const name = typeof deck === "object" && deck !== null && "name" in deck ? deck.name : null;
  return typeof name === "string" && name !== "" ? ` ${quotePlain(name)}` : "";
}

function lines(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}

/** What happened with a deck; null for any other event. */
export function dealt(event: AnyEvent): string | null {
  const by = nameOf(event.author);
  const isOwn = event.author === event.entity;
  switch (event.kind) {
    case "deck.created": {
      const deck = `the deck${nameIn(event.data.deck)}`;
      return isOwn ? `made ${deck}` : `had ${deck} made by ${by}`;
    }
    case "deck.loaded":
      return isOwn ? "loaded a deck" : `had a deck loaded by ${by}`;
    case "deck.proposed":
      return `proposed ${lines(event.data.ops.length)} for a deck: ${quote(event.data.reason)}`;
    case "deck.edited":
      return `had a deck changed by ${by}: revision ${event.data.rev}`;
    case "deck.lines_taken":
      return `had ${lines(event.data.lines.length)} for a deck taken by ${by}: revision ${event.data.rev}`;
    case "deck.lines_refused":
      return `had ${lines(event.data.lines.length)} for a deck refused by ${by}: ${quote(event.data.reason)}`;
    case "deck.lines_reopened":
      return `had ${lines(event.data.lines.length)} for a deck opened again by ${by}`;
    case "deck.line_edited":
      return `had a line for a deck rewritten by ${by}`;
    case "deck.undone":
      return `had revision ${event.data.undone} of a deck taken back by ${by}`;
    case "deck.bracket_set":
      return `had the bracket of a deck set by ${by}: ${event.data.bracket ?? "by the estimate"}`;
    default:
      return null;
  }
}
