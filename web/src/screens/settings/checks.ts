// What this page can see of the keeper's health, as `abide doctor` says it: one check a line.
import type { AgentView, HealthView, SnapshotView } from "@/api/generated";

export type Verdict = "ok" | "warn" | "fail";

export interface Check {
  name: string;
  verdict: Verdict;
  detail: string;
}

export interface Seen {
  health: HealthView | undefined;
  house: SnapshotView | undefined;
  agents: readonly AgentView[];
  /** Of the stream: `live`, `offline`, …. */
  phase: string;
}

export function checksOf({ health, house, agents, phase }: Seen): Check[] {
  const checks: Check[] = [
    {
      name: "stream",
      verdict: phase === "live" ? "ok" : "warn",
      detail: phase === "live" ? "this page follows the ledger" : `this page is ${phase}`,
    },
  ];
  if (health) checks.push(keeper(health));
  if (house) {
    checks.push({
      name: "ledger",
      verdict: house.status === "ok" ? "ok" : house.status === "degraded" ? "warn" : "fail",
      detail: `${house.status}, ${house.seq} lines`,
    });
    checks.push({
      name: "matters",
      verdict: house.attention > 0 ? "warn" : "ok",
      detail: house.attention > 0 ? `${house.attention} wait for a person` : "none waits for a person",
    });
  }
  for (const agent of agents) checks.push(...agentChecks(agent));
  return checks;
}

function keeper(health: HealthView): Check {
  const isOk = health.status === "ok" && !health.stopping;
  return {
    name: "keeper",
    verdict: isOk ? "ok" : health.status === "poisoned" ? "fail" : "warn",
    detail: health.stopping ? "about to end" : (health.reason ?? health.status),
  };
}

function agentChecks(agent: AgentView): Check[] {
  const name = `agent ${agent.id}`;
  if (agent.state === "unresponsive")
    return [{ name, verdict: "fail", detail: agent.process?.message ?? "its process is silent" }];
  if (agent.paused) return [{ name, verdict: "warn", detail: agent.paused }];
  if (agent.process?.state === "waiting")
    return [
      { name, verdict: "warn", detail: agent.process.message ?? "its process waits to be started again" },
    ];
  return [{ name, verdict: "ok", detail: agent.state.replaceAll("_", " ") }];
}
