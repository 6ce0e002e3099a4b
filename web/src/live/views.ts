// The keeper's answers in the form of the live state.
import type { AgentLive, AgentView, EpochView, SnapshotView } from "@/api/generated";
import type { EpochState, LiveAgent, LiveCall, LiveEpoch, LiveTurn, Phase } from "./state";
import { bounded } from "./state";

/** An epoch as `/epochs` shows it. */
export function epochFromView(view: EpochView): LiveEpoch {
  const state = view.state as EpochState;
  const turns = view.turns.map(turnFromView);
  const last = turns.at(-1);
  return {
    id: view.epoch_id,
    agent: view.citizen,
    session: view.session_id,
    sender: view.stimulus.sender,
    channel: view.stimulus.channel,
    content: view.stimulus.content,
    sentAt: view.stimulus.timestamp,
    state,
    phase: phaseOf(state, last),
    turn: last?.turn ?? 0,
    attempt: 1,
    turns,
    partial: "",
    partialThought: "",
    partialTurn: 0,
    reply: view.final_response ?? null,
    emotive: view.emotive_state ?? null,
    abort: view.abort ?? null,
    failures: [],
    leftover: "",
    tokens: view.context?.tokens ?? null,
    inputTokens: view.usage.input_tokens,
    outputTokens: view.usage.output_tokens,
    costMicrousd: view.usage.cost_microusd ?? null,
    openedAt: view.opened_at ?? null,
    endedAt: view.ended_at ?? null,
    firstSeq: view.seq[0] ?? 0,
    lastSeq: view.seq[1] ?? 0,
  };
}

function turnFromView(view: EpochView["turns"][number]): LiveTurn {
  return {
    turn: view.turn,
    emotive: view.emotive_state,
    thought: view.thought ?? "",
    text: view.text ?? null,
    calls: view.tool_calls.map(callFromView),
  };
}

function callFromView(view: EpochView["turns"][number]["tool_calls"][number]): LiveCall {
  return {
    id: view.call_id,
    name: view.name,
    arguments: view.arguments,
    effect: (view.effect as string | null | undefined) ?? null,
    outcome: (view.outcome as string | null | undefined) ?? null,
    ethereal: view.ethereal,
    content: view.content == null ? null : bounded(view.content),
    note: view.note ?? null,
    durationMs: view.duration_ms ?? null,
    startedAt: null,
    approvalId: null,
    said: null,
  };
}

function phaseOf(state: EpochState, last: LiveTurn | undefined): Phase {
  if (state === "committed" || state === "aborted") return "ended";
  if (state === "queued") return "queued";
  if (state === "executing") return "running";
  return last ? "answered" : "preparing";
}

/** Agents of a snapshot; what a snapshot does not tell is kept from before. */
export function agentsFromSnapshot(
  snapshot: SnapshotView,
  before: Record<string, LiveAgent>,
  day: string,
): Record<string, LiveAgent> {
  return Object.fromEntries(
    snapshot.agents.map((live) => [live.id, agentFromSnapshot(live, before[live.id], day)]),
  );
}

const HINDRANCES = ["unresponsive", "waiting", "starting", "hibernated", "over_disk_limit"] as const;

function agentFromSnapshot(live: AgentLive, before: LiveAgent | undefined, day: string): LiveAgent {
  return {
    id: live.id,
    name: before?.name ?? live.id,
    role: before?.role ?? "",
    mind: before?.mind ?? "",
    state: live.state,
    isAsking: live.state === "waiting_approval",
    pausedAs: live.state === "parked" || live.state === "paused" ? live.state : null,
    paused: before?.paused ?? null,
    isAsleep: live.state === "asleep",
    hindrance: HINDRANCES.find((one) => one === live.process?.state) ?? null,
    openEpoch: live.epoch_id ?? null,
    queue: live.queue,
    lastEvidenceAt: live.last_evidence_at ?? null,
    usageToday: live.usage_today,
    usageDay: day,
    process: live.process ?? null,
  };
}

/** An agent with what `/agents` knows beyond a snapshot. Its counts are left out: they are read later than the snapshot, and what
 * happened in between comes over the stream as well. */
export function agentWithProfile(agent: LiveAgent, view: AgentView): LiveAgent {
  const { name, role, mind } = view;
  return { ...agent, name, role, mind, paused: view.paused ?? null };
}
