/**
 * One conversation with a keeper, from `hello` to the end of the link. Messages are acted on as they come; what takes
 * time (turns, checkpoints, new code) is a job, one after the other. A session never outlives its link: what is open
 * then ends, and the keeper gives the state back at the next `welcome`.
 */
import type { Callbacks } from "./callbacks.js";
import { AbideError, asError, CheckpointFailed, InvalidMessage, KeeperRefused, LinkLost } from "./errors.js";
import { stamped, type Item, type Message } from "./frame.js";
import { Journal, type Params } from "./journal.js";
import { Keeping } from "./keeping.js";
import { JOBS_MAX, METRICS_MS, RESTORE_MS, SDK_NAME, SHUTDOWN_TURN_MS, WELCOME_MS } from "./limits.js";
import type { Link, Progress } from "./link.js";
import { Metrics } from "./metrics.js";
import { checkKey, OnceKeys } from "./once.js";
import { zstdAvailable } from "./squeeze.js";
import { Turns, type Handler } from "./turns.js";

const FATAL_CODES = new Set(["STALE_RUN", "UNSUPPORTED_VERSION"]);
const DOUBTFUL_CODES = new Set(["SEQUENCE_GAP", "INVALID_MESSAGE", "TOO_LARGE", "NOT_READY"]);

/** Who connects. */
export interface Identity {
  agent: string;
  run: string;
  token?: string | undefined;
}

type Opening = "welcome" | "restore" | "done";

/** The conversation. */
export class Session {
  readonly journal: Journal;
  readonly keeping: Keeping;
  readonly turns: Turns;
  #metrics = new Metrics();
  #once = new OnceKeys();
  #oncePending = new Map<string, Promise<number>>();
  #jobs = 0;
  #lastJob: Promise<void> = Promise.resolve();
  #opening: Opening = "welcome";
  #openingTimer: NodeJS.Timeout | undefined;
  #metricsTimer: NodeJS.Timeout | undefined;
  #shutting = false;
  #finish: (error?: Error) => void = () => undefined;

  constructor(
    private readonly identity: Identity,
    private readonly callbacks: Callbacks,
    handler: Handler,
    readonly link: Link,
    private readonly progress: Progress,
  ) {
    const send = (message: Message): void => link.send(message);
    const apply = (entry: Parameters<NonNullable<Callbacks["onEntry"]>>[0]): void => {
      progress.step();
      callbacks.onEntry?.(entry);
      this.#once.add(entry.once);
    };
    this.journal = new Journal({ send, apply, failed: (error) => this.#finish(error) });
    this.keeping = new Keeping(callbacks, this.journal, this.#once, send);
    this.turns = new Turns(handler, link, progress, this.#metrics);
  }

  /** Opens, works, ends. Resolves after a shutdown; rejects with LinkLost, KeeperRefused, or what a callback threw. */
  async run(): Promise<void> {
    let error: Error | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#finish = (failure) => (failure ? reject(failure) : resolve());
        this.link.start({ deliver: (item) => this.#deliver(item), ended: (failure) => this.#finish(failure) });
        this.#open();
      });
    } catch (thrown) {
      error = asError(thrown);
    }
    clearTimeout(this.#openingTimer);
    clearInterval(this.#metricsTimer);
    const over = error instanceof AbideError ? error : new LinkLost("the session is over");
    this.journal.close(over);
    this.keeping.refuse(over);
    await this.turns.abandon();
    await this.#lastJob;
    await this.link.close();
    if (error) {
      throw error;
    }
  }

  /** Logs an operation unless one with this key is in the log; resolves to whether it was logged now. */
  async once(key: string, operation: string, params: Params): Promise<boolean> {
    checkKey(key);
    if (this.#once.has(key)) {
      return false;
    }
    const earlier = this.#oncePending.get(key);
    if (earlier) {
      await earlier;
      return false;
    }
    const stored = this.journal.append(operation, params, true, key);
    this.#oncePending.set(key, stored);
    try {
      await stored;
      return true;
    } finally {
      this.#oncePending.delete(key);
    }
  }

  #open(): void {
    const { onRestore, onEntry, onHotReload } = this.callbacks;
    const capabilities = [
      "stream",
      ...(onRestore || onEntry ? ["restore"] : []),
      ...(onHotReload ? ["hot_reload"] : []),
      ...(zstdAvailable() ? ["zstd"] : []),
    ];
    const { agent, run, token } = this.identity;
    this.link.send(stamped("hello", { agent, run, capabilities, sdk: SDK_NAME, token }));
    this.#waitFor("welcome", WELCOME_MS);
  }

  #waitFor(opening: Opening, ms: number): void {
    this.#opening = opening;
    clearTimeout(this.#openingTimer);
    this.#openingTimer = setTimeout(() => this.#finish(new LinkLost(`no ${opening} within ${ms / 1000} s`)), ms);
  }

  #deliver(item: Item): void {
    try {
      const message = this.#checked(item);
      if (message) {
        this.#act(message);
      }
    } catch (error) {
      this.#finish(asError(error));
    }
  }

  /** Gives the message, or answers what is none with an error frame. */
  #checked(item: Item): Message | undefined {
    if (!(item instanceof InvalidMessage)) {
      return item;
    }
    console.error("frame from the keeper refused:", item.message);
    const body = { code: item.code, message: item.message, context: item.details() };
    this.link.send(stamped("error", { error: body, request_id: item.requestId, fatal: false }));
    return undefined;
  }

  #act(message: Message): void {
    switch (message.type) {
      case "welcome":
        return this.#onWelcome(message);
      case "restore":
        return this.#onRestore(message);
      case "wal_ack":
        return this.journal.onAck(Number(message["sequence"]));
      case "checkpoint_ack":
        return this.keeping.onAck(message);
      case "process_request":
        this.turns.supersede(message["request_id"] as string);
        return this.#addJob(() => this.turns.answer(message));
      case "process_cancel":
        return this.turns.cancel(message["request_id"] as string);
      case "checkpoint_request":
        return this.#onCheckpointRequest();
      case "metrics_request":
        return this.#sendMetrics();
      case "hot_reload":
        return this.#addJob(() => this.keeping.hotReload(message));
      case "evolution_result":
        return this.#addJob(async () => this.callbacks.onEvolutionResult?.(message));
      case "shutdown":
        return this.#onShutdown(message["create_checkpoint"] !== false);
      case "error":
        return this.#onError(message);
    }
  }

  #onWelcome(message: Message): void {
    if (this.#opening !== "welcome") {
      return;
    }
    this.journal.continueFrom(message["next_sequence"] as number);
    this.link.startBreathing();
    if (message["restore"] === true) {
      this.#waitFor("restore", RESTORE_MS);
    } else {
      this.#ready();
    }
  }

