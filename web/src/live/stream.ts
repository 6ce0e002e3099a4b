// One stream of events from the keeper: it begins at a snapshot, goes on where it broke off, fills holes, and says truthfully how
// it stands. It knows nothing of screens: what it learns goes out as actions of the reducer.
//
// Order at each (re)connection: the stream is opened behind the last event that was folded; then a second look at the keeper
// tells how far its log reads (until there this page is `behind`) and what answers have grown to; pieces that came meanwhile
// are held back and joined with those, so that no letter is missing or doubled.
import { ApiError, decodeError, messageOf } from "@/api/errors";
import type { AgentView, ApprovalView, EpochView, List, SnapshotView } from "@/api/generated";
import type { Connection } from "./connection";
import { type Delta, decodeDelta, decodeEvent, decodeProgress } from "./event";
import { joinPartial } from "./partial";
import type { Action, Growing } from "./reduce";
import { type Message, readStream } from "./sse";

/** A stream that says nothing for so long is dead: the keeper sends a comment every 15 s. */
const SILENCE_MS_MAX = 40_000;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 15_000;
/** Whoever was away for so long has missed a comment, if the stream lived: there is one every 15 s. */
const HEARD_MS_MAX = 17_000;
/** A loss longer than this is not replayed: the page begins anew at the present. */
const REPLAY_MAX = 5_000;
/** Epochs that are read at the beginning. */
const EPOCHS_FIRST = 60;

/** What the stream needs of the world; tests bring their own. */
export interface World {
  fetch: typeof fetch;
  now: () => number;
  /** Waits, or not for so long if the signal says so. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  random: () => number;
}

export interface Listener {
  onActions: (actions: Action[]) => void;
  onConnection: (connection: Connection) => void;
  onSignedOut: () => void;
}

export const WORLD: World = {
  fetch: (...given) => fetch(...given),
  now: () => Date.now(),
  random: () => Math.random(),
  pause: (ms, signal) =>
    new Promise((done) => {
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        done();
      });
    }),
};

class Hole extends Error {}
class Silent extends Error {}

export class LiveStream {
  readonly #world: World;
  readonly #listener: Listener;
  #connection: Connection;
  /** The last event that was folded; null before the first snapshot. */
  #last: number | null = null;
  #running: AbortController | null = null;
  /** Cuts a pause short. */
  #wake = new AbortController();
  #attempt = 0;
  #heardAt = 0;
  /** Ends the open stream alone. */
  #connected: AbortController | null = null;
  /** Whether the open stream was given up, to be opened anew at once. */
  #isGivenUp = false;
  #lostAt: number | null = null;
  /** Pieces that wait for the second look; null once it was taken. */
  #held: Delta[] | null = null;
  #replayed = 0;
  /** Where the last hole was: a second one at the same place is not asked for again. */
  #holeAt: number | null = null;

