// The watchdog as its lines tell it: a pure fold. What stood before the first line that was read is not known here and is not guessed.
import type { ParWritten, ServiceAttempt } from "@/api/generated";
import { type AnyEvent, nameOf } from "@/live/event";

/** Episodes that ended and are kept, the newest. */
export const ENDED_KEPT = 30;
const PARS_KEPT = 20;
/** As the watchdog bounds them. */
const STEPS_KEPT = 8;

export type StepState = "ahead" | "tried" | "done" | "failed";

/** A rung of the ladder: what was tried, and what came of it. */
export interface RungView {
  state: StepState;
  at: string | null;
  note: string;
}

/** Telling people: what each service made of it, the newest attempt of each. */
export interface TellingView extends RungView {
  notice: string | null;
  /** The services that are told; empty for all of them. */
  to: readonly string[];
  attempts: readonly ServiceAttempt[];
}

/** A further step of an escalation. */
export interface StepView extends TellingView {
  /** From 2: the first is the rung itself. */
  step: number;
}

export interface EpisodeView {
  id: string;
  agent: string;
  openedAt: string;
  silentMs: number;
  thresholdMs: number;
  bell: RungView;
  page: RungView & { name: string | null };
  person: TellingView;
  /** Who was told after those, in order. */
  steps: readonly StepView[];
  /** Who is told next, and when at the earliest, where the watchdog says so. */
  next: { at: string; to: readonly string[] } | null;
  /** That those who had been told were told of its end, or that it is in hand. */
  closed: { at: string; kind: string; attempts: readonly ServiceAttempt[] } | null;
  /** What was tried, where no more than words are known of it. */
  inWords: readonly string[] | null;
  /** Until when a person acknowledged it. */
  heldUntil: string | null;
  heldBy: string | null;
  /** Null while it is open. */
  end: { at: string; how: string } | null;
  seq: number;
}

export interface Silence {
  /** Null for all agents. */
  agent: string | null;
  until: string;
  /** Null where the line that began it was not read. */
  by: string | null;
  reason: string | null;
}

export interface WatchdogView {
  /** Whether any line of the watchdog was seen. */
  isSeen: boolean;
  episodes: readonly EpisodeView[];
  silences: readonly Silence[];
  paused: { at: string; by: string; until: string | null; reason: string | null } | null;
  blind: { at: string | null; cause: string; message: string } | null;
  lastScan: { at: string; scanned: number; stalled: readonly string[] } | null;
  lastTest: {
    at: string;
    pageFailed: string | null;
    notifyFailed: string | null;
    attempts: readonly ServiceAttempt[];
  } | null;
  pars: readonly { seq: number; at: string; agent: string; par: ParWritten }[];
}

export const NOTHING: WatchdogView = {
  isSeen: false,
  episodes: [],
  silences: [],
  paused: null,
  blind: null,
  lastScan: null,
  lastTest: null,
  pars: [],
};

export const AHEAD: RungView = { state: "ahead", at: null, note: "" };
export const NOBODY_TOLD: TellingView = { ...AHEAD, notice: null, to: [], attempts: [] };

export function isOfWatchdog(event: AnyEvent): boolean {
  return event.kind.startsWith("watchdog.") || event.kind === "par.written";
}

export function foldWatchdog(events: readonly AnyEvent[]): WatchdogView {
  return events.reduce(withEvent, NOTHING);
}

export function withEvent(before: WatchdogView, event: AnyEvent): WatchdogView {
  if (!isOfWatchdog(event)) return before;
  const view = before.isSeen ? before : { ...before, isSeen: true };
  const { timestamp: at, author } = event;
  const by = nameOf(author);
  switch (event.kind) {
    case "watchdog.scanned": {
      const { scanned, stalled } = event.data;
      return { ...view, lastScan: { at, scanned, stalled } };
    }
    case "watchdog.blinded":
      return { ...view, blind: { at, cause: event.data.cause, message: event.data.message } };
    case "watchdog.sighted":
      return { ...view, blind: null };
    case "watchdog.paused":
      return {
        ...view,
        paused: { at, by, until: event.data.until ?? null, reason: event.data.reason ?? null },
      };
    case "watchdog.resumed":
      return { ...view, paused: null };
    case "watchdog.silenced": {
      const agent = whom(event.entity);
      const rest = view.silences.filter((one) => one.agent !== agent);
      const { until, reason = null } = event.data;
      return { ...view, silences: [...rest, { agent, until, by, reason }] };
    }
    case "watchdog.unsilenced":
      return { ...view, silences: view.silences.filter((one) => one.agent !== whom(event.entity)) };
    case "watchdog.tested": {
      const { page_failed = null, notify_failed = null, attempts = [] } = event.data;
      return { ...view, lastTest: { at, pageFailed: page_failed, notifyFailed: notify_failed, attempts } };
    }
    case "par.written": {
      const par = { seq: event.seq, at, agent: nameOf(event.entity), par: event.data };
      const { episode } = event.data;
      // What closes an episode takes the place of what was written when a person was told of it.
      const rest = view.pars.filter((one) => !episode || one.par.episode !== episode);
      return { ...view, pars: [...rest, par].slice(-PARS_KEPT) };
    }
    default:
      return { ...view, episodes: withStep(view.episodes, event) };
  }
}

