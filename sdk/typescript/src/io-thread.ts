/**
 * A link whose bytes, heartbeats and pongs live on a worker thread: a handler that blocks the event loop is then seen as
 * what it is, alive and standing still. The worker half is `io-thread-worker`; this half looks like any other link.
 */
import { Worker } from "node:worker_threads";

import { InvalidMessage, LinkLost } from "./errors.js";
import { encode, type Item, type Message } from "./frame.js";
import type { Link, LinkEvents, Progress } from "./link.js";
import { CLOSE_FLUSH_MS, HEARTBEAT_MS, OUTBOX_BYTES_CROWDED } from "./limits.js";

/** What the worker is started with. */
export interface IoThreadStart {
  address: string | undefined;
  progress: SharedArrayBuffer;
  heartbeatMs: number;
}

/** To the worker. */
export type ToIoThread = { frame: Uint8Array } | { handled: true } | { breathe: true } | { close: true };

/** From the worker. `written` counts bytes that left its hands. */
export type FromIoThread =
  | { open: true }
  | { message: Message }
  | { invalid: { path: string; problem: string; words: string; requestId: string | undefined } }
  | { written: number }
  | { ended: string }
  | { closed: true };

/** The main thread's half. */
export class ThreadLink implements Link {
  #worker: Worker;
  #events: LinkEvents | undefined;
  #over = false;
  #waiting = 0;
  #waiters: (() => void)[] = [];
  #closed: Promise<void>;
  #tellClosed: () => void = () => undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#closed = new Promise((resolve) => (this.#tellClosed = resolve));
  }

  /** Starts the thread and waits until it has the keeper's pipe or socket. Throws LinkLost where it cannot. */
  static async open(address: string | undefined, progress: Progress, heartbeatMs = HEARTBEAT_MS): Promise<ThreadLink> {
    const start: IoThreadStart = { address, progress: progress.shared, heartbeatMs };
    const worker = new Worker(new URL("./io-thread-worker.js", import.meta.url), { workerData: start });
    const link = new ThreadLink(worker);
    await new Promise<void>((resolve, reject) => {
      worker.on("message", (message: FromIoThread) => {
        if ("open" in message) {
          resolve();
        } else {
          link.#take(message);
          if ("ended" in message) {
            reject(new LinkLost(message.ended));
          }
        }
      });
      worker.on("error", (error) => {
        link.#end(error);
        reject(error);
      });
      worker.on("exit", () => link.#tellClosed());
    });
    return link;
  }

  start(events: LinkEvents): void {
    this.#events = events;
  }

  startBreathing(): void {
    this.#post({ breathe: true });
  }

  send(message: Message): void {
    if (this.#over) {
      throw new LinkLost("the link to the keeper is closed");
    }
    const frame = encode(message);
    this.#waiting += frame.length;
    this.#worker.postMessage({ frame } satisfies ToIoThread, [frame.buffer as ArrayBuffer]);
  }

  async room(): Promise<void> {
    while (!this.#over && this.#waiting > OUTBOX_BYTES_CROWDED) {
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  async close(): Promise<void> {
    this.#over = true;
    this.#wake();
    this.#post({ close: true });
    const timer = setTimeout(() => this.#tellClosed(), 2 * CLOSE_FLUSH_MS);
    await this.#closed;
    clearTimeout(timer);
    await this.#worker.terminate();
  }

  #take(message: FromIoThread): void {
    if ("message" in message) {
      this.#deliver(message.message);
    } else if ("invalid" in message) {
      const { path, problem, words, requestId } = message.invalid;
      this.#deliver(Object.assign(new InvalidMessage(path, problem, words), { requestId }));
    } else if ("written" in message) {
      this.#waiting -= message.written;
      this.#wake();
    } else if ("ended" in message) {
      this.#end(new LinkLost(message.ended));
    } else {
      this.#tellClosed();
    }
  }

  #deliver(item: Item): void {
    this.#post({ handled: true });
    if (!this.#over) {
      this.#events?.deliver(item);
    }
  }

  #end(error: Error): void {
    if (!this.#over) {
      this.#over = true;
      this.#wake();
      this.#events?.ended(error);
    }
  }

  #post(message: ToIoThread): void {
    this.#worker.postMessage(message);
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) {
      wake();
    }
  }
}