  constructor(listener: Listener, world: World = WORLD) {
    this.#listener = listener;
    this.#world = world;
    this.#connection = { phase: "connecting", since: world.now() };
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Follows the keeper until told to stop. Calling it while it runs changes nothing. */
  start(): void {
    if (this.#running) return;
    const running = new AbortController();
    this.#running = running;
    if (this.#connection.phase !== "connecting") this.#say({ phase: "connecting", since: this.#world.now() });
    void this.#run(running.signal);
  }

  /** Stops; `start` goes on where it was. */
  stop(): void {
    this.#running?.abort();
    this.#running = null;
  }

  /** Stops reading for a hidden tab. */
  rest(): void {
    if (!this.#running) return;
    this.stop();
    this.#lostAt ??= this.#world.now();
    this.#say({ phase: "resting", since: this.#world.now() });
  }

  /** Tries at once, where it waits to try again. */
  retryNow(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /**
   * The page was looked at again. A stream that should have spoken meanwhile is taken for dead and opened anew; after a sleep of the
   * machine (`wasAsleep`) any is, for the other side may have closed it unheard. Until then nothing says that it is live.
   */
  check(wasAsleep: boolean): void {
    const { phase } = this.#connection;
    if (!this.#connected || (phase !== "live" && phase !== "behind")) return;
    const now = this.#world.now();
    if (!wasAsleep && now - this.#heardAt < HEARD_MS_MAX) return;
    this.#isGivenUp = true;
    this.#lostAt ??= now;
    this.#say({ phase: "connecting", since: now });
    this.#connected.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isGivenUp = false;
      try {
        await this.#follow(signal);
        if (this.#isGivenUp) continue;
        // The keeper ended the stream: it stops. It is away until it answers again.
        await this.#lost(
          new ApiError(0, { code: "offline", message: "the keeper ended the stream" }),
          signal,
        );
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.status === 401) return this.#end();
        if (error instanceof Hole || this.#isGivenUp) continue;
        await this.#lost(error, signal);
      }
    }
  }

  #end(): void {
    this.#running = null;
    this.#say({ phase: "ended", since: this.#world.now(), why: "not signed in" });
    this.#listener.onSignedOut();
  }

  async #lost(error: unknown, signal: AbortSignal): Promise<void> {
    this.#lostAt ??= this.#world.now();
    const attempt = this.#attempt;
    this.#attempt += 1;
    const bound = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** attempt);
    const wait = bound * (0.5 + this.#world.random() / 2);
    const retryAt = this.#world.now() + wait;
    const since = this.#lostAt;
    const isLoading = error instanceof ApiError && error.code === "loading";
    if (isLoading) this.#say({ phase: "loading", since, attempt, retryAt });
    else this.#say({ phase: "offline", since, attempt, retryAt, why: messageOf(error) });
    await this.#world.pause(wait, AbortSignal.any([signal, this.#wake.signal]));
  }

  async #follow(signal: AbortSignal): Promise<void> {
    if (this.#last === null) await this.#begin(signal);
    const connected = new AbortController();
    this.#connected = connected;
    const both = AbortSignal.any([signal, connected.signal]);
    this.#heardAt = this.#world.now();
    try {
      const response = await this.#world.fetch("/events?deltas=1&thoughts=1", {
        headers: { Accept: "text/event-stream", "Last-Event-ID": String(this.#last ?? 0) },
        cache: "no-store",
        signal: both,
      });
      if (!response.ok) throw decodeError(response.status, await response.text());
      this.#held = [];
      this.#replayed = 0;
      const reading = readStream(
        response,
        (messages) => this.#take(messages),
        () => {
          this.#heardAt = this.#world.now();
        },
      );
      // If the look fails the reading is ended with it; its own end is then nobody's news.
      reading.catch(() => {});
      await this.#look(both);
      await Promise.race([reading, this.#silence(both)]);
    } finally {
      connected.abort();
      this.#connected = null;
      this.#held = null;
    }
  }

  /** Rejects when nothing was heard for too long. */
  async #silence(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#world.pause(SILENCE_MS_MAX / 4, signal);
      if (!signal.aborted && this.#world.now() - this.#heardAt > SILENCE_MS_MAX)
        throw new Silent("no answer from the keeper");
    }
  }

  /** Reads the present: everything before it stays with the keeper. */
  async #begin(signal: AbortSignal): Promise<void> {
    const snapshot = await this.#read<SnapshotView>("/snapshot", signal);
    await this.#rebase(snapshot, signal);
  }

  async #rebase(snapshot: SnapshotView, signal: AbortSignal): Promise<void> {
    const [epochs, agents, approvals] = await Promise.all([
      this.#read<List<EpochView>>(`/epochs?limit=${EPOCHS_FIRST}&thoughts=1`, signal),
      this.#read<List<AgentView>>("/agents?limit=500", signal),
      this.#read<List<ApprovalView>>("/approvals?limit=200", signal),
    ]);
    const open = snapshot.agents.map((agent) => agent.epoch_id).filter((id) => id != null);
    const missing = open.filter((id) => !epochs.items.some((epoch) => epoch.epoch_id === id));
    const more = await Promise.all(
      missing.map((id) => this.#read<EpochView>(`/epochs/${id}?thoughts=1`, signal)),
    );
    this.#last = snapshot.seq;
    this.#listener.onActions([
      { type: "snapshot", snapshot, day: new Date(this.#world.now()).toISOString().slice(0, 10) },
      { type: "agents", views: agents.items },
      { type: "epochs", views: [...epochs.items, ...more] },
      { type: "approvals", views: approvals.items },
    ]);
  }

  /** The second look: how far the log reads, and what answers have grown to. */
  async #look(signal: AbortSignal): Promise<void> {
    const snapshot = await this.#read<SnapshotView>("/snapshot", signal);
    const last = this.#last ?? 0;
    if (snapshot.seq - last > REPLAY_MAX) {
      await this.#rebase(snapshot, signal);
      throw new Hole("too much was missed to replay");
    }
    this.#listener.onActions([{ type: "partials", partials: joined(snapshot, this.#held ?? []) }]);
    this.#held = null;
    const now = this.#world.now();
    if (last < snapshot.seq) {
      this.#say({ phase: "behind", since: now, target: snapshot.seq, replayed: this.#replayed });
    } else {
      this.#arrived();
    }
  }

  #arrived(): void {
    const replayed = this.#lostAt === null ? null : this.#replayed;
    this.#lostAt = null;
    this.#attempt = 0;
    this.#say({ phase: "live", since: this.#world.now(), replayed });
  }

  #take(messages: Message[]): void {
    const actions: Action[] = [];
    try {
      for (const message of messages) this.#one(message, actions);
    } finally {
      if (actions.length > 0) this.#listener.onActions(actions);
    }
    const connection = this.#connection;
    if (connection.phase === "behind" && (this.#last ?? 0) >= connection.target) this.#arrived();
  }

  #one(message: Message, actions: Action[]): void {
    if (message.event === "turn.delta") {
      const delta = decodeDelta(message.data);
      if (!delta) return;
      if (this.#held) this.#held.push(delta);
      else actions.push({ type: "delta", delta });
      return;
    }
    if (message.event === "tool.progress") {
      const update = decodeProgress(message.data);
      if (update) actions.push({ type: "progress", update });
      return;
    }
    if (message.event === "snapshot") {
      // The keeper's log is shorter than what was seen: it is another one, or an older state of it. Begin anew.
      this.#last = null;
      throw new Hole("the ledger was replaced");
    }
    if (message.id === null) return;
    const last = this.#last ?? 0;
    if (message.id <= last) return;
    if (message.id > last + 1) this.#hole(last);
    this.#last = message.id;
    if (this.#lostAt !== null) this.#replayed += 1;
    const event = decodeEvent(message.data);
    if (event) actions.push({ type: "event", event });
    if (event?.kind === "turn.started" && this.#held) {
      // Pieces of an attempt before this one belong to nobody any more.
      this.#held = this.#held.filter((delta) => delta.epoch_id !== event.epoch);
    }
  }

  /** Events are missing: asked for again from the last that is there; if that brings no others, from the present. */
  #hole(last: number): never {
    if (this.#holeAt === last) this.#last = null;
    this.#holeAt = last;
    throw new Hole(`events behind ${last} are missing`);
  }

  async #read<T>(path: string, signal: AbortSignal): Promise<T> {
    const response = await this.#world.fetch(path, {
      headers: { Accept: "application/json" },
      cache: "no-store",
      signal,
    });
    const text = await response.text();
    if (!response.ok) throw decodeError(response.status, text);
    return JSON.parse(text) as T;
  }

  #say(connection: Connection): void {
    this.#connection = connection;
    this.#listener.onConnection(connection);
  }
}

/** By epoch, what its growing answer is now. */
function joined(snapshot: SnapshotView, held: readonly Delta[]): Record<string, Growing> {
  const partials: Record<string, Growing> = {};
  const pieces = new Map<string, string[]>();
  for (const delta of held) {
    if (delta.thought) continue;
    pieces.set(delta.epoch_id, [...(pieces.get(delta.epoch_id) ?? []), delta.text]);
  }
  for (const { epoch_id, partial, turn } of snapshot.agents) {
    if (!epoch_id) continue;
    partials[epoch_id] = { text: joinPartial(partial ?? "", pieces.get(epoch_id) ?? []), turn: turn ?? 0 };
  }
  return partials;
}
