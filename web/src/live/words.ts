// One line about an event, for people.
import { EVENT_KINDS } from "@/api/generated";
import { duration } from "@/ui/time";
import { type AnyEvent, nameOf } from "./event";
import type { LiveEpoch } from "./state";

const QUOTE_CHARS = 90;

/** What happened, in one sentence without its subject: `asked: "…"`, `ran clock.now (ok, 3 ms)`. */
export function phraseOf(event: AnyEvent): string {
  switch (event.kind) {
    case "stimulus.accepted":
      return `was asked by ${event.data.sender}: ${quote(event.data.content)}`;
    case "epoch.opened":
      return "took it up";
    case "context.assembled":
      return `was shown ${event.data.tokens.system + event.data.tokens.history + event.data.tokens.stimulus} tokens`;
    case "turn.started":
      return event.data.attempt > 1
        ? `is asked again (turn ${event.data.turn}, attempt ${event.data.attempt})`
        : `thinks (turn ${event.data.turn})`;
    case "turn.completed": {
      const calls = event.data.voice.tool_calls ?? [];
      if (calls.length > 0) return `wants ${calls.map((call) => call.name).join(", ")}`;
      return event.data.voice.final_response
        ? `answered: ${quote(event.data.voice.final_response)}`
        : "answered";
    }
    case "turn.failed":
      return `gave nothing usable: ${quote(event.data.message)}`;
    case "tool.requested":
      return `runs ${event.data.name}`;
    case "tool.finished":
      return `a tool ended ${event.data.outcome} after ${duration(event.data.duration_ms)}`;
    case "approval.requested":
      return "waits for approval";
    case "approval.decided":
      return `call ${event.data.decision === "approve" ? "approved" : "denied"} (${event.data.by})`;
    case "epoch.committed":
      return "finished; the exchange is memory";
    case "epoch.aborted":
      return `gave no reply: ${quote(event.data.message)}`;
    case "memory.fact_remembered":
      return `remembers: ${quote(event.data.content)}`;
    case "memory.dream_written":
      return "wrote a dream";
    case "memory.identity_changed":
      return `has version ${event.data.version} of its identity`;
    case "agent.paused":
      return `pauses: ${quote(event.data.message)}`;
    case "agent.exited":
      return `process ended: ${quote(event.data.message)}`;
    case "sleep.ended":
      return `slept: ${quote(event.data.message)}`;
    case "keeper.started":
      return `started, version ${event.data.version}`;
    case "keeper.stopped":
      return `stops: ${quote(event.data.reason)}`;
    default: {
      const about = EVENT_KINDS[event.kind];
      return about.charAt(0).toLowerCase() + about.slice(1).replace(/\.$/, "");
    }
  }
}

/** What an open epoch does. */
export function doing(epoch: LiveEpoch): string {
  const running = epoch.turns.at(-1)?.calls.find((call) => call.outcome === null);
  switch (epoch.phase) {
    case "queued":
      return "waits its turn";
    case "preparing":
      return "looks into its past";
    case "thinking":
      return epoch.attempt > 1
        ? `thinks, turn ${epoch.turn}, attempt ${epoch.attempt}`
        : `thinks, turn ${epoch.turn}`;
    case "answered":
      return "writes it down";
    case "running":
      return running ? `runs ${running.name}` : "runs a tool";
    case "approval":
      return running ? `waits for you to allow ${running.name}` : "waits for you";
    case "ended":
      return "done";
  }
}

/** Whose event it is. */
export function subjectOf(event: AnyEvent): string {
  return nameOf(event.entity);
}

/** The beginning of a text on one line, in quotes. */
export function quote(text: string, chars = QUOTE_CHARS): string {
  const line = text.replace(/\s+/g, " ").trim();
  const points = Array.from(line.slice(0, chars * 2));
  return points.length > chars ? `“${points.slice(0, chars).join("")}…”` : `“${line}”`;
}
