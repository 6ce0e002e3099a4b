// What an agent's process is and measured, in words.
import type { ProcessView } from "@/api/generated";
import type { AnyEvent } from "@/live/event";
import { bytes } from "@/ui/cost";
import { duration, span } from "@/ui/time";

/** Lines of processes and of what steers them. */
export function isOfProcess(event: AnyEvent): boolean {
  return event.kind.startsWith("agent.");
}

/** A state of a process, with what it does. */
export function processWord(process: ProcessView): string {
  return process.state.replaceAll("_", " ");
}

export function uptime(process: ProcessView): string {
  return process.uptime_s == null ? "not running" : `up ${span(process.uptime_s)}`;
}

/** A value that an agent measured, with the unit that its name tells. */
export function measured(name: string, value: number): string {
  if (/latency/.test(name)) return duration(Math.round(value));
  if (/(memory_usage|rss|_bytes)$/.test(name)) return bytes(value);
  return value.toLocaleString("en");
}

/** What agents measured of themselves, by name, the oldest first. */
export function measures(events: readonly AnyEvent[], kept = 60): Map<string, number[]> {
  const all = new Map<string, number[]>();
  for (const event of events) {
    if (event.kind !== "agent.measured") continue;
    for (const [name, value] of Object.entries(event.data.metrics))
      all.set(name, [...(all.get(name) ?? []), value].slice(-kept));
  }
  return all;
}