/** Lines about episodes. */
function withStep(all: readonly EpisodeView[], event: AnyEvent): readonly EpisodeView[] {
  const at = event.timestamp;
  const one = (id: string, change: (old: EpisodeView) => Partial<EpisodeView>) =>
    all.map((old) => (old.id === id ? { ...old, ...change(old) } : old));
  const where = (fits: (old: EpisodeView) => boolean, change: (old: EpisodeView) => Partial<EpisodeView>) =>
    all.map((old) => (fits(old) ? { ...old, ...change(old) } : old));
  const bell = (state: StepState, note: string) => ({ bell: { state, at, note } });
  switch (event.kind) {
    case "watchdog.stall_opened":
      return bounded([...all.filter((old) => old.id !== event.data.episode), opened(event)]);
    case "watchdog.bell_rung":
      return one(event.data.episode, () => bell("tried", "rung"));
    case "watchdog.bell_answered":
      return one(event.data.episode, () =>
        bell("done", `its process is alive (${event.data.after_ms} ms); no progress yet`),
      );
    case "watchdog.bell_failed": {
      const { episode, code, message } = event.data;
      return one(episode, () => bell("failed", message ?? code.replaceAll("_", " ")));
    }
    case "watchdog.paged": {
      const { episode, page } = event.data;
      return one(episode, () => ({ page: { state: "tried", at, note: `page ${page}`, name: page } }));
    }
    case "watchdog.page_delivered": {
      const { page, proof, by } = event.data;
      const taken = proof === "confirmed" ? "delivered, confirmed" : "sent";
      const note = `page ${page} ${taken}${by ? ` (${by})` : ""}`;
      return where(
        (old) => old.page.name === page && !old.end,
        (old) => ({ page: { ...old.page, state: "done", at, note } }),
      );
    }
    case "watchdog.page_failed": {
      const { page, message } = event.data;
      return where(
        (old) => old.page.name === page && !old.end,
        (old) => ({ page: { ...old.page, state: "failed", at, note: message } }),
      );
    }
    case "watchdog.escalated": {
      const { episode, cause, notice, to = [] } = event.data;
      const note = isOfPage(cause) ? "the page failed" : "no evidence after the page";
      return one(episode, () => ({ person: { state: "tried", at, note, notice, to, attempts: [] } }));
    }
    case "watchdog.stepped": {
      const { episode, step, notice, to } = event.data;
      const next: StepView = { state: "tried", at, note: "", notice, to, attempts: [], step };
      return one(episode, (old) => ({
        steps: [...old.steps.filter((one) => one.step !== step), next].slice(-STEPS_KEPT),
      }));
    }
    case "watchdog.notified": {
      const { notice, by, attempts = [] } = event.data;
      return all.map((old) => tried(old, notice, { state: "done", at, note: `told by ${by}` }, attempts));
    }
    case "watchdog.notify_failed": {
      const { notice, attempt, message, attempts = [] } = event.data;
      const failed: RungView = { state: "failed", at, note: `attempt ${attempt}: ${message}` };
      return all.map((old) => tried(old, notice, failed, attempts));
    }
    case "watchdog.closed": {
      const { kind, episodes = [], attempts } = event.data;
      const closed = { at, kind, attempts: newestOf(attempts) };
      return where(
        (old) => episodes.includes(old.id),
        () => ({ closed }),
      );
    }
    case "watchdog.acknowledged": {
      const { episode, until } = event.data;
      return one(episode, () => ({ heldUntil: until, heldBy: nameOf(event.author) }));
    }
    case "watchdog.resolved": {
      const { episode, rung, evidence_seq } = event.data;
      const how = `evidence returned after the ${rung} (line ${evidence_seq})`;
      return one(episode, () => ({ end: { at, how } }));
    }
    case "watchdog.withdrawn": {
      const { episode, state, unanswered } = event.data;
      const how = unanswered
        ? "its task was given up without an answer"
        : `over without evidence: it is ${state.replaceAll("_", " ")}`;
      return one(episode, () => ({ end: { at, how } }));
    }
    default:
      return all;
  }
}

function opened(event: Extract<AnyEvent, { kind: "watchdog.stall_opened" }>): EpisodeView {
  return {
    id: event.data.episode,
    agent: nameOf(event.entity),
    openedAt: event.timestamp,
    silentMs: event.data.silent_ms,
    thresholdMs: event.data.threshold_ms,
    bell: AHEAD,
    page: { ...AHEAD, name: null },
    person: NOBODY_TOLD,
    steps: [],
    next: null,
    closed: null,
    inWords: null,
    heldUntil: null,
    heldBy: null,
    end: null,
    seq: event.seq,
  };
}

/** An episode whose people were tried to be told with this notice, or as it was. */
function tried(
  old: EpisodeView,
  notice: string,
  how: RungView,
  attempts: readonly ServiceAttempt[],
): EpisodeView {
  const after = <T extends TellingView>(one: T): T =>
    one.notice === notice ? { ...one, ...how, attempts: newestOf([...one.attempts, ...attempts]) } : one;
  const person = after(old.person);
  const steps = old.steps.map(after);
  const isSame = person === old.person && steps.every((one, at) => one === old.steps[at]);
  return isSame ? old : { ...old, person, steps };
}

/** The newest attempt of each service. */
function newestOf(attempts: readonly ServiceAttempt[]): ServiceAttempt[] {
  return [...new Map(attempts.map((one) => [one.service, one])).values()];
}

function bounded(all: readonly EpisodeView[]): readonly EpisodeView[] {
  const ended = all.filter((one) => one.end).slice(-ENDED_KEPT);
  return all.filter((one) => !one.end || ended.includes(one));
}

/** The ledger writes `page-failed`. */
function isOfPage(cause: string): boolean {
  return /^page/i.test(cause);
}

function whom(entity: string): string | null {
  return entity === "@keeper" ? null : nameOf(entity);
}
