// Which results are drawn in a form of their own, by the name of the tool. Each kind reads any value and gives null for what it does
// not know; that is shown as it was recorded.
import type { ComponentType, ReactElement } from "react";
import { CardsView, parseCardDetails, parseCardSearch } from "./cards";
import { CommandView, parseCommand } from "./command";
import { DeckView, parseDeck } from "./deck";
import { FeedsView, parseFeedCheck, parseFeedFetch, parseSubscriptions, SubscriptionsView } from "./feeds";
import {
  FileChangeView,
  parseFileEdit,
  parseFileMove,
  parseFileRemove,
  parseFileUndo,
  parseFileWrite,
} from "./file-change";
import { FileListView, parseFileList } from "./file-list";
import { FileMatchesView, parseFileMatches } from "./file-matches";
import { FileReadView, parseFileRead } from "./file-text";
import { GamesView, PlayerView, parseInstalled, parseLibrary, parsePlayer, parseRecent } from "./games";
import { TEXT_CHARS } from "./read";
import { parseSkill, SkillView } from "./skill";
import { parseWebPage, WebPageView } from "./web-page";
import { parseWebSearch, WebSearchView } from "./web-search";

/** Draws a result, with what its call was given; null where it does not have the tool's shape. */
type Draw = (result: unknown, given: unknown) => ReactElement | null;

function kind<M>(
  parse: (result: unknown, given: unknown) => M | null,
  View: ComponentType<{ model: M }>,
): Draw {
  return (result, given) => {
    const model = parse(result, given);
    return model === null ? null : <View model={model} />;
  };
}

export const KINDS: ReadonlyMap<string, Draw> = new Map([
  ["internet.search", kind(parseWebSearch, WebSearchView)],
  ["internet.fetch", kind(parseWebPage, WebPageView)],
  ["rss.check", kind(parseFeedCheck, FeedsView)],
  ["rss.fetch", kind(parseFeedFetch, FeedsView)],
  ["rss.list", kind(parseSubscriptions, SubscriptionsView)],
  ["scryfall.search", kind(parseCardSearch, CardsView)],
  ["scryfall.get_card_details", kind(parseCardDetails, CardsView)],
  ["edhrec.get_recommendations", kind(parseDeck, DeckView)],
  ["steam.get_installed", kind(parseInstalled, GamesView)],
  ["steam.get_library", kind(parseLibrary, GamesView)],
  ["steam.get_recent_games", kind(parseRecent, GamesView)],
  ["steam.resolve_id", kind(parsePlayer, PlayerView)],
  ["files.read", kind(parseFileRead, FileReadView)],
  ["files.list", kind(parseFileList, FileListView)],
  ["files.search", kind(parseFileMatches, FileMatchesView)],
  ["files.write", kind(parseFileWrite, FileChangeView)],
  ["files.edit", kind(parseFileEdit, FileChangeView)],
  ["files.move", kind(parseFileMove, FileChangeView)],
  ["files.remove", kind(parseFileRemove, FileChangeView)],
  ["files.undo", kind(parseFileUndo, FileChangeView)],
  ["shell.run", kind(parseCommand, CommandView)],
  ["skills.read", kind(parseSkill, SkillView)],
]);

/** What a finished call gave, drawn; null where it is to be shown as it was recorded. */
export function drawn(name: string, content: string, given: unknown): ReactElement | null {
  const draw = KINDS.get(name);
  if (!draw || content.length > TEXT_CHARS) return null;
  try {
    return draw(JSON.parse(content), given);
  } catch {
    return null;
  }
}
