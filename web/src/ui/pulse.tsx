import { cx } from "./cx";

export type Life = "alive" | "still" | "waiting" | "troubled" | "away";

/** The sign of life: breathes while something works, stands still else. Always beside a word that says the same. */
export function Pulse({ life, className }: { life: Life; className?: string }) {
  return <span aria-hidden data-life={life} className={cx("pulse", className)} />;
}

/** How a state of an agent looks. */
export function lifeOf(state: string): Life {
  switch (state) {
    case "busy":
    case "starting":
      return "alive";
    case "waiting_approval":
      return "waiting";
    case "unresponsive":
    case "over_disk_limit":
    case "paused":
      return "troubled";
    case "parked":
    case "hibernated":
    case "asleep":
      return "away";
    default:
      return "still";
  }
}

const WORDS: Record<string, string> = {
  waiting_approval: "waits for you",
  busy: "working",
  idle: "idle",
  unresponsive: "not responding",
  over_disk_limit: "over its disk limit",
};

/** A state of an agent in words. */
export function stateWord(state: string): string {
  return WORDS[state] ?? state.replaceAll("_", " ");
}
