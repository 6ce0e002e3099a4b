// Commands that were given, to be had again with the arrow keys. Kept for this tab.

export const HISTORY_KEPT = 200;
const CHARS_KEPT = 10_000;
const KEY = "abide.stdout.history";

export interface History {
  /** The oldest first. */
  commands: readonly string[];
  /** Which one is shown; one behind the last is what is being written. */
  at: number;
  /** What was being written when the first old one was taken out. */
  draft: string;
}

export function historyOf(commands: readonly string[]): History {
  return { commands, at: commands.length, draft: "" };
}

/** One more; the same twice in a row is once. */
export function withCommand(history: History, command: string): History {
  const { commands } = history;
  const all = commands.at(-1) === command ? commands : [...commands, command].slice(-HISTORY_KEPT);
  return historyOf(all);
}

/** The one before (-1) or behind (1), with the text to show; null where there is none. */
export function step(history: History, by: -1 | 1, text: string): { history: History; text: string } | null {
  const { commands, at } = history;
  const next = at + by;
  if (next < 0 || next > commands.length) return null;
  const draft = at === commands.length ? text : history.draft;
  return {
    history: { commands, at: next, draft },
    text: next === commands.length ? draft : (commands[next] ?? ""),
  };
}

export function readHistory(): History {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    const commands = Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
    return historyOf(commands.slice(-HISTORY_KEPT));
  } catch {
    return historyOf([]);
  }
}

export function keepHistory(history: History): void {
  const small = history.commands.filter((one) => one.length <= CHARS_KEPT);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(small));
  } catch {
    // There is no room: the commands are in the ledger.
  }
}
