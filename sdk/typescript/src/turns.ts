/**
 * Turns, one after the other: asked, streamed, withdrawn, answered. Each attempt has a request id of its own. The newest
 * one counts: an older one that is still open is withdrawn, for the keeper would drop its answer.
 */
import { asError, InvalidMessage, TurnCancelled, TurnFailed } from "./errors.js";
import { stamped, type Message } from "./frame.js";
import type { Link, Progress } from "./link.js";
import { STACK_TRACE_CHARS_MAX } from "./limits.js";
import type { Metrics } from "./metrics.js";
import { responseFields, Turn, type Answer } from "./turn.js";

/** What answers a turn. */
export type Handler = (turn: Turn) => Answer | Promise<Answer>;

interface OpenTurn {
  requestId: string;
  withdrawal: AbortController;
  over: Promise<void>;
}

/** The turn in hand, if any. */
export class Turns {
  #newest: string | undefined;
  #open: OpenTurn | undefined;
  #closed = false;

  constructor(
    private readonly handler: Handler,
    private readonly link: Link,
    private readonly progress: Progress,
    private readonly metrics: Metrics,
  ) {}

  /** Tells that the turn in hand was withdrawn: whatever it still asks for is refused. */
  get withdrawn(): boolean {
    return this.#open?.withdrawal.signal.aborted ?? false;
  }

  /** Says which attempt counts from here on; withdraws the one in hand. */
  supersede(requestId: string): void {
    if (!this.#closed) {
      this.#newest = requestId;
      this.#open?.withdrawal.abort();
    }
  }

  /** Withdraws an attempt, in hand or still waiting. */
  cancel(requestId: string): void {
    if (this.#newest === requestId) {
      this.#newest = undefined;
    }
    if (this.#open?.requestId === requestId) {
      this.#open.withdrawal.abort();
    }
  }

  /** Has the handler answer and sends what it says. Rejects only with the link. */
  async answer(message: Message): Promise<void> {
    const requestId = message["request_id"] as string;
    if (requestId !== this.#newest) {
      this.link.send(failure(requestId, "CANCELLED", "the attempt was withdrawn before it began"));
      return;
    }
    const withdrawal = new AbortController();
    let tellOver = (): void => undefined;
    this.#open = { requestId, withdrawal, over: new Promise((resolve) => (tellOver = resolve)) };
    const began = performance.now();
    let reply: Message;
    try {
      reply = await this.#reply(message, withdrawal.signal);
    } finally {
      this.#open = undefined;
      tellOver();
    }
    this.metrics.record(performance.now() - began, reply.type === "process_response");
    await this.#send(reply, requestId);
  }

  /** Takes no further turn, withdraws the one in hand and waits for its end. False when it goes on beyond `ms`. */
  async endWithin(ms: number): Promise<boolean> {
    this.#closed = true;
    this.#newest = undefined;
    if (!this.#open) {
      return true;
    }
    this.#open.withdrawal.abort();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
    const ended = await Promise.race([this.#open.over.then(() => true), late]);
    clearTimeout(timer);
    return ended;
  }

  /** Withdraws the turn in hand and waits for its end, however long: state may be given back only then. */
  async abandon(): Promise<void> {
    this.#closed = true;
    this.#newest = undefined;
    this.#open?.withdrawal.abort();
    await this.#open?.over;
  }

  async #reply(message: Message, signal: AbortSignal): Promise<Message> {
    const requestId = message["request_id"] as string;
    const speak = async (text: string, thought: boolean): Promise<void> => {
      if (signal.aborted) {
        throw new TurnCancelled("the keeper withdrew the turn");
      }
      this.progress.step();
      await this.link.room();
      this.link.send(stamped("process_delta", { request_id: requestId, text, thought }));
    };
    try {
      const answer = await this.handler(new Turn(message, signal, speak));
      return stamped("process_response", { request_id: requestId, ...responseFields(answer) });
    } catch (error) {
      return signal.aborted ? failure(requestId, "CANCELLED", "the turn was withdrawn") : failureOf(requestId, error);
    }
  }

  async #send(reply: Message, requestId: string): Promise<void> {
    await this.link.room();
    try {
      this.link.send(reply);
    } catch (error) {
      if (!(error instanceof InvalidMessage)) {
        throw error;
      }
      this.link.send(failure(requestId, "EVAL_ERROR", `the answer cannot be sent: ${error.message}`));
    }
  }
}

function failureOf(requestId: string, thrown: unknown): Message {
  if (thrown instanceof TurnFailed) {
    const { retryAfterMs, context, usage, fatal } = thrown.options;
    const reply = failure(requestId, thrown.code, thrown.text, { retry_after_ms: retryAfterMs, context }, fatal);
    return usage ? { ...reply, usage } : reply;
  }
  const error = asError(thrown);
  console.error("the handler failed:", error);
  const trace = (error.stack ?? "").slice(0, STACK_TRACE_CHARS_MAX);
  return failure(requestId, "EVAL_ERROR", `${error.name}: ${error.message}`, { stack_trace: trace });
}

function failure(requestId: string, code: string, text: string, more: Record<string, unknown> = {}, fatal = false): Message {
  return stamped("error", { error: { code, message: text, ...more }, request_id: requestId, fatal });
}
