// The fold: (state, action) -> state. Pure; no time, no requests. An event that is in the state already changes nothing, so that
// whatever comes twice (after a lost connection, beside a read that was newer) shows once.
import type {
  AgentView,
  ApprovalView,
  EpochView,
  SnapshotView,
  ToolProgressView,
  UsageRecord,
} from "@/api/generated";
import { type AnyEvent, type Delta, type LedgerEvent, nameOf } from "./event";
import { onLane } from "./lane";
import { withUpdate } from "./said";
import {
  bounded,
  EPOCHS_KEPT,
  isOpen,
  type LiveApproval,
  type LiveCall,
  type LiveEpoch,
  type LiveState,
  RECENT_KEPT,
} from "./state";
import { touchedBy } from "./topics";
import { agentsFromSnapshot, agentWithProfile, epochFromView } from "./views";

export type Action =
  | { type: "event"; event: AnyEvent }
  | { type: "delta"; delta: Delta }
  | { type: "progress"; update: ToolProgressView }
  /** A new beginning: everything that is not in the snapshot is forgotten. */
  | { type: "snapshot"; snapshot: SnapshotView; day: string }
  /** Growing answers as the keeper has them, in place of ours, by epoch, and the turn that is asked. */
  | { type: "partials"; partials: Record<string, Growing> }
  | { type: "epochs"; views: EpochView[] }
  | { type: "agents"; views: AgentView[] }
  | { type: "approvals"; views: ApprovalView[] }
  | { type: "attention"; count: number };

export interface Growing {
  text: string;
  /** From 1; 0 before the first. */
  turn: number;
}

export function reduce(state: LiveState, action: Action): LiveState {
  switch (action.type) {
    case "event":
      return onEvent(state, action.event);
    case "delta":
      return onDelta(state, action.delta);
    case "progress":
      return onProgress(state, action.update);
    case "snapshot":
      return onSnapshot(state, action.snapshot, action.day);
    case "partials":
      return onPartials(state, action.partials);
    case "epochs":
      return trim(action.views.reduce(withView, state));
    case "agents":
      return onAgents(state, action.views);
    case "approvals":
      return onApprovals(state, action.views);
    case "attention":
      return action.count === state.attention ? state : { ...state, attention: action.count };
  }
}

function onSnapshot(state: LiveState, snapshot: SnapshotView, day: string): LiveState {
  return {
    seq: snapshot.seq,
    base: snapshot.seq,
    tick: snapshot.tick,
    status: snapshot.status,
    agents: agentsFromSnapshot(snapshot, state.agents, day),
    epochs: {},
    approvals: {},
    attention: snapshot.attention,
    recent: [],
    // Everything that was read before may be stale.
    marks: Object.fromEntries(Object.keys(state.marks).map((topic) => [topic, snapshot.seq])),
  };
}

function onAgents(state: LiveState, views: AgentView[]): LiveState {
  const agents = { ...state.agents };
  for (const view of views) {
    const known = agents[view.id];
    if (known) agents[view.id] = agentWithProfile(known, view);
  }
  return { ...state, agents };
}

/** What waits as the keeper has it; what came over the stream since stays. */
function onApprovals(state: LiveState, views: ApprovalView[]): LiveState {
  const approvals = { ...state.approvals };
  let epochs = state.epochs;
  for (const view of views) {
    const epoch = epochs[view.epoch_id];
    if (epoch && !isOpen(epoch)) continue;
    const callId = approvals[view.id]?.callId ?? "";
    approvals[view.id] = {
      id: view.id,
      epochId: view.epoch_id,
      agent: view.citizen,
      callId,
      tool: view.tool,
      arguments: view.arguments,
      deadline: view.deadline,
    };
    if (epoch && epoch.phase !== "approval")
      epochs = { ...epochs, [epoch.id]: { ...epoch, phase: "approval" } };
  }
  return { ...state, approvals, epochs };
}

function withView(state: LiveState, view: EpochView): LiveState {
  const known = state.epochs[view.epoch_id];
  const seen = epochFromView(view);
  // The stream may be ahead of what was read; it knows approvals and times that a view does not.
  if (known && known.lastSeq >= seen.lastSeq) return state;
  return { ...state, epochs: { ...state.epochs, [seen.id]: seen } };
}

function onPartials(state: LiveState, partials: Record<string, Growing>): LiveState {
  const epochs = { ...state.epochs };
  for (const epoch of Object.values(state.epochs)) {
    if (!isOpen(epoch)) continue;
    const { text = "", turn = 0 } = partials[epoch.id] ?? {};
    // A read of an epoch does not tell that its mind is being asked; this does.
    const isAsked = turn > epoch.turns.length && (epoch.phase === "preparing" || epoch.phase === "answered");
    const asked = isAsked ? { phase: "thinking" as const, turn, attempt: Math.max(1, epoch.attempt) } : {};
    epochs[epoch.id] = { ...epoch, ...asked, partial: bounded(text), partialThought: "", partialTurn: turn };
  }
  return { ...state, epochs };
}

