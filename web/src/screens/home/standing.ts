// How agents stand, beyond what their own state says: one that works and shows nothing is no agent that works.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { attentionQuery } from "@/api/queries";
import type { LiveAgent } from "@/live/state";

/** Agents that are silent though they have something to do, as the watchdog says. */
export function useStalled(): ReadonlySet<string> {
  const attention = useQuery(attentionQuery);
  return useMemo(
    () =>
      new Set(
        attention.data?.items.flatMap(({ kind, citizen }) => (kind === "stall" && citizen ? [citizen] : [])),
      ),
    [attention.data],
  );
}

const RANKS = ["stalled", "troubled", "waiting", "working", "idle"] as const;

/** Who needs a look first: stalled, troubled, waiting for somebody, working, idle; by names among equals. */
export function byStanding<T extends Pick<LiveAgent, "id" | "name" | "state" | "openEpoch">>(
  agents: readonly T[],
  stalled: ReadonlySet<string>,
): T[] {
  const rank = (agent: T) => RANKS.indexOf(standingOf(agent, stalled));
  return [...agents].sort(
    (a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name) || a.id.localeCompare(b.id),
  );
}

const TROUBLED = new Set(["unresponsive", "over_disk_limit", "paused", "parked"]);

function standingOf(
  agent: Pick<LiveAgent, "id" | "state" | "openEpoch">,
  stalled: ReadonlySet<string>,
): (typeof RANKS)[number] {
  if (stalled.has(agent.id)) return "stalled";
  if (TROUBLED.has(agent.state)) return "troubled";
  if (agent.state === "waiting_approval") return "waiting";
  return agent.openEpoch || agent.state === "busy" ? "working" : "idle";
}

/** All of them in a line: `3 of 5 working, 1 of them stalled, 1 waits for you`. */
export function census(
  agents: readonly Pick<LiveAgent, "id" | "state" | "openEpoch">[],
  stalled: ReadonlySet<string>,
): string {
  const working = agents.filter((agent) => agent.openEpoch).length;
  const waiting = agents.filter((agent) => agent.state === "waiting_approval").length;
  const silent = agents.filter((agent) => stalled.has(agent.id)).length;
  return [
    `${working} of ${agents.length} working`,
    silent > 0 && `${silent} of them stalled`,
    waiting > 0 && `${waiting} ${waiting === 1 ? "waits" : "wait"} for you`,
  ]
    .filter(Boolean)
    .join(", ");
}
