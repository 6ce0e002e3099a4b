// What the watchdog says of itself and takes as orders. A keeper without these routes is told by null: then its lines in the ledger alone
// are shown.
import { queryOptions } from "@tanstack/react-query";
import { act } from "@/api/client";
import { ApiError, isRecord } from "@/api/errors";
import type { Silence, WatchdogView } from "./fold";

export interface Judged {
  agent: string;
  /** `active`, `stalled`, `idle`, `asleep`, …. */
  verdict: string;
  /** Null where silence does not count. */
  silent_ms: number | null;
}

export interface OpenEpisode {
  id: string;
  agent: string;
  opened_at: string;
  silent_ms: number;
  threshold_ms: number;
  /** `bell`, `channel` or `human`. */
  rung: string;
  /** What was tried, in words. */
  tried: string[];
  acknowledged_by: string | null;
  acknowledged_until: string | null;
}

export interface Status {
  enabled: boolean;
  interval_ms: number;
  threshold_ms: number;
  last_scan: { at: string; scanned: number; stalled: string[] } | null;
  scans_missed: number;
  agents: Judged[];
  episodes: OpenEpisode[];
  silences: { agent: string | null; until: string }[];
  maintenance: { since: string; until: string | null; by: string; reason: string | null } | null;
  blind: string | null;
  mute: string | null;
  dead_man: string | null;
}

/** No such route, or a page in its place. */
function isAbsent(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.code === "unreadable");
}

/** Reads a status; null where it is none. */
export function statusOf(value: unknown): Status | null {
  if (!isRecord(value) || typeof value.enabled !== "boolean") return null;
  const list = <T>(name: string) => (Array.isArray(value[name]) ? (value[name] as T[]) : []);
  const told = (name: string) => (typeof value[name] === "string" ? value[name] : null);
  const number = (name: string) => (typeof value[name] === "number" ? value[name] : 0);
  return {
    enabled: value.enabled,
    interval_ms: number("interval_ms"),
    threshold_ms: number("threshold_ms"),
    last_scan: isRecord(value.last_scan) ? (value.last_scan as unknown as Status["last_scan"]) : null,
    scans_missed: number("scans_missed"),
    agents: list("agents"),
    episodes: list("episodes"),
    silences: list("silences"),
    maintenance: isRecord(value.maintenance) ? (value.maintenance as unknown as Status["maintenance"]) : null,
    blind: told("blind"),
    mute: told("mute"),
    dead_man: told("dead_man"),
  };
}

export const statusQuery = queryOptions({
  queryKey: ["watchdog", "status"],
  queryFn: async (): Promise<Status | null> => {
    try {
      return statusOf(await act({ method: "GET", path: "/watchdog" }));
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  },
  retry: false,
});

/** What happened since so many hours, in words. */
export const reportQuery = (hours: number) =>
  queryOptions({
    queryKey: ["watchdog-report", hours],
    queryFn: async (): Promise<string> => {
      const report = await act({ method: "GET", path: `/watchdog/report?since=${hours}h` });
      if (!isRecord(report) || typeof report.text !== "string")
        throw new ApiError(200, { message: "the report has no text" });
      return report.text;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export type Order = "scan" | "pause" | "resume" | "silence" | "unsilence" | "test-page";

export function order(action: Order, body: Record<string, unknown> = {}): Promise<unknown> {
  return act({ method: "POST", path: `/watchdog/${action}`, body });
}

/** What its lines tell, set right by what it says of itself, which also knows what stood before the lines that were read. */
export function joined(view: WatchdogView, status: Status | null): WatchdogView {
  if (!status?.enabled) return view;
  const open = new Map(status.episodes.map((one) => [one.id, one]));
  const known = new Set(view.episodes.map((one) => one.id));
  const before = status.episodes.filter((one) => !known.has(one.id)).map(unseen);
  const silences: Silence[] = status.silences.map(({ agent, until }) => {
    const line = view.silences.find((one) => one.agent === agent);
    return { agent, until, by: line?.by ?? null, reason: line?.reason ?? null };
  });
  const { maintenance } = status;
  return {
    ...view,
    isSeen: true,
    // What it has no more is over, also where the line that says so is still to come.
    episodes: [
      ...before,
      ...view.episodes
        .filter((one) => one.end || open.has(one.id))
        .map((one) => {
          const now = open.get(one.id);
          return now ? { ...one, heldBy: now.acknowledged_by, heldUntil: now.acknowledged_until } : one;
        }),
    ],
    silences,
    paused: maintenance && {
      at: maintenance.since,
      by: maintenance.by,
      until: maintenance.until,
      reason: maintenance.reason,
    },
    blind: status.blind === null ? null : (view.blind ?? { at: null, cause: "", message: status.blind }),
    lastScan: status.last_scan ?? view.lastScan,
  };
}

/** An episode whose lines were not read: what was tried is known in words alone. */
function unseen(one: OpenEpisode): WatchdogView["episodes"][number] {
  const ahead = { state: "ahead" as const, at: null, note: "" };
  return {
    id: one.id,
    agent: one.agent,
    openedAt: one.opened_at,
    silentMs: one.silent_ms,
    thresholdMs: one.threshold_ms,
    bell: ahead,
    page: { ...ahead, name: null },
    person: { ...ahead, notice: null },
    inWords: one.tried,
    heldUntil: one.acknowledged_until,
    heldBy: one.acknowledged_by,
    end: null,
    seq: 0,
  };
}
