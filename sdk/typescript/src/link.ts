/**
 * Frames on a transport, with the breath and the pulse of the process: a heartbeat every second, a pong to each ping.
 * A heartbeat carries the progress counter and never moves it. Looks into no message but `ping`.
 *
 * Where it runs decides what a blocked handler looks like: on the main thread (`LoopLink` made there) it blocks the
 * heartbeats too; on a thread of its own (`io-thread`) they go on and only the counter stands still.
 */
import { TO_AGENT } from "./check.js";
import { asError, InvalidMessage, LinkLost } from "./errors.js";
import { encode, FrameReader, stamped, type Item, type Message } from "./frame.js";
import { CLOSE_FLUSH_MS, HEARTBEAT_MS, OUTBOX_BYTES_CROWDED } from "./limits.js";
import type { Transport } from "./transport.js";

/** The counter `p`: moved by the work alone, readable from any thread. */
export class Progress {
  readonly #cells: Uint32Array;

  constructor(readonly shared: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.#cells = new Uint32Array(shared);
  }

  /** Says that the work went on. */
  step(): void {
    Atomics.add(this.#cells, 0, 1);
  }

  get count(): number {
    return Atomics.load(this.#cells, 0);
  }
}

/** What a link tells its session. */
export interface LinkEvents {
  deliver(item: Item): void;
  ended(error: Error): void;
}

/** A link to a keeper. */
export interface Link {
  start(events: LinkEvents): void;
  /** Sends a heartbeat now and then once a second; not before `welcome`, for `hello` must be the first frame. */
  startBreathing(): void;
  /** Queues a message. Throws InvalidMessage and TooLarge at once, LinkLost after the end. */
  send(message: Message): void;
  /** Resolves when the link is not crowded, or over. */
  room(): Promise<void>;
  /** Writes what is queued and ends the link. */
  close(): Promise<void>;
}

/** A link on the event loop of the thread that makes it. */
export class LoopLink implements Link {
  #frames = new FrameReader(TO_AGENT);
  #events: LinkEvents | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #waiters: (() => void)[] = [];

  constructor(
    private readonly transport: Transport,
    private readonly progress: Progress,
    private readonly heartbeatMs: number = HEARTBEAT_MS,
  ) {}

  start(events: LinkEvents): void {
    this.#events = events;
    this.transport.start({
      bytes: (data) => this.#read(data),
      drained: () => this.#wake(),
      ended: (error) => this.#end(this.#frames.midFrame ? new LinkLost(`${error.message} in the middle of a frame`) : error),
    });
  }

  startBreathing(): void {
    const beat = (): void => this.#write(encode(stamped("heartbeat", { p: this.progress.count })));
    beat();
    this.#timer ??= setInterval(beat, this.heartbeatMs);
  }

  send(message: Message): void {
    this.sendFrame(encode(message));
  }

  /** Queues what `encode` gave. */
  sendFrame(frame: Uint8Array): void {
    if (this.#closed) {
      throw new LinkLost("the link to the keeper is closed");
    }
    this.#write(frame);
  }

  get crowded(): boolean {
    return !this.#closed && this.transport.waiting > OUTBOX_BYTES_CROWDED;
  }

  async room(): Promise<void> {
    while (this.crowded) {
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  /** Stops and goes on reading: whoever takes the messages is behind. */
  setReading(on: boolean): void {
    if (on) {
      this.transport.resume();
    } else {
      this.transport.pause();
    }
  }

  async close(): Promise<void> {
    this.#stop();
    await this.transport.close(CLOSE_FLUSH_MS);
  }

  #read(data: Uint8Array): void {
    try {
      for (const item of this.#frames.feed(data)) {
        if (!(item instanceof InvalidMessage) && item.type === "ping") {
          this.#write(encode(stamped("pong", { nonce: item["nonce"] })));
        } else if (!this.#closed) {
          this.#events?.deliver(item);
        }
      }
    } catch (error) {
      this.#end(asError(error));
    }
  }

  #write(frame: Uint8Array): void {
    if (!this.#closed) {
      this.transport.write(frame);
    }
  }

  #end(error: Error): void {
    if (!this.#closed) {
      this.#stop();
      this.#events?.ended(error);
    }
  }

  #stop(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#wake();
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) {
      wake();
    }
  }
}
