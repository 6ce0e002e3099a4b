/**
 * One turn as a handler sees it, and the forms of its answer. A turn is one call of the mind: the engine owns the loop
 * of turns and tools, the handler keeps nothing between two of them but its own state.
 */
import { randomUUID } from "node:crypto";

import { TurnFailed } from "./errors.js";
import type { Message } from "./frame.js";
import { isMap } from "./packing.js";

/** A tool the mind wants run. The engine runs it and asks the next turn with the result in `steps`. */
export interface ToolCall {
  name: string;
  arguments?: Record<string, unknown>;
  id?: string;
}

/** What the turn cost, where the handler knows. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cached_tokens?: number;
  model?: string | null;
  cost_microusd?: number | null;
}

/** The full answer of a turn: calls to make, or a final response. */
export interface Voice {
  final_response?: string | null;
  tool_calls?: readonly ToolCall[];
  thought?: string;
  emotive_state?: string;
  usage?: Usage;
}

/** What a handler may return: the final response as text, or a voice. */
export type Answer = string | Voice;

/** A tool that may be called. */
export interface Tool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** What the keeper asks, and the means to answer it piece by piece. */
export class Turn {
  readonly requestId: string;
  readonly message: string;
  readonly userId: string | undefined;
  /** Everything else that came with the request. */
  readonly context: Record<string, unknown>;

  constructor(
    /** The `process_request` as it came. */
    readonly raw: Message,
    /** Aborted when the keeper withdraws the turn: hand it to `fetch` and to whatever else can stop. */
    readonly signal: AbortSignal,
    private readonly speak: (text: string, thought: boolean) => Promise<void>,
  ) {
    const data = raw["data"] as Record<string, unknown>;
    this.requestId = raw["request_id"] as string;
    this.message = data["message"] as string;
    this.userId = (data["user_id"] ?? undefined) as string | undefined;
    this.context = (data["context"] ?? {}) as Record<string, unknown>;
  }

  /** Streams a piece of the answer. Not durable: what counts is what the handler returns. */
  say(text: string, options: { thought?: boolean } = {}): Promise<void> {
    return this.speak(text, options.thought ?? false);
  }

  get epochId(): string | undefined {
    return this.#field<string>("epoch_id");
  }

  /** The turn's number in its epoch, from 1. */
  get number(): number {
    return this.#field<number>("turn") ?? 1;
  }

  /** The same for every asking of this turn, and for no other turn: the key for `once`. */
  get key(): string {
    return `${this.epochId ?? this.requestId}/${this.number}`;
  }

  /** 1, or more when this turn was asked before without an answer. */
  get attempt(): number {
    return this.#field<number>("attempt") ?? 1;
  }

  /** What did not fit in the answer before. */
  get repair(): { path: string; message: string } | undefined {
    return this.#field("repair");
  }

  /** What the agent is to know, as text: what stays from message to message, then what holds at this moment. */
  get system(): string {
    return this.#field<string>("system") ?? "";
  }

  /** How many characters (code points) of `system` stay from message to message; the rest belongs behind the history. */
  get stableChars(): number | undefined {
    return this.#field<number>("stable_chars");
  }

  /** The zone in which times are shown: `Europe/Berlin`, `UTC` or `+02:00`. */
  get timeZone(): string | undefined {
    return this.#field<string>("time_zone");
  }

  get history(): readonly Record<string, unknown>[] {
    return this.#field<Record<string, unknown>[]>("history") ?? [];
  }

  get tools(): readonly Tool[] {
    return this.#field<Tool[]>("tools") ?? [];
  }

  /** Earlier turns of this epoch: `{turn, voice, tool_results}`. */
  get steps(): readonly Record<string, unknown>[] {
    return this.#field<Record<string, unknown>[]>("steps") ?? [];
  }

  /** How long the turn may take before its answer begins to come, and between two pieces of it. */
  get deadlineMs(): number | undefined {
    return this.#field<number>("deadline_ms");
  }

  /** How long the turn may take in all while pieces of its answer come. */
  get deadlineStreamingMs(): number | undefined {
    return this.#field<number>("deadline_streaming_ms");
  }

  #field<T>(name: string): T | undefined {
    return (this.context[name] ?? undefined) as T | undefined;
  }
}

/** Turns what a handler returned into `voice` and `usage` of a `process_response`. */
export function responseFields(answer: Answer): Record<string, unknown> {
  if (typeof answer === "string") {
    return responseFields({ final_response: answer });
  }
  if (!isMap(answer)) {
    throw new TurnFailed("EVAL_ERROR", `a handler must return text or a voice, not ${answer === null ? "null" : typeof answer}`);
  }
  const { usage, tool_calls: calls, ...voice } = answer as Voice;
  const toolCalls = (calls ?? []).map((call) => ({
    id: call.id ?? `call_${randomUUID().slice(0, 12)}`,
    name: call.name,
    arguments: call.arguments ?? {},
  }));
  return {
    voice: { thought: "", emotive_state: "neutral", final_response: null, ...voice, tool_calls: toolCalls },
    usage,
  };
}
