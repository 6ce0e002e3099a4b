// How an agent sleeps: what waits to be slept over, the sleep that runs, its report, and those before it.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { MoonStar } from "lucide-react";
import { useMemo, useState } from "react";
import { call } from "@/api/client";
import { toast, toastError } from "@/app/toasts";
import { live, useLive } from "@/live/store";
import { Button, Card, CardHead, EmptyState, LoadError, Loading } from "@/ui";
import { Night } from "./night";
import { Check } from "./parts";
import { sleepEventsQuery, sleepQuery } from "./queries";
import { nightsOf } from "./sleep-model";

export function SleepPart({ agent }: { agent: string }) {
  const found = useQuery(sleepQuery(agent));
  if (found.isPending) return <Loading what="its sleep" />;
  if (found.isError) {
    return (
      <LoadError
        what="The sleeps could not be loaded."
        error={found.error}
        retry={() => void found.refetch()}
      />
    );
  }
  const { running, last, waiting, consolidated, failures } = found.data;
  return (
    <div className="grid gap-5 py-4 xl:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-5">
        <Card aria-labelledby="sleep-title">
          <CardHead
            id="sleep-title"
            title={running ? "Asleep" : "Awake"}
            note={running ? "recent exchanges become memory" : undefined}
          />
          <dl className="grid grid-cols-3 gap-3 px-4 pb-3 text-sm">
            <Figure name="Exchanges that wait for a sleep">{waiting}</Figure>
            <Figure name="Processed exchanges">{consolidated}</Figure>
            <Figure name="Failures in a row">
              <span className={failures > 0 ? "text-fail" : undefined}>{failures}</span>
            </Figure>
          </dl>
          <Start agent={agent} isAsleep={Boolean(running)} waiting={waiting} />
        </Card>
        {running && <Night night={running} title="Under way" agent={agent} />}
        {last && (
          <Night
            night={last}
            title={last.status === "failed" ? "The last sleep failed" : "The last sleep"}
            agent={agent}
          />
        )}
        {!running && !last && (
          <EmptyState title="It has not slept yet" icon={<MoonStar aria-hidden className="size-7" />}>
            A sleep makes facts, an identity that fits and a dream of the exchanges that wait, and lets them
            leave the prompt. It comes by itself at the times and limits of <code>[sleep]</code> in
            abide.toml, from here, or with <code>abide sleep</code>.
          </EmptyState>
        )}
      </div>
      <Past agent={agent} shown={[running?.sleep_id, last?.sleep_id]} />
    </div>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="text-lg text-ink">{children}</dd>
    </div>
  );
}

function Start(props: { agent: string; isAsleep: boolean; waiting: number }) {
  const client = useQueryClient();
  const [byRules, setRules] = useState(false);
  const [starting, setStarting] = useState(false);
  const start = async () => {
    setStarting(true);
    try {
      const begun = await call("POST /management/sleep", { body: { citizen: props.agent, rules: byRules } });
      if (begun.status === "nothing")
        toast({ title: "Nothing to process", note: "Every exchange has been processed." });
      await client.invalidateQueries({ queryKey: ["sleep"] });
    } catch (error) {
      toastError("The sleep did not start", error);
    } finally {
      setStarting(false);
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-3">
      <Button
        tone="primary"
        icon={<MoonStar aria-hidden className="size-4" />}
        busy={starting}
        disabled={props.isAsleep}
        onClick={() => void start()}
      >
        Start a sleep
      </Button>
      <Check label="By rules, without the model" checked={byRules} onChange={setRules} />
      {!props.isAsleep && props.waiting === 0 && (
        <span className="text-[13px] text-muted">No exchange is waiting.</span>
      )}
    </div>
  );
}

/** Sleeps before the last one, read back from the ledger when somebody wants to see them. */
function Past({ agent, shown }: { agent: string; shown: (string | undefined)[] }) {
  const [through, setThrough] = useState(0);
  const isLive = useLive((state) => state.base >= 0);
  const pages = useInfiniteQuery(sleepEventsQuery(agent, through));
  const nights = useMemo(() => {
    const events = [...(pages.data?.pages ?? [])].reverse().flatMap((page) => page.events);
    return nightsOf(events, agent);
  }, [pages.data, agent]);
  const older = nights.filter((one) => !shown.includes(one.night.sleep_id));
  const after = pages.data?.pages.at(-1)?.after ?? 0;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Card aria-labelledby="past-title">
        <CardHead id="past-title" title="Earlier sleeps">
          {through === 0 ? (
            <Button size="s" disabled={!isLive} onClick={() => setThrough(live.state.seq)}>
              Open in the timeline
            </Button>
          ) : (
            pages.hasNextPage && (
              <Button size="s" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                Look further back
              </Button>
            )
          )}
        </CardHead>
        <p role="status" className="px-4 pb-3 text-[13px] text-muted">
          {through === 0 && "Every sleep and each of its steps stands in the ledger for good; "}
          {through > 0 && pages.isPending && "Reading the ledger… "}
          {pages.data &&
            `${older.length} more ${older.length === 1 ? "sleep" : "sleeps"} among lines ${after + 1} to ${through}; `}
          <Link to="/timeline" search={{ agent, kind: "sleep.*" }}>
            the timeline shows them in their place
          </Link>
        </p>
      </Card>
      {pages.isError && through > 0 && (
        <LoadError
          what="The ledger could not be loaded."
          error={pages.error}
          retry={() => void pages.refetch()}
        />
      )}
      {older.slice(0, 100).map(({ night, epochs, seq }) => (
        <Night key={night.sleep_id} night={night} agent={agent} epochs={epochs} seq={seq} title="A sleep" />
      ))}
    </div>
  );
}
