import { isRecord } from "@/api/errors";
import {
  type CallStepView,
  EVENT_KINDS,
  type EventData,
  type EventKind,
  type OutputPieceView,
  type ToolProgressView,
} from "@/api/generated";

/** A line of the ledger. */
export interface LedgerEvent<K extends EventKind = EventKind> {
  seq: number;
  tick: number;
  timestamp: string;
  /** Agent it belongs to: `@felix`, `@keeper`. */
  entity: string;
  author: string;
  epoch?: string;
  kind: K;
  v: number;
  data: EventData[K];
}

/** A line, told apart by its kind. */
export type AnyEvent = { [K in EventKind]: LedgerEvent<K> }[EventKind];

/** A piece of a growing answer; not in the ledger. */
export interface Delta {
  epoch_id: string;
  turn: number;
  text: string;
  thought?: boolean;
}

/** Reads a line; null for one whose kind this client does not know, which changes nothing that it shows. */
export function decodeEvent(text: string): AnyEvent | null {
  return eventOf(parse(text));
}

/** The same of a line that was read as JSON already. */
export function eventOf(value: unknown): AnyEvent | null {
  if (!isRecord(value) || typeof value.seq !== "number" || typeof value.kind !== "string") return null;
  if (!Object.hasOwn(EVENT_KINDS, value.kind) || !isRecord(value.data)) return null;
  return value as unknown as AnyEvent;
}

export function decodeDelta(text: string): Delta | null {
  const value = parse(text);
  if (!isRecord(value) || typeof value.epoch_id !== "string" || typeof value.text !== "string") return null;
  return {
    epoch_id: value.epoch_id,
    turn: typeof value.turn === "number" ? value.turn : 0,
    text: value.text,
    thought: value.thought === true,
  };
}

/** Reads what a running call says; what of it is not understood is left out. */
export function decodeProgress(text: string): ToolProgressView | null {
  const value = parse(text);
  if (!isRecord(value) || typeof value.epoch_id !== "string" || typeof value.call_id !== "string")
    return null;
  if (typeof value.sequence !== "number") return null;
  const { epoch_id, call_id, sequence } = value;
  const output = Array.isArray(value.output) ? value.output.filter(isPiece) : [];
  return { epoch_id, call_id, sequence, output, ...(isStep(value.step) ? { step: value.step } : {}) };
}

function isPiece(value: unknown): value is OutputPieceView {
  if (!isRecord(value) || typeof value.text !== "string") return false;
  return typeof value.left_out_bytes === "number" && (value.stream === "stdout" || value.stream === "stderr");
}

function isStep(value: unknown): value is CallStepView {
  if (!isRecord(value) || typeof value.done !== "number") return false;
  const { total, message } = value;
  return (total == null || typeof total === "number") && (message == null || typeof message === "string");
}

/** `@felix` → `felix`. */
export function nameOf(entity: string): string {
  return entity.startsWith("@") ? entity.slice(1) : entity;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
