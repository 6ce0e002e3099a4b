import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { AgentView } from "@/api/generated";
import { useAgent } from "@/live/hooks";
import { short } from "@/live/quote";
import {
  Button,
  bytes,
  Confirm,
  Dialog,
  LoadError,
  Loading,
  Pulse,
  Spark,
  stateWord,
  Time,
  visible,
  visibleLine,
} from "@/ui";
import { lifeOf } from "@/ui/pulse";
import { restore } from "./acts";
import { ProcessEvents } from "./events";
import { ProcessFigures, WorkFigures } from "./figures";
import { wakesQuery } from "./queries";
import { Steer } from "./steer";
import type { Trail } from "./trail";
import { isOfProcess, measured, measures } from "./words";

/** Everything about one agent. */
export function Detail({ agent, trail, onClose }: { agent: AgentView; trail: Trail; onClose: () => void }) {
  const state = useAgent(agent.id)?.state ?? agent.state;
  const events = useMemo(
    () => trail.events.filter((event) => event.entity === `@${agent.id}` && isOfProcess(event)),
    [trail.events, agent.id],
  );
  const links = { agent: agent.id };
  return (
    <Dialog
      open
      side
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={agent.name}
      about={`${agent.role}, mind ${agent.mind}`}
    >
      <div className="flex flex-col gap-5 px-4 pb-6">
        <div className="flex flex-wrap items-center gap-2">
          <Pulse life={lifeOf(state)} />
          <span className="text-sm text-ink">{stateWord(state)}</span>
          <span className="ml-auto flex flex-wrap gap-2">
            <Steer agent={agent} state={state} size="s" all />
          </span>
        </div>
        {agent.paused && <p className="text-[13px] break-words text-muted">{agent.paused}</p>}
        {agent.process?.message && (
          <p dir="auto" className="text-[13px] break-words text-muted">
            {visible(agent.process.message)}
          </p>
        )}
        {agent.process?.next_start_at && (
          <p className="text-[13px] text-muted">
            It is started again <Time at={agent.process.next_start_at} />.
          </p>
        )}
        <nav aria-label={`More of ${agent.name}`} className="flex flex-wrap gap-4 text-[13px]">
          <Link to="/chat/$agent" params={links} search={{}}>
            Talk
          </Link>
          <Link to="/timeline" search={links}>
            Timeline
          </Link>
          <Link to="/cortex/$agent" params={links} search={{}}>
            Cortex
          </Link>
          <Link to="/stdout" search={{ as: `@${agent.id}` }}>
            stdout
          </Link>
        </nav>
        <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
          <WorkFigures agent={agent} trail={trail} />
          <ProcessFigures process={agent.process} />
          {agent.process?.sdk && (
            <div className="min-w-0">
              <dt className="text-xs text-muted">Speaks</dt>
              <dd dir="auto" className="text-[13px] break-words text-ink">
                {visibleLine(agent.process.sdk)}, protocol {agent.process.protocol ?? "not told"}
              </dd>
            </div>
          )}
        </dl>
        <Wakes id={agent.id} />
        {agent.process && <Checkpoints agent={agent} trail={trail} />}
        <Measures trail={events} />
        <ProcessEvents events={events} trail={trail} name={agent.name} />
      </div>
    </Dialog>
  );
}

