// The search for a better order of an agent's memories: how far it is, what it found on questions that it never saw, what became of
// it; how one is started and stopped. The keeper searches, whoever looks.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { call } from "@/api/client";
import type { RankingSearchView } from "@/api/generated";
import { toast, toastError } from "@/app/toasts";
import { useConnection } from "@/live/store";
import {
  Badge,
  Button,
  Card,
  CardHead,
  Confirm,
  count,
  duration,
  EmptyState,
  LoadError,
  Loading,
  Time,
  visible,
  visibleLine,
} from "@/ui";
import { searchesQuery, searchQuery } from "./queries";
import { SearchFound } from "./search-found";
import { isRunning, partName, placeOf, questions, score, searchState, seedWords } from "./search-model";
import { SearchStart } from "./search-start";

export function Searches({ agent }: { agent: string }) {
  const found = useQuery(searchQuery(agent));
  const [starting, setStarting] = useState(false);
  const isOff = useConnection().phase === "offline";
  if (found.isPending) return <Loading what="searches" />;
  if (found.isError) {
    return (
      <LoadError
        what="Searches could not be loaded."
        error={found.error}
        retry={() => void found.refetch()}
      />
    );
  }
  const search = found.data;
  const start = (
    <Button
      tone={search ? "plain" : "primary"}
      size={search ? "s" : "m"}
      icon={<Search aria-hidden className="size-4" />}
      disabled={isOff}
      onClick={() => setStarting(true)}
    >
      {search ? "Search again" : "Start a search"}
    </Button>
  );
  return (
    <div className="flex flex-col gap-5">
      {search ? (
        <>
          <Progress agent={agent} search={search}>
            {isRunning(search) ? <Stop agent={agent} isOff={isOff} /> : start}
          </Progress>
          {search.report && <SearchFound search={search} />}
        </>
      ) : (
        <EmptyState
          title="No search was made yet"
          icon={<Search aria-hidden className="size-7" />}
          action={start}
        >
          A search looks for another order of memories by what the agent was asked before. What it finds is
          held against questions that it never saw, and is proposed only where it is better there. It asks no
          model, and costs nothing but time. <code>abide evolve search</code> does the same.
        </EmptyState>
      )}
      <Others agent={agent} />
      {starting && <SearchStart agent={agent} last={search} onClose={() => setStarting(false)} />}
    </div>
  );
}

function Progress(props: { agent: string; search: RankingSearchView; children: ReactNode }) {
  const { search } = props;
  const state = searchState(search);
  return (
    <Card aria-labelledby="progress-title">
      <CardHead
        id="progress-title"
        title="A search for a better order of memories"
        note={
          <>
            started by {visibleLine(search.by)} <Time at={search.started_at} />
          </>
        }
      >
        <Badge tone={state.tone}>{state.word}</Badge>
        {props.children}
      </CardHead>
      <div className="flex flex-col gap-3 px-4 pb-3">
        {isRunning(search) ? <Place search={search} /> : <Outcome agent={props.agent} search={search} />}
        <Budget search={search} />
      </div>
    </Card>
  );
}

/** How far one is that runs. */
function Place({ search }: { search: RankingSearchView }) {
  const { generation, generations, best, today } = search;
  const words = {
    reading: "It reads what the agent was asked before, and which memories each reply rests on.",
    waiting: "Another agent's search is at work; one is at work at a time, and this one is next in line.",
  }[search.state];
  return (
    <div className="text-sm">
      <div
        role="progressbar"
        aria-label="Generations"
        aria-valuemin={0}
        aria-valuemax={generations}
        aria-valuenow={generation}
        aria-valuetext={placeOf(search)}
      >
        <svg
          aria-hidden
          width="100%"
          height="10"
          viewBox="0 0 1000 10"
          preserveAspectRatio="none"
          className="block rounded-full"
        >
          <rect width="1000" height="10" className="fill-raised" />
          <rect width={(generation / Math.max(1, generations)) * 1000} height="10" className="fill-life" />
        </svg>
      </div>
      <p className="mt-2 text-ink">
        {words ?? `Generation ${generation} of ${generations}; it tries ${partName(search.part)} now.`}
      </p>
      {best !== null && best !== undefined && (
        <p className="text-muted">
          The best so far scores <span className="text-ink">{score(best)}</span> of 1.010 at most on the
          questions that it is chosen by, today's order {score(today)}. What that is worth shows at the end,
          on questions held out.
        </p>
      )}
    </div>
  );
}

