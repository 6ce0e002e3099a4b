// What agents remember, how they sleep, and what the keeper says of itself.
import { bytes } from "@/ui/cost";
import { duration } from "@/ui/time";
import type { AnyEvent } from "./event";
import { quote, short, why } from "./quote";

export function remembered(event: AnyEvent): string | null {
  switch (event.kind) {
    case "memory.fact_remembered":
      return `remembers: ${quote(event.data.content)}`;
    case "memory.fact_forgotten":
      return `forgot fact ${short(event.data.fact_id)}${why(event.data)}`;
    case "memory.forgotten":
      return `was asked by ${event.data.asked_by} to forget a matter${why(event.data)}`;
    case "memory.fact_proposed":
      return `may have learnt ${quote(event.data.fact.content)}, which waits for a person`;
    case "memory.fact_decided":
      return event.data.decision === "approve"
        ? `may remember what it proposed${why(event.data)}`
        : `may not remember what it proposed${why(event.data)}`;
    case "memory.dream_written":
      return "wrote a dream";
    case "memory.dream_forgotten":
      return `forgot the dream ${event.data.filename}${why(event.data)}`;
    case "memory.identity_changed":
      return `has version ${event.data.version} of its identity`;
    case "memory.identity_proposed":
      return "proposed a large change to its identity, which waits for a person";
    case "memory.identity_decided":
      return event.data.decision === "approve"
        ? `may change its identity${event.data.version ? ` (version ${event.data.version})` : ""}${why(event.data)}`
        : `may not change its identity${why(event.data)}`;
    case "memory.node_recorded":
      return `noted ${event.data.node_id} (${event.data.node.type.replaceAll("_", " ").toLowerCase()}) in its graph`;
    case "memory.node_closed":
      return `closed ${event.data.node_id} in its graph${why(event.data)}`;
    case "memory.edge_recorded":
      return `linked ${event.data.from} ${linked(event.data.edge)} ${event.data.to}`;
    case "memory.edge_closed":
      return `unlinked ${event.data.from} ${linked(event.data.edge)} ${event.data.to}${why(event.data)}`;
    case "memory.reset":
      return `moved ${event.data.epochs} ${event.data.epochs === 1 ? "exchange" : "exchanges"} out of its prompt`;
    default:
      return slept(event);
  }
}

const linked = (edge: string) => edge.toLowerCase().replaceAll("_", " ");

const STEPS: Record<string, string> = { facts: "its facts", identity: "its identity", dream: "its dream" };

const STATES: Record<string, string> = {
  ok: "finished",
  empty: "found nothing for",
  failed: "failed at",
  skipped: "skipped",
};

function slept(event: AnyEvent): string | null {
  switch (event.kind) {
    case "sleep.started":
      return `began a sleep over ${event.data.epochs.length} ${event.data.epochs.length === 1 ? "exchange" : "exchanges"} (${event.data.trigger})`;
    case "sleep.step_finished": {
      const { step, status, part, parts, message } = event.data;
      const which = parts > 1 ? `, part ${part} of ${parts}` : "";
      return `${STATES[status] ?? `is ${status} with`} ${STEPS[step] ?? step}${which}${message ? `: ${quote(message)}` : ""}`;
    }
    case "sleep.ended":
      return `slept: ${quote(event.data.message)}`;
    default:
      return kept(event);
  }
}

function kept(event: AnyEvent): string | null {
  switch (event.kind) {
    case "keeper.started":
      return `started, version ${event.data.version}`;
    case "keeper.stopped":
      return `stops: ${quote(event.data.reason)}`;
    case "keeper.segment_opened":
      return `began segment ${event.data.segment} of the ledger`;
    case "keeper.tail_quarantined":
      return `set aside ${bytes(event.data.bytes)} at the end of segment ${event.data.segment} that were never acknowledged`;
    case "keeper.erase_requested":
      return `was asked to erase the words of ${event.data.lines} ${event.data.lines === 1 ? "line" : "lines"}${why(event.data)}`;
    case "keeper.erased":
      return `erased the words of ${event.data.lines.length} ${event.data.lines.length === 1 ? "line" : "lines"}`;
    case "keeper.tick_interval_changed":
      return `ticks every ${duration(event.data.interval_ms)} from tick ${event.data.from_tick} on`;
    default:
      return null;
  }
}
