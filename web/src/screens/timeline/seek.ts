// From a tick or a time to a place in the ledger.

export type Target = { seq: number } | { tick: number } | { time: number };

/** Reads `123` or `#123` (an event), `t 42` (a tick), `15:30` (today) or a date; null for anything else. */
export function targetOf(text: string, now: Date): Target | null {
  const given = text.trim();
  const seq = /^#?(\d{1,15})$/.exec(given);
  if (seq) return { seq: Number(seq[1]) };
  const tick = /^t(?:ick)?\s*(\d{1,15})$/i.exec(given);
  if (tick) return { tick: Number(tick[1]) };
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(given);
  if (clock) {
    const [hours, minutes, seconds] = clock.slice(1).map((part) => Number(part ?? 0));
    if ((hours ?? 0) > 23 || (minutes ?? 0) > 59 || (seconds ?? 0) > 59) return null;
    return { time: new Date(now).setHours(hours ?? 0, minutes, seconds, 0) };
  }
  const time = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given.replace(" ", "T")) : Number.NaN;
  return Number.isNaN(time) ? null : { time };
}

export interface Moment {
  tick: number;
  timestamp: string;
}

/** The first event that is not before the target; the last one where all are. Looks at few lines, however long the ledger is. */
export async function seek(
  target: Target,
  head: number,
  look: (seq: number) => Promise<Moment | null>,
): Promise<number> {
  if ("seq" in target) return Math.min(Math.max(1, target.seq), head);
  const isBefore = (at: Moment) =>
    "tick" in target ? at.tick < target.tick : Date.parse(at.timestamp) < target.time;
  let low = 1;
  let high = head;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = await look(middle);
    // A line that this client cannot read says nothing; the next one does.
    if (at && isBefore(at)) low = middle + 1;
    else high = middle;
  }
  return low;
}
