// When an epoch did what: its spans in time, from its lines. Pure; the present is given.
import type { AnyEvent } from "@/live/event";

export type SpanKind = "queue" | "memory" | "turn" | "tool" | "approval";

export interface Span {
  kind: SpanKind;
  /** For people. */
  label: string;
  /** Milliseconds since the epoch was asked. */
  start: number;
  end: number;
  /** Whether it has not ended. */
  isOpen: boolean;
  isFailed: boolean;
}

export interface Waterfall {
  spans: Span[];
  /** From the first line to the end, or to now. */
  totalMs: number;
}

/** The spans in the order of their beginnings. `now` ends what is still open; what `isOver` ended then, though its last line was not read. */
export function waterfallOf(events: readonly AnyEvent[], now: number, isOver = false): Waterfall {
  const first = events[0];
  if (!first) return { spans: [], totalMs: 0 };
  const zero = Date.parse(first.timestamp);
  const open = new Map<string, Span>();
  const spans: Span[] = [];
  let ended: number | null = null;
  const begin = (key: string, kind: SpanKind, label: string, at: number) => {
    const span: Span = { kind, label, start: at, end: at, isOpen: true, isFailed: false };
    open.set(key, span);
    spans.push(span);
  };
  const end = (key: string, at: number, isFailed = false) => {
    const span = open.get(key);
    if (!span) return;
    open.delete(key);
    Object.assign(span, { end: Math.max(span.start, at), isOpen: false, isFailed });
  };
  for (const event of events) {
    const at = Math.max(0, Date.parse(event.timestamp) - zero);
    switch (event.kind) {
      case "stimulus.accepted":
        begin("queue", "queue", "in the queue", at);
        break;
      case "epoch.opened":
        end("queue", at);
        begin("memory", "memory", "reads its memory", at);
        break;
      case "context.assembled":
        end("memory", at);
        break;
      case "turn.started": {
        const { turn, attempt } = event.data;
        end("memory", at);
        // An attempt that was cut by a restart has no line of its end.
        end("turn", at, true);
        begin("turn", "turn", attempt > 1 ? `turn ${turn}, attempt ${attempt}` : `turn ${turn}`, at);
        break;
      }
      case "turn.completed":
        end("turn", at);
        break;
      case "turn.failed":
        end("turn", at, true);
        break;
      case "tool.requested":
        begin(`tool ${event.data.call_id}`, "tool", event.data.name, at);
        break;
      case "tool.finished":
        end(`tool ${event.data.call_id}`, at, event.data.outcome !== "ok");
        break;
      case "approval.requested":
        begin(`approval ${event.data.approval_id}`, "approval", "waits for a person", at);
        break;
      case "approval.decided":
        end(`approval ${event.data.approval_id}`, at, event.data.decision !== "approve");
        break;
      case "epoch.committed":
      case "epoch.aborted":
        ended = at;
        break;
    }
  }
  const last = events.at(-1);
  const until = ended ?? Math.max(now - zero, last ? Date.parse(last.timestamp) - zero : 0);
  for (const span of open.values())
    Object.assign(span, { end: Math.max(span.start, until), isOpen: ended === null && !isOver });
  return { spans, totalMs: Math.max(until, ...spans.map((span) => span.end), 1) };
}

/** `3 turns, 2 tools`, for those who do not see the bars. */
export function spansInWords(spans: readonly Span[]): string {
  const count = (kind: SpanKind, one: string) => {
    const n = spans.filter((span) => span.kind === kind).length;
    return n === 0 ? [] : [`${n} ${one}${n === 1 ? "" : "s"}`];
  };
  return (
    [...count("turn", "turn"), ...count("tool", "tool"), ...count("approval", "wait")].join(", ") || "no turn"
  );
}
