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
  snapshot: SnapshotView | undefined;
  agents: readonly AgentView[];
  /** Who is silent and should not be, as the watchdog says. */
  stalled: ReadonlySet<string>;
  /** Of the stream: `live`, `offline`, …. */
  phase: string;
}

export function checksOf({ health, snapshot, agents, stalled, phase }: Seen): Check[] {
  const checks: Check[] = [
    {
      name: "stream",
      verdict: phase === "live" ? "ok" : "warn",
      detail: phase === "live" ? "this page follows the ledger" : `this page is ${phase}`,
    },
  ];
  if (health) checks.push(keeper(health));
  if (snapshot) {
    checks.push({
      name: "ledger",
      verdict: snapshot.status === "ok" ? "ok" : snapshot.status === "degraded" ? "warn" : "fail",
      detail: `${snapshot.status}, ${snapshot.seq} lines`,
    });
    checks.push({
      name: "matters",
      verdict: snapshot.attention > 0 ? "warn" : "ok",
      detail: snapshot.attention > 0 ? `${snapshot.attention} wait for a person` : "none waits for a person",
    });
  }
  for (const agent of agents) checks.push(agentCheck(agent, stalled));
  if (health) checks.push(...channels(health));
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

function agentCheck(agent: AgentView, stalled: ReadonlySet<string>): Check {
  const name = `agent ${agent.id}`;
  if (agent.state === "unresponsive")
    return { name, verdict: "fail", detail: agent.process?.message ?? "its process is silent" };
  if (stalled.has(agent.id))
    return { name, verdict: "fail", detail: `stalled, ${agent.state.replaceAll("_", " ")}` };
  if (agent.paused) return { name, verdict: "warn", detail: agent.paused };
  if (agent.process?.state === "waiting")
    return {
      name,
      verdict: "warn",
      detail: agent.process.message ?? "its process waits to be started again",
    };
  return { name, verdict: "ok", detail: agent.state.replaceAll("_", " ") };
}

/** Where people reach agents from outside this page. One that nobody set up is no check. */
function channels({ irc, telegram }: HealthView): Check[] {
  const checks: Check[] = [];
  if (irc) {
    const isOpen = irc.server !== "off" && !irc.server.startsWith("down");
    checks.push({
      name: "irc",
      verdict: irc.server.startsWith("down") ? "warn" : "ok",
      detail: isOpen ? `listens on ${irc.server}` : irc.server,
    });
    for (const { name, agent, state, detail } of irc.networks)
      checks.push({ name: `irc ${name}`, verdict: seatVerdict(state), detail: words(agent, state, detail) });
  }
  if (telegram)
    checks.push({
      name: "telegram",
      verdict: seatVerdict(telegram.state),
      detail: words("", telegram.state, telegram.detail),
    });
  return checks;
}

const seatVerdict = (state: string): Verdict => (state === "online" ? "ok" : "warn");

function words(agent: string, state: string, detail: string | null | undefined): string {
  return [agent && `${agent} is`, detail ? `${state}: ${detail}` : state].filter(Boolean).join(" ");
}

/** What a person types in irssi to come to the built-in IRC server; null where nothing listens. The token is on no command line. */
export function ircCommand(server: string | undefined): string | null {
  const at = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(server ?? "");
  if (!at?.[1]) return null;
  // Whoever listens everywhere is reached here as well.
  const host = at[1].replace(/^\[|\]$/g, "").replace(/^(0\.0\.0\.0|::)$/, "127.0.0.1");
  return `/connect ${host} ${at[2]} TOKEN YOUR-NAME`;
}
