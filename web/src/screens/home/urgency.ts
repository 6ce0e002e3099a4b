// What must be decided first: a broken ledger or memory, then what ends by itself when nobody decides, then agents that stand still, then what
// can wait; the oldest first among equals.
import type { AttentionView } from "@/api/generated";

const ORDER = [
  "ledger",
  "keeper",
  "memory",
  "approval",
  "question",
  "stall",
  "unreachable",
  "disk",
  "epoch_failed",
  "budget",
  "sleep",
  "tools",
  "evolution",
  "identity",
  "fact",
  "clock",
  "parked",
];

export function byUrgency(matters: readonly AttentionView[]): AttentionView[] {
  const rank = ({ kind }: AttentionView) => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length);
  return [...matters].sort((a, b) => rank(a) - rank(b) || a.since.localeCompare(b.since));
}

/** Whether it ends when nobody decides: it is not put off. */
export function endsByItself(kind: string): boolean {
  return kind === "approval" || kind === "question";
}
