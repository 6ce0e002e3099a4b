// A rendered context, taken apart for people: its parts as the keeper measured them, and the marks that name sources.
import type { ContextView } from "@/api/generated";

export interface Part {
  name: string;
  /** Tokens, estimated. */
  tokens: number;
  /** Unicode scalar values. */
  chars: number;
  /** Empty where the text stands elsewhere. */
  text: string;
  /** Whether its text is somebody's, and no text of ours. */
  isQuoted: boolean;
}

const NAMES: Record<string, string> = {
  identity: "Who it is",
  history: "The conversation",
  message: "The message",
};

/** The parts of what a mind was shown, in order: all of it. */
export function partsOf(context: ContextView): Part[] {
  return context.parts.map(({ part, title, tokens, chars, text }) => ({
    name: NAMES[part] ?? title,
    tokens,
    chars,
    // The name above it says the same as its heading.
    text: part === "section" ? text.replace(/^## .*\n/, "") : text,
    isQuoted: part === "message" || part === "identity",
  }));
}

export type Source =
  | { kind: "line"; label: string; seq: number; what: string }
  | { kind: "epoch"; label: string; epoch: string }
  | { kind: "word"; label: string };

// Older contexts have their marks in square brackets.
const MARK = /\s*(?:\{([^{}]*)\}|\[([^[\]]*)\])$/;
const LABEL = /^(?:[a-z]\d+(?:\/\d+)?|epoch [0-9a-f-]{36}|[a-z ]{3,24})$/;

/** A line without the marks at its end, and the sources that they name. */
export function sourcesOf(line: string): { text: string; sources: Source[] } {
  const sources: Source[] = [];
  let text = line;
  for (let found = MARK.exec(text); found; found = MARK.exec(text)) {
    const label = found[1] ?? found[2] ?? "";
    if (!LABEL.test(label)) break;
    text = text.slice(0, found.index);
    sources.unshift(sourceOf(label));
  }
  return { text, sources };
}

const LINES: Record<string, string> = { f: "a fact", n: "a node of the graph", c: "something that was said" };

function sourceOf(label: string): Source {
  const line = /^([fnc])(\d+)(?:\/\d+)?$/.exec(label);
  if (line)
    return {
      kind: "line",
      label,
      seq: Number(line[2]),
      what: LINES[line[1] ?? ""] ?? "a line of the ledger",
    };
  const epoch = /^epoch ([0-9a-f-]{36})$/.exec(label)?.[1];
  if (epoch) return { kind: "epoch", label: "an earlier exchange", epoch };
  return { kind: "word", label };
}
