// A unified diff of one file, as `crates/workspace/src/diff.rs` writes it for people. What is not surely one is null and stays the
// text that it is: on an approval nothing of it may be lost, so that each line is in the model, whatever it says.
import { visible } from "@/ui";
import { linesOf, TEXT_CHARS } from "./read";

export interface DiffLine {
  /** `place` says where in the file the lines that follow are; `note` is no line of the file. */
  kind: "added" | "removed" | "same" | "place" | "note";
  /** Without its sign. */
  text: string;
  /** Its number: in the new file, or in the old one where it is removed; null where that is not sure. */
  at: number | null;
}

export interface Diff {
  /** Null: there was no file. */
  from: string | null;
  /** Null: there is none any more. */
  to: string | null;
  lines: DiffLine[];
  added: number;
  removed: number;
  isCut: boolean;
}

const CUT = "… the diff is longer than is shown";
const PLACE = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
const SIGNS: Record<string, "added" | "removed" | "same"> = { "+": "added", "-": "removed", " ": "same" };

export function parseDiff(value: unknown): Diff | null {
  if (typeof value !== "string" || value.length > TEXT_CHARS || !value.startsWith("--- ")) return null;
  const all = linesOf(visible(value));
  const [from, to] = [all[0]?.slice(4), all[1]];
  if (!from || !to?.startsWith("+++ ")) return null;
  const isCut = all.at(-1) === CUT;
  const rest = all.slice(2);
  const lines: DiffLine[] = [];
  for (const [index, text] of rest.entries()) {
    // The line before the last one may have been cut anywhere.
    const mayBeAny = isCut && index >= rest.length - 2;
    const line = lineOf(text, lines.length > 0) ?? (mayBeAny ? note(text) : null);
    if (!line) return null;
    lines.push(line);
  }
  number(lines, isCut);
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return {
    from: from === "/dev/null" ? null : from,
    to: to === "+++ /dev/null" ? null : to.slice(4),
    lines,
    added: count("added"),
    removed: count("removed"),
    isCut,
  };
}

const note = (text: string): DiffLine => ({ kind: "note", text, at: null });

function lineOf(text: string, isInside: boolean): DiffLine | null {
  if (PLACE.test(text)) return { kind: "place", text, at: null };
  if (!isInside) return null;
  if (text.startsWith("\\ ")) return note(text);
  const kind = SIGNS[text.charAt(0)];
  return kind ? { kind, text: text.slice(1), at: null } : null;
}

/** Gives the lines of each place their numbers, where there are as many as it says. A return within a line makes them others. */
function number(lines: DiffLine[], isCut: boolean): void {
  let begin = 0;
  for (let end = 1; end <= lines.length; end += 1) {
    if (end < lines.length && lines[end]?.kind !== "place") continue;
    numberPlace(lines.slice(begin, end), isCut && end === lines.length);
    begin = end;
  }
}

function numberPlace([place, ...lines]: DiffLine[], mayBeShort: boolean): void {
  const found = PLACE.exec(place?.text ?? "");
  if (!found) return;
  const [, from, olds = "1", to, news = "1"] = found;
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  const same = count("same");
  const isWhole = same + count("removed") === Number(olds) && same + count("added") === Number(news);
  if (!isWhole && !mayBeShort) return;
  let [old, now] = [Number(from), Number(to)];
  for (const line of lines) {
    if (line.kind === "removed") line.at = old;
    if (line.kind === "added" || line.kind === "same") line.at = now;
    if (line.kind === "removed" || line.kind === "same") old += 1;
    if (line.kind === "added" || line.kind === "same") now += 1;
  }
}
