// Which lines of the watchdog say nothing.
import type { AnyEvent } from "@/live/event";

/** A scan that nothing came of: who is stalled has a line of its own, and the newest scan is told of apart. */
export function isQuietScan(event: AnyEvent): boolean {
  if (event.kind !== "watchdog.scanned") return false;
  const { paged, escalated, blind, asked } = event.data;
  return paged.length + escalated.length === 0 && !blind && !asked;
}
