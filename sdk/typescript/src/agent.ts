/**
 * An agent: who it is, what answers for it, the way to the keeper and the waits between two connections. Owns what
 * outlives a link; everything within one is the session's.
 */
import type { Callbacks } from "./callbacks.js";
import { asError, LinkLost, NotConnected, TurnCancelled } from "./errors.js";
import { stamped } from "./frame.js";
import { ThreadLink } from "./io-thread.js";
import type { Params } from "./journal.js";
import { HEARTBEAT_MS, RECONNECT_CALM_MS, RECONNECT_FIRST_MS, RECONNECT_MAX_MS } from "./limits.js";
import { LoopLink, Progress, type Link } from "./link.js";
import { Session, type Identity } from "./session.js";
import { claimStdout, connect, stdioTransport } from "./transport.js";
import type { Handler } from "./turns.js";

/** What makes an agent. */
export interface AgentOptions extends Callbacks {
  /** The agent's name. Where a keeper started the process, `ABIDE_AGENT` counts instead. */
  name?: string;
  /** Answers a turn. */
  onRequest: Handler;
  /** `unix:/path` or `tcp:host:port`; without one the agent talks over stdin and stdout. */
  address?: string;
  /** On a socket, this agent's own secret: `agents/<id>/socket-secret` in the keeper's home. */
  token?: string;
  /** Puts heartbeats, pings and bytes on a worker thread, for handlers that block the event loop. */
  ioThread?: boolean;
}

/** A running agent's calls to its keeper. */
export class Agent {
  #progress = new Progress();
  #session: Session | undefined;

  constructor(private readonly options: AgentOptions) {
    if (options.onCheckpoint && !options.onRestore) {
      throw new TypeError("onCheckpoint without onRestore: the state could be stored and never be taken back");
    }
    if (options.address === undefined && process.env["ABIDE_RUN"] !== undefined) {
      claimStdout();
    }
  }

  /** Serves until the keeper says `shutdown` or closes the pipe. Rejects with KeeperRefused, and what a callback threw. */
  async run(): Promise<void> {
    const { address } = this.options;
    if (address !== undefined) {
      return this.#runOn(address);
    }
    if (process.stdin.isTTY) {
      throw new TypeError("this is an agent: name it in abide.toml and run `abide up`, which starts it");
    }
    claimStdout();
    try {
      await this.serveOn(await this.#link(undefined));
    } catch (error) {
      if (!(error instanceof LinkLost)) {
        throw error;
      }
      console.error(error.message);
    }
  }

  /** Serves one link to its end. Rejects with LinkLost at an end that no shutdown announced. For tests and other fronts. */
  async serveOn(link: Link): Promise<void> {
    this.#session = new Session(this.#identity(), this.options, this.options.onRequest, link, this.#progress);
    try {
      await this.#session.run();
    } finally {
      this.#session = undefined;
    }
  }

  /** The counter that heartbeats carry, for whoever makes the link given to `serveOn`. */
  get progressCounter(): Progress {
    return this.#progress;
  }

  /**
   * Logs an operation; resolves to its sequence once it is durable (and, with `onEntry`, applied). Act only after it.
   * Rejects with TooLarge over 10 KB, WalRefused, LinkLost: then it must not be acted on.
   */
  async wal(operation: string, params: Params): Promise<number> {
    const sequence = await this.#connected().journal.append(operation, params, true);
    this.progress();
    return sequence;
  }

  /**
   * Logs an operation unless one with this key is in the log already, and resolves once it is durable. A turn may be asked
   * again after a crash: with `turn.key` it is logged once all the same. Resolves to whether it was logged by this call;
   * rejects as `wal` does.
   */
  async once(key: string, operation: string, params: Params): Promise<boolean> {
    const isNew = await this.#connected().once(key, operation, params);
    this.progress();
    return isNew;
  }

  /** Logs an operation that nobody waits for: it goes out with others, after a second at the latest. */
  walLater(operation: string, params: Params): void {
    this.#connected()
      .journal.append(operation, params, false)
      .catch((error: unknown) => console.error("an entry was not stored:", asError(error).message));
  }

  /** Has the state written down now, before something risky; resolves to its id. Rejects with CheckpointFailed. */
  async checkpoint(): Promise<string> {
    return this.#connected().keeping.checkpoint();
  }

  /** Says that the work goes on. Call it in a long loop; nothing else moves the counter while a handler computes. */
  progress(): void {
    this.#progress.step();
  }

  /** Tells the agent's peers what it did or saw. */
  async evidence(body: Params, claimType = "observation", tags: readonly string[] = []): Promise<void> {
    await this.#send("evidence", { body, claim_type: claimType, tags });
  }

  /** Reports a failure that ends no turn. A handler throws TurnFailed instead. */
  async reportError(code: string, message: string, context?: Params): Promise<void> {
    await this.#send("error", { error: { code, message, ...(context && { context }) }, fatal: false });
  }

  /** Sends an evolution intent; `onEvolutionResult` hears how it ended. */
  async propose(intent: { target: string; newCode: string; reason: string; expectedImprovement?: Record<string, number> }): Promise<void> {
    const { target, newCode, reason, expectedImprovement } = intent;
    const hypothesis = { reason, target, new_code: newCode, expected_improvement: expectedImprovement ?? {} };
    await this.#send("evolution_intent", { hypothesis });
  }

  async #send(type: string, fields: Record<string, unknown>): Promise<void> {
    const { link } = this.#connected();
    this.progress();
    await link.room();
    link.send(stamped(type, fields));
  }

  #connected(): Session {
    if (!this.#session) {
      throw new NotConnected("the agent is not connected to a keeper");
    }
    if (this.#session.turns.withdrawn) {
      throw new TurnCancelled("the keeper withdrew the turn");
    }
    return this.#session;
  }

  #identity(): Identity {
    const { name, address, token } = this.options;
    const agent = (address === undefined ? process.env["ABIDE_AGENT"] : undefined) || name;
    if (!agent) {
      throw new TypeError("the agent has no name: give one, or have a keeper start it");
    }
    return { agent, run: process.env["ABIDE_RUN"] ?? "", token };
  }

  async #link(address: string | undefined): Promise<Link> {
    if (this.options.ioThread) {
      return ThreadLink.open(address, this.#progress, HEARTBEAT_MS);
    }
    return new LoopLink(address === undefined ? stdioTransport() : await connect(address), this.#progress);
  }

  async #runOn(address: string): Promise<void> {
    for (let waitMs = RECONNECT_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RECONNECT_MAX_MS)) {
      const began = performance.now();
      try {
        return await this.serveOn(await this.#link(address));
      } catch (error) {
        if (!(error instanceof LinkLost)) {
          throw error;
        }
        if (performance.now() - began >= RECONNECT_CALM_MS) {
          waitMs = RECONNECT_FIRST_MS;
        }
        console.error(`${error.message}; again in ${(waitMs / 1000).toFixed(1)} s`);
      }
      const wait = waitMs * (0.5 + Math.random() / 2);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** Makes an agent; `run` starts it. */
export function createAgent(options: AgentOptions): Agent {
  return new Agent(options);
}
