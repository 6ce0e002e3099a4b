// What the watchdog saw and did. Its lines about an agent have the agent as their subject, all others the keeper.
import { duration } from "@/ui/time";
import { type AnyEvent, nameOf } from "./event";
import { moment, quote, some, why } from "./quote";

export function watched(event: AnyEvent): string | null {
  switch (event.kind) {
    case "watchdog.scanned": {
      const { scanned, stalled, paged, escalated, blind } = event.data;
      const parts = [
        `looked at ${scanned}`,
        stalled.length > 0 ? `stalled: ${some(stalled)}` : "nobody stalled",
        paged.length > 0 ? `paged: ${some(paged)}` : "",
        escalated.length > 0 ? `a person is told of ${some(escalated)}` : "",
        blind ? `could not judge (${blind})` : "",
      ];
      return parts.filter(Boolean).join("; ");
    }
    case "watchdog.stall_opened":
      return `is silent for ${duration(event.data.silent_ms)}; allowed are ${duration(event.data.threshold_ms)}`;
    case "watchdog.bell_rung":
      return "is asked whether its process breathes";
    case "watchdog.bell_answered":
      return `breathes (${duration(event.data.after_ms)}), which ends no stall`;
    case "watchdog.bell_failed":
      return `was not reached by the bell: ${event.data.message ?? event.data.code.replaceAll("_", " ")}`;
    case "watchdog.paged":
      return `is paged (${event.data.page}), silent for ${duration(event.data.silent_ms)}`;
    case "watchdog.page_delivered":
      return event.data.proof === "confirmed"
        ? `delivered page ${event.data.page}`
        : `sent page ${event.data.page}`;
    case "watchdog.page_failed":
      return `could not send page ${event.data.page}: ${quote(event.data.message)}`;
    case "watchdog.resolved":
      return `moves again after the ${event.data.rung} (line ${event.data.evidence_seq})`;
    case "watchdog.withdrawn":
      return `stalls no more: ${event.data.state.replaceAll("_", " ")}`;
    default:
      return climbed(event) ?? hushed(event);
  }
}

/** How people were told. */
function climbed(event: AnyEvent): string | null {
  switch (event.kind) {
    case "watchdog.escalated":
      // The ledger writes `page-failed`.
      return `does not move; a person is to be told (${/^page/i.test(event.data.cause) ? "the page failed" : "the page brought nothing"})`;
    case "watchdog.stepped":
      return `still does not move; ${some(event.data.to) || "everybody"} is to be told, too (step ${event.data.step})`;
    case "watchdog.notified":
      return `told a person by ${event.data.by}`;
    case "watchdog.notify_failed":
      return `could tell nobody, attempt ${event.data.attempt}: ${quote(event.data.message)}`;
    case "watchdog.closed": {
      const { kind, attempts } = event.data;
      const how = CLOSED[kind] ?? kind.replaceAll("_", " ");
      return attempts.some((one) => one.outcome !== "failed")
        ? `told those who knew of it that ${how}`
        : `could not tell those who knew of it that ${how}`;
    }
    case "watchdog.alarmed":
      return "is to tell a person that agents were not judged for a long time";
    case "watchdog.tested": {
      const { page_failed, notify_failed } = event.data;
      const failed = [page_failed && `page: ${page_failed}`, notify_failed && `notice: ${notify_failed}`];
      const told = failed.filter(Boolean).join("; ");
      return `tried the ladder out${told ? `: ${quote(told)}` : ", and it holds"}`;
    }
    default:
      return null;
  }
}

const CLOSED: Record<string, string> = {
  resolved: "it is over",
  sighted: "agents can be judged again",
  acknowledged: "it is in hand",
};

/** What people told the watchdog, and what was in its way. */
function hushed(event: AnyEvent): string | null {
  switch (event.kind) {
    case "watchdog.acknowledged":
      return `is in the hands of ${nameOf(event.author)} until ${moment(event.data.until)}${why(event.data)}`;
    case "watchdog.silenced":
      return `${event.entity === "@keeper" ? "pages nobody" : "is not paged"} until ${moment(event.data.until)}${why(event.data)}`;
    case "watchdog.unsilenced":
      return event.entity === "@keeper" ? "pages again" : "is paged again";
    case "watchdog.paused":
      return `only looks on${event.data.until ? ` until ${moment(event.data.until)}` : ""}${why(event.data)}`;
    case "watchdog.resumed":
      return "rings and pages again: maintenance is over";
    case "watchdog.blinded":
      return `cannot judge: ${quote(event.data.message)}`;
    case "watchdog.sighted":
      return "can judge again";
    case "watchdog.rebased":
      return `watched nobody since ${moment(event.data.from)} (${event.data.cause}); that is nobody's silence`;
    default:
      return null;
  }
}