function Wakes({ id }: { id: string }) {
  const wakes = useQuery(wakesQuery(id));
  return (
    <section aria-labelledby="wakes-title">
      <h3 id="wakes-title" className="mb-1 text-sm font-semibold text-ink">
        Waits for
      </h3>
      {wakes.isPending && <Loading what="its wakes" />}
      {wakes.isError && <LoadError error={wakes.error} retry={() => void wakes.refetch()} />}
      {wakes.data?.items.length === 0 && (
        <p className="text-[13px] text-muted">
          Nothing. It sets a wake with <code>\wake ?(condition) prompt ---</code>.
        </p>
      )}
      <ul className="flex flex-col gap-2">
        {wakes.data?.items.map((wake) => (
          <li key={wake.id} className="rounded-md bg-raised px-3 py-2 text-[13px]">
            <code className="font-mono text-xs break-words text-ink">{wake.condition}</code>
            <p dir="auto" className="break-words text-ink">
              {visible(wake.prompt)}
            </p>
            <p className="text-muted">
              set <Time at={wake.set_at} />, {wake.heard} heard since
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Point {
  id: string;
  at: string;
  bytes: number;
  entry: number;
}

/** Checkpoints that were seen, the newest first; all of them are listed by the command line. */
export function pointsOf(agent: AgentView, events: Trail["events"]): Point[] {
  const points = new Map<string, Point>();
  for (const event of events) {
    if (event.kind !== "agent.checkpointed" || event.entity !== `@${agent.id}`) continue;
    const { checkpoint_id: id, bytes: size, wal_sequence: entry } = event.data;
    points.set(id, { id, at: event.timestamp, bytes: size, entry });
  }
  const newest = agent.process?.checkpoint;
  if (newest && !points.has(newest.id)) {
    points.set(newest.id, {
      id: newest.id,
      at: newest.created_at,
      bytes: newest.bytes,
      entry: newest.wal_sequence,
    });
  }
  return [...points.values()].sort((a, b) => b.at.localeCompare(a.at));
}

function Checkpoints({ agent, trail }: { agent: AgentView; trail: Trail }) {
  const points = useMemo(() => pointsOf(agent, trail.events), [agent, trail.events]);
  const [asked, setAsked] = useState<Point | null>(null);
  return (
    <section aria-labelledby="points-title">
      <h3 id="points-title" className="mb-1 text-sm font-semibold text-ink">
        Checkpoints
      </h3>
      {points.length === 0 && <p className="text-[13px] text-muted">None yet. Checkpoint makes one.</p>}
      <ul className="divide-y divide-line">
        {points.slice(0, 20).map((point) => (
          <li key={point.id} className="flex flex-wrap items-center gap-3 py-1.5 text-[13px]">
            <code title={point.id} className="font-mono text-xs text-ink">
              {short(point.id)}
            </code>
            <span className="text-muted">
              <Time at={point.at} />, entry {point.entry}, {bytes(point.bytes)}
            </span>
            <Button size="s" className="ml-auto" onClick={() => setAsked(point)}>
              Restore
            </Button>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-xs text-muted">
        All that are kept: <code>abide checkpoint ls {agent.id}</code>
      </p>
      <Confirm
        open={asked !== null}
        onOpenChange={(open) => {
          if (!open) setAsked(null);
        }}
        title={`Restore ${agent.name} to entry ${asked?.entry ?? 0}?`}
        act="Restore"
        onAct={() => asked && void restore(agent.id, asked.id)}
      >
        Its process is started anew from this checkpoint; what it noted after it is set aside. The ledger and
        the memory stay as they are.
      </Confirm>
    </section>
  );
}

function Measures({ trail }: { trail: Trail["events"] }) {
  const all = useMemo(() => [...measures(trail)], [trail]);
  if (all.length === 0) return null;
  return (
    <section aria-labelledby="measures-title">
      <h3 id="measures-title" className="mb-1 text-sm font-semibold text-ink">
        What it measures of itself
      </h3>
      <ul className="grid grid-cols-2 gap-2 text-[13px]">
        {all.slice(0, 12).map(([name, values]) => (
          <li key={name} className="min-w-0">
            <p dir="auto" className="truncate text-muted">
              {visibleLine(name.replaceAll("_", " "))}:{" "}
              <span className="text-ink">{measured(name, values.at(-1) ?? 0)}</span>
            </p>
            {values.length > 1 && (
              <Spark values={values} label={`${name}, the last ${values.length} values`} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