function onDelta(state: LiveState, delta: Delta): LiveState {
  const epoch = state.epochs[delta.epoch_id];
  if (!epoch || !isOpen(epoch)) return state;
  // A piece may overtake the event that begins its turn.
  const before = delta.turn === epoch.partialTurn ? epoch : { ...epoch, ...SILENT, partialTurn: delta.turn };
  const grown = delta.thought
    ? { ...before, partialThought: bounded(before.partialThought + delta.text) }
    : { ...before, partial: bounded(before.partial + delta.text) };
  return { ...state, epochs: { ...state.epochs, [epoch.id]: grown } };
}

/** What a call says that is not known here, or that has ended, is nobody's news. */
function onProgress(state: LiveState, update: ToolProgressView): LiveState {
  const epoch = state.epochs[update.epoch_id];
  const call = epoch?.turns.flatMap((turn) => turn.calls).find((one) => one.id === update.call_id);
  if (!epoch || !isOpen(epoch) || !call || call.outcome !== null) return state;
  const grown = withCall(epoch, call.id, { said: withUpdate(call.said, update) });
  return { ...state, epochs: { ...state.epochs, [epoch.id]: grown } };
}

function onEvent(state: LiveState, event: AnyEvent): LiveState {
  if (event.seq <= state.seq) return state;
  const marks = { ...state.marks };
  for (const topic of touchedBy(event.kind)) marks[topic] = event.seq;
  const recent = [...state.recent, event].slice(-RECENT_KEPT);
  const next = { ...state, seq: event.seq, tick: event.tick, marks, recent };
  return { ...onEpoch(next, event), agents: onLane(state.agents, event) };
}

// -- epochs

function onEpoch(state: LiveState, event: AnyEvent): LiveState {
  if (event.kind === "stimulus.accepted") {
    const epoch = accepted(event);
    if (!epoch || state.epochs[epoch.id]) return state;
    return trim({ ...state, epochs: { ...state.epochs, [epoch.id]: epoch } });
  }
  const before = event.epoch ? state.epochs[event.epoch] : undefined;
  if (!before || event.seq <= before.lastSeq) return state;
  const after = step({ ...before, lastSeq: event.seq }, event);
  const next = { ...state, epochs: { ...state.epochs, [after.id]: after } };
  return onApproval(next, after, event);
}

function accepted(event: LedgerEvent<"stimulus.accepted">): LiveEpoch | null {
  if (!event.epoch) return null;
  const { data } = event;
  return {
    id: event.epoch,
    agent: nameOf(event.entity),
    session: data.session_id,
    sender: data.sender,
    channel: data.channel,
    content: data.content,
    sentAt: data.sent_at,
    state: "queued",
    phase: "queued",
    turn: 0,
    attempt: 0,
    turns: [],
    partial: "",
    partialThought: "",
    partialTurn: 0,
    reply: null,
    emotive: null,
    abort: null,
    failures: [],
    leftover: "",
    tokens: null,
    inputTokens: 0,
    outputTokens: 0,
    costMicrousd: 0,
    openedAt: null,
    endedAt: null,
    firstSeq: event.seq,
    lastSeq: event.seq,
  };
}

const SILENT = { partial: "", partialThought: "" };

function step(epoch: LiveEpoch, event: AnyEvent): LiveEpoch {
  switch (event.kind) {
    case "epoch.opened":
      return { ...epoch, state: "open", phase: "preparing", openedAt: event.timestamp };
    case "context.assembled":
      return { ...epoch, tokens: event.data.tokens };
    case "turn.started": {
      const { turn, attempt } = event.data;
      const failures = turn === epoch.turn ? epoch.failures : [];
      const isOvertaken = attempt === 1 && turn === epoch.partialTurn;
      const grown = isOvertaken ? {} : { ...SILENT, partialTurn: turn };
      return { ...epoch, ...grown, state: "open", phase: "thinking", turn, attempt, failures, leftover: "" };
    }
    case "turn.failed":
      return {
        ...epoch,
        ...SILENT,
        ...spent(epoch, event.data.usage),
        // An attempt that is cut fails before its epoch ends.
        leftover: epoch.partial || epoch.leftover,
        failures: [...epoch.failures, failed(event.data)].slice(-8),
      };
    case "turn.completed":
      return answered(epoch, event);
    case "tool.requested": {
      const begun = { effect: event.data.effect, startedAt: event.timestamp };
      return { ...withCall(epoch, event.data.call_id, begun), state: "executing", phase: "running" };
    }
    case "tool.finished": {
      const { outcome, content, ethereal, duration_ms } = event.data;
      return withCall(epoch, event.data.call_id, {
        outcome,
        ethereal: ethereal !== undefined,
        content: ethereal ? null : bounded(content ?? ""),
        note: ethereal?.note ?? null,
        durationMs: duration_ms,
        said: null,
      });
    }
    case "approval.requested": {
      const { approval_id, call_id } = event.data;
      return {
        ...withCall(epoch, call_id, { approvalId: approval_id }),
        state: "executing",
        phase: "approval",
      };
    }
    case "approval.decided":
      return { ...epoch, phase: "running" };
    case "epoch.committed": {
      const turn = epoch.turns.find((one) => one.turn === event.data.turn) ?? epoch.turns.at(-1);
      const reply = turn?.text ?? epoch.reply;
      return { ...epoch, ...SILENT, state: "committed", phase: "ended", reply, endedAt: event.timestamp };
    }
    case "epoch.aborted": {
      const { code, message } = event.data;
      return {
        ...epoch,
        ...SILENT,
        state: "aborted",
        phase: "ended",
        abort: { code, message },
        leftover: epoch.partial || epoch.leftover,
        endedAt: event.timestamp,
      };
    }
    default:
      return epoch;
  }
}

