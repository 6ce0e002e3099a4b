import { Link } from "@tanstack/react-router";
import { Square, Users } from "lucide-react";
import { useAgents, useEpoch, useEpochs } from "@/live/hooks";
import type { LiveAgent, LiveEpoch } from "@/live/state";
import { quote } from "@/live/words";
import { doingNow } from "@/screens/chat/doing-now";
import { stopEpoch } from "@/screens/chat/stop";
import {
  Button,
  Card,
  CardHead,
  Cost,
  count,
  cx,
  EmptyState,
  lifeOf,
  Pulse,
  stateWord,
  Time,
  useNow,
} from "@/ui";
import { lastDone, lastEnded } from "./last-done";
import { byStanding, census, useStalled } from "./standing";

export function AgentsGlance() {
  const agents = useAgents();
  const stalled = useStalled();
  return (
    <Card aria-labelledby="agents-title">
      <CardHead
        id="agents-title"
        title="Agents"
        note={agents.length > 0 ? census(agents, stalled) : undefined}
      />
      {agents.length === 0 ? (
        <EmptyState title="No agents yet" icon={<Users aria-hidden className="size-7" />}>
          They are named in <code>abide.toml</code> with <code>[[agent]]</code>; without one there is Felix.
        </EmptyState>
      ) : (
        // Each card draws its right and lower edge; those at the rim are cut off.
        <ul className="-mr-px -mb-px grid border-t border-line sm:grid-cols-[repeat(auto-fit,minmax(16rem,1fr))]">
          {byStanding(agents, stalled).map((agent) => (
            <AgentCard key={agent.id} agent={agent} isStalled={stalled.has(agent.id)} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function AgentCard({ agent, isStalled }: { agent: LiveAgent; isStalled: boolean }) {
  const epoch = useEpoch(agent.openEpoch);
  return (
    <li className="flex min-w-0 flex-col gap-2 border-r border-b border-line px-4 py-3" data-agent={agent.id}>
      <div className="flex items-center gap-2">
        <Pulse life={isStalled ? "troubled" : lifeOf(agent.state)} />
        <Link
          to="/chat/$agent"
          params={{ agent: agent.id }}
          search={{}}
          className="truncate font-medium text-ink"
        >
          {agent.name}
        </Link>
        <span className="truncate text-[13px] text-muted">{agent.role}</span>
        <span className={cx("ml-auto text-[13px] whitespace-nowrap", isStalled ? "text-fail" : "text-muted")}>
          {isStalled ? "stalled" : stateWord(agent.state)}
        </span>
      </div>
      {epoch ? <OpenEpoch epoch={epoch} /> : <p className="text-[13px] text-muted">{whyQuiet(agent)}</p>}
      <LastDone agent={agent.id} />
      <dl className="mt-auto flex justify-between gap-3 text-[13px]">
        <Figure name="Last evidence">
          <Time at={agent.lastEvidenceAt} />
        </Figure>
        <Figure name="Waiting">{agent.queue}</Figure>
        <Figure name="Today">
          <Today agent={agent} />
        </Figure>
      </dl>
    </li>
  );
}

/** What it did last, with the way there. */
function LastDone({ agent }: { agent: string }) {
  const last = lastEnded(useEpochs(agent));
  if (!last) return null;
  return (
    <p dir="auto" className="line-clamp-2 text-[13px] break-words text-muted">
      <Time at={last.endedAt} />{" "}
      <Link
        to="/chat/$agent"
        params={{ agent }}
        search={{ epoch: last.id }}
        className="text-ink no-underline hover:underline"
      >
        {lastDone(last)}
      </Link>
    </p>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs whitespace-nowrap text-muted">{name}</dt>
      <dd className="truncate text-ink">{children}</dd>
    </div>
  );
}

function Today({ agent }: { agent: LiveAgent }) {
  const { input_tokens, output_tokens, cost_microusd, unpriced } = agent.usageToday;
  const tokens = input_tokens + output_tokens;
  // Nothing came since midnight UTC: what is counted is yesterday's.
  const isOld = agent.usageDay < new Date(useNow()).toISOString().slice(0, 10);
  if (tokens === 0 || isOld) return <>nothing</>;
  if (cost_microusd === 0 && unpriced > 0)
    return <span title="the price of this model is unknown">{count(tokens)} tokens</span>;
  return <Cost microusd={cost_microusd} unpriced={unpriced} />;
}

function OpenEpoch({ epoch }: { epoch: LiveEpoch }) {
  return (
    <div className="flex items-start gap-2 rounded-md bg-raised px-2.5 py-1.5 text-[13px]">
      <div className="min-w-0 flex-1">
        <p className="truncate text-ink" title={doingNow(epoch)}>
          {doingNow(epoch)}
        </p>
        <p dir="auto" className="truncate text-muted">
          {quote(epoch.content, 60)}
        </p>
      </div>
      <Button
        size="s"
        icon={<Square aria-hidden className="size-3" />}
        aria-label={`Stop ${epoch.agent}`}
        onClick={() => void stopEpoch(epoch.id)}
      >
        Stop
      </Button>
    </div>
  );
}

function whyQuiet(agent: LiveAgent): string {
  switch (agent.state) {
    case "parked":
      return `Parked: ${agent.paused ?? "by a person"}. Messages wait.`;
    case "paused":
      return `Paused: ${agent.paused ?? "its budget is spent"}. Messages wait.`;
    case "asleep":
      return "Asleep: recent exchanges become memory.";
    case "hibernated":
      return "Hibernated: nothing to do. A message wakes it.";
    case "over_disk_limit":
      return "Stopped: its files take more room than it may use. It starts again once there is room.";
    case "starting":
      return "Its process starts.";
    case "unresponsive":
      return "Its process is silent and is being pinged.";
    default:
      return agent.queue > 0 ? "About to start on its queue." : "Idle: nothing is waiting.";
  }
}
