// What the screens show of the present: a fold of ledger events over a snapshot. Plain values, bounded in number and size.
import type { AbortView, ContextTokens, ProcessView, UsageToday } from "@/api/generated";
import type { AnyEvent } from "./event";
import type { Said } from "./said";
import type { Topic } from "./topics";

/** Ended epochs that are kept for each agent; older ones are read from the keeper. */
export const EPOCHS_KEPT = 100;
/** Lines that the feed on the first screen keeps. */
export const RECENT_KEPT = 60;
/** Longest text of a growing answer, result or argument that is kept, in characters; the rest stays with the keeper. */
export const TEXT_KEPT = 256 * 1024;

export type EpochState = "queued" | "open" | "executing" | "committed" | "aborted";

/** What an epoch does, finer than its state. */
export type Phase = "queued" | "preparing" | "thinking" | "answered" | "running" | "approval" | "ended";

export interface LiveCall {
  id: string;
  name: string;
  arguments: unknown;
  /** `read`, `state` or `world`; null before it is about to run. */
  effect: string | null;
  /** `ok`, `error`, `unknown`, `denied`; null while it runs or waits. */
  outcome: string | null;
  ethereal: boolean;
  content: string | null;
  note: string | null;
  durationMs: number | null;
  /** When it began, where that was seen. */
  startedAt: string | null;
  approvalId: string | null;
  /** What it says while it runs; null where that is nothing. */
  said: Said | null;
}

export interface LiveTurn {
  turn: number;
  emotive: string;
  thought: string;
  /** What was said beside calls, or the reply. */
  text: string | null;
  calls: LiveCall[];
}

export interface LiveApproval {
  id: string;
  epochId: string;
  agent: string;
  callId: string;
  tool: string;
  arguments: unknown;
  deadline: string;
}

/** An attempt at a turn that failed. */
export interface FailedAttempt {
  attempt: number;
  /** As in `turn.failed`. */
  code: string;
  message: string;
}

export interface LiveEpoch {
  id: string;
  agent: string;
  session: string;
  sender: string;
  channel: string;
  content: string;
  sentAt: string;
  state: EpochState;
  phase: Phase;
  /** The turn that is asked, from 1; 0 before the first. */
  turn: number;
  attempt: number;
  turns: LiveTurn[];
  /** The growing answer of the running attempt; empty when none grows. */
  partial: string;
  partialThought: string;
  /** The turn that those belong to. */
  partialTurn: number;
  reply: string | null;
  emotive: string | null;
  abort: AbortView | null;
  /** Why attempts of the running turn failed, the newest last. */
  failures: FailedAttempt[];
  /** What had been written when it ended without a reply, as far as this page saw it. */
  leftover: string;
  tokens: ContextTokens | null;
  inputTokens: number;
  outputTokens: number;
  /** Null where a price is unknown. */
  costMicrousd: number | null;
  openedAt: string | null;
  endedAt: string | null;
  firstSeq: number;
  /** The last event that is in it: older ones change nothing. */
  lastSeq: number;
}

export interface LiveAgent {
  id: string;
  name: string;
  role: string;
  mind: string;
  /** As in `/agents`; made of what follows (`live/lane.ts`). */
  state: string;
  /** Whether its epoch waits for a person. */
  isAsking: boolean;
  /** Why it takes nothing up, where that is so. */
  pausedAs: "parked" | "paused" | null;
  paused: string | null;
  isAsleep: boolean;
  /** What its process is, where that is not simply there. */
  hindrance: "unresponsive" | "waiting" | "starting" | "hibernated" | "over_disk_limit" | null;
  openEpoch: string | null;
  queue: number;
  lastEvidenceAt: string | null;
  usageToday: UsageToday;
  /** The day in UTC that it is the usage of. */
  usageDay: string;
  process: ProcessView | null;
}

export interface LiveState {
  /** The last event that is in it. */
  seq: number;
  /** The snapshot that it began at; another one is another beginning. */
  base: number;
  tick: number;
  /** `ok`, `degraded` or `poisoned`. */
  status: string;
  agents: Record<string, LiveAgent>;
  epochs: Record<string, LiveEpoch>;
  approvals: Record<string, LiveApproval>;
  /** Matters that wait for a person, as of the last look. */
  attention: number;
  recent: AnyEvent[];
  /** By topic, the last event that touched it: what was read before that is stale. */
  marks: Partial<Record<Topic, number>>;
}

export const EMPTY: LiveState = {
  seq: 0,
  base: -1,
  tick: 0,
  status: "loading",
  agents: {},
  epochs: {},
  approvals: {},
  attention: 0,
  recent: [],
  marks: {},
};

/** Whether an epoch has not ended. */
export function isOpen(epoch: LiveEpoch): boolean {
  return epoch.state !== "committed" && epoch.state !== "aborted";
}

/** A text within its bound. */
export function bounded(text: string): string {
  return text.length > TEXT_KEPT ? text.slice(0, TEXT_KEPT) : text;
}
