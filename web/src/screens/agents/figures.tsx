import type { ReactNode } from "react";
import type { AgentView, ProcessView } from "@/api/generated";
import { short } from "@/live/quote";
import { Bars, bytes, Cost, count, Spark, span, Time, useNow } from "@/ui";
import { evidenceOf } from "./evidence";
import type { Trail } from "./trail";
import { processWord, uptime } from "./words";

export function Figure({ name, children, title }: { name: string; children: ReactNode; title?: string }) {
  return (
    <div className="min-w-0" title={title}>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="text-[13px] break-words text-ink">{children}</dd>
    </div>
  );
}

/** What an agent's process is, or that there is none. */
export function ProcessFigures({ process }: { process: ProcessView | null | undefined }) {
  if (!process) {
    return (
      <Figure
        name="Process"
        title='Its mind runs in the keeper. With mind = "agent" it has a process of its own.'
      >
        none, in the keeper
      </Figure>
    );
  }
  const { every_s, silent_s, steps: moved } = process.recent;
  const quiet = silent_s.filter((silence) => silence !== null);
  const minutes = Math.round((moved.length * every_s) / 60);
  return (
    <>
      <Figure name="Process">
        {processWord(process)}
        {process.pid != null && `, pid ${process.pid}`}
      </Figure>
      <Figure name="Run" title={process.run ?? undefined}>
        {process.run ? <code className="font-mono text-xs">{short(process.run)}</code> : "none"},{" "}
        {uptime(process)}
      </Figure>
      <Figure name="Restarts">{process.restarts}</Figure>
      <Figure name="Heartbeat">
        <Time at={process.last_heartbeat_at} />
        {quiet.length > 1 && (
          <Spark values={quiet} label={`Silence in the last ${minutes} min, now ${quiet.at(-1)} s`} />
        )}
      </Figure>
      <Figure name="Progress">
        <Time at={process.last_progress_at} />
        {process.progress != null && <span className="text-muted"> ({count(process.progress)})</span>}
        {moved.length > 1 && (
          <Spark
            values={moved}
            label={`Steps of progress every ${every_s} s in the last ${minutes} min, now ${moved.at(-1)}`}
          />
        )}
      </Figure>
      <Figure name="Checkpoint" title={process.checkpoint?.id}>
        <Time at={process.checkpoint?.created_at} />
        {process.checkpoint && `, ${bytes(process.checkpoint.bytes)}`}
      </Figure>
      <Figure name="Log (WAL)" title={`${bytes(process.wal_bytes)} on the disk`}>
        entry {count(process.wal_sequence)}, {count(process.wal_lag)} behind its checkpoint
      </Figure>
    </>
  );
}

/** When it showed evidence lately. */
function Lately({ agent, trail }: { agent: string; trail: Trail }) {
  const found = evidenceOf(trail, agent, useNow());
  if (!found) return null;
  const total = found.counts.reduce((sum, one) => sum + one, 0);
  return (
    <Bars
      values={found.counts}
      width={72}
      height={18}
      label={`Evidence in the last ${span(found.stretchMs / 1000)}: ${total}`}
    />
  );
}

export function WorkFigures({ agent, trail }: { agent: AgentView; trail: Trail }) {
  const { cost_microusd, unpriced, input_tokens, output_tokens } = agent.usage_today;
  const tokens = input_tokens + output_tokens;
  return (
    <>
      <Figure name="Last evidence">
        <span className="flex flex-wrap items-end gap-x-2">
          <Time at={agent.last_evidence_at} />
          <Lately agent={agent.id} trail={trail} />
        </span>
      </Figure>
      <Figure name="Waiting">{agent.queue}</Figure>
      <Figure name="Today" title={`${count(tokens)} tokens since midnight UTC`}>
        {tokens === 0 ? "nothing" : <Cost microusd={cost_microusd} unpriced={unpriced} />}
      </Figure>
    </>
  );
}
