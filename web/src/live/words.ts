// One line about an event, for people.
import { duration } from "@/ui/time";
import { visibleLine } from "@/ui/visible";
import { type AnyEvent, nameOf } from "./event";
import { moment, quote, quotePlain, some } from "./quote";
import type { LiveEpoch } from "./state";
import { ofProcess } from "./words-of-agents";
import { dealt } from "./words-of-decks";
import { changed } from "./words-of-evolution";
import { heard } from "./words-of-media";
import { remembered } from "./words-of-memory";
import { watched } from "./words-of-watchdog";

export { plain, quote, quotePlain } from "./quote";

/**
 * What happened, in one sentence without its subject (`subjectOf`), which it is put behind: it begins with a verb. `tool` is the one
 * that a call's end is of, where that is known (`live/tools.ts`): the line itself has the number of the call alone.
 */
export function phraseOf(event: AnyEvent, tool?: string): string {
  return visibleLine(said(event, tool));
}

const QUESTION_ENDS = {
  accepted: "passed a person's answer on to the server that asked",
  declined: "told the server that a person said no",
  expired: "told the server that nobody answered in time",
  withdrawn: "dropped the question of a server, whose call has ended",
};

function said(event: AnyEvent, tool?: string): string {
  switch (event.kind) {
    case "stimulus.accepted":
      return `was asked by ${event.data.sender}: ${quote(event.data.content)}`;
    case "epoch.opened":
      return "started working on it";
    case "epoch.stood_still":
      return `stood still for ${duration(event.data.duration_ms)}; that time does not count`;
    case "epoch.dismissed":
      return "waits for nobody any more: its failure was dismissed";
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
      return `failed an attempt: ${quote(event.data.message)}`;
    case "tool.requested":
      return `runs ${event.data.name}`;
    case "tool.finished":
      return ended(event.data, tool ?? "its tool");
    case "tool.inner_requested":
      return `runs ${event.data.name} within its own tool`;
    case "tool.inner_finished":
      return event.data.outcome === "ok"
        ? "was given what its own tool asked for"
        : "was not given what its own tool asked for";
    case "tool.kept": {
      const { namespace, key, value } = event.data;
      return value === undefined || value === null
        ? `forgot ${quotePlain(key)} of ${namespace}`
        : `noted ${quotePlain(key)} for ${namespace}`;
    }
    case "mcp.tool_accepted":
      return `accepted ${quotePlain(event.data.tool)} of the server ${event.data.server}`;
    case "tools.policy_changed": {
      const { tool, agent, policy } = event.data;
      const whom = agent ? ` for ${agent}` : "";
      return policy === null
        ? `took back what was set for ${tool}${whom}`
        : `set ${tool} to ${policy}${whom}`;
    }
    case "mcp.question_asked":
      return `was asked by the server ${event.data.server}: ${quotePlain(event.data.message)}`;
    case "mcp.question_answered":
      return QUESTION_ENDS[event.data.answer];
    case "approval.requested":
      return "waits for approval";
    case "approval.decided":
      return `had its call ${event.data.decision === "approve" ? "approved" : "denied"} (${event.data.by})`;
    case "epoch.committed":
      return "finished; the exchange is in memory";
    case "epoch.aborted":
      return `ended without a reply: ${quote(event.data.message)}`;
    default:
      return (
        spoken(event) ??
        remembered(event) ??
        ofProcess(event) ??
        changed(event) ??
        dealt(event) ??
        heard(event) ??
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
      return `lets ${nameOf(event.data.to)} read its log no longer`;
    case "space.named":
      return `named the space ${event.data.space}: ${some(event.data.members.map(nameOf))}`;
    case "space.said":
      return `said in ${event.data.space}: ${quote(event.data.text)}`;
    case "wake.set":
      return `set a wake on ${quote(event.data.condition, 40)}: ${quote(event.data.prompt, 60)}`;
    case "wake.fired":
      return event.data.error
        ? `was woken because its condition cannot be evaluated: ${quote(event.data.error)}`
        : "was woken: its condition holds";
    case "wake.cancelled":
      return "cancelled a wake";
    case "wake.scheduled":
      return `has a schedule “${event.data.name}” (${event.data.cron ?? event.data.at ?? ""}): ${quote(event.data.content, 60)}`;
    case "wake.ran":
      return `runs its schedule “${event.data.name}”, due ${moment(event.data.due)}`;
    case "wake.unscheduled":
      return `has no schedule “${event.data.name}” any more`;
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
      if (event.data.refused_lines !== undefined) {
        return `was not asked what ${event.data.nick} said ${placeOf(event.data)}: it was refused`;
      }
      return `was asked by ${event.data.nick} ${placeOf(event.data)}; the answer goes there`;
    case "channel.sending":
      return `is about to answer over ${event.data.channel}`;
    case "channel.unsent":
      return `could not answer over ${event.data.channel} yet, and tries again`;
    case "channel.maybe_sent":
      return `may have answered over ${event.data.channel}: nobody can know, so it is not said again`;
    case "channel.answered":
      if (event.data.maybe_sent) {
        return `said over ${event.data.channel} that the answer may have been said before`;
      }
      return event.data.people > 0
        ? `answered over ${event.data.channel}`
        : `owes no answer over ${event.data.channel} any more: nobody came back for it`;
    case "channel.joined":
      return `is now ${placeOf(event.data)}`;
    case "channel.parted":
      return `is no longer ${placeOf(event.data)}`;
    case "channel.gate_moved":
      return `was set to hear ${event.data.is_open ? "everything" : "only what is said to it"} ${placeOf(event.data)}`;
    case "channel.topic_set":
      return event.data.topic
        ? `set the topic of ${event.data.room} to ${quote(event.data.topic)} for ${event.data.nick}`
        : `took the topic of ${event.data.room} away for ${event.data.nick}`;
    case "channel.read_marked":
      return `noted that ${event.data.account} has read ${event.data.target} up to ${moment(event.data.at)}`;
    case "channel.chat_moved":
      return `moved a group of ${event.data.channel} to the number ${event.data.to}`;
    default:
      return null;
  }
}

/** `in #abide (libera)`, `in private over irc`. */
function placeOf(at: { channel: string; network?: string; room?: string }): string {
  const where = at.room ? `in ${at.room}` : `in private over ${at.channel}`;
  return at.network ? `${where} (${at.network})` : where;
}

/** What an open epoch does. */
export function doing(epoch: LiveEpoch): string {
  return visibleLine(done(epoch));
}

function done(epoch: LiveEpoch): string {
  const running = epoch.turns.at(-1)?.calls.find((call) => call.outcome === null);
  switch (epoch.phase) {
    case "queued":
      return "waits in the queue";
    case "preparing":
      return "reads its memory";
    case "thinking":
      return epoch.attempt > 1
        ? `thinks, turn ${epoch.turn}, attempt ${epoch.attempt}`
        : `thinks, turn ${epoch.turn}`;
    case "answered":
      return "commits";
    case "running":
      return running ? `runs ${running.name}` : "runs a tool";
    case "approval":
      return running ? `waits for your approval of ${running.name}` : "waits for you";
    case "ended":
      return "done";
  }
}

/** Whose event it is. */
export function subjectOf(event: AnyEvent): string {
  return visibleLine(nameOf(event.entity));
}
