import { Card, CardHead, duration, Time, visible } from "@/ui";
import type { WatchdogView } from "./fold";

/** What was tried against problems, what worked and what did not, as agents wrote it down. */
export function Pars({ pars }: { pars: WatchdogView["pars"] }) {
  if (pars.length === 0) return null;
  return (
    <Card aria-labelledby="pars-title">
      <CardHead id="pars-title" title="What was tried" note="as it was written down afterwards" />
      <ul className="divide-y divide-line border-t border-line">
        {[...pars].reverse().map(({ seq, at, agent, par }) => (
          <li key={seq} className="px-4 py-3 text-[13px]">
            <p dir="auto" className="break-words text-ink">
              <span className="font-medium">{agent}</span>: {visible(par.problem)}
            </p>
            <p className="text-muted">
              <Time at={at} />, took {duration(par.took_ms)}
            </p>
            <dl className="mt-1 grid gap-x-4 gap-y-1 sm:grid-cols-2">
              <Lines name="Tried" lines={par.tried} />
              <Lines name="Worked" lines={par.worked} />
              <Lines name="Did not" lines={par.failed} />
              <Lines name="To change" lines={par.suggestions ?? []} />
            </dl>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Lines({ name, lines }: { name: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{name}</dt>
      {lines.map((line, at) => (
        <dd key={`${at} ${line}`} dir="auto" className="break-words text-ink">
          {visible(line)}
        </dd>
      ))}
    </div>
  );
}
