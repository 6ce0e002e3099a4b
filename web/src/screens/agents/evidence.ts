// When an agent showed evidence: counts of a stretch of time that ends now, from lines that were read.
import type { AnyEvent } from "@/live/event";
import type { Trail } from "./trail";
import { isOfProcess } from "./words";

export const STRETCH_MS = 2 * 3_600_000;
const PARTS = 24;
/** A shorter stretch says nothing. */
const STRETCH_MS_MIN = 5 * 60_000;

const EVIDENCE = new Set<AnyEvent["kind"]>([
  "turn.completed",
  "tool.finished",
  "epoch.committed",
  "agent.evidence_reported",
  "stdout.written",
]);

/** The kinds of `isOfAgents`. */
export const KINDS = ["agent.*", ...EVIDENCE];

export function isOfAgents(event: AnyEvent): boolean {
  return isOfProcess(event) || EVIDENCE.has(event.kind);
}

/** Counts, the oldest first, and how long they reach back; null where too little was read. */
export function evidenceOf(
  { events, from }: Pick<Trail, "events" | "from">,
  agent: string,
  now: number,
): { counts: number[]; stretchMs: number } | null {
  const first = events[0];
  // Lines before the first that was read are not known: no silence is made of them.
  const known = from === 0 || !first ? Number.NEGATIVE_INFINITY : Date.parse(first.timestamp);
  const since = Math.max(now - STRETCH_MS, known);
  const stretchMs = now - since;
  if (stretchMs < STRETCH_MS_MIN || (from > 0 && !first)) return null;
  const counts = new Array<number>(PARTS).fill(0);
  for (const event of events) {
    if (event.entity !== `@${agent}` || !EVIDENCE.has(event.kind)) continue;
    const at = Math.floor(((Date.parse(event.timestamp) - since) / stretchMs) * PARTS);
    const part = Math.min(at, PARTS - 1);
    if (part >= 0) counts[part] = (counts[part] ?? 0) + 1;
  }
  return { counts, stretchMs };
}
