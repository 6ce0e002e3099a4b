import { cx, duration, visibleLine } from "@/ui";
import { type Span, type SpanKind, spansInWords, type Waterfall } from "./waterfall";

const FILLS: Record<SpanKind, string> = {
  queue: "bg-line-strong/50",
  memory: "bg-line-strong",
  turn: "bg-life",
  tool: "bg-thought",
  approval: "bg-wait",
};

/** So much of the whole a bar has at least, so that it is seen. */
const SHARE_MIN = 0.6;

function place({ start, end }: Span, totalMs: number): { left: string; width: string } {
  const left = Math.min(100 - SHARE_MIN, (start / totalMs) * 100);
  const width = Math.max(SHARE_MIN, Math.min(100 - left, ((end - start) / totalMs) * 100));
  return { left: `${left}%`, width: `${width}%` };
}

const fillOf = (span: Span) =>
  cx(span.isFailed ? "bg-fail" : FILLS[span.kind], span.isOpen && "outline-1 outline-offset-1 outline-life");

/** All of it on one line. */
export function MiniWaterfall({ waterfall, className }: { waterfall: Waterfall; className?: string }) {
  return (
    <span
      role="img"
      aria-label={spansInWords(waterfall.spans)}
      title={spansInWords(waterfall.spans)}
      className={cx("relative block h-2 overflow-hidden rounded-full bg-raised", className)}
    >
      {waterfall.spans.map((span, at) => (
        <span
          key={at}
          className={cx("absolute inset-y-0", fillOf(span))}
          style={place(span, waterfall.totalMs)}
        />
      ))}
    </span>
  );
}

/** Each span on its line, with its name and its time. */
export function WaterfallView({ waterfall }: { waterfall: Waterfall }) {
  return (
    <ol aria-label="What took how long" className="flex flex-col gap-1 text-[13px]">
      {waterfall.spans.map((span, at) => (
        <li
          key={at}
          className="grid grid-cols-[9rem_minmax(0,1fr)_4.5rem] items-center gap-2 max-sm:grid-cols-[6.5rem_minmax(0,1fr)_4rem]"
        >
          <span
            className={cx("truncate", span.kind === "tool" ? "pl-3 font-mono text-xs text-ink" : "text-ink")}
            title={visibleLine(span.label)}
          >
            {visibleLine(span.label)}
          </span>
          <span aria-hidden className="relative h-3 overflow-hidden rounded-sm bg-raised">
            <span
              className={cx("absolute inset-y-0 rounded-sm", fillOf(span))}
              style={place(span, waterfall.totalMs)}
            />
          </span>
          <span className="text-right text-xs text-muted tabular-nums">
            {span.isOpen ? "running" : duration(span.end - span.start)}
            {span.isFailed && <span className="sr-only">, failed</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}
