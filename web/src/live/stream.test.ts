import { describe, expect, it } from "vitest";
import type { SnapshotView } from "@/api/generated";
import type { Connection } from "./connection";
import type { Action } from "./reduce";
import { LiveStream, type World } from "./stream";

const AGENT = {
  id: "felix",
  state: "idle",
  lane: "IDLE",
  epoch_id: null,
  turn: null,
  partial: null,
  queue: 0,
  last_evidence_at: null,
  usage_today: { input_tokens: 0, output_tokens: 0, cost_microusd: 0, unpriced: 0 },
  process: null,
};

/** A keeper that says what a test wants, and a clock that only moves when somebody waits. */
class Fake {
  head = 0;
  agent = AGENT as Record<string, unknown>;
  /** What each opening of the stream sends; a number is an event, a text is sent as it is. */
  streams: (number | string)[][] = [];
  /** Paths that fail, and with what. */
  fails: { path: string; status: number; code: string }[] = [];
  readonly asked: string[] = [];
  readonly actions: Action[] = [];
  readonly said: Connection[] = [];
  /** Called with the number of each opening of the stream, from 1. */
  onOpen: (opening: number) => void = () => {};
  #openings = 0;
  time = 0;
  signedOut = 0;
  pauses: number[] = [];
  #closes: (() => void)[] = [];

  get world(): World {
    return {
      fetch: (async (input: RequestInfo | URL, init?: RequestInit) =>
        this.#answer(String(input), init)) as typeof fetch,
      now: () => this.time,
      random: () => 0,
      pause: async (ms, signal) => {
        // The watch over silence is not what these tests are about: it waits for the end.
        if (ms === 10_000) return new Promise<void>((done) => signal.addEventListener("abort", () => done()));
        this.pauses.push(ms);
        this.time += ms;
        await Promise.resolve();
      },
    };
  }

  stream(): LiveStream {
    return new LiveStream(
      {
        onActions: (actions) => this.actions.push(...actions),
        onConnection: (connection) => this.said.push(connection),
        onSignedOut: () => {
          this.signedOut += 1;
        },
      },
      this.world,
    );
  }

  /** Ends the open stream, as a keeper that stops does. */
  close(): void {
    this.#closes.shift()?.();
  }

  get events(): number[] {
    return this.actions.flatMap((action) => (action.type === "event" ? [action.event.seq] : []));
  }

  snapshot(): SnapshotView {
    return {
      seq: this.head,
      tick: 1,
      chain_head: "",
      state_digest: "",
      status: "ok",
      agents: [this.agent],
      approvals: 0,
      attention: 0,
      decks: {},
      media: {},
      watchdog: {},
    } as unknown as SnapshotView;
  }

  #answer(path: string, init?: RequestInit): Response {
    const headers = (init?.headers ?? {}) as Record<string, string>;
    this.asked.push(path.startsWith("/events") ? `/events from ${headers["Last-Event-ID"]}` : path);
    const at = this.fails.findIndex((fail) => path.startsWith(fail.path));
    if (at >= 0) {
      const { status = 0, code = "" } = this.fails.splice(at, 1)[0] ?? {};
      if (status === 0) throw new TypeError("no network");
      return new Response(JSON.stringify({ error: { code, message: code } }), { status });
    }
    if (path.startsWith("/snapshot")) return Response.json(this.snapshot());
    if (path.startsWith("/events")) return this.#stream(init?.signal);
    return Response.json({ items: [], next: null });
  }

