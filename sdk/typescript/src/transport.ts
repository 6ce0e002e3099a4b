/**
 * The ways to a keeper: its pipe (stdin and stdout), a Unix socket, TCP on this machine. Knows bytes only.
 * `claimStdout` takes stdout away from the rest of the program, so that `console.log` cannot break a frame.
 */
import * as net from "node:net";

import { asError, LinkLost } from "./errors.js";
import { CONNECT_MS } from "./limits.js";

/** What a transport tells. `ended` comes once, and not after `close`. */
export interface TransportEvents {
  bytes(data: Uint8Array): void;
  drained(): void;
  ended(error: Error): void;
}

/** A stream of bytes in both directions. */
export interface Transport {
  start(events: TransportEvents): void;
  write(data: Uint8Array): void;
  /** Bytes that wait to be written. */
  readonly waiting: number;
  pause(): void;
  resume(): void;
  /** Writes what waits, for at most `flushMs`, then ends both directions. */
  close(flushMs: number): Promise<void>;
}

type Reading = NodeJS.ReadableStream & { destroy?: () => void };
type Writing = NodeJS.WritableStream & { writableLength?: number; destroy?: () => void };

/** A readable and a writable stream, which may be one socket. */
export class StreamTransport implements Transport {
  #closed = false;

  constructor(
    private readonly reading: Reading,
    private readonly writing: Writing,
    private readonly writeOwn: (data: Uint8Array, done: () => void) => unknown = (data, done) => writing.write(data, done),
  ) {}

  start(events: TransportEvents): void {
    const end = (error: Error): void => {
      if (!this.#closed) {
        this.#closed = true;
        events.ended(error);
      }
    };
    this.reading.on("data", (data: Uint8Array) => events.bytes(data));
    this.reading.on("end", () => end(new LinkLost("the keeper closed the link")));
    this.reading.on("error", (error) => end(new LinkLost(`cannot read from the keeper: ${error.message}`)));
    this.writing.on("error", (error) => end(new LinkLost(`cannot write to the keeper: ${error.message}`)));
    this.writing.on("drain", () => events.drained());
  }

  write(data: Uint8Array): void {
    this.writeOwn(data, () => undefined);
  }

  get waiting(): number {
    return this.writing.writableLength ?? 0;
  }

  pause(): void {
    this.reading.pause();
  }

  resume(): void {
    this.reading.resume();
  }

  async close(flushMs: number): Promise<void> {
    const wasOpen = !this.#closed;
    this.#closed = true;
    if (wasOpen && this.waiting > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, flushMs);
        this.writeOwn(new Uint8Array(0), () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    // Later errors of a stream that is let go are nobody's business.
    this.reading.on("error", () => undefined);
    this.reading.destroy?.();
    if (this.writing !== (process.stdout as Writing)) {
      this.writing.destroy?.();
    }
  }
}

let claimed: ((data: Uint8Array, done: () => void) => unknown) | undefined;

/** Takes stdout for the frames alone; from here on what the program prints lands on stderr. */
export function claimStdout(): void {
  if (claimed) {
    return;
  }
  const write = process.stdout.write.bind(process.stdout) as (data: Uint8Array, done: () => void) => boolean;
  claimed = write;
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  // A runtime's console need not go through process.stdout: Deno's does not. Node's `table` goes through `log`.
  const names = "Deno" in globalThis ? (["log", "info", "debug", "dir", "table"] as const) : (["log", "info", "debug", "dir"] as const);
  for (const name of names) {
    console[name] = console.error.bind(console);
  }
}

/** Gives the keeper's pipe, for the thread that owns the process's streams. */
export function stdioTransport(): Transport {
  claimStdout();
  return new StreamTransport(process.stdin, process.stdout as Writing, claimed);
}

/** Gives the same for another thread, where the process's streams are not. */
export function descriptorTransport(): Transport {
  const reading = new net.Socket({ fd: 0, readable: true, writable: false });
  const writing = new net.Socket({ fd: 1, readable: false, writable: true });
  return new StreamTransport(reading, writing);
}

/** Connects to `unix:/path` or `tcp:host:port`. */
export async function connect(address: string): Promise<Transport> {
  const match = /^(?:unix:(?<path>.+)|tcp:(?<host>.+):(?<port>\d+))$/.exec(address);
  if (!match?.groups) {
    throw new TypeError(`cannot connect to "${address}": it must be unix:/path or tcp:host:port`);
  }
  const { path, host, port } = match.groups;
  const socket = path ? net.connect(path) : net.connect(Number(port), host?.replace(/^\[|\]$/g, ""));
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error("no answer in time")), CONNECT_MS);
    socket.once("connect", resolve);
    socket.once("error", (error) => reject(new LinkLost(`cannot connect to ${address}: ${asError(error).message}`)));
    socket.once("close", () => clearTimeout(timer));
    socket.once("connect", () => clearTimeout(timer));
  });
  socket.setNoDelay?.(true);
  return new StreamTransport(socket, socket);
}
