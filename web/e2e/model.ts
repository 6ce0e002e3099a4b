// A model that says what a test tells it to, piece by piece: OpenAI's chat dialect with a stream. The fake model of
// `crates/testkit` has its rules on the command line and cannot be told in mid-answer when to go on; this one can. An agent whose
// model stands at `<url>/<agent>/v1` has answers of its own.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Call {
  name: string;
  arguments: unknown;
}

/** An answer: its pieces, each sent when the test lets it. */
export class Reply {
  /** What is called when it is asked for. */
  onAsked: () => void = () => {};
  /** Whether its tokens are counted from its length, about four letters each. */
  isCounted = false;
  /** How long it thinks, in milliseconds. */
  takes = 0;
  #waiting: (() => void)[] = [];
  #allowed = 0;

  constructor(
    readonly pieces: readonly string[],
    readonly calls: readonly Call[] = [],
    private readonly isFree = true,
  ) {}

  /** Lets so many pieces go. */
  let(pieces = 1): void {
    this.#allowed += pieces;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async mayGo(piece: number): Promise<void> {
    while (!this.isFree && this.#allowed <= piece)
      await new Promise<void>((wake) => this.#waiting.push(wake));
  }
}

/** What a model was asked: its name, and the last message. */
export interface Asked {
  model: string;
  message: string;
}

export interface Model {
  url: string;
  /** What is answered where nothing is scripted; null is echoed. */
  rule: (asked: Asked) => Reply | null;
  /** Answers in this order; what is not scripted is echoed. */
  script: (...replies: Reply[]) => void;
  /** The same for the agent whose model stands at `<url>/<agent>/v1`. */
  scriptFor: (agent: string, ...replies: Reply[]) => void;
  /** Forgets what was scripted and not asked for. */
  clear: () => void;
  stop: () => Promise<void>;
}

/** A reply that is held until its pieces are let go. */
export const held = (...pieces: string[]) => new Reply(pieces, [], false);
export const says = (text: string) => new Reply([text]);
export const calls = (name: string, given: unknown = {}) => new Reply([], [{ name, arguments: given }]);

export async function startModel(): Promise<Model> {
  const scripted = new Map<string, Reply[]>();
  const of = (agent: string) => {
    const known = scripted.get(agent) ?? [];
    scripted.set(agent, known);
    return known;
  };
  const server = createServer((request, response) => {
    const agent = /^\/([^/]+)\/v1\//.exec(request.url ?? "")?.[1] ?? "";
    answer(request, response, (asked) => of(agent).shift() ?? model.rule(asked)).catch(() =>
      response.destroy(),
    );
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const model: Model = {
    url: `http://127.0.0.1:${port}`,
    rule: () => null,
    script: (...replies) => of("").push(...replies),
    scriptFor: (agent, ...replies) => of(agent).push(...replies),
    clear: () => scripted.clear(),
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return model;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  next: (asked: Asked) => Reply | null,
): Promise<void> {
  let text = "";
  for await (const chunk of request) text += chunk;
  if (request.method === "GET") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data: [{ id: "m", object: "model" }] }));
    return;
  }
  const asked = JSON.parse(text) as {
    model: string;
    messages: { role: string; content: unknown }[];
    tools?: { function: { name: string } }[];
  };
  const last = asked.messages.at(-1);
  const reply =
    next({ model: asked.model, message: said(last?.content) }) ??
    new Reply([last?.role === "tool" ? "Done." : `you said: ${said(last?.content)}`]);
  reply.onAsked();
  if (reply.takes > 0) await new Promise((go) => setTimeout(go, reply.takes));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: unknown, finish: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: asked.model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    );
  send({ role: "assistant", content: "" });
  for (const [at, piece] of reply.pieces.entries()) {
    await reply.mayGo(at);
    if (response.destroyed) return;
    send({ content: piece });
  }
  const calls = reply.calls.map((call, index) => {
    // Providers take no dots in names; the keeper spells them its way and knows them again.
    const name = asked.tools
      ?.map((tool) => tool.function.name)
      .find((one) => one.replace(/[^a-z0-9]/g, "") === call.name.replace(/[^a-z0-9]/g, ""));
    return {
      index,
      id: `c${index}`,
      type: "function",
      function: { name: name ?? call.name, arguments: JSON.stringify(call.arguments) },
    };
  });
  if (calls.length > 0) send({ tool_calls: calls });
  send({}, calls.length > 0 ? "tool_calls" : "stop");
  const [given, written] = reply.isCounted ? [tokens(text), tokens(reply.pieces.join(""))] : [10, 5];
  const usage = { prompt_tokens: given, completion_tokens: written, total_tokens: given + written };
  response.write(
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: asked.model, choices: [], usage })}\n\n`,
  );
  response.end("data: [DONE]\n\n");
}

const tokens = (text: string) => Math.ceil(text.length / 4);

function said(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: string }) => part.text ?? "").join("");
}
