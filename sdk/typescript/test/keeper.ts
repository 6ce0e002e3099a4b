/**
 * A scripted keeper for tests: it holds the durable side (entries, one checkpoint) and checks all that it receives.
 * The test is the script. A silent agent fails the test by the runner's time-out.
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { FROM_AGENT, TO_AGENT } from "../src/check.js";
import type { Agent } from "../src/agent.js";
import { InvalidMessage, LinkLost } from "../src/errors.js";
import { encode, framed, FrameReader, stamped, type Message } from "../src/frame.js";
import { FRAME_BYTES_MAX } from "../src/limits.js";
import { LoopLink } from "../src/link.js";
import { pack } from "../src/packing.js";
import type { Transport, TransportEvents } from "../src/transport.js";

const QUIET = new Set(["heartbeat", "metrics", "process_delta"]);

interface Stored {
  operation: string;
  params: Record<string, unknown>;
  sequence: number;
}

/** What outlives agents and keepers. */
export class Store {
  entries: Stored[] = [];
  snapshot: Record<string, unknown> | null = null;
  snapshotSequence = 0;

  get nextSequence(): number {
    return (this.entries.at(-1)?.sequence ?? this.snapshotSequence) + 1;
  }

  add(message: Message): number {
    for (const entry of [message["data"]].flat() as Stored[]) {
      assert.equal(entry.sequence, this.nextSequence);
      this.entries.push(entry);
    }
    return this.nextSequence - 1;
  }

  restoreFields(): Record<string, unknown> {
    return {
      checkpoint_id: this.snapshot ? "c1" : "",
      snapshot: this.snapshot ?? {},
      wal_entries: this.entries.filter((entry) => entry.sequence > this.snapshotSequence),
      next_sequence: this.nextSequence,
    };
  }
}

/** One link of a keeper. `write` reaches the agent; what the agent writes goes to `receive`. */
export class Keeper {
  seen: Message[] = [];
  #frames = new FrameReader(FROM_AGENT);
  #items: Message[] = [];
  #wake: () => void = () => undefined;
  #ended = false;

  constructor(
    readonly write: (data: Uint8Array) => void,
    readonly store: Store = new Store(),
  ) {}

