// The rows of the timeline by epochs: each epoch, and between them what happened beside.
import type { LiveEpoch } from "@/live/state";

/** Lines between epochs: `first` to `last`, both in it. */
export interface Gap {
  /** The epoch that began last before it, empty before the first. It names the gap: where it begins may still move. */
  after: string;
  first: number;
  last: number;
}

export type Row = { epoch: LiveEpoch } | { gap: Gap };

/** The newest first. `head` is the last line there is; `isWhole` says whether the oldest epoch of all is among them. */
export function rowsOfEpochs(epochs: readonly LiveEpoch[], head: number, isWhole: boolean): Row[] {
  const sorted = [...epochs].sort((a, b) => a.firstSeq - b.firstSeq);
  const rows: Row[] = [];
  // What lies before the first is known only where all was read.
  let through = isWhole ? 0 : (sorted[0]?.firstSeq ?? head + 1) - 1;
  let after = "";
  for (const epoch of sorted) {
    if (epoch.firstSeq > through + 1)
      rows.push({ gap: { after, first: through + 1, last: epoch.firstSeq - 1 } });
    rows.push({ epoch });
    through = Math.max(through, epoch.lastSeq);
    after = epoch.id;
  }
  if (head > through) rows.push({ gap: { after, first: through + 1, last: head } });
  return rows.reverse();
}

export const OUTCOMES = ["all", "open", "failed"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export function isOfOutcome(epoch: LiveEpoch, outcome: Outcome): boolean {
  if (outcome === "failed") return epoch.state === "aborted";
  if (outcome === "open") return epoch.state !== "aborted" && epoch.state !== "committed";
  return true;
}
