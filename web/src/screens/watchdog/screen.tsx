// Who is silent and should not be, what was tried, and how the watchdog itself is: from its lines in the ledger, and from what it says
// of itself where the keeper offers that.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Telescope } from "lucide-react";
import { useMemo } from "react";
import { phraseOf, subjectOf } from "@/live/words";
import { useTrail } from "@/screens/agents/trail";
import { NotifierCard } from "@/screens/setup/notifier-card";
import { Button, Card, CardHead, Clock, EmptyState, LoadError, Loading, Screen } from "@/ui";
import { joined, statusQuery } from "./api";
import { foldWatchdog, isOfWatchdog } from "./fold";
import { Stalls } from "./ladder";
import { StallMatters } from "./matters";
import { Orders } from "./orders";
import { Pars } from "./pars";
import { Report } from "./report";
import { WatchdogState } from "./state";
import { Verdicts } from "./verdicts";
import { isQuietScan } from "./words";

const SHOWN = 60;
const KINDS = ["watchdog.*", "par.written"];

export function WatchdogScreen() {
  const trail = useTrail("watchdog", KINDS, isOfWatchdog);
  const asked = useQuery(statusQuery);
  const status = asked.data?.enabled ? asked.data : null;
  const view = useMemo(() => joined(foldWatchdog(trail.events), status), [trail.events, status]);
  const lines = trail.events
    .filter((event) => !isQuietScan(event))
    .slice(-SHOWN)
    .reverse();
  return (
    <Screen
      title="Watchdog"
      note="agents that should be active and are not"
      actions={status && <Orders status={status} />}
    >
      <div className="flex max-w-7xl flex-col gap-5">
        <NotifierCard />
        <StallMatters without={view.episodes} />
        {trail.isReading && <Loading what="what the watchdog saw" />}
        {trail.error && (
          <LoadError what="Its log could not be loaded." error={trail.error} retry={trail.retry} />
        )}
        {asked.isError && (
          <LoadError
            what="The state of the watchdog could not be loaded."
            error={asked.error}
            retry={() => void asked.refetch()}
          />
        )}
        {asked.data?.enabled === false && (
          <p role="status" className="text-sm text-ink">
            The watchdog is off: <code>watchdog.enabled = false</code> in <code>abide.toml</code>. Nobody is
            told of silence.
          </p>
        )}
        {!trail.isReading && !view.isSeen && <Teaching />}
        {view.isSeen && (
          <div className="grid gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <div className="flex min-w-0 flex-col gap-5">
              <Stalls episodes={view.episodes} />
              {status && <Verdicts status={status} />}
              <Pars pars={view.pars} />
            </div>
            <div className="flex min-w-0 flex-col gap-5">
              <WatchdogState view={view} status={status} />
              {status && <Report />}
              <Card aria-labelledby="lines-title" className="self-stretch">
                <CardHead
                  id="lines-title"
                  title="Log"
                  note={`since line ${trail.from}, without scans that found nothing`}
                />
                <ol className="border-t border-line py-1 text-[13px]">
                  {lines.map((event) => (
                    <li key={event.seq} className="flex gap-3 px-4 py-1">
                      <Clock at={event.timestamp} className="shrink-0 text-muted tabular-nums" />
                      <p dir="auto" className="min-w-0 flex-1 break-words text-ink">
                        <span className="font-medium">{subjectOf(event)}</span> {phraseOf(event)}
                      </p>
                      <Link
                        to="/timeline"
                        search={{ seq: event.seq }}
                        aria-label={`Line ${event.seq} in the timeline`}
                        className="shrink-0 text-xs tabular-nums"
                      >
                        {event.seq}
                      </Link>
                    </li>
                  ))}
                </ol>
              </Card>
            </div>
          </div>
        )}
        {trail.earlier && (
          <Button className="self-start" busy={trail.isReadingEarlier} onClick={trail.earlier}>
            Look before line {trail.from}
          </Button>
        )}
      </div>
    </Screen>
  );
}

function Teaching() {
  return (
    <EmptyState
      title="The watchdog has written nothing that was read here"
      icon={<Telescope aria-hidden className="size-7" />}
    >
      <p>
        It checks every agent in turn. One that has something to do and gives no evidence for too long is a
        stall, and climbs a ladder: the bell asks its process whether it breathes, a page names it on the
        channel, a person is told. Only new evidence ends a stall; a process that merely breathes does not.
      </p>
      <p className="mt-2">
        It is set under <code>[watchdog]</code> in <code>abide.toml</code>. At the command line:{" "}
        <code>abide watchdog status</code>, <code>abide watchdog report</code>.
      </p>
    </EmptyState>
  );
}
