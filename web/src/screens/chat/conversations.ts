// The conversations among exchanges: what each began with, what was said last, and what nobody looked at yet.
import { isOpen, type LiveEpoch } from "@/live/state";
import { quotePlain } from "@/live/words";
import { visibleLine } from "@/ui/visible";

export interface Conversation {
  id: string;
  /** What it began with, as far as it was read. */
  title: string;
  /** What was said last. */
  last: string;
  lastAt: string;
  epochs: number;
  /** Exchanges that ended since it was looked at. */
  unread: number;
  /** Whether something runs or waits in it. */
  isOpen: boolean;
}

/** By conversation, the last event of it that was looked at. */
export type SeenUpTo = Readonly<Record<string, number>>;

const TITLE_CHARS = 60;
const LAST_CHARS = 90;
export const KEPT_MAX = 200;

/** Up to where a conversation that is not named counts as looked at: where as many are named as are kept, the oldest were dropped. */
function floorOf(seen: SeenUpTo, since: number): number {
  const named = Object.values(seen);
  return named.length < KEPT_MAX ? since : Math.max(since, Math.min(...named));
}

/** The conversations, the one that moved last first. `since` is where this browser began to count. */
export function conversationsOf(epochs: readonly LiveEpoch[], seen: SeenUpTo, since: number): Conversation[] {
  const all = new Map<string, Conversation>();
  const floor = floorOf(seen, since);
  for (const epoch of epochs) {
    const known = all.get(epoch.session);
    const isUnread = !isOpen(epoch) && epoch.lastSeq > (seen[epoch.session] ?? floor);
    all.set(epoch.session, {
      id: epoch.session,
      title: known?.title ?? (oneLine(epoch.content, TITLE_CHARS) || "without words"),
      last: lastOf(epoch),
      lastAt: epoch.endedAt ?? epoch.sentAt,
      epochs: (known?.epochs ?? 0) + 1,
      unread: (known?.unread ?? 0) + (isUnread ? 1 : 0),
      isOpen: (known?.isOpen ?? false) || isOpen(epoch),
    });
  }
  return [...all.values()].sort((a, b) => b.lastAt.localeCompare(a.lastAt));
}

function lastOf(epoch: LiveEpoch): string {
  if (epoch.state === "aborted") return "no reply";
  if (isOpen(epoch)) return `${visibleLine(epoch.sender)}: ${oneLine(epoch.content, LAST_CHARS)}`;
  return `${epoch.agent}: ${oneLine(epoch.reply ?? "", LAST_CHARS)}`;
}

const oneLine = (text: string, chars: number) => quotePlain(text, chars).slice(1, -1);

/** What was looked at, with all that is shown of a conversation (or of all, where none is named); bounded. */
export function lookedAt(seen: SeenUpTo, shown: readonly LiveEpoch[]): SeenUpTo {
  const next: Record<string, number> = { ...seen };
  const floor = floorOf(seen, -1);
  let isNew = false;
  for (const epoch of shown) {
    if (isOpen(epoch) || epoch.lastSeq <= (next[epoch.session] ?? floor)) continue;
    next[epoch.session] = epoch.lastSeq;
    isNew = true;
  }
  if (!isNew) return seen;
  const kept = Object.entries(next).sort((a, b) => b[1] - a[1]);
  return Object.fromEntries(kept.slice(0, KEPT_MAX));
}