function failed({ attempt, code, message }: { attempt: number; code: string; message: string }) {
  return { attempt, code, message };
}

function answered(epoch: LiveEpoch, event: LedgerEvent<"turn.completed">): LiveEpoch {
  const { turn, voice, usage } = event.data;
  const calls = (voice.tool_calls ?? []).map(
    (call): LiveCall => ({
      id: call.call_id,
      name: call.name,
      arguments: call.arguments,
      effect: null,
      outcome: null,
      ethereal: false,
      content: null,
      note: null,
      durationMs: null,
      startedAt: null,
      approvalId: null,
      said: null,
    }),
  );
  const said = {
    turn,
    emotive: voice.emotive_state,
    thought: voice.thought ?? "",
    text: voice.final_response ?? null,
    calls,
  };
  const turns = [...epoch.turns.filter((one) => one.turn !== turn), said];
  const phase = calls.length > 0 ? "running" : "answered";
  return { ...epoch, ...SILENT, ...spent(epoch, usage), turns, emotive: said.emotive, phase, failures: [] };
}

function spent(epoch: LiveEpoch, usage: UsageRecord | undefined) {
  if (!usage) return {};
  const cost = usage.cost_microusd ?? null;
  return {
    inputTokens: epoch.inputTokens + usage.input_tokens,
    outputTokens: epoch.outputTokens + usage.output_tokens,
    // An unknown price makes the sum unknown.
    costMicrousd: cost === null || epoch.costMicrousd === null ? null : epoch.costMicrousd + cost,
  };
}

/** Calls are numbered within their epoch, so the newest turn that has this one is it. */
function withCall(epoch: LiveEpoch, id: string, change: Partial<LiveCall>): LiveEpoch {
  const turns = epoch.turns.map((turn) => {
    if (!turn.calls.some((call) => call.id === id)) return turn;
    return { ...turn, calls: turn.calls.map((call) => (call.id === id ? { ...call, ...change } : call)) };
  });
  return { ...epoch, turns };
}

// -- approvals

function onApproval(state: LiveState, epoch: LiveEpoch, event: AnyEvent): LiveState {
  if (event.kind === "approval.requested") {
    const approval = asked(epoch, event);
    return { ...state, approvals: { ...state.approvals, [approval.id]: approval } };
  }
  const isOver = (approval: LiveApproval) =>
    event.kind === "approval.decided"
      ? approval.id === event.data.approval_id
      : !isOpen(epoch) && approval.epochId === epoch.id;
  const left = Object.entries(state.approvals).filter(([, approval]) => !isOver(approval));
  if (left.length === Object.keys(state.approvals).length) return state;
  return { ...state, approvals: Object.fromEntries(left) };
}

function asked(epoch: LiveEpoch, event: LedgerEvent<"approval.requested">): LiveApproval {
  const { approval_id, call_id, deadline, own } = event.data;
  const call = epoch.turns.flatMap((turn) => turn.calls).find((one) => one.id === call_id);
  return {
    id: approval_id,
    epochId: epoch.id,
    agent: epoch.agent,
    callId: call_id,
    tool: own?.tool ?? call?.name ?? "a tool",
    arguments: own?.arguments ?? call?.arguments ?? null,
    deadline,
  };
}

// -- bounds

/** Forgets the oldest ended epochs of each agent beyond the bound; open ones stay. */
function trim(state: LiveState): LiveState {
  const all = Object.values(state.epochs);
  if (all.length <= EPOCHS_KEPT) return state;
  const ended = new Map<string, LiveEpoch[]>();
  for (const epoch of all) {
    if (isOpen(epoch)) continue;
    const list = ended.get(epoch.agent) ?? [];
    list.push(epoch);
    ended.set(epoch.agent, list);
  }
  const gone = new Set<string>();
  for (const list of ended.values()) {
    if (list.length <= EPOCHS_KEPT) continue;
    list.sort((a, b) => a.firstSeq - b.firstSeq);
    for (const epoch of list.slice(0, list.length - EPOCHS_KEPT)) gone.add(epoch.id);
  }
  if (gone.size === 0) return state;
  return {
    ...state,
    epochs: Object.fromEntries(Object.entries(state.epochs).filter(([id]) => !gone.has(id))),
  };
}
