/**
 * Everything that can go wrong and reach the author of an agent, one class a kind. No class here carries the content
 * of a frame: messages of errors end in logs.
 */
import type { Usage } from "./turn.js";

/** Stands above every error of this package. */
export class AbideError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/**
 * A frame that is no valid message. `path` names the field (empty for the whole frame), `problem` the rule in the
 * protocol's word (`required`, `type`, `value`, …), `code` the error that goes back.
 */
export class InvalidMessage extends AbideError {
  /** The request that the frame belonged to, where it said so. */
  requestId: string | undefined;

  constructor(
    readonly path: string,
    readonly problem: string,
    readonly words: string,
  ) {
    super(`${path || "frame"}: ${words}`);
  }

  get code(): string {
    if (this.problem === "too_large") {
      return "TOO_LARGE";
    }
    return this.path === "version" && this.problem === "version" ? "UNSUPPORTED_VERSION" : "INVALID_MESSAGE";
  }

  /** What an error frame says beside its words. */
  details(): Record<string, unknown> {
    return { path: this.path, problems: [{ path: this.path, code: this.problem, message: this.words }] };
  }
}

/** A message over the cap of its type. */
export class TooLarge extends InvalidMessage {
  constructor(type: string, size: number, cap: number, hint = "") {
    super("", "too_large", `${type || "frame"} of ${size} bytes is over its limit of ${cap}${hint && `; ${hint}`}`);
  }
}

/** The stream can no longer be cut into frames. The link has to close. */
export class BoundaryLost extends AbideError {}

/** The keeper is gone: what was not acknowledged is as if it had never been sent. */
export class LinkLost extends AbideError {}

/** The keeper does not take this agent: wrong token, version or run. Trying again does not help. */
export class KeeperRefused extends AbideError {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

/** A call that needs the keeper, before `run` or after its end. */
export class NotConnected extends AbideError {}

/** The keeper did not store an entry (`WAL_FULL`, …). Do not act on it. */
export class WalRefused extends AbideError {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

/** The keeper could not store a checkpoint; the one before it stays. */
export class CheckpointFailed extends AbideError {}

/** The keeper withdrew the turn: what its next call rejects with. */
export class TurnCancelled extends AbideError {}

/** Codes of failed turns that have a meaning for the keeper. Any other may be used too. */
export type FailureCode =
  /** The provider is overloaded; retries are spent. */
  | "MODEL_OVERLOADED"
  /** Too many requests; `retryAfterMs` says how long to wait. */
  | "MODEL_RATE_LIMITED"
  /** No money left: the agent is paused and a person is told. */
  | "MODEL_MONEY_OUT"
  /** The model declined; `usage` says what it cost. */
  | "MODEL_REFUSED"
  /** The prompt does not fit: it is shortened and asked once more. */
  | "CONTEXT_TOO_LONG"
  /** The model's answer is no voice; `context.path` says where: one repair turn. */
  | "BAD_VOICE"
  /** The request is wrong (key, model name): asking again cannot help. */
  | "MODEL_REJECTED"
  /** The provider could not be reached or broke off. */
  | "MODEL_UNAVAILABLE"
  | (string & {});

/** What goes with a failure. `usage` is what the failed attempt cost. */
export interface FailureOptions {
  retryAfterMs?: number;
  context?: Record<string, unknown>;
  usage?: Usage;
  fatal?: boolean;
}

/** Thrown by a handler to end its turn with a code of its own. */
export class TurnFailed extends AbideError {
  constructor(
    readonly code: FailureCode,
    readonly text: string,
    readonly options: FailureOptions = {},
  ) {
    super(`${code}: ${text}`);
  }
}

/** Gives what was thrown as an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
