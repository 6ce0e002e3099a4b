// The Cortex: who an agent is, what it knows, how that hangs together, what it dreamt, how it sleeps, and how it changes.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { useCommands } from "@/app/commands";
import { rememberAgent } from "@/app/preferred-agent";
import { useAgent, useAgents } from "@/live/hooks";
import { useLive } from "@/live/store";
import { Badge, EmptyState, Screen, Select, Tabs } from "@/ui";
import { useAddress } from "./address";
import { DreamsPart } from "./dreams";
import { EvolutionPart } from "./evolution/part";
import { changesQuery } from "./evolution/queries";
import { GraphPart } from "./graph";
import { IdentityPart } from "./identity";
import { KnowledgePart } from "./knowledge";
import { proposalsQuery, sleepQuery } from "./queries";
import { type CortexPart, PARTS } from "./search";
import { SleepPart } from "./sleep";

export function CortexScreen() {
  const { agent } = useParams({ from: "/cortex/$agent" });
  const known = useAgent(agent);
  const isLoaded = useLive((state) => state.base >= 0);
  if (!known && isLoaded) {
    return (
      <Screen title="Memory">
        <EmptyState title={`No agent is called ${agent}`}>
          Agents are named in abide.toml; the navigation lists those that exist.
        </EmptyState>
      </Screen>
    );
  }
  return <Cortex key={agent} id={agent} name={known?.name ?? agent} />;
}

const NAMES: Record<CortexPart, string> = {
  identity: "Identity",
  knowledge: "Knowledge",
  graph: "Graph",
  dreams: "Dreams",
  sleep: "Sleep",
  evolution: "Evolution",
};

function Cortex({ id, name }: { id: string; name: string }) {
  const [search, set] = useAddress();
  const part = search.tab ?? "identity";
  useEffect(() => rememberAgent(id), [id]);
  // A search belongs to its part.
  const open = (tab: CortexPart) => set({ tab, q: undefined, past: undefined }, { push: true });
  useCommands([
    ...PARTS.map((one, at) => ({
      id: `cortex:${one}`,
      label: `${name}: ${NAMES[one].toLowerCase()}`,
      group: "Memory",
      keys: String(at + 1),
      run: () => open(one),
    })),
    {
      id: "cortex:search",
      label: "Search in this part",
      group: "Memory",
      keys: "/",
      run: () => document.querySelector<HTMLElement>("#cortex-search input")?.focus(),
    },
  ]);
  const tabs = [
    { id: "identity", label: <IdentityLabel agent={id} />, content: <IdentityPart agent={id} /> },
    { id: "knowledge", label: NAMES.knowledge, content: <KnowledgePart agent={id} /> },
    { id: "graph", label: NAMES.graph, content: <GraphPart agent={id} /> },
    { id: "dreams", label: NAMES.dreams, content: <DreamsPart agent={id} /> },
    { id: "sleep", label: <SleepLabel agent={id} />, content: <SleepPart agent={id} /> },
    { id: "evolution", label: <EvolutionLabel agent={id} />, content: <EvolutionPart agent={id} /> },
  ];
  return (
    <Screen title="Memory" note={`Cortex of ${name}`} actions={<AgentChoice id={id} />} fixed>
      <Tabs
        label="Parts of the memory"
        tabs={tabs}
        value={part}
        onChange={(tab) => {
          const known = PARTS.find((one) => one === tab);
          if (known) open(known);
        }}
      />
    </Screen>
  );
}

function AgentChoice({ id }: { id: string }) {
  const agents = useAgents();
  const navigate = useNavigate();
  const [{ tab }] = useAddress();
  if (agents.length < 2) return null;
  return (
    <Select
      label="Agent"
      hideLabel
      className="w-36"
      value={id}
      onChange={(event) =>
        void navigate({ to: "/cortex/$agent", params: { agent: event.target.value }, search: { tab } })
      }
    >
      {agents.map((one) => (
        <option key={one.id} value={one.id}>
          {one.name}
        </option>
      ))}
    </Select>
  );
}

function IdentityLabel({ agent }: { agent: string }) {
  const waiting = useQuery(proposalsQuery(agent)).data?.items.length ?? 0;
  return (
    <span className="inline-flex items-center gap-2">
      {NAMES.identity} {waiting > 0 && <Badge tone="wait">waits for you</Badge>}
    </span>
  );
}

function SleepLabel({ agent }: { agent: string }) {
  const sleep = useQuery(sleepQuery(agent)).data;
  const isAsleep = Boolean(sleep?.running);
  return (
    <span className="inline-flex items-center gap-2">
      {NAMES.sleep}
      {isAsleep && <Badge tone="thought">asleep</Badge>}
      {!isAsleep && (sleep?.failures ?? 0) > 0 && <Badge tone="fail">failed</Badge>}
    </span>
  );
}

function EvolutionLabel({ agent }: { agent: string }) {
  const changes = useQuery(changesQuery(agent)).data?.items ?? [];
  const isWaiting = changes.some((one) => one.state === "awaits_approval");
  const isWatched = changes.some((one) => one.state === "watching");
  return (
    <span className="inline-flex items-center gap-2">
      {NAMES.evolution}
      {isWaiting && <Badge tone="wait">waits for you</Badge>}
      {!isWaiting && isWatched && <Badge tone="thought">watched</Badge>}
    </span>
  );
}
