// What a line about a change of an agent says. Its subject is the agent (`subjectOf`), so each begins with a verb.
import { type AnyEvent, nameOf } from "./event";
import { quote } from "./quote";

/** What a target is called, as in "a change of memory". */
export function targetName(target: string): string {
  switch (target) {
    case "memory_system":
      return "memory";
    case "tool_framework":
      return "tools";
    case "dsl":
      return "commands";
    case "mind":
      return "the mind";
    default:
      return target;
  }
}

const DECISIONS: Record<string, string> = {
  promoted: "had a change measured as better",
  rejected: "had a change rejected",
  marginal: "has a change that a person must decide on",
  reported: "had a change compared, as was asked for",
};

/** What happened with a change; null for any other event. */
export function changed(event: AnyEvent): string | null {
  switch (event.kind) {
    case "evolution.proposed":
      return `has a change of ${targetName(event.data.target)} proposed: ${quote(event.data.reason)}`;
    case "evolution.validated":
      return "had a change checked, and the checks passed";
    case "evolution.checkpointed":
      return "has what a change is tried on written down";
    case "evolution.shadow_started":
      return `began to try a change on ${event.data.requests} requests of its record`;
    case "evolution.compared": {
      const pairs = event.data.pairs.length;
      return `had a change compared on ${pairs} ${pairs === 1 ? "request" : "requests"}`;
    }
    case "evolution.decided": {
      const words = DECISIONS[event.data.decision] ?? "had a change decided on";
      return `${words}: ${quote(event.data.reason)}`;
    }
    default:
      return inForce(event);
  }
}

function inForce(event: AnyEvent): string | null {
  switch (event.kind) {
    case "evolution.answered": {
      const { approved, reason } = event.data;
      const why = reason ? `: ${quote(reason)}` : "";
      return `had a change ${approved ? "approved" : "rejected"} by ${nameOf(event.author)}${why}`;
    }
    case "evolution.backed_up":
      return "has what takes a change back stored";
    case "evolution.reloaded":
      return `has a change loaded, which answers ${event.data.percent} of 100 requests`;
    case "evolution.stage_begun":
      return `has ${event.data.percent} of 100 requests answered by a change`;
    case "evolution.kept":
      return `has a change in force for good: ${quote(event.data.reason)}`;
    case "evolution.rolled_back":
      return `had a change rolled back: ${quote(event.data.reason)}`;
    case "evolution.aborted":
      return `had a change aborted: ${quote(event.data.reason)}`;
    default:
      return null;
  }
}
