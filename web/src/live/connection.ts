/** How this page stands to the keeper. What it shows is the truth only while it is `live`. */
export type Connection =
  | { phase: "connecting"; since: number }
  /** Everything that the keeper has is shown. `replayed` events were caught up with after the last loss; null at first. */
  | { phase: "live"; since: number; replayed: number | null }
  /** Connected, and reading what was missed, up to `target`. */
  | { phase: "behind"; since: number; target: number; replayed: number }
  /** Nothing answers; tried again at `retryAt`. `why` is for people. */
  | { phase: "offline"; since: number; attempt: number; retryAt: number; why: string }
  /** The keeper reads its ledger. */
  | { phase: "loading"; since: number; attempt: number; retryAt: number }
  /** The tab is hidden, and nothing is read for it. */
  | { phase: "resting"; since: number }
  /** Not signed in: nothing comes by itself any more. */
  | { phase: "ended"; since: number; why: string };

/** One line for people. */
export function describeConnection(connection: Connection, now: number): string {
  switch (connection.phase) {
    case "connecting":
      return "connecting…";
    case "live": {
      const { replayed } = connection;
      if (replayed === null) return "live";
      if (now - connection.since > 12_000) return "live";
      return replayed === 0 ? "reconnected, nothing was missed" : `reconnected, replayed ${replayed} events`;
    }
    case "behind":
      return "reading what was missed…";
    case "offline": {
      const seconds = Math.max(0, Math.ceil((connection.retryAt - now) / 1000));
      return seconds > 1 ? `offline, trying again in ${seconds} s` : "offline, trying again…";
    }
    case "loading":
      return "the keeper reads its ledger…";
    case "resting":
      return "paused while hidden";
    case "ended":
      return connection.why;
  }
}
