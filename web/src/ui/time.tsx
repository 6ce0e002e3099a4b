import { useSyncExternalStore } from "react";

// One clock for all times on the page: it moves every five seconds while anybody looks.
const TICK_MS = 5_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;
const lookers = new Set<() => void>();

function look(listener: () => void): () => void {
  lookers.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const looker of lookers) looker();
  }, TICK_MS);
  now = Date.now();
  return () => {
    lookers.delete(listener);
    if (lookers.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}

/** The present, as often as times on the page move. */
export function useNow(): number {
  return useSyncExternalStore(look, () => now);
}

/** How long ago, or how long until; the exact time on hover. */
export function Time({ at, className }: { at: string | null | undefined; className?: string }) {
  const present = useNow();
  if (!at) return <span className={className}>never</span>;
  return (
    <time dateTime={at} title={absolute(at)} className={className}>
      {relative(Date.parse(at) - present)}
    </time>
  );
}

/** A time of day; the whole on hover. */
export function Clock({ at, className }: { at: string | null | undefined; className?: string }) {
  if (!at) return null;
  return (
    <time dateTime={at} title={absolute(at)} className={className}>
      {new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}
    </time>
  );
}

/** A day and a time of day, for what begins or ends then; the whole on hover. */
export function Moment({ at }: { at: string }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  const year = date.getFullYear() === new Date(useNow()).getFullYear() ? {} : { year: "numeric" as const };
  return (
    <time dateTime={at} title={absolute(at)} className="whitespace-nowrap">
      {date.toLocaleString([], {
        day: "numeric",
        month: "short",
        hour: "2-digit",
        minute: "2-digit",
        ...year,
      })}
    </time>
  );
}

export function absolute(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : `${date.toLocaleString()} (${at})`;
}

/** `3 min ago`, `in 2 h`, `just now`. */
export function relative(difference: number): string {
  if (Number.isNaN(difference)) return "unknown";
  const seconds = Math.abs(difference) / 1000;
  if (seconds < 10) return "just now";
  const text = span(seconds);
  return difference < 0 ? `${text} ago` : `in ${text}`;
}

/** A length of time in its largest unit. */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

/** A duration of work. */
export function duration(ms: number): string {
  if (ms < 1) return "<1 ms";
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return span(ms / 1000);
}
