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
        escalated.length > 0 ? `escalated: ${some(escalated)}` : "",
        blind ? `could not read evidence (${blind})` : "",
      ];
      return parts.filter(Boolean).join("; ");
    }
    case "watchdog.stall_opened":
      return `has been silent for ${duration(event.data.silent_ms)} (limit ${duration(event.data.threshold_ms)})`;
    case "watchdog.bell_rung":
      return "is asked whether its process is alive";
    case "watchdog.bell_answered":
      return `answered the bell after ${duration(event.data.after_ms)}, but shows no progress yet`;
    case "watchdog.bell_failed":
      return `could not be reached by the bell: ${event.data.message ?? event.data.code.replaceAll("_", " ")}`;
    case "watchdog.paged":
      return `is paged (${event.data.page}), silent for ${duration(event.data.silent_ms)}`;
    case "watchdog.page_delivered":
      return event.data.proof === "confirmed"
        ? `delivered page ${event.data.page}`
        : `sent page ${event.data.page}`;
    case "watchdog.page_failed":
      return `could not send page ${event.data.page}: ${quote(event.data.message)}`;
    case "watchdog.resolved":
      return `made progress again after the ${event.data.rung} (line ${event.data.evidence_seq})`;
    case "watchdog.withdrawn":
      return event.data.unanswered
        ? "is no longer stalled: its task was given up without an answer"
        : `is no longer stalled: ${event.data.state.replaceAll("_", " ")}`;
    default:
      return climbed(event) ?? hushed(event);
  }
}

/** How people were told. */
function climbed(event: AnyEvent): string | null {
  switch (event.kind) {
    case "watchdog.escalated":
      // The ledger writes `page-failed`.
      return `is still stalled; escalated to a person (${/^page/i.test(event.data.cause) ? "the page failed" : "no progress after the page"})`;
    case "watchdog.stepped":
      return `is still stalled; ${some(event.data.to) || "everybody"} is notified next (step ${event.data.step})`;
    case "watchdog.notified":
      return `notified a person by ${event.data.by}`;
    case "watchdog.notify_failed":
      return `could not notify anybody, attempt ${event.data.attempt}: ${quote(event.data.message)}`;
    case "watchdog.closed": {
      const { kind, attempts } = event.data;
      const how = CLOSED[kind] ?? kind.replaceAll("_", " ");
      return attempts.some((one) => one.outcome !== "failed")
        ? `told everyone who had been notified that ${how}`
        : `could not tell everyone who had been notified that ${how}`;
    }
    case "watchdog.alarmed":
      return "must tell a person that agents have not been checked for a long time";
    case "watchdog.attention_raised":
      return `notified ${some(event.data.to ?? []) || "everybody"} of what waits: ${quote(event.data.matters.map((one) => one.summary).join("; "))}`;
    case "watchdog.attention_ended":
      return `noted that ${event.data.matters.length === 1 ? "a matter waits" : `${event.data.matters.length} matters wait`} no more`;
    case "watchdog.tested": {
      const { page_failed, notify_failed } = event.data;
      const failed = [page_failed && `page: ${page_failed}`, notify_failed && `notice: ${notify_failed}`];
      const told = failed.filter(Boolean).join("; ");
      return `tested the escalation${told ? `: ${quote(told)}` : ", and every step works"}`;
    }
    default:
      return null;
  }
}

const CLOSED: Record<string, string> = {
  resolved: "the stall is over",
  sighted: "agents can be checked again",
  acknowledged: "somebody acknowledged it",
  attention_over: "nothing waits any more",
};

/** What people told the watchdog, and what was in its way. */
function hushed(event: AnyEvent): string | null {
  switch (event.kind) {
    case "watchdog.acknowledged":
      return `was acknowledged by ${nameOf(event.author)} until ${moment(event.data.until)}${why(event.data)}`;
    case "watchdog.silenced":
      return `${event.entity === "@keeper" ? "sends no pages" : "is not paged"} until ${moment(event.data.until)}${why(event.data)}`;
    case "watchdog.unsilenced":
      return event.entity === "@keeper" ? "sends pages again" : "is paged again";
    case "watchdog.paused":
      return `is paused${event.data.until ? ` until ${moment(event.data.until)}` : ""}${why(event.data)}`;
    case "watchdog.resumed":
      return "works again: maintenance is over";
    case "watchdog.blinded":
      return `cannot read evidence: ${quote(event.data.message)}`;
    case "watchdog.sighted":
      return "can read evidence again";
    case "watchdog.rebased":
      return `watched nobody since ${moment(event.data.from)} (${event.data.cause}); that time counts as nobody's silence`;
    default:
      return null;
  }
}
