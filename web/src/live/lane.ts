// Agents as events tell of them. `/agents` says the same of the same moment: the state is made by the same rule.
import type { ExitReason, UsageRecord } from "@/api/generated";
import { type AnyEvent, nameOf } from "./event";
import type { LiveAgent } from "./state";

const EVIDENCE = new Set(["turn.completed", "tool.finished", "epoch.committed", "agent.evidence_reported"]);
const NOTHING_USED = { input_tokens: 0, output_tokens: 0, cost_microusd: 0, unpriced: 0 };

type Agents = Record<string, LiveAgent>;

/** The agents after an event. */
export function onLane(agents: Agents, event: AnyEvent): Agents {
  const id = nameOf(event.entity);
  const before = agents[id] ?? (event.kind === "agent.registered" ? newcomer(id) : undefined);
  if (!before) return agents;
  const moved = lane(before, event);
  const seen = EVIDENCE.has(event.kind) ? { ...moved, lastEvidenceAt: event.timestamp } : moved;
  if (seen === agents[id]) return agents;
  return { ...agents, [id]: { ...seen, state: stateOf(seen) } };
}

/** What an agent does, in a word: the rule of the keeper's `/agents`. */
export function stateOf(agent: LiveAgent): string {
  if (agent.openEpoch !== null) {
    if (agent.isAsking) return "waiting_approval";
    if (agent.hindrance === "unresponsive") return "unresponsive";
    return agent.hindrance === "waiting" ? "starting" : "busy";
  }
  if (agent.pausedAs) return agent.pausedAs;
  if (agent.isAsleep) return "asleep";
  if (agent.queue > 0) return "busy";
  return agent.hindrance === "waiting" ? "starting" : (agent.hindrance ?? "idle");
}

function newcomer(id: string): LiveAgent {
  return {
    id,
    name: id,
    role: "",
    mind: "",
    state: "idle",
    isAsking: false,
    pausedAs: null,
    paused: null,
    isAsleep: false,
    hindrance: null,
    openEpoch: null,
    queue: 0,
    lastEvidenceAt: null,
    usageToday: NOTHING_USED,
    usageDay: "",
    process: null,
  };
}

function lane(agent: LiveAgent, event: AnyEvent): LiveAgent {
  switch (event.kind) {
    case "agent.registered":
      return { ...agent, name: event.data.name, role: event.data.role, mind: event.data.mind };
    case "stimulus.accepted":
      return { ...agent, queue: agent.queue + 1 };
    case "epoch.opened":
      return {
        ...agent,
        queue: Math.max(0, agent.queue - 1),
        openEpoch: event.epoch ?? null,
        isAsking: false,
      };
    case "approval.requested":
    case "approval.decided":
      return { ...agent, isAsking: event.kind === "approval.requested" };
    case "epoch.committed":
    case "epoch.aborted":
      // A stimulus that was stopped while it waited never opened.
      if (agent.openEpoch !== event.epoch) return { ...agent, queue: Math.max(0, agent.queue - 1) };
      return { ...agent, openEpoch: null, isAsking: false };
    case "turn.completed":
    case "turn.failed":
      return used(agent, event.data.usage, event.timestamp.slice(0, 10));
    case "agent.paused":
      return {
        ...agent,
        paused: event.data.message,
        pausedAs: event.data.reason === "person" ? "parked" : "paused",
      };
    case "agent.resumed":
      return { ...agent, paused: null, pausedAs: null };
    case "agent.started":
      return { ...agent, hindrance: "starting" };
    case "agent.ready":
    case "agent.responsive":
      return { ...agent, hindrance: null };
    case "agent.unresponsive":
      return { ...agent, hindrance: "unresponsive" };
    case "agent.exited":
      return { ...agent, hindrance: afterExit(event.data.reason) };
    case "sleep.started":
    case "sleep.ended":
      return { ...agent, isAsleep: event.kind === "sleep.started" };
    default:
      return agent;
  }
}

/** A process that ended by itself is started again after a while; one that had nothing to do waits for work. */
function afterExit(reason: ExitReason): LiveAgent["hindrance"] {
  if (reason === "hibernated") return "hibernated";
  if (reason === "disk_limit") return "over_disk_limit";
  return reason === "person" || reason === "shutdown" || reason === "keeper_lost" ? null : "waiting";
}

function used(agent: LiveAgent, usage: UsageRecord | undefined, day: string): LiveAgent {
  if (!usage) return agent;
  // A day begins at midnight UTC.
  const today = day === agent.usageDay ? agent.usageToday : NOTHING_USED;
  const cost = usage.cost_microusd ?? null;
  const usageToday = {
    input_tokens: today.input_tokens + usage.input_tokens,
    output_tokens: today.output_tokens + usage.output_tokens,
    cost_microusd: today.cost_microusd + (cost ?? 0),
    unpriced: today.unpriced + (cost === null ? 1 : 0),
  };
  return { ...agent, usageToday, usageDay: day };
}