/** What became of one that has ended. */
function Outcome({ agent, search }: { agent: string; search: RankingSearchView }) {
  const { outcome } = search;
  const words: Record<string, string> = {
    proposed: "It found a better order on the questions held out, and proposed it as a change.",
    not_better:
      "Nothing that it found is better than today's order on the questions held out by more than chance gives. Nothing was proposed.",
    stopped: "It was stopped. What it had found was dropped, and nothing was proposed.",
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-[15px] text-ink">
      <p dir="auto" className="min-w-0 break-words">
        {words[outcome?.kind ?? ""] ?? visible(outcome?.text ?? "It has ended.")}
      </p>
      {outcome?.evolution_id && (
        <Link
          to="/cortex/$agent"
          params={{ agent }}
          search={{ tab: "evolution", change: outcome.evolution_id }}
          className="text-sm"
        >
          See the proposed change
        </Link>
      )}
    </div>
  );
}

function Budget({ search }: { search: RankingSearchView }) {
  const { questions: chosen, held_out: held } = search;
  const figures: [string, string][] = [
    ["Looks for", search.kind === "weights" ? "Weights alone" : "Weights, then other expressions"],
    ["Generations", `${count(search.generation)} of ${count(search.generations)}`],
    ["Candidates at a time", count(search.population)],
    ["Candidates measured", count(search.evaluations)],
    ["Chosen on", chosen == null ? "not read yet" : questions(chosen)],
    ["Held out", held == null ? "not read yet" : `${questions(held)}, the newest`],
    ["At work for", duration(search.worked_ms)],
    ["Seed", seedWords(search.seed)],
  ];
  return (
    <dl
      aria-label="Its budget"
      className="grid grid-cols-2 gap-x-4 gap-y-2 border-t border-line pt-3 text-sm sm:grid-cols-4"
    >
      {figures.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="break-words text-ink">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Stop({ agent, isOff }: { agent: string; isOff: boolean }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [stopping, setStopping] = useState(false);
  const stop = async () => {
    setStopping(true);
    try {
      await call("POST /evolutions/search/stop", { body: { citizen: agent } });
      toast({ title: "The search is stopped", note: "Nothing is proposed." });
    } catch (error) {
      toastError("The search was not stopped", error);
    } finally {
      setStopping(false);
      await client.invalidateQueries({ queryKey: ["evolution", agent, "search"] });
    }
  };
  return (
    <>
      <Button size="s" tone="danger" busy={stopping} disabled={isOff} onClick={() => setAsking(true)}>
        Stop
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title="Stop the search?"
        act="Stop it"
        onAct={() => void stop()}
      >
        What it has found so far is dropped, and nothing is proposed. It cannot be taken up again where it
        stopped; a new one with the same seed, on the same record, comes to the same.
      </Confirm>
    </>
  );
}

/** Searches of other agents. Whoever may not see them sees none. */
function Others({ agent }: { agent: string }) {
  const others = useQuery(searchesQuery).data?.items.filter((one) => one.citizen !== agent) ?? [];
  if (others.length === 0) return null;
  return (
    <Card aria-labelledby="others-title">
      <CardHead id="others-title" title="Searches of other agents" note="one is at work at a time" />
      <ul aria-label="Searches of other agents" className="divide-y divide-line border-t border-line">
        {others.map((one) => {
          const state = searchState(one);
          return (
            <li key={one.citizen} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm">
              <Link
                to="/cortex/$agent"
                params={{ agent: one.citizen }}
                search={{ tab: "evolution", searches: true }}
              >
                {one.citizen}
              </Link>
              <Badge tone={state.tone}>{state.word}</Badge>
              <span className="text-muted">{isRunning(one) && placeOf(one)}</span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