  #onRestore(message: Message): void {
    this.#addJob(async () => {
      await this.keeping.restore(message);
      if (this.#opening !== "done") {
        this.#ready();
      }
    });
  }

  #ready(): void {
    clearTimeout(this.#openingTimer);
    this.#opening = "done";
    this.link.send(stamped("ready"));
    this.#metricsTimer = setInterval(() => this.#sendMetrics(), METRICS_MS);
  }

  #addJob(job: () => Promise<void>): void {
    if (this.#jobs >= JOBS_MAX) {
      const body = { code: "BUSY", message: `${JOBS_MAX} messages wait for the work in hand` };
      return this.link.send(stamped("error", { error: body, fatal: false }));
    }
    this.#jobs += 1;
    this.#lastJob = this.#lastJob.then(async () => {
      this.progress.step();
      try {
        await job();
      } catch (error) {
        this.#finish(asError(error));
      }
      this.progress.step();
      this.#jobs -= 1;
    });
  }

  #onCheckpointRequest(): void {
    if (this.callbacks.onEntry) {
      this.keeping.checkpointOnRequest().catch((error: unknown) => this.#finish(asError(error)));
    } else {
      this.#addJob(() => this.keeping.checkpointOnRequest());
    }
  }

  #onShutdown(withCheckpoint: boolean): void {
    if (!this.#shutting) {
      this.#shutting = true;
      this.#shutDown(withCheckpoint).then(
        () => this.#finish(),
        (error: unknown) => this.#finish(asError(error)),
      );
    }
  }

  async #shutDown(withCheckpoint: boolean): Promise<void> {
    const atRest = await this.turns.endWithin(SHUTDOWN_TURN_MS);
    if (!withCheckpoint || !this.callbacks.onCheckpoint || !(atRest || this.callbacks.onEntry)) {
      return this.journal.drain();
    }
    try {
      await this.keeping.checkpoint();
    } catch (error) {
      if (!(error instanceof AbideError)) {
        throw error;
      }
      console.error("ends without its checkpoint:", error.message);
    }
  }

  /** Takes the keeper's word. Whatever leaves it open which entries are stored ends the session: `restore` tells. */
  #onError(message: Message): void {
    const { code, message: text } = message["error"] as { code: string; message: string };
    console.error(`keeper reported ${code}: ${text}`);
    if (FATAL_CODES.has(code) || this.#opening === "welcome") {
      this.#finish(new KeeperRefused(code, text));
    } else if (code === "CHECKPOINT_FAILED") {
      this.keeping.refuse(new CheckpointFailed(text));
    } else if (code === "WAL_FULL") {
      this.journal.refuse(code, text);
    } else if (DOUBTFUL_CODES.has(code) && this.journal.busy && (message["request_id"] ?? null) === null) {
      this.#finish(new LinkLost(`the keeper and the agent no longer agree on the log: ${code}: ${text}`));
    } else if (code === "INVALID_MESSAGE" || code === "TOO_LARGE") {
      this.keeping.refuse(new CheckpointFailed(text));
    }
  }

  #sendMetrics(): void {
    try {
      this.link.send(stamped("metrics", { data: { ...this.#metrics.report(), ...this.callbacks.onMetrics?.() } }));
    } catch (error) {
      console.error("the metrics were not sent:", asError(error).message);
    }
  }
}
