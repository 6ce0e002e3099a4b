// What befell an agent's process, in one line.
import type { ProcessView } from "@/api/generated";
import type { AnyEvent } from "@/live/event";
import { phraseOf, quote } from "@/live/words";
import { bytes } from "@/ui/cost";
import { duration, span } from "@/ui/time";

/** Lines of processes and of what steers them. */
export function isOfProcess(event: AnyEvent): boolean {
  return event.kind.startsWith("agent.");
}

const CAUSES: Record<string, string> = {
  configured: "the configuration says so",
  stimulus: "something came for it",
  restart: "it had ended",
  person: "a person said so",
  connected: "it connected by itself",
};

export function processPhrase(event: AnyEvent): string {
  switch (event.kind) {
    case "agent.started": {
      const { pid, cause, run, failures } = event.data;
      const which = pid === undefined ? "" : `, process ${pid}`;
      const after = failures > 0 ? `, after ${failures} ends unasked` : "";
      return `run ${short(run)} started${which}: ${CAUSES[cause] ?? cause}${after}`;
    }
    case "agent.ready":
      return `ready after ${duration(event.data.took_ms)}, protocol ${event.data.protocol}, ${event.data.wal_entries} entries given back`;
    case "agent.exited":
      return `ended after ${duration(event.data.uptime_ms)}: ${quote(event.data.message)}`;
    case "agent.unresponsive":
      return `silent for ${duration(event.data.silent_ms)}; pinged`;
    case "agent.responsive":
      return `heard again after ${duration(event.data.silent_ms)}`;
    case "agent.restarts_frequent":
      return `ended ${event.data.restarts} times in ${duration(event.data.window_ms)}; the next start waits ${duration(event.data.pause_ms)}`;
    case "agent.faulted":
      return `${event.data.is_fatal ? "fatal fault" : "fault"} ${event.data.code}: ${quote(event.data.message)}`;
    case "agent.checkpointed":
      return `checkpoint ${short(event.data.checkpoint_id)} at entry ${event.data.wal_sequence}, ${bytes(event.data.bytes)}`;
    case "agent.state_troubled":
      return `${event.data.is_lost ? "state lost" : "state mended"}: ${quote(event.data.report.join(" "))}`;
    case "agent.measured":
      return `measured ${Object.keys(event.data.metrics).join(", ")}`;
    case "agent.evidence_reported":
      return `reported evidence (${event.data.claim_type})`;
    case "agent.resumed":
      return `goes on: ${quote(event.data.message)}`;
    case "agent.registered":
      return `in force: ${event.data.name}, ${event.data.role}, mind ${event.data.mind}`;
    case "agent.spawned":
      return `brought @${event.data.agent} into being`;
    default:
      return phraseOf(event);
  }
}

/** The beginning of an id, enough to tell it from its neighbours. */
export function short(id: string): string {
  return id.length > 12 ? `…${id.slice(-8)}` : id;
}

/** A state of a process, with what it does. */
export function processWord(process: ProcessView): string {
  return process.state.replaceAll("_", " ");
}

export function uptime(process: ProcessView): string {
  return process.uptime_s == null ? "not running" : `up ${span(process.uptime_s)}`;
}

/** What agents measured of themselves, by name, the oldest first. */
export function measures(events: readonly AnyEvent[], kept = 60): Map<string, number[]> {
  const all = new Map<string, number[]>();
  for (const event of events) {
    if (event.kind !== "agent.measured") continue;
    for (const [name, value] of Object.entries(event.data.metrics))
      all.set(name, [...(all.get(name) ?? []), value].slice(-kept));
  }
  return all;
}
