// Which events say something to a person at a glance, and how. All of them stand in the timeline.
import { EVENT_KINDS } from "@/api/generated";
import type { AnyEvent } from "@/live/event";
import { phraseOf, quotePlain } from "@/live/words";
import { visibleLine } from "@/ui/visible";

/** Steps on the way to something that is told, and what machines measure. */
const QUIET = new Set<AnyEvent["kind"]>([
  "agent.measured",
  "agent.ready",
  "context.assembled",
  "epoch.committed",
  "epoch.opened",
  "keeper.segment_opened",
  "memory.edge_recorded",
  "memory.node_recorded",
  "par.written",
  "sleep.step_finished",
  "tool.requested",
  "turn.started",
  "wake.scheduled",
]);

/** Of the watchdog only what changes something for somebody. */
const OF_WATCHDOG = new Set<AnyEvent["kind"]>([
  "watchdog.acknowledged",
  "watchdog.blinded",
  "watchdog.notified",
  "watchdog.notify_failed",
  "watchdog.paused",
  "watchdog.resolved",
  "watchdog.resumed",
  "watchdog.sighted",
  "watchdog.silenced",
  "watchdog.stall_opened",
  "watchdog.tested",
  "watchdog.unsilenced",
  "watchdog.withdrawn",
]);

/** Kinds of which some lines are told. */
export const HEADLINE_KINDS = (Object.keys(EVENT_KINDS) as AnyEvent["kind"][]).filter(
  (kind) => !QUIET.has(kind) && (!kind.startsWith("watchdog.") || OF_WATCHDOG.has(kind)),
);

/** What happened, without its subject; null for what is not told here. `tool` as for `phraseOf`. */
export function headlineOf(event: AnyEvent, tool?: string): string | null {
  const told = toldOf(event, tool);
  return told === null ? null : visibleLine(told);
}

function toldOf(event: AnyEvent, tool?: string): string | null {
  if (QUIET.has(event.kind)) return null;
  if (event.kind.startsWith("watchdog.")) return OF_WATCHDOG.has(event.kind) ? phraseOf(event) : null;
  if (event.kind === "agent.registered") return `is there: ${event.data.role}`;
  switch (event.kind) {
    case "turn.completed": {
      const calls = event.data.voice.tool_calls ?? [];
      // What is said by commands stands in lines of its own.
      const names = calls.map((call) => call.name).filter((name) => name !== "stdout");
      if (calls.length > 0) return names.length > 0 ? `uses ${counted(names)}` : null;
      return `answered: ${quotePlain(event.data.voice.final_response ?? "")}`;
    }
    case "turn.failed":
      return /^paged?$/.test(event.data.code) ? "was paged, and is asked again" : phraseOf(event);
    case "tool.finished":
      return event.data.outcome === "ok" ? null : phraseOf(event, tool);
    default:
      return phraseOf(event);
  }
}

/** `clock.now`, `memory.search_facts (2×)`. */
function counted(names: readonly string[]): string {
  return [...new Set(names)]
    .map((name) => {
      const times = names.filter((one) => one === name).length;
      return times > 1 ? `${name} (${times}\u00d7)` : name;
    })
    .join(", ");
}
