// A rendered context, taken apart for people: its sections, what share of the prompt each has, and the marks that name sources.
import type { ContextView } from "@/api/generated";

export interface Part {
  name: string;
  /** Tokens: recorded for the whole, shared among sections by their length. */
  tokens: number;
  text: string;
}

const OBJECT = "# What you know at this moment";

/** The parts of what a mind was shown, in order. */
export function partsOf(context: ContextView): Part[] {
  const sections = sectionsOf(context.system);
  const chars = sections.reduce((sum, section) => sum + section.text.length, 0) || 1;
  const shared = sections.map((section) => ({
    ...section,
    tokens: Math.round((section.text.length / chars) * context.tokens.system),
  }));
  return [
    ...shared,
    { name: "The conversation", tokens: context.tokens.history, text: "" },
    { name: "The message", tokens: context.tokens.stimulus, text: context.stimulus },
  ];
}

/** Who the agent is, then the sections of the context object. A heading inside a fence is somebody's text, not ours. */
export function sectionsOf(system: string): { name: string; text: string }[] {
  const at = system.indexOf(`\n${OBJECT}`);
  const identity = { name: "Who it is", text: at < 0 ? system : system.slice(0, at).trim() };
  if (at < 0) return [identity];
  const sections: { name: string; text: string }[] = [];
  let fence: string | null = null;
  for (const line of system.slice(at + 1 + OBJECT.length).split("\n")) {
    const mark = /^(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark) fence = fence === null ? mark : line.trim() === fence ? null : fence;
    const heading = fence === null ? /^## (.+)$/.exec(line)?.[1] : undefined;
    const last = sections.at(-1);
    if (heading) sections.push({ name: heading, text: "" });
    else if (last) last.text += `${line}\n`;
  }
  return [identity, ...sections.map((section) => ({ ...section, text: section.text.trim() }))];
}

export type Source =
  | { kind: "line"; label: string; seq: number; what: string }
  | { kind: "epoch"; label: string; epoch: string }
  | { kind: "word"; label: string };

const MARK = /\s*\[([a-z]\d+(?:\/\d+)?|epoch [0-9a-f-]{36}|[a-z ]{3,24})\]$/;

/** A line without the marks at its end, and the sources that they name. */
export function sourcesOf(line: string): { text: string; sources: Source[] } {
  const sources: Source[] = [];
  let text = line;
  for (let found = MARK.exec(text); found; found = MARK.exec(text)) {
    text = text.slice(0, found.index);
    sources.unshift(sourceOf(found[1] ?? ""));
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
