// Who is kept alive: the keeper, its agents, their processes, and what can be done with them.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Users } from "lucide-react";
import { healthQuery } from "@/api/queries";
import { useCommands } from "@/app/commands";
import { useLive } from "@/live/store";
import { useStalled } from "@/screens/home/standing";
import { EmptyState, LoadError, Loading, Pulse, Screen, span } from "@/ui";
import { park, resume } from "./acts";
import { AgentRow } from "./agent-row";
import { Detail } from "./detail";
import { isOfAgents, KINDS } from "./evidence";
import { watchedAgentsQuery } from "./queries";
import { isStopped } from "./steer";
import { useTrail } from "./trail";

export function AgentsScreen() {
  const { agent } = useSearch({ from: "/agents" });
  const navigate = useNavigate({ from: "/agents" });
  const agents = useQuery(watchedAgentsQuery);
  const trail = useTrail("agents", KINDS, isOfAgents);
  const stalled = useStalled();
  const items = agents.data?.items ?? [];
  const shown = items.find((one) => one.id === agent);
  const show = (id: string | undefined) =>
    void navigate({ search: { agent: id }, replace: id === undefined });
  useCommands(
    items.flatMap((one) => [
      { id: `agents:show:${one.id}`, label: `Show ${one.name}`, group: "Agents", run: () => show(one.id) },
      isStopped(one.state)
        ? {
            id: `agents:resume:${one.id}`,
            label: `Resume ${one.name}`,
            group: "Agents",
            run: () => void resume(one.id, one.state === "parked"),
          }
        : {
            id: `agents:park:${one.id}`,
            label: `Park ${one.name}`,
            group: "Agents",
            run: () => void park(one.id),
          },
    ]),
  );
  const running = items.filter((one) => one.process?.pid != null).length;
  return (
    <Screen
      title="Agents"
      note={
        items.length > 0
          ? `${items.length} agents, ${running} ${running === 1 ? "process" : "processes"}`
          : undefined
      }
    >
      {agents.isPending && <Loading what="the agents" />}
      {agents.isError && (
        <LoadError
          what="The agents could not be loaded."
          error={agents.error}
          retry={() => void agents.refetch()}
        />
      )}
      {agents.data && items.length === 0 && (
        <EmptyState title="No agents yet" icon={<Users aria-hidden className="size-7" />}>
          They are named in <code>abide.toml</code> with <code>[[agent]]</code>. At the command line:{" "}
          <code>abide agents ls</code>
        </EmptyState>
      )}
      {items.length > 0 && (
        <div className="max-w-7xl">
          <KeeperLine />
          <ul aria-label="Agents of this keeper" className="ml-1.5 flex flex-col">
            {items.map((one) => (
              <AgentRow
                key={one.id}
                agent={one}
                trail={trail}
                isShown={one.id === agent}
                isStalled={stalled.has(one.id)}
              />
            ))}
          </ul>
          <p className="mt-3 text-[13px] text-muted">
            An agent with <code>mind = "agent"</code> or <code>"acp"</code> has a process of its own, with
            heartbeats, checkpoints and a log. At the command line: <code>abide agents ls</code>,{" "}
            <code>abide checkpoint ls</code>.
          </p>
        </div>
      )}
      {agents.data && agent && !shown && (
        <p role="status" className="mt-3 text-sm text-muted">
          No agent is called {agent}.
        </p>
      )}
      {shown && <Detail agent={shown} trail={trail} onClose={() => show(undefined)} />}
    </Screen>
  );
}

/** The root of the tree. */
function KeeperLine() {
  const health = useQuery(healthQuery);
  const status = useLive((state) => state.status);
  return (
    <p className="flex flex-wrap items-center gap-2 pb-1 text-sm text-ink">
      <Pulse life={status === "ok" ? "alive" : "troubled"} />
      <span className="font-medium">keeper</span>
      <span className="text-[13px] text-muted">
        {status}
        {health.data && `, version ${health.data.version}, up ${span(health.data.uptime_s)}`}
      </span>
    </p>
  );
}
