// What may stand where the caret is. Pure; it knows the words of the language, not its grammar: the keeper alone says what is right.
import { BEHIND, COMMANDS, IN_CONDITIONS, IN_WAKES, OPERATIONS, type Word } from "./language";

export interface Names {
  /** With `@`. */
  entities: readonly string[];
  /** With `#`. */
  spaces: readonly string[];
}

export interface Completion {
  /** Where the word begins that is completed. */
  from: number;
  options: readonly Word[];
}

export const OPTIONS_MAX = 12;
const NOTHING: Completion = { from: 0, options: [] };

export function complete(text: string, caret: number, names: Names): Completion {
  const before = text.slice(0, caret);
  const named = /[@#][\w-]*$/.exec(before);
  if (named) {
    const all = named[0].startsWith("@") ? names.entities : names.spaces;
    return offered(
      named.index,
      named[0],
      all.map((name) => ({ text: name, about: "" })),
    );
  }
  const start = beginning(before);
  const own = before.slice(start);
  const isFirst = own === before;
  const command = /^\s*(\\[\w-]*)$/.exec(own);
  if (command?.[1] !== undefined) return offered(caret - command[1].length, command[1], COMMANDS);
  const head = /^\s*\\([\w-]+)\s+/.exec(own);
  // A first `\stdout` may be left out.
  if (!head && !(isFirst && own.trim() !== "")) return NOTHING;
  const name = head?.[1]?.toLowerCase() ?? "stdout";
  const body = head ? own.slice(head[0].length) : own.trimStart();
  return within(name, body, caret);
}

function within(name: string, body: string, caret: number): Completion {
  const word = /[\w(?@#-]*$/.exec(body)?.[0] ?? "";
  if (isInCondition(body)) {
    const bare = /\w*$/.exec(body)?.[0] ?? "";
    return offered(
      caret - bare.length,
      bare,
      name === "wake" ? [...IN_CONDITIONS, ...IN_WAKES] : IN_CONDITIONS,
    );
  }
  if (body === word) return offered(caret - word.length, word, OPERATIONS[name] ?? []);
  const behind = /^([\w-]+:)\s+([\w?(]*)$/.exec(body);
  if (behind?.[1] !== undefined && behind[2] !== undefined)
    return offered(caret - behind[2].length, behind[2], BEHIND[behind[1].toLowerCase()] ?? []);
  return NOTHING;
}

/** Puts an option where its word stands. */
export function accept(
  text: string,
  caret: number,
  from: number,
  option: string,
): { text: string; caret: number } {
  const rest = text.slice(caret);
  const put = option.endsWith(" ") && rest.startsWith(" ") ? option.trimEnd() : option;
  return { text: text.slice(0, from) + put + rest, caret: from + put.length };
}

/** Where the command begins that the end of the text is in: behind the last `---` that is none of `\---`. */
function beginning(text: string): number {
  let start = 0;
  for (const found of text.matchAll(/\\*---/g)) {
    const strokes = found[0].length - 3;
    if (strokes % 2 === 0) start = found.index + found[0].length;
  }
  return start;
}

/** Whether the end stands between `?(` and its `)`, outside of quotes. */
function isInCondition(body: string): boolean {
  const start = body.indexOf("?(");
  if (start < 0) return false;
  let depth = 0;
  let quote = "";
  for (const sign of body.slice(start + 1)) {
    if (quote) quote = sign === quote ? "" : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === "(") depth += 1;
    else if (sign === ")") {
      depth -= 1;
      if (depth === 0) return false;
    }
  }
  return quote === "";
}

function offered(from: number, typed: string, words: readonly Word[]): Completion {
  const low = typed.toLowerCase();
  const options = words.filter(
    ({ text }) => text.toLowerCase().startsWith(low) && text.trimEnd().toLowerCase() !== low,
  );
  return { from, options: options.slice(0, OPTIONS_MAX) };
}
