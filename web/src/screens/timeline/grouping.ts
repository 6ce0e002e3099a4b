// How lines belong together: an epoch has turns, a turn has lines.
import type { EventKind } from "@/api/generated";
import type { AnyEvent } from "@/live/event";

export interface Group {
  /** From 1; null for what stands before the first turn or behind the last. */
  turn: number | null;
  title: string;
  events: AnyEvent[];
}

/** The lines of an epoch: how it began, its turns, how it ended. What an epoch's tools and memory write belongs to the turn before. */
export function grouped(events: readonly AnyEvent[]): Group[] {
  const groups: Group[] = [];
  for (const event of events) {
    const turn = turnOf(event, groups.at(-1)?.turn ?? null);
    const last = groups.at(-1);
    if (last && last.turn === turn) last.events.push(event);
    else groups.push({ turn, title: titleOf(turn, groups.length === 0), events: [event] });
  }
  return groups;
}

function turnOf(event: AnyEvent, running: number | null): number | null {
  switch (event.kind) {
    case "turn.started":
    case "turn.completed":
    case "turn.failed":
      return event.data.turn;
    case "epoch.opened":
    case "epoch.committed":
    case "epoch.aborted":
    case "epoch.dismissed":
    case "stimulus.accepted":
      return null;
    default:
      return running;
  }
}

function titleOf(turn: number | null, isFirst: boolean): string {
  if (turn !== null) return `Turn ${turn}`;
  return isFirst ? "How it began" : "How it ended";
}

/** How deep a line stands in its epoch: 0 the epoch, 1 its turns, 2 what they did. Lines of no epoch stand at 0. */
export function depthOf(event: AnyEvent): 0 | 1 | 2 {
  if (!event.epoch) return 0;
  const group = event.kind.slice(0, event.kind.indexOf("."));
  if (group === "epoch" || group === "stimulus" || group === "wake") return 0;
  return group === "turn" || group === "context" ? 1 : 2;
}

const FAILED = new Set<EventKind>([
  "epoch.aborted",
  "turn.failed",
  "agent.faulted",
  "agent.unresponsive",
  "agent.restarts_frequent",
  "agent.state_troubled",
  "keeper.tail_quarantined",
  "watchdog.stall_opened",
  "watchdog.bell_failed",
  "watchdog.page_failed",
  "watchdog.notify_failed",
  "watchdog.alarmed",
  "watchdog.escalated",
  "watchdog.stepped",
]);
const WAITING = new Set<EventKind>([
  "approval.requested",
  "agent.paused",
  "memory.identity_proposed",
  "memory.fact_proposed",
  "watchdog.attention_raised",
]);

/** How a line looks; its words say the same. */
export function toneOf(event: AnyEvent): "plain" | "life" | "wait" | "fail" | "thought" {
  if (FAILED.has(event.kind)) return "fail";
  if (WAITING.has(event.kind)) return "wait";
  if (event.kind === "tool.finished" && event.data.outcome !== "ok") return "fail";
  if (event.kind === "epoch.committed") return "life";
  return event.kind.startsWith("memory.") || event.kind.startsWith("sleep.") ? "thought" : "plain";
}
