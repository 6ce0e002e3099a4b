// What the watchdog says of itself and takes as orders.
import { queryOptions } from "@tanstack/react-query";
import { call } from "@/api/client";
import type {
  EpisodeView as OpenEpisode,
  WatchdogView as Status,
  WordAnswer,
  WordBody,
} from "@/api/generated";
import { AHEAD, NOBODY_TOLD, type Silence, type WatchdogView } from "./fold";

export type { Status };

export const statusQuery = queryOptions({
  queryKey: ["watchdog", "status"],
  queryFn: ({ signal }): Promise<Status> => call("GET /watchdog", { signal }),
  retry: false,
});

/** What happened since so many hours, in words. */
export const reportQuery = (hours: number) =>
  queryOptions({
    queryKey: ["watchdog-report", hours],
    queryFn: async ({ signal }): Promise<string> =>
      (await call("GET /watchdog/report", { query: { since: `${hours}h` }, signal })).text,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export type Order = "scan" | "pause" | "resume" | "silence" | "unsilence" | "ack" | "test-page";

export function order(action: Order, body: WordBody = {}): Promise<WordAnswer> {
  return call("POST /watchdog/{action}", { path: { action }, body });
}

/** What its lines tell, set right by what it says of itself, which also knows what stood before the lines that were read. */
export function joined(view: WatchdogView, status: Status | null): WatchdogView {
  if (!status?.enabled) return view;
  const open = new Map(status.episodes.map((one) => [one.id, one]));
  const known = new Set(view.episodes.map((one) => one.id));
  const before = status.episodes.filter((one) => !known.has(one.id)).map(unseen);
  const silences: Silence[] = status.silences.map(({ agent = null, until }) => {
    const line = view.silences.find((one) => one.agent === agent);
    return { agent, until, by: line?.by ?? null, reason: line?.reason ?? null };
  });
  const { maintenance } = status;
  const next = new Map(status.next_steps.map(({ episode, at, to }) => [episode, { at, to }]));
  return {
    ...view,
    isSeen: true,
    // What it has no more is over, also where the line that says so is still to come.
    episodes: [
      ...before.map((one) => ({ ...one, next: next.get(one.id) ?? null })),
      ...view.episodes
        .filter((one) => one.end || open.has(one.id))
        .map((one) => {
          const now = open.get(one.id);
          return now ? { ...one, ...heldOf(now), next: next.get(one.id) ?? null } : one;
        }),
    ],
    silences,
    paused: maintenance
      ? {
          at: maintenance.since,
          by: maintenance.by,
          until: maintenance.until ?? null,
          reason: maintenance.reason ?? null,
        }
      : null,
    blind: status.blind ? (view.blind ?? { at: null, cause: "", message: status.blind }) : null,
    lastScan: status.last_scan ?? view.lastScan,
  };
}

/** An episode whose lines were not read: what was tried is known in words alone. */
function unseen(one: OpenEpisode): WatchdogView["episodes"][number] {
  return {
    id: one.id,
    agent: one.agent,
    openedAt: one.opened_at,
    silentMs: one.silent_ms,
    thresholdMs: one.threshold_ms,
    bell: AHEAD,
    page: { ...AHEAD, name: null },
    person: NOBODY_TOLD,
    steps: [],
    next: null,
    closed: null,
    inWords: one.tried,
    ...heldOf(one),
    end: null,
    seq: 0,
  };
}

function heldOf(one: OpenEpisode): { heldBy: string | null; heldUntil: string | null } {
  return { heldBy: one.acknowledged_by ?? null, heldUntil: one.acknowledged_until ?? null };
}
