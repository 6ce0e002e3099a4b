// What befell an agent's process, and what became of the agent.
import { bytes } from "@/ui/cost";
import { duration } from "@/ui/time";
import type { AnyEvent } from "./event";
import { quote, short } from "./quote";

const CAUSES: Record<string, string> = {
  configured: "configured to run",
  stimulus: "a message arrived",
  restart: "the last run had ended",
  person: "a person asked for it",
  connected: "it connected by itself",
};

export function ofProcess(event: AnyEvent): string | null {
  switch (event.kind) {
    case "agent.started": {
      const { pid, cause, run, failures } = event.data;
      const which = pid === undefined ? "" : `, process ${pid}`;
      const after = failures > 0 ? `, after ${failures} unexpected exits` : "";
      return `began run ${short(run)}${which}: ${CAUSES[cause] ?? cause}${after}`;
    }
    case "agent.ready":
      return `is ready after ${duration(event.data.took_ms)}, protocol ${event.data.protocol}, ${event.data.wal_entries} log entries restored`;
    case "agent.exited":
      return `ended its process after ${duration(event.data.uptime_ms)}: ${quote(event.data.message)}`;
    case "agent.unresponsive":
      return `was silent for ${duration(event.data.silent_ms)} and is pinged`;
    case "agent.responsive":
      return `responds again after ${duration(event.data.silent_ms)}`;
    case "agent.restarts_frequent":
      return `exited ${event.data.restarts} times in ${duration(event.data.window_ms)}; next start in ${duration(event.data.pause_ms)}`;
    case "agent.faulted":
      return `reported ${event.data.is_fatal ? "a fatal fault" : "a fault"}, ${event.data.code}: ${quote(event.data.message)}`;
    case "agent.checkpointed":
      return `wrote checkpoint ${short(event.data.checkpoint_id)} at entry ${event.data.wal_sequence}, ${bytes(event.data.bytes)}`;
    case "agent.state_begun":
      return `began a private state, at entry ${event.data.wal_sequence}`;
    case "agent.state_troubled":
      return `${event.data.is_lost ? "lost its private state" : "had its private state repaired"}: ${quote(event.data.report.join(" "))}`;
    case "agent.measured":
      return `measured ${Object.keys(event.data.metrics).join(", ").replaceAll("_", " ")}`;
    default:
      return ofAgent(event);
  }
}

function ofAgent(event: AnyEvent): string | null {
  switch (event.kind) {
    case "agent.evidence_reported":
      return `reported evidence (${event.data.claim_type})`;
    case "agent.paused":
      return `paused: ${quote(event.data.message)}`;
    case "agent.resumed":
      return `resumed: ${quote(event.data.message)}`;
    case "agent.registered":
      return `was configured as ${event.data.name}, ${event.data.role}, mind ${event.data.mind}`;
    case "agent.spawned":
      return `created @${event.data.agent}`;
    case "evidence.recorded":
      return `recorded evidence (${event.data.claim_type}) about ${event.data.subject.ref_type} ${short(event.data.subject.ref_id)}`;
    case "par.written":
      return `wrote a post-action review: ${quote(event.data.problem)}`;
    default:
      return null;
  }
}
