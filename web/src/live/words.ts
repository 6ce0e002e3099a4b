// One line about an event, for people.
import { duration } from "@/ui/time";
import { type AnyEvent, nameOf } from "./event";
import { moment, quote, quotePlain, some } from "./quote";
import type { LiveEpoch } from "./state";
import { ofProcess } from "./words-of-agents";
import { remembered } from "./words-of-memory";
import { watched } from "./words-of-watchdog";

export { plain, quote, quotePlain } from "./quote";

/**
 * What happened, in one sentence without its subject (`subjectOf`), which it is put behind: it begins with a verb. `tool` is the one
 * that a call's end is of, where that is known (`live/tools.ts`): the line itself has the number of the call alone.
 */
export function phraseOf(event: AnyEvent, tool?: string): string {
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
        ? `answered: ${quotePlain(event.data.voice.final_response)}`
        : "answered";
    }
    case "turn.failed":
      return `gave nothing usable: ${quote(event.data.message)}`;
    case "tool.requested":
      return `runs ${event.data.name}`;
    case "tool.finished":
      return ended(event.data, tool ?? "its tool");
    case "approval.requested":
      return "waits for approval";
    case "approval.decided":
      return `had its call ${event.data.decision === "approve" ? "approved" : "denied"} (${event.data.by})`;
    case "epoch.committed":
      return "finished; the exchange is memory";
    case "epoch.aborted":
      return `gave no reply: ${quote(event.data.message)}`;
    default:
      return (
        spoken(event) ??
        remembered(event) ??
        ofProcess(event) ??
        watched(event) ??
        // A kind that has no words yet: a test holds that there is none.
        `wrote a line, ${event.kind}`
      );
  }
}

/** How a call ended. */
function ended({ outcome, duration_ms }: { outcome: string; duration_ms: number }, tool: string): string {
  const took = duration(duration_ms);
  switch (outcome) {
    case "ok":
      return `ran ${tool} in ${took}`;
    case "denied":
      return `was not allowed ${tool}`;
    case "unknown":
      return `cannot know whether ${tool} ran`;
    default:
      return `failed with ${tool} after ${took}`;
  }
}

/** What was said to a log, in a space, or to a later self. */
function spoken(event: AnyEvent): string | null {
  switch (event.kind) {
    case "stdout.written":
      return `wrote: ${quote(event.data.content)}`;
    case "stdout.granted":
      return `lets ${nameOf(event.data.to)} read its log`;
    case "stdout.revoked":
      return `lets ${nameOf(event.data.to)} read its log no more`;
    case "space.named":
      return `named the space ${event.data.space}: ${some(event.data.members.map(nameOf))}`;
    case "space.said":
      return `said in ${event.data.space}: ${quote(event.data.text)}`;
    case "wake.set":
      return `wants to be woken at ${quote(event.data.condition, 40)}: ${quote(event.data.prompt, 60)}`;
    case "wake.fired":
      return event.data.error
        ? `is woken, for its condition cannot be told: ${quote(event.data.error)}`
        : "is woken: what it waited for has come";
    case "wake.cancelled":
      return "takes a wake back";
    case "wake.scheduled":
      return `is told “${event.data.name}” by the clock (${event.data.cron}): ${quote(event.data.content, 60)}`;
    case "wake.ran":
      return `is told “${event.data.name}”, due ${moment(event.data.due)}`;
    case "wake.unscheduled":
      return `is told “${event.data.name}” no more`;
    default:
      return reached(event);
  }
}

/** What was said where people are reached. */
function reached(event: AnyEvent): string | null {
  switch (event.kind) {
    case "channel.said": {
      const { nick, agent, text } = event.data;
      const who = agent || nick === nameOf(event.entity) ? "" : `: ${nick}`;
      return `said ${placeOf(event.data)}${who}: ${quote(text)}`;
    }
    case "channel.asked":
      return `was asked by ${event.data.nick} ${placeOf(event.data)}, and owes an answer there`;
    case "channel.answered":
      return event.data.people > 0
        ? `answered over ${event.data.channel}`
        : `owes no answer over ${event.data.channel} any more: nobody came to hear it`;
    case "channel.joined":
      return `is ${placeOf(event.data)} from here on`;
    case "channel.parted":
      return `is ${placeOf(event.data)} no more`;
    default:
      return null;
  }
}

/** `in #abide (libera)`, `alone over irc`. */
function placeOf(at: { channel: string; network?: string; room?: string }): string {
  const where = at.room ? `in ${at.room}` : `alone over ${at.channel}`;
  return at.network ? `${where} (${at.network})` : where;
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
