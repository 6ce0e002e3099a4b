/**
 * Everything that can go wrong and reach the author of an agent, one class a kind. No class here carries the content
 * of a frame: messages of errors end in logs.
 */

/** Stands above every error of this package. */
export class AbideError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** A frame that is no valid message; `path` names the field. */
export class InvalidMessage extends AbideError {
  constructor(
    readonly path: string,
    readonly problem: string,
    readonly code: string = "INVALID_MESSAGE",
  ) {
    super(`${path || "frame"}: ${problem}`);
  }
}

/** A message over the cap of its type. */
export class TooLarge extends InvalidMessage {
  constructor(type: string, size: number, cap: number, hint = "") {
    super("", `${type || "frame"} of ${size} bytes is over its limit of ${cap}${hint && `; ${hint}`}`, "TOO_LARGE");
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

/**
 * Thrown by a handler to end its turn with a code of its own. `MODEL_OVERLOADED`, `MODEL_RATE_LIMITED` (with
 * `retryAfterMs`), `MODEL_MONEY_OUT`, `MODEL_REFUSED` and `CONTEXT_TOO_LONG` have a meaning for the keeper; any other
 * code is shown as it is.
 */
export class TurnFailed extends AbideError {
  constructor(
    readonly code: string,
    readonly text: string,
    readonly options: { retryAfterMs?: number; context?: Record<string, unknown>; fatal?: boolean } = {},
  ) {
    super(`${code}: ${text}`);
  }
}

/** Gives what was thrown as an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
