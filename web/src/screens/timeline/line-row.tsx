import { Link } from "@tanstack/react-router";
import type { AnyEvent } from "@/live/event";
import { toolAmong } from "@/live/tools";
import { phraseOf, subjectOf } from "@/live/words";
import { Clock } from "@/ui";

/** An event on one line, with the way to all of it. */
export function LineRow({ event, among }: { event: AnyEvent; among: readonly AnyEvent[] }) {
  return (
    <li className="flex items-baseline gap-3 text-[13px]">
      <Clock at={event.timestamp} className="shrink-0 text-muted tabular-nums" />
      <Link
        to="/timeline"
        search={{ seq: event.seq, rows: "lines" }}
        className="inline-flex min-h-6 shrink-0 items-center font-mono text-xs text-muted no-underline hover:underline"
        aria-label={`Event ${event.seq}`}
      >
        #{event.seq}
      </Link>
      <span dir="auto" className="min-w-0 break-words text-ink">
        <span className="font-medium">{subjectOf(event)}</span> {phraseOf(event, toolAmong(event, among))}
      </span>
    </li>
  );
}