  #stream(signal: AbortSignal | null | undefined): Response {
    this.#openings += 1;
    this.onOpen(this.#openings);
    const sent = this.streams.shift() ?? [];
    const text = sent.map((one) => (typeof one === "number" ? event(one) : one)).join("");
    const body = new ReadableStream({
      start: (controller) => {
        if (text) controller.enqueue(new TextEncoder().encode(text));
        this.#closes.push(() => controller.close());
        signal?.addEventListener("abort", () => {
          try {
            controller.error(new DOMException("aborted", "AbortError"));
          } catch {
            // It was closed before.
          }
        });
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }
}

const event = (seq: number) =>
  `id: ${seq}\nevent: keeper.started\ndata: ${JSON.stringify({ seq, tick: 1, timestamp: "2026-01-01T00:00:00Z", entity: "@keeper", author: "@keeper", kind: "keeper.started", v: 1, data: { version: "0" } })}\n\n`;
const delta = (text: string) =>
  `event: turn.delta\ndata: ${JSON.stringify({ epoch_id: "e1", turn: 1, text })}\n\n`;

async function until(is: () => boolean): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) {
    if (is()) return;
    await new Promise((next) => setTimeout(next, 1));
  }
  throw new Error("it never came to that");
}

const phases = (fake: Fake) => fake.said.map((one) => one.phase);

describe("the stream", () => {
  it("begins at a snapshot and is live only when it has all that the keeper has", async () => {
    const fake = new Fake();
    fake.head = 5;
    fake.streams = [[6, 7]];
    const stream = fake.stream();
    stream.start();
    await until(() => stream.connection.phase === "live");
    await until(() => fake.events.length === 2);
    expect(fake.actions[0]?.type).toBe("snapshot");
    expect(fake.asked).toContain("/events from 5");
    expect(fake.events).toEqual([6, 7]);
    expect(stream.connection).toMatchObject({ phase: "live", replayed: null });
    stream.stop();
  });

  it("does not pass a stream off as live that fell silent while the page slept", async () => {
    const fake = new Fake();
    fake.head = 2;
    fake.streams = [[3], [4]];
    const stream = fake.stream();
    stream.start();
    await until(() => stream.connection.phase === "live" && fake.events.length === 1);
    // Looked at again while comments come: nothing to doubt.
    fake.time += 10_000;
    stream.check(false);
    expect(stream.connection.phase).toBe("live");
    // A comment is overdue: it is opened anew at once, from where it was, and nothing says that it is live meanwhile.
    fake.time += 10_000;
    fake.head = 4;
    stream.check(false);
    expect(stream.connection.phase).toBe("connecting");
    await until(() => stream.connection.phase === "live" && fake.events.length === 2);
    expect(fake.asked).toContain("/events from 3");
    expect(fake.events).toEqual([3, 4]);
    expect(phases(fake)).not.toContain("offline");
    // After a sleep of the machine no stream is trusted, however short it was.
    fake.streams = [[5]];
    fake.head = 5;
    stream.check(true);
    expect(stream.connection.phase).toBe("connecting");
    await until(() => stream.connection.phase === "live" && fake.events.length === 3);
    stream.stop();
    stream.check(true);
    expect(fake.pauses).toEqual([]);
  });

  it("goes on behind its last event after a loss, and counts what it read", async () => {
    const fake = new Fake();
    fake.head = 2;
    fake.streams = [[3], [4, 5, 6]];
    const stream = fake.stream();
    stream.start();
    await until(() => fake.events.length === 1);
    fake.head = 6;
    fake.close();
    await until(() => fake.said.at(-1)?.phase === "live" && fake.events.length === 4);
    expect(fake.asked).toContain("/events from 3");
    expect(fake.events).toEqual([3, 4, 5, 6]);
    expect(phases(fake)).toContain("offline");
    expect(stream.connection).toMatchObject({ phase: "live", replayed: 3 });
    stream.stop();
  });

  it("is behind until it has read what the keeper has", async () => {
    const fake = new Fake();
    fake.head = 2;
    fake.streams = [[], []];
    const stream = fake.stream();
    stream.start();
    await until(() => stream.connection.phase === "live");
    fake.head = 4;
    fake.close();
    await until(() => stream.connection.phase === "behind");
    expect(stream.connection).toMatchObject({ target: 4 });
    stream.stop();
  });

  it("asks again for events that are missing", async () => {
    const fake = new Fake();
    fake.head = 1;
    fake.streams = [
      [2, 4],
      [3, 4],
    ];
    const stream = fake.stream();
    stream.start();
    await until(() => fake.events.length === 3);
    expect(fake.events).toEqual([2, 3, 4]);
    expect(fake.asked).toContain("/events from 2");
    stream.stop();
  });

  it("begins anew where what is missing does not come", async () => {
    const fake = new Fake();
    fake.head = 1;
    fake.streams = [[2, 4], [4], [5]];
    fake.onOpen = (opening) => {
      if (opening === 2) fake.head = 4;
    };
    const stream = fake.stream();
    stream.start();
    await until(() => fake.events.includes(5));
    expect(fake.actions.filter((action) => action.type === "snapshot").length).toBe(2);
    stream.stop();
  });

  it("shows no event twice", async () => {
    const fake = new Fake();
    fake.head = 3;
    fake.streams = [[2, 3, 4, 4, 5]];
    const stream = fake.stream();
    stream.start();
    await until(() => fake.events.length === 2);
    expect(fake.events).toEqual([4, 5]);
    stream.stop();
  });

  it("begins anew when the keeper's log is another one", async () => {
    const fake = new Fake();
    fake.head = 9;
    fake.onOpen = () => {
      fake.head = 2;
    };
    fake.streams = [['id: 2\nevent: snapshot\ndata: {"seq":2}\n\n'], [3]];
    const stream = fake.stream();
    stream.start();
    await until(() => fake.actions.filter((action) => action.type === "snapshot").length >= 2);
    stream.stop();
  });

  it("waits longer after each failure, and not for ever", async () => {
    const fake = new Fake();
    fake.fails = Array.from({ length: 9 }, () => ({ path: "/snapshot", status: 0, code: "" }));
    const stream = fake.stream();
    stream.start();
    await until(() => stream.connection.phase === "live");
    expect(fake.pauses.slice(0, 9)).toEqual([250, 500, 1000, 2000, 4000, 7500, 7500, 7500, 7500]);
    const offline = fake.said.filter((one) => one.phase === "offline");
    expect(new Set(offline.map((one) => one.since)).size).toBe(1);
    stream.stop();
  });

  it("says that the keeper reads its ledger", async () => {
    const fake = new Fake();
    fake.fails = [{ path: "/snapshot", status: 503, code: "loading" }];
    const stream = fake.stream();
    stream.start();
    await until(() => stream.connection.phase === "live");
    expect(phases(fake)).toContain("loading");
    stream.stop();
  });

  it("ends when the browser is signed out", async () => {
    const fake = new Fake();
    fake.fails = [{ path: "/events", status: 401, code: "unauthorized" }];
    const stream = fake.stream();
    stream.start();
    await until(() => fake.signedOut === 1);
    expect(stream.connection.phase).toBe("ended");
  });

  it("joins a growing answer with the pieces that came meanwhile", async () => {
    const fake = new Fake();
    fake.head = 1;
    fake.agent = { ...AGENT, lane: "OPEN", epoch_id: "e1", turn: 1, partial: "The heron" };
    fake.streams = [[delta(" heron"), delta(" is")]];
    const stream = fake.stream();
    stream.start();
    await until(() => fake.actions.some((action) => action.type === "partials"));
    const partials = fake.actions.find((action) => action.type === "partials");
    const later = fake.actions.flatMap((action) => (action.type === "delta" ? [action.delta.text] : []));
    const text = partials?.type === "partials" ? partials.partials.e1?.text : "";
    expect(`${text}${later.join("")}`).toBe("The heron is");
    stream.stop();
  });
});
