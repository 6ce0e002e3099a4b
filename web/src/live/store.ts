// The one live state of this page, its stream, and how screens read it.
import { useRef, useSyncExternalStore } from "react";
import type { Connection } from "./connection";
import { type Action, reduce } from "./reduce";
import { EMPTY, type LiveState } from "./state";
import { LiveStream, type World } from "./stream";

/** Between two renderings of what came, so that a fast answer or a long replay does not draw for each piece. */
const FLUSH_MS = 40;
/** A hidden tab reads on for so long. Browsers allow six connections to a host: many tabs must not take them all. */
const REST_MS = 120_000;

/** A clock that should move so often; where it stood for longer, the machine slept. */
const CLOCK_MS = 2_000;
const SLEPT_MS = 3 * CLOCK_MS;

export class LiveStore {
  #state: LiveState = EMPTY;
  #waiting: Action[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #listeners = new Set<() => void>();
  readonly stream: LiveStream;
  onSignedOut: () => void = () => {};
  /** Whether nobody waits for what comes while the tab is hidden. */
  mayRest: () => boolean = () => true;
  /** Called with what changed, once a flush. */
  onFlush: (before: LiveState, after: LiveState) => void = () => {};

  constructor(world?: World) {
    this.stream = new LiveStream(
      {
        onActions: (actions) => this.dispatch(...actions),
        onConnection: () => {
          // What it says of the present must hold for what is shown.
          this.flush();
          this.#tell();
        },
        onSignedOut: () => this.onSignedOut(),
      },
      world,
    );
  }

  get state(): LiveState {
    return this.#state;
  }

  get connection(): Connection {
    return this.stream.connection;
  }

  dispatch(...actions: Action[]): void {
    this.#waiting.push(...actions);
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  /** Folds what waits. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const before = this.#state;
    const actions = this.#waiting;
    this.#waiting = [];
    this.#state = actions.reduce(reduce, before);
    if (this.#state === before) return;
    this.onFlush(before, this.#state);
    this.#tell();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Rests while the tab is hidden for long, tries at once when the network is back, and trusts no stream over a sleep of the machine.
   * Returns how to end it. */
  attend(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let before = Date.now();
    const onVisibility = () => {
      clearTimeout(timer);
      // A hidden tab's clock moves seldom; that is no sleep.
      if (document.visibilityState === "visible") before = Date.now();
      if (document.visibilityState === "hidden") {
        timer = setTimeout(() => this.mayRest() && this.stream.rest(), REST_MS);
      } else if (this.connection.phase !== "ended") {
        this.stream.start();
        this.stream.retryNow();
        this.stream.check(false);
      }
    };
    const onOnline = () => {
      this.stream.retryNow();
      this.stream.check(true);
    };
    const clock = setInterval(() => {
      const now = Date.now();
      if (now - before > SLEPT_MS && document.visibilityState === "visible") this.stream.check(true);
      before = now;
    }, CLOCK_MS);
    const onShown = () => this.stream.check(false);
    window.addEventListener("pageshow", onShown);
    window.addEventListener("focus", onShown);
    document.addEventListener("visibilitychange", onVisibility);
    window.addEventListener("online", onOnline);
    return () => {
      clearTimeout(timer);
      clearInterval(clock);
      window.removeEventListener("pageshow", onShown);
      window.removeEventListener("focus", onShown);
      document.removeEventListener("visibilitychange", onVisibility);
      window.removeEventListener("online", onOnline);
    };
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const live = new LiveStore();

/** A part of the live state; the component is drawn again only when that part changed (shallowly). */
export function useLive<T>(select: (state: LiveState) => T): T {
  const kept = useRef<{ value: T } | null>(null);
  const read = () => {
    const value = select(live.state);
    if (kept.current && isSame(kept.current.value, value)) return kept.current.value;
    kept.current = { value };
    return value;
  };
  return useSyncExternalStore(live.subscribe, read);
}

/** How this page stands to the keeper. */
export function useConnection(): Connection {
  return useSyncExternalStore(live.subscribe, () => live.connection);
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => Object.is(one, b[at]));
  return false;
}
