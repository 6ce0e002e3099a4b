// Why there is no answer, for people: a headline, and where its cause is looked at. What was recorded stands beneath, as it is.
import type { FailedAttempt, LiveEpoch } from "@/live/state";

export type Cause =
  /** The configuration, where this is looked for. */
  | { kind: "settings"; label: string; q: string }
  | { kind: "agent"; label: string }
  | { kind: "context"; label: string }
  /** Its lines in the ledger. */
  | { kind: "timeline"; label: string };

export interface Failure {
  headline: string;
  cause: Cause;
}

const MODEL: Cause = { kind: "settings", label: "See the model's settings", q: "model" };
const PROCESS: Cause = { kind: "agent", label: "See its process" };
const LINES: Cause = { kind: "timeline", label: "See what happened" };
const SHOWN: Cause = { kind: "context", label: "See what it was shown" };
const limits = (label: string, q: string): Cause => ({ kind: "settings", label, q });

const FAILURES: Record<string, Failure> = {
  deadline: { headline: "It took too long", cause: limits("See the limits of time", "limits") },
  bad_voice: { headline: "The model gave no answer that could be used", cause: MODEL },
  turn_failed: { headline: "The model could not be reached, or gave no answer", cause: MODEL },
  poison: {
    headline: "A process ended again and again while this was asked",
    cause: PROCESS,
  },
  breaker: { headline: "It went in circles and was ended", cause: LINES },
  turns_spent: { headline: "It used all its turns", cause: limits("See the limit of turns", "limits.turns") },
  outcome_unknown: {
    headline: "It was cut off while it acted by itself; what it did is unknown",
    cause: LINES,
  },
  mind_gone: {
    headline: "Nothing is there that could answer",
    cause: { kind: "agent", label: "See the agent" },
  },
  refused: { headline: "The model declined to answer", cause: SHOWN },
  model_rejected: { headline: "The provider takes no requests as they are set up", cause: MODEL },
  context_too_long: { headline: "The message is too long for this model", cause: SHOWN },
  budget: { headline: "The money for today is spent", cause: limits("See the budget", "budget") },
};

/** What a turn that failed says by the last of its attempts, where that is not the model's doing. */
const TURN_FAILURES: Record<string, Failure> = {
  process_ended: { headline: "Its process was ended while this was asked", cause: PROCESS },
  process_failed: { headline: "Its process was not there or reported an error", cause: PROCESS },
  paged: { headline: "It was silent again and again", cause: PROCESS },
  suspended: { headline: "The machine slept while this was asked", cause: LINES },
};

/** What is said of an exchange that ended without a reply, by its code and the code of the last attempt that failed. */
export function failureOf(code: string, attempt = ""): Failure {
  const byAttempt = code === "turn_failed" ? TURN_FAILURES[attempt] : undefined;
  return byAttempt ?? FAILURES[code] ?? { headline: "There is no answer", cause: LINES };
}

/** Whether a person ended it, which is no failure. */
export function isStopped(epoch: Pick<LiveEpoch, "abort">): boolean {
  return epoch.abort?.code === "cancelled" || epoch.abort?.code === "reset";
}

const ATTEMPTS: Record<string, string> = {
  overloaded: "The provider is overloaded",
  rate_limited: "The provider asks for a pause",
  deadline: "It took too long",
  unavailable: "The model could not be reached",
  bad_voice: "The answer could not be used",
  crashed: "Its process ended",
  process_failed: "Its process failed",
  process_ended: "Its process was ended",
  suspended: "The machine slept meanwhile",
  paged: "It was silent and was paged",
  context_too_long: "The prompt was too long and is shortened",
};

/** `The provider is overloaded; trying again, attempt 2 of 3`. */
export function retryLine(failed: FailedAttempt, attemptsMax: number | null): string {
  const what = ATTEMPTS[failed.code] ?? "An attempt failed";
  const next = failed.attempt + 1;
  const of = attemptsMax !== null && attemptsMax >= next ? ` of ${attemptsMax}` : "";
  return `${what}; trying again, attempt ${next}${of}`;
}
