import { bytes, Time } from "@/ui";
import { type Column, Remark, Table } from "./bounded";
import { counted, countOf, type Fields, fieldsOf, type Kept, keptOf, lineOf, momentOf } from "./read";

interface Game {
  name: string;
  hours: string;
  hoursLately: string;
  lastPlayed: string | null;
  size: number | null;
  isInstalled: boolean;
}

export interface Games {
  games: Kept<Game>;
  total: number | null;
  unreadable: number;
  of: "installed" | "library" | "recent";
}

/** `steam.get_installed`. */
export const parseInstalled = (result: unknown) => gamesOf(result, "installed");
/** `steam.get_library`. */
export const parseLibrary = (result: unknown) => gamesOf(result, "library");
/** `steam.get_recent_games`. */
export const parseRecent = (result: unknown) => gamesOf(result, "recent");

function gamesOf(result: unknown, of: Games["of"]): Games | null {
  const fields = fieldsOf(result);
  const games = keptOf(fields?.games, gameOf);
  if (!games) return null;
  return { games, total: countOf(fields?.total), unreadable: countOf(fields?.unreadable_files) ?? 0, of };
}

function gameOf(value: unknown): Game | null {
  const fields = fieldsOf(value);
  const name = lineOf(fields?.name);
  if (!fields || name === null) return null;
  const id = countOf(fields.appid);
  return {
    name: name || (id === null ? "without a name" : `number ${id}`),
    hours: hoursOf(fields, "hours", "minutes"),
    hoursLately: hoursOf(fields, "hours_in_two_weeks", "minutes_in_two_weeks"),
    lastPlayed: momentOf(fields.last_played),
    size: countOf(fields.bytes),
    isInstalled: fields.installed !== false,
  };
}

function hoursOf(fields: Fields, hours: string, minutes: string): string {
  const count = countOf(fields[minutes]);
  return count === null ? (lineOf(fields[hours], 12) ?? "") : (count / 60).toFixed(1);
}

const NAME: Column<Game> = { name: "Game", of: (game) => game.name };
const HOURS: Column<Game> = { name: "Hours", of: (game) => game.hours, isNumber: true };
const LATELY: Column<Game> = { name: "In two weeks", of: (game) => game.hoursLately, isNumber: true };
const COLUMNS: Record<Games["of"], Column<Game>[]> = {
  installed: [
    NAME,
    { name: "Size", of: ({ size }) => (size === null ? "" : bytes(size)), isNumber: true },
    { name: "State", of: (game) => (game.isInstalled ? "installed" : "not complete") },
    HOURS,
  ],
  library: [
    NAME,
    HOURS,
    LATELY,
    { name: "Last played", of: ({ lastPlayed }) => lastPlayed && <Time at={lastPlayed} /> },
  ],
  recent: [NAME, LATELY, HOURS],
};

export function GamesView({ model }: { model: Games }) {
  const { games, total } = model;
  const known = games.items.length + games.more;
  if (known === 0) return <Remark>There are no games.</Remark>;
  return (
    <div className="flex flex-col items-start gap-1">
      <Table label="Games" columns={COLUMNS[model.of]} rows={games} />
      {total !== null && total > known && <Remark>{counted(total, "game")} in all.</Remark>}
      {model.unreadable > 0 && <Remark>{counted(model.unreadable, "file")} could not be read.</Remark>}
    </div>
  );
}

/** `steam.resolve_id`. */
export function parsePlayer(result: unknown): string | null {
  return lineOf(fieldsOf(result)?.steam_id, 40) || null;
}

export function PlayerView({ model }: { model: string }) {
  return (
    <p>
      The player's number is <code className="font-mono">{model}</code>.
    </p>
  );
}
