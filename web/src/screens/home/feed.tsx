import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Radio } from "lucide-react";
import { readKinds } from "@/api/history";
import type { AnyEvent } from "@/live/event";
import { useLive } from "@/live/store";
import { toolAmong } from "@/live/tools";
import { subjectOf } from "@/live/words";
import { Card, CardHead, Clock, EmptyState } from "@/ui";
import { HEADLINE_KINDS, headlineOf } from "./headlines";

const SHOWN = 24;
/** Lines before the page was opened that are read for it, of kinds of which not every line is told. */
const BEFORE = 120;

/** What happened just before the page was opened, and what happens while it is. */
export function Feed() {
  const recent = useLive((state) => state.recent);
  const base = useLive((state) => state.base);
  const before = useQuery({
    queryKey: ["feed", base],
    queryFn: ({ signal }) => readKinds({ kinds: HEADLINE_KINDS, before: base + 1, limit: BEFORE, signal }),
    enabled: base > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const all = [...(before.data?.events ?? []), ...recent];
  const shown = all
    .filter((event) => headlineOf(event) !== null)
    .slice(-SHOWN)
    .reverse();
  return (
    <Card aria-labelledby="feed-title" className="self-start">
      <CardHead id="feed-title" title="Live activity">
        <Link to="/timeline" search={{}} className="text-[13px]">
          See everything
        </Link>
      </CardHead>
      {shown.length === 0 ? (
        <EmptyState title="Nothing has happened yet" icon={<Radio aria-hidden className="size-7" />}>
          What agents do appears here as it happens; the past is in the timeline.
        </EmptyState>
      ) : (
        <ol className="border-t border-line py-1 text-[13px]">
          {shown.map((event) => (
            <Line key={event.seq} event={event} tool={toolAmong(event, all)} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function Line({ event, tool }: { event: AnyEvent; tool: string | undefined }) {
  return (
    <li className="flex gap-3 px-4 py-1">
      <Link
        to="/timeline"
        search={{ seq: event.seq }}
        aria-label={`Line ${event.seq} in the timeline`}
        className="shrink-0 text-muted tabular-nums no-underline hover:underline"
      >
        <Clock at={event.timestamp} />
      </Link>
      <p dir="auto" className="min-w-0 break-words text-muted">
        <span className="font-medium text-ink">{subjectOf(event)}</span> {headlineOf(event, tool)}
      </p>
    </li>
  );
}
