import { memo } from "react";
import type { AnyEvent } from "@/live/event";
import { phraseOf, subjectOf } from "@/live/words";
import { absolute, cx } from "@/ui";
import { depthOf, toneOf } from "./grouping";
import type { Axis } from "./search";

interface Props {
  seq: number;
  /** Null for a kind that this client does not know; undefined until it is read. */
  event: AnyEvent | null | undefined;
  axis: Axis;
  isNarrow: boolean;
  /** Whether it is of the epoch that is looked at. */
  isOfEpoch: boolean;
  /** The tool whose call ended there, where that is known. */
  tool: string | undefined;
}

const TONES = {
  plain: "text-muted",
  life: "text-life",
  wait: "text-wait",
  fail: "text-fail",
  thought: "text-thought",
};
const INDENT = ["pl-3", "pl-7", "pl-11"];

/** One line of the ledger, on one line; on a narrow screen on two. */
export const LedgerRow = memo(function LedgerRow({ seq, event, axis, isNarrow, isOfEpoch, tool }: Props) {
  const when = (
    <span className="w-20 shrink-0 text-xs text-muted tabular-nums">
      {event ? <When event={event} axis={axis} /> : `#${seq}`}
    </span>
  );
  if (!event) {
    return (
      <div className="flex h-full items-center gap-3 px-3 text-[13px] text-muted">
        {when}
        <span className="truncate" data-testid={event === undefined ? "unread" : undefined}>
          {event === null ? "An event of a kind that this client does not know" : "…"}
        </span>
      </div>
    );
  }
  const kind = (
    <span
      className={cx(
        "truncate font-mono text-xs",
        TONES[toneOf(event)],
        isNarrow ? "min-w-0" : "w-48 shrink-0",
      )}
    >
      {event.kind}
    </span>
  );
  const said = (
    <span dir="auto" className="min-w-0 flex-1 truncate text-[13px] text-ink">
      <span className="font-medium">{subjectOf(event)}</span> {phraseOf(event, tool)}
    </span>
  );
  const bar = (
    <span
      aria-hidden
      className={cx(
        "absolute inset-y-0 left-0 w-1",
        isOfEpoch ? "bg-accent" : event.epoch ? "bg-line" : "bg-transparent",
      )}
    />
  );
  if (isNarrow) {
    return (
      <div className={cx("relative flex h-full flex-col justify-center pr-3", INDENT[depthOf(event)])}>
        {bar}
        <span className="flex min-w-0 items-baseline gap-2">
          {when}
          {kind}
        </span>
        <span className="flex min-w-0">{said}</span>
      </div>
    );
  }
  return (
    <div className="relative flex h-full items-center gap-3 px-3">
      {bar}
      {when}
      {kind}
      <span className={cx("flex min-w-0 flex-1", INDENT[depthOf(event)])}>{said}</span>
    </div>
  );
});

function When({ event, axis }: { event: AnyEvent; axis: Axis }) {
  if (axis === "tick") return <span title={absolute(event.timestamp)}>t {event.tick}</span>;
  const time = new Date(event.timestamp).toLocaleTimeString([], {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
  });
  return (
    <time dateTime={event.timestamp} title={`${absolute(event.timestamp)}, tick ${event.tick}`}>
      {time}
    </time>
  );
}
