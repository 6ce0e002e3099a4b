// Reviewing a proposal: which lines are open, which are ticked, where the person is. What is ticked is kept by the page alone and
// outlives any change of the deck; a line that went stale keeps its tick and is not counted.
import type { DeckProposalView, ProposalLineView } from "@/api/generated";

/** Lines that a person has taken the tick off. What is open and not here is ticked, also where it opened only now. */
export type Unticked = ReadonlySet<number>;

export const isUsable = (line: ProposalLineView) => line.state === "open";

/** A stale line waits for a person as well: it can be refused or rewritten. */
export const isWaiting = (line: ProposalLineView) => line.state === "open" || line.state === "stale";

export const hasWaiting = (proposal: DeckProposalView) => proposal.ops.some(isWaiting);

/** Ids of the lines that would be taken now. */
export function tickedOf(proposal: DeckProposalView, unticked: Unticked): number[] {
  return proposal.ops.filter((line) => isUsable(line) && !unticked.has(line.id)).map((line) => line.id);
}

export function toggled(unticked: Unticked, id: number): Unticked {
  const next = new Set(unticked);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Ticks or unticks all usable lines; ticks of lines that cannot be used stay as they are. */
export function allTicked(proposal: DeckProposalView, unticked: Unticked, isTicked: boolean): Unticked {
  const next = new Set(unticked);
  for (const line of proposal.ops.filter(isUsable)) {
    if (isTicked) next.delete(line.id);
    else next.add(line.id);
  }
  return next;
}

/** The line before or after; at an end it stays. A line that is gone gives way to the first that waits. */
export function stepped(proposal: DeckProposalView, at: number | null, by: 1 | -1): number | null {
  const { ops } = proposal;
  const index = ops.findIndex((line) => line.id === at);
  if (index < 0) return (ops.find(isWaiting) ?? ops[0])?.id ?? null;
  return ops[Math.max(0, Math.min(ops.length - 1, index + by))]?.id ?? null;
}

/** `4 of 10` */
export function positionWords(proposal: DeckProposalView, at: number | null): string {
  const index = proposal.ops.findIndex((line) => line.id === at);
  return index < 0 ? `${proposal.ops.length} lines` : `${index + 1} of ${proposal.ops.length}`;
}

/** `6 open, 3 taken, 1 refused` */
export function progressWords(proposal: DeckProposalView): string {
  const states = ["open", "stale", "taken", "refused"] as const;
  const counted = states.map(
    (state) => [state, proposal.ops.filter((line) => line.state === state).length] as const,
  );
  return counted
    .filter(([, n]) => n > 0)
    .map(([state, n]) => `${n} ${state}`)
    .join(", ");
}

/** The proposals in the order of a review: what waits first, the oldest first; answered ones after, the newest first. */
export function inOrder(proposals: readonly DeckProposalView[]): {
  waiting: DeckProposalView[];
  answered: DeckProposalView[];
} {
  return {
    waiting: proposals.filter(hasWaiting),
    answered: proposals.filter((one) => !hasWaiting(one)).reverse(),
  };
}

export function waitingLines(proposals: readonly DeckProposalView[]): number {
  return proposals.reduce((sum, one) => sum + one.ops.filter(isWaiting).length, 0);
}

/** Whether what is ticked is just what the keeper worked out for the whole proposal. */
export function isWhole(proposal: DeckProposalView, ticked: readonly number[]): boolean {
  return ticked.length === proposal.ops.filter(isUsable).length;
}
