// A line of the watchdog, for people.
import type { AnyEvent } from "@/live/event";
import { phraseOf, quote } from "@/live/words";
import { duration } from "@/ui/time";

/** A scan that found nothing and hid nothing; the newest one is told of apart. */
export function isQuietScan(event: AnyEvent): boolean {
  if (event.kind !== "watchdog.scanned") return false;
  const { stalled, paged, escalated, blind, asked } = event.data;
  return stalled.length + paged.length + escalated.length === 0 && !blind && !asked;
}

export function watchdogPhrase(event: AnyEvent): string {
  switch (event.kind) {
    case "watchdog.scanned": {
      const { scanned, stalled, paged, escalated, blind } = event.data;
      const parts = [
        `${scanned} looked at`,
        stalled.length > 0 ? `stalled: ${stalled.join(", ")}` : "nobody stalled",
        paged.length > 0 ? `paged: ${paged.join(", ")}` : "",
        escalated.length > 0 ? `a person is told of ${escalated.join(", ")}` : "",
        blind ? `could not judge (${blind})` : "",
      ];
      return parts.filter(Boolean).join("; ");
    }
    case "watchdog.stall_opened":
      return `silent for ${duration(event.data.silent_ms)}, allowed are ${duration(event.data.threshold_ms)}`;
    case "watchdog.blinded":
      return `cannot judge: ${quote(event.data.message)}`;
    case "watchdog.bell_failed":
      return `the bell reached nobody: ${event.data.message ?? event.data.code.replaceAll("_", " ")}`;
    case "watchdog.bell_answered":
      return `the process breathes (${event.data.after_ms} ms)`;
    case "watchdog.paged":
      return `paged (${event.data.page}), silent for ${duration(event.data.silent_ms)}`;
    case "watchdog.page_failed":
      return `page ${event.data.page} failed: ${quote(event.data.message)}`;
    case "watchdog.notified":
      return `a person was told by ${event.data.by}`;
    case "watchdog.notify_failed":
      return `nobody could be told, attempt ${event.data.attempt}: ${quote(event.data.message)}`;
    case "watchdog.resolved":
      return `evidence returned after the ${event.data.rung} (line ${event.data.evidence_seq})`;
    case "watchdog.withdrawn":
      return `no stall any more: ${event.data.state.replaceAll("_", " ")}`;
    case "par.written":
      return `wrote down what was tried: ${quote(event.data.problem)}`;
    default:
      return phraseOf(event);
  }
}
