import { Link } from "@tanstack/react-router";
import type { AnyEvent } from "@/live/event";
import { phraseOf } from "@/live/words";
import { Button, Clock, Code, LoadError, Loading } from "@/ui";
import type { Trail } from "./trail";

const SHOWN = 100;

/** What befell a process, the newest first. */
export function ProcessEvents({
  events,
  trail,
  name,
}: {
  events: readonly AnyEvent[];
  trail: Trail;
  name: string;
}) {
  const shown = events
    .filter((event) => event.kind !== "agent.measured")
    .slice(-SHOWN)
    .reverse();
  return (
    <section aria-labelledby="events-title">
      <h3 id="events-title" className="mb-1 text-sm font-semibold text-ink">
        Recent events
      </h3>
      {trail.isReading && <Loading what="its past" />}
      {trail.error && <LoadError error={trail.error} retry={trail.retry} />}
      {!trail.isReading && shown.length === 0 && (
        <p className="text-[13px] text-muted">
          Nothing since line {trail.from}: no start, end, silence or fault of {name}.
        </p>
      )}
      <ol className="text-[13px]">
        {shown.map((event) => (
          <li key={event.seq} className="py-1">
            <div className="flex gap-3">
              <Clock at={event.timestamp} className="shrink-0 text-muted tabular-nums" />
              <span dir="auto" className="min-w-0 flex-1 break-words text-ink">
                {phraseOf(event)}
              </span>
              <Link
                to="/timeline"
                search={{ seq: event.seq }}
                aria-label={`Line ${event.seq} in the timeline`}
                className="shrink-0 text-xs tabular-nums"
              >
                {event.seq}
              </Link>
            </div>
            {event.kind === "agent.exited" && (event.data.last_words?.length ?? 0) > 0 && (
              <Code
                text={event.data.last_words?.join("\n") ?? ""}
                label={`What it wrote last, line ${event.seq}`}
              />
            )}
            {event.kind === "agent.faulted" && event.data.stack_trace && (
              <Code text={event.data.stack_trace} label={`Where it failed, line ${event.seq}`} />
            )}
          </li>
        ))}
      </ol>
      {trail.earlier && (
        <Button size="s" className="mt-1" busy={trail.isReadingEarlier} onClick={trail.earlier}>
          Look before line {trail.from}
        </Button>
      )}
    </section>
  );
}
