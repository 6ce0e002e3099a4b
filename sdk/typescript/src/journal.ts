/**
 * The agent's half of the write-ahead log: numbers entries, sends them in groups, and says when one is durable.
 *
 * At most one group is on its way, so a refused group leaves no gap in the numbers and no doubt about what is stored.
 * An entry counts as applied once `apply` ran for it, before whoever waits goes on: a checkpoint can name exactly what
 * its state holds.
 */
import { AbideError, asError, TooLarge, WalRefused } from "./errors.js";
import { encode, stamped, type Message } from "./frame.js";
import { TYPE_BYTES_MAX, WAL_BATCH_ENTRIES, WAL_FLUSH_MS, WAL_WAITING_ENTRIES_MAX } from "./limits.js";

/** A map of the agent's own making. */
export type Params = Record<string, unknown>;

/** One operation in the log. */
export interface Entry {
  operation: string;
  params: Params;
  sequence: number;
  /** The key of one that is logged once. */
  once?: string;
}

interface Pending {
  entry: Entry;
  stored: (sequence: number) => void;
  refused: (error: Error) => void;
}

/** What a journal needs of its session. */
export interface JournalSurroundings {
  send(message: Message): void;
  apply(entry: Entry): void;
  failed(error: Error): void;
}

/** The entries between `wal` and `wal_ack`. */
export class Journal {
  #next = 1;
  #applied = 0;
  #durable = 0;
  #holds = 0;
  #waiting: Pending[] = [];
  #sent: Pending[] = [];
  #timer: NodeJS.Timeout | undefined;
  #soon = false;
  #closed: Error | undefined;
  #idleWaiters: (() => void)[] = [];

  constructor(private readonly around: JournalSurroundings) {}

  /** The last sequence whose entry is durable and applied. */
  get applied(): number {
    return this.#applied;
  }

  /** Tells that a group is on its way. */
  get busy(): boolean {
    return this.#sent.length > 0;
  }

  /** Takes the numbers that `welcome` and `restore` give. Only before the first entry. */
  continueFrom(nextSequence: number): void {
    this.#next = nextSequence;
    this.#applied = this.#durable = nextSequence - 1;
  }

  /**
   * Adds an entry; resolves to its sequence once it is durable and applied. `soon` sends it in this round of the loop
   * (somebody waits), else at 100 entries or after a second. Rejects over 10 KB and when 10,000 entries wait already.
   */
  append(operation: string, params: Params, soon: boolean, once?: string): Promise<number> {
    return new Promise((stored, refused) => {
      if (this.#closed) {
        throw this.#closed;
      }
      const entry: Entry = { operation, params, sequence: 0, ...(once !== undefined && { once }) };
      checkEntry(entry);
      if (this.#waiting.length >= WAL_WAITING_ENTRIES_MAX) {
        throw new WalRefused("WAL_BACKLOG", `${this.#waiting.length} entries wait for the keeper`);
      }
      this.#waiting.push({ entry, stored, refused });
      if (soon || this.#waiting.length >= WAL_BATCH_ENTRIES) {
        if (!this.#soon) {
          this.#soon = true;
          queueMicrotask(() => this.flush());
        }
      } else {
        this.#timer ??= setTimeout(() => this.flush(), WAL_FLUSH_MS);
      }
    });
  }

  /** Sends the next group, unless one is still on its way. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#soon = false;
    if (this.#sent.length > 0 || this.#waiting.length === 0 || this.#closed) {
      return;
    }
    this.#sent = this.#waiting.splice(0, WAL_BATCH_ENTRIES);
    const group = this.#sent.map((pending, at) => Object.assign(pending.entry, { sequence: this.#next + at }));
    try {
      this.around.send(group.length === 1 ? stamped("wal_entry", { data: group[0] }) : stamped("wal_batch", { data: group }));
    } catch (error) {
      this.#refuseSent(asError(error));
    }
  }

  /** Takes a cumulative `wal_ack`. */
  onAck(sequence: number): void {
    this.#durable = Math.max(this.#durable, sequence);
    if (this.#holds === 0) {
      this.#applyDurable();
    }
  }

  /** Lets no entry be applied while `write` writes a state down; what became durable meanwhile is applied after it. */
  async held<T>(write: () => T | Promise<T>): Promise<T> {
    this.#holds += 1;
    try {
      return await write();
    } finally {
      this.#holds -= 1;
      if (this.#holds === 0) {
        this.#applyDurable();
      }
    }
  }

  /** Takes the keeper's refusal of the group on its way; its numbers are free again. */
  refuse(code: string, message: string): void {
    if (this.#sent.length > 0) {
      this.#refuseSent(new WalRefused(code, message));
      this.flush();
    }
  }

  /** Resolves when nothing is on its way or waiting, however it ended. */
  async drain(): Promise<void> {
    while (!this.#closed && (this.#sent.length > 0 || this.#waiting.length > 0)) {
      this.flush();
      if (this.#sent.length > 0) {
        await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
      }
    }
  }

  /** Ends everything that waits with `error`. */
  close(error: Error): void {
    this.#closed = error;
    clearTimeout(this.#timer);
    const left = [...this.#sent, ...this.#waiting];
    this.#sent = this.#waiting = [];
    for (const pending of left) {
      pending.refused(error);
    }
    this.#wakeIdle();
  }

  #applyDurable(): void {
    for (let pending = this.#sent[0]; pending && pending.entry.sequence <= this.#durable; pending = this.#sent[0]) {
      this.#sent.shift();
      try {
        this.around.apply(pending.entry);
      } catch (thrown) {
        // The state no longer follows the log: only a restart mends that.
        const error = asError(thrown);
        pending.refused(new AbideError(`onEntry failed at sequence ${pending.entry.sequence}: ${error.message}`));
        this.around.failed(error);
        return;
      }
      this.#applied = pending.entry.sequence;
      this.#next = this.#applied + 1;
      pending.stored(this.#applied);
    }
    if (this.#sent.length === 0) {
      this.#wakeIdle();
      this.flush();
    }
  }

  #refuseSent(error: Error): void {
    const refused = this.#sent;
    this.#sent = [];
    for (const pending of refused) {
      pending.refused(error);
    }
    this.#wakeIdle();
  }

  #wakeIdle(): void {
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const wake of waiters) {
      wake();
    }
  }
}

function checkEntry(entry: Entry): void {
  try {
    encode(stamped("wal_entry", { data: { ...entry, sequence: Number.MAX_SAFE_INTEGER } }));
  } catch (error) {
    if (error instanceof TooLarge) {
      const cap = TYPE_BYTES_MAX.get("wal_entry") ?? 0;
      throw new TooLarge("wal_entry", cap + 1, cap, "large state belongs into the checkpoint");
    }
    throw error;
  }
}