  receive(data: Uint8Array): void {
    for (const item of this.#frames.feed(data)) {
      assert.ok(!(item instanceof InvalidMessage), String(item));
      this.#items.push(item);
    }
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  send(type: string, fields: Record<string, unknown> = {}): void {
    this.write(encode(stamped(type, fields), TO_AGENT));
  }

  /** Gives the next message of any type; undefined at the end of the link. */
  async next(): Promise<Message | undefined> {
    while (this.#items.length === 0) {
      if (this.#ended) {
        assert.ok(!this.#frames.midFrame, "the agent ended in the middle of a frame");
        return undefined;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const message = this.#items.shift();
    if (message) {
      this.seen.push(message);
    }
    return message;
  }

  /** Waits for a type; stores and acknowledges entries and passes quiet types over on the way. */
  async expect(type: string): Promise<Message & Record<string, any>> {
    for (;;) {
      const message = await this.next();
      assert.ok(message, `the link ended before ${type}`);
      if (message.type === type) {
        return message;
      }
      if (message.type.startsWith("wal_")) {
        this.send("wal_ack", { sequence: this.store.add(message) });
      } else {
        assert.ok(QUIET.has(message.type), `${message.type} came before ${type}: ${JSON.stringify(message)}`);
      }
    }
  }

  /** Says welcome, restores when there is something to restore, and waits for `ready`. Gives `hello`. */
  async open(): Promise<Message & Record<string, any>> {
    const hello = await this.expect("hello");
    const restore = this.store.snapshot !== null || this.store.entries.length > 0;
    this.welcome(this.store.nextSequence, restore);
    if (restore) {
      this.send("restore", this.store.restoreFields());
      const acked = await this.expect("restore_ack");
      assert.deepEqual([acked["ok"], acked["sequence"]], [true, this.store.nextSequence - 1]);
    }
    await this.expect("ready");
    return hello;
  }

  welcome(next_sequence: number, restore: boolean): void {
    this.send("welcome", { keeper: "test", run: "r1", limits: { frame_bytes_max: FRAME_BYTES_MAX }, next_sequence, restore });
  }

  /** Sends what no keeper may. */
  sendUnchecked(type: string, fields: Record<string, unknown>): void {
    this.write(framed(pack(stamped(type, fields))));
  }

  ask(message: string, requestId = "q1", context: Record<string, unknown> = {}): void {
    this.send("process_request", { request_id: requestId, data: { message, user_id: "nicolas", context } });
  }

  async answer(requestId = "q1"): Promise<string> {
    const response = await this.expect("process_response");
    assert.equal(response["request_id"], requestId);
    return response["voice"].final_response;
  }

  async keepCheckpoint(): Promise<Message & Record<string, any>> {
    const message = await this.expect("checkpoint");
    this.store.snapshot = message["data"];
    this.store.snapshotSequence = message["wal_sequence"];
    this.send("checkpoint_ack", { checkpoint_id: "c1", size: 1 });
    return message;
  }

  async waitForEnd(): Promise<void> {
    while (await this.next());
  }

  of(type: string): (Message & Record<string, any>)[] {
    return this.seen.filter((message) => message.type === type);
  }
}

/** A running agent: `ended` gives how it ended, `cut` ends its link. */
export interface Running {
  keeper: Keeper;
  ended: Promise<Error | undefined>;
  cut(): Promise<Error | undefined>;
}

/** Runs an agent on a link in memory. */
export function runInMemory(agent: Agent, store?: Store, heartbeatMs = 1000): Running {
  let events: TransportEvents | undefined;
  const keeper = new Keeper((data) => queueMicrotask(() => events?.bytes(data)), store);
  const transport: Transport = {
    waiting: 0,
    start: (given) => (events = given),
    write: (data) => queueMicrotask(() => keeper.receive(data)),
    pause: () => undefined,
    resume: () => undefined,
    close: async () => queueMicrotask(() => keeper.end()),
  };
  const ended = agent.serveOn(new LoopLink(transport, agent.progressCounter, heartbeatMs)).then(
    () => undefined,
    (error: Error) => error,
  );
  return {
    keeper,
    ended,
    cut: () => {
      events?.ended(new LinkLost("cut"));
      return ended;
    },
  };
}

/** A way to run a program. */
export interface Runtime {
  name: string;
  command: readonly [string, ...string[]];
}

export const NODE: Runtime = { name: "node", command: [process.execPath] };

/** Node, and Deno where this machine has it; it must have it where everything is to be tested. */
export function runtimes(): Runtime[] {
  try {
    const { runInstall } = createRequire(import.meta.url)("deno/install_api.cjs") as { runInstall: () => string };
    return [NODE, { name: "deno", command: [runInstall(), "run", "--allow-all", "--no-remote"] }];
  } catch (error) {
    assert.notEqual(process.env["CI"], "true", `Deno is not there: ${String(error)}`);
    console.error("skipped: Deno, for it is not there");
    return [NODE];
  }
}

/** Starts a program as a keeper would. */
export function runProcess(args: string[], store?: Store, runtime = NODE): { keeper: Keeper; child: ChildProcess; words: () => string; exit: Promise<number | null> } {
  const env = { ...process.env, ABIDE_RUN: "r1", ABIDE_AGENT: "echo", DENO_NO_UPDATE_CHECK: "1" };
  const [program, ...options] = runtime.command;
  const child = spawn(program, [...options, ...args], { stdio: ["pipe", "pipe", "pipe"], env, cwd: fileURLToPath(new URL("../../", import.meta.url)) });
  const keeper = new Keeper((data) => child.stdin.write(data), store);
  let words = "";
  child.stdout.on("data", (data: Uint8Array) => keeper.receive(data));
  child.stdout.on("end", () => keeper.end());
  child.stdin.on("error", () => undefined);
  child.stderr.on("data", (data: Buffer) => (words += data.toString()));
  const exit = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { keeper, child, words: () => words, exit };
}
