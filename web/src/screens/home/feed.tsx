import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Radio } from "lucide-react";
import { readEvents } from "@/api/history";
import type { AnyEvent } from "@/live/event";
import { useLive } from "@/live/store";
import { phraseOf, subjectOf } from "@/live/words";
import { Card, CardHead, Clock, EmptyState } from "@/ui";

/** Events that say nothing to a person at a glance. */
const QUIET = new Set([
  "agent.measured",
  "context.assembled",
  "turn.started",
  "tool.requested",
  "keeper.segment_opened",
]);
const SHOWN = 24;
/** Lines before the page was opened that are read for it. */
const BEFORE = 60;

/** What happened just before the page was opened, and what happens while it is. */
export function Feed() {
  const recent = useLive((state) => state.recent);
  const base = useLive((state) => state.base);
  const before = useQuery({
    queryKey: ["feed", base],
    queryFn: ({ signal }) =>
      readEvents({ after: Math.max(0, base - BEFORE), through: base, limit: BEFORE, signal }),
    enabled: base > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const all = [...(before.data?.events ?? []), ...recent];
  const shown = all
    .filter((event) => !QUIET.has(event.kind))
    .slice(-SHOWN)
    .reverse();
  return (
    <Card aria-labelledby="feed-title" className="self-start">
      <CardHead id="feed-title" title="As it happens">
        <Link to="/timeline" search={{}} className="text-[13px]">
          All of it
        </Link>
      </CardHead>
      {shown.length === 0 ? (
        <EmptyState title="Nothing has happened yet" icon={<Radio aria-hidden className="size-7" />}>
          What agents do stands here as it happens; all of the past is in the timeline.
        </EmptyState>
      ) : (
        <ol className="border-t border-line py-1 text-[13px]">
          {shown.map((event) => (
            <Line key={event.seq} event={event} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function Line({ event }: { event: AnyEvent }) {
  return (
    <li className="flex gap-3 px-4 py-1">
      <Clock at={event.timestamp} className="shrink-0 text-muted tabular-nums" />
      <p dir="auto" className="min-w-0 break-words text-ink">
        <span className="font-medium">{subjectOf(event)}</span> {phraseOf(event)}
      </p>
    </li>
  );
}
