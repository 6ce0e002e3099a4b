// What a running call says, as far as this page heard it: the end of what its command wrote, line by line, and its newest step. Bounded;
// nothing of it counts, and when the call has ended its result stands in its place.
import type { CallStepView, ToolProgressView } from "@/api/generated";

/** Lines that are kept of a command that writes. */
export const LINES_KEPT = 200;
/** Characters that are kept of a longer line: its end, for that is where it grows. */
export const LINE_CHARS_KEPT = 2_000;

export interface SaidLine {
  /** Its number among the lines of the call. */
  number: number;
  /** `gap`: the page's own words on what is missing there. */
  stream: "stdout" | "stderr" | "gap";
  text: string;
  /** Whether what is written next goes on with it. */
  isOpen: boolean;
}

export interface Said {
  /** The number of the update that comes next; a later one leaves a gap. */
  next: number;
  lines: readonly SaidLine[];
  /** What is missing before the next line; null where nothing is. */
  gap: string | null;
  step: CallStepView | null;
}

const NOTHING: Said = { next: 0, lines: [], gap: null, step: null };

/** What was said with one more update. One that is not behind the last began anew: the call was run again. */
export function withUpdate(before: Said | null, update: ToolProgressView): Said {
  const said = before && update.sequence >= before.next ? before : NOTHING;
  const output = update.output ?? [];
  const lines = [...said.lines];
  // What is missing may have been steps alone: that is said where something is written.
  const gap = update.sequence > said.next ? gapBefore(said) : said.gap;
  if (gap && output.length > 0) addGap(lines, gap);
  for (const piece of output) {
    if (piece.left_out_bytes > 0)
      addGap(lines, `${piece.left_out_bytes.toLocaleString("en")} bytes left out`);
    addText(lines, piece.stream, piece.text);
  }
  return {
    next: update.sequence + 1,
    lines: lines.slice(-LINES_KEPT),
    gap: output.length > 0 ? null : gap,
    step: update.step ?? said.step,
  };
}

function gapBefore(said: Said): string {
  return said.next === 0 ? "what it wrote before is not shown" : "some of it did not come through";
}

function addGap(lines: SaidLine[], words: string): void {
  const text = `[… ${words} …]`;
  lines.push({ number: numberOf(lines), stream: "gap", text, isOpen: false });
}

function addText(lines: SaidLine[], stream: "stdout" | "stderr", text: string): void {
  const parts = text.replaceAll("\r\n", "\n").split("\n");
  parts.forEach((part, at) => {
    const isOpen = at === parts.length - 1;
    const last = lines.at(-1);
    if (last?.isOpen && last.stream === stream) lines[lines.length - 1] = grown(last, part, isOpen);
    else if (part !== "" || !isOpen)
      lines.push(grown({ number: numberOf(lines), stream, text: "", isOpen }, part, isOpen));
  });
}

/** Behind a return a line is written over, as at a terminal. */
function grown(line: SaidLine, more: string, isOpen: boolean): SaidLine {
  const text = `${line.text}${more}`;
  const start = text.replace(/\r+$/, "").lastIndexOf("\r") + 1;
  return { ...line, text: ending(text.slice(start)), isOpen };
}

function ending(text: string): string {
  if (text.length <= LINE_CHARS_KEPT) return text;
  const end = text.slice(-LINE_CHARS_KEPT);
  const first = end.charCodeAt(0);
  return first >= 0xdc00 && first <= 0xdfff ? end.slice(1) : end;
}

function numberOf(lines: readonly SaidLine[]): number {
  return (lines.at(-1)?.number ?? -1) + 1;
}

/** `3 of 10`; a percentage where the steps are no whole numbers. */
export function stepWords({ done, total }: CallStepView): string {
  if (total == null) return done.toLocaleString("en", { maximumFractionDigits: 1 });
  if (Number.isInteger(done) && Number.isInteger(total))
    return `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return `${Math.floor((done / total) * 100)} %`;
}
