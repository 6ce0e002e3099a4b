/**
 * Write an agent for Abide: a process that may die at any time and loses nothing.
 *
 * Reading order, from the bytes up: `limits`, `errors`, `shape`, `packing` (one value), `squeeze`, `rules` (the fields
 * of each message), `check`, `frame`, `transport`, `link`, `io-thread` (the same on a thread of its own), `journal` (the
 * log), `once` (what is logged once), `callbacks`, `keeping` (checkpoints, restore), `turn`, `turns`, `session`, `agent`.
 */
export { Agent, createAgent, type AgentOptions } from "./agent.js";
export type { Callbacks, State } from "./callbacks.js";
export {
  AbideError,
  CheckpointFailed,
  InvalidMessage,
  KeeperRefused,
  LinkLost,
  NotConnected,
  TooLarge,
  TurnCancelled,
  TurnFailed,
  WalRefused,
  type FailureCode,
  type FailureOptions,
} from "./errors.js";
export type { Entry, Params } from "./journal.js";
export { PROTOCOL_VERSION, SDK_VERSION } from "./limits.js";
export { Turn, type Answer, type Tool, type ToolCall, type Usage, type Voice } from "./turn.js";
export type { Handler } from "./turns.js";
