import { Link } from "@tanstack/react-router";
import { Card, CardHead, duration, type Life, Pulse, stateWord } from "@/ui";
import type { Status } from "./api";
import { SilenceButton } from "./orders";

const LIVES: Record<string, Life> = {
  active: "alive",
  stalled: "troubled",
  waiting_approval: "waiting",
  waiting: "waiting",
  idle: "still",
};

/** What every agent was found to be at the newest look. */
export function Verdicts({ status }: { status: Status }) {
  return (
    <Card aria-labelledby="verdicts-title">
      <CardHead
        id="verdicts-title"
        title="What it found"
        note={`a scan every ${duration(status.interval_ms)}; silence of ${duration(status.threshold_ms)} is a stall`}
      />
      {status.agents.length === 0 && (
        <p className="px-4 pb-4 text-[13px] text-muted">No agent has been checked yet.</p>
      )}
      <ul aria-label="Agents that were checked" className="divide-y divide-line border-t border-line">
        {status.agents.map((one) => (
          <li key={one.agent} className="flex flex-wrap items-center gap-2 px-4 py-2 text-[13px]">
            <Pulse life={LIVES[one.verdict] ?? "away"} />
            <Link to="/agents" search={{ agent: one.agent }} className="font-medium text-ink">
              {one.agent}
            </Link>
            <span className="text-muted">
              {stateWord(one.verdict)}
              {one.silent_ms != null && `, silent for ${duration(one.silent_ms)}`}
            </span>
            <span className="ml-auto">
              <SilenceButton
                agent={one.agent}
                isSilent={status.silences.some((silence) => silence.agent === one.agent)}
              />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
