/**
 * The agent's private state on its way to the keeper and back: checkpoints, restore, and new code. A checkpoint names
 * the last entry it holds, so no entry is applied while it is written down. A restore that cannot be taken is refused
 * aloud; it never becomes a silent empty start.
 */
import type { Callbacks, State } from "./callbacks.js";
import { AbideError, asError, CheckpointFailed, InvalidMessage } from "./errors.js";
import { stamped, type Message } from "./frame.js";
import type { Entry, Journal } from "./journal.js";
import { CHECKPOINT_ACK_MS, COMPRESS_ABOVE_BYTES } from "./limits.js";
import type { OnceKeys } from "./once.js";
import { isMap, pack } from "./packing.js";
import { compress, unfold, zstdAvailable } from "./squeeze.js";

interface Waiting {
  stored: (id: string) => void;
  refused: (error: Error) => void;
}

/** Checkpoints out, restore and hot reload in. */
export class Keeping {
  #waiting: Waiting | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly callbacks: Callbacks,
    private readonly journal: Journal,
    private readonly once: OnceKeys,
    private readonly send: (message: Message) => void,
  ) {}

  /** Writes the state down, one at a time, and resolves to the checkpoint's id once the keeper holds it. */
  checkpoint(): Promise<string> {
    const next = this.#last.then(() => this.#checkpoint());
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Writes the state down for a keeper that asked; a failure goes to it as an error frame. */
  async checkpointOnRequest(): Promise<void> {
    try {
      await this.checkpoint();
    } catch (error) {
      if (!(error instanceof AbideError)) {
        throw error;
      }
      console.error("checkpoint failed:", error.message);
      this.send(stamped("error", { error: { code: "CHECKPOINT_FAILED", message: error.message }, fatal: false }));
    }
  }

  /** Takes `checkpoint_ack`. */
  onAck(message: Message): void {
    this.#waiting?.stored(message["checkpoint_id"] as string);
  }

  /** Takes the keeper's word that it could not store a checkpoint, or the end of the link. */
  refuse(error: Error): void {
    this.#waiting?.refused(error);
  }

  /** Hands the state back and answers with `restore_ack`. Rejects after a refusal: without its state it must not go on. */
  async restore(message: Message): Promise<void> {
    let sequence: number;
    try {
      sequence = await this.#takeBack(message);
    } catch (thrown) {
      const error = asError(thrown);
      const body = { code: "RESTORE_FAILED", message: `${error.name}: ${error.message}` };
      this.send(stamped("restore_ack", { ok: false, sequence: 0, error: body }));
      throw error;
    }
    this.send(stamped("restore_ack", { ok: true, sequence }));
  }

  /** Loads new code and answers with `hot_reload_ack`. */
  async hotReload(message: Message): Promise<void> {
    const module = message["module"] as string;
    let problem: { code: string; message: string } | undefined;
    if (!this.callbacks.onHotReload) {
      problem = { code: "UNSUPPORTED", message: "the agent has no onHotReload" };
    } else {
      try {
        await this.callbacks.onHotReload(module, message["code"] as string);
      } catch (thrown) {
        // Whatever the new code did, the old is to go on.
        const error = asError(thrown);
        problem = { code: "RELOAD_FAILED", message: `${error.name}: ${error.message}` };
      }
    }
    this.send(stamped("hot_reload_ack", { module, ok: problem === undefined, error: problem }));
  }

  async #checkpoint(): Promise<string> {
    const write = this.callbacks.onCheckpoint;
    if (!write) {
      throw new CheckpointFailed("the agent has no onCheckpoint");
    }
    if (!this.callbacks.onEntry) {
      await this.journal.drain();
    }
    const { sequence, state } = await this.journal.held(async () => {
      const state = this.once.beside(wrapped(await write()));
      return { sequence: this.journal.applied, state };
    });
    const message = stamped("checkpoint", { ...packed(state), wal_sequence: sequence });
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<string>((stored, refused) => {
        this.#waiting = { stored, refused };
        timer = setTimeout(() => refused(new CheckpointFailed("the keeper says nothing of it")), CHECKPOINT_ACK_MS);
        this.send(message);
      });
    } finally {
      clearTimeout(timer);
      this.#waiting = undefined;
    }
  }

  async #takeBack(message: Message): Promise<number> {
    const { onRestore, onEntry } = this.callbacks;
    const snapshot = this.once.takeBack(snapshotOf(message));
    const given = (message["wal_entries"] ?? []) as Entry[];
    const entries = given.map(entryOf);
    if (snapshot !== null ? !onRestore : entries.length > 0 && !onRestore && !onEntry) {
      throw new AbideError(`there is state to restore, and the agent has no onRestore${snapshot === null ? " or onEntry" : ""}`);
    }
    const next = message["next_sequence"] as number | null | undefined;
    const last = next ? next - 1 : (entries.at(-1)?.sequence ?? this.journal.applied);
    await onRestore?.(unwrapped(snapshot), onEntry ? [] : entries);
    if (onEntry) {
      entries.forEach((entry) => onEntry(entry));
    }
    entries.forEach((entry) => this.once.add(entry.once));
    this.journal.continueFrom(last + 1);
    return last;
  }
}

/** Gives the state of a restore; null where there is no checkpoint yet, only operations. */
function snapshotOf(message: Message): Record<string, unknown> | null {
  let snapshot: unknown = message["snapshot"];
  if (message["compressed"]) {
    snapshot = unfold(snapshot, message["compression"], "snapshot");
  }
  if (!isMap(snapshot)) {
    throw new InvalidMessage("snapshot", "type", "must be a map");
  }
  return message["checkpoint_id"] !== "" || Object.keys(snapshot).length > 0 ? snapshot : null;
}

function entryOf({ operation, params, sequence, once }: Entry): Entry {
  return { operation, params, sequence, ...(typeof once === "string" && { once }) };
}

function wrapped(state: State): Record<string, unknown> {
  return state instanceof Uint8Array ? { bytes: state } : state;
}

/** Gives the fields a state travels in: compressed above 1 MB where that can be done and helps. */
function packed(data: Record<string, unknown>): Record<string, unknown> {
  if (zstdAvailable()) {
    const body = pack(data);
    if (body.length > COMPRESS_ABOVE_BYTES) {
      const compressed = compress(body);
      if (compressed.length < body.length) {
        return { compressed: true, compression: "zstd", data: compressed };
      }
    }
  }
  return { data };
}

function unwrapped(snapshot: Record<string, unknown> | null): State | null {
  if (snapshot && Object.keys(snapshot).length === 1 && snapshot["bytes"] instanceof Uint8Array) {
    return snapshot["bytes"];
  }
  return snapshot;
}
