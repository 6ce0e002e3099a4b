// What this browser has looked at, agent by agent; it is kept here alone.
import { useEffect, useState } from "react";
import { isRecord } from "@/api/errors";
import type { LiveEpoch } from "@/live/state";
import { useLive } from "@/live/store";
import { lookedAt, type SeenUpTo } from "./conversations";

export interface Kept {
  /** Where counting began: what ended before is no news. */
  since: number;
  seen: SeenUpTo;
}

const keyOf = (agent: string) => `abide.seen.${agent}`;

/** What was looked at of an agent, with what is shown now. */
export function useSeen(agent: string, shown: readonly LiveEpoch[]): Kept {
  const base = useLive((state) => state.base);
  const [kept, setKept] = useState<Kept>(() => keptOr(read(agent), base));
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== "visible") return;
      setKept((before) => {
        const seen = lookedAt(before.seen, shown);
        return seen === before.seen ? before : { ...before, seen };
      });
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [shown]);
  useEffect(() => {
    localStorage.setItem(keyOf(agent), JSON.stringify(kept));
  }, [agent, kept]);
  return kept;
}

/** What was kept, or a new beginning at the ledger's end: what was kept beyond it is of another home. */
export function keptOr(kept: Kept | null, base: number): Kept {
  return kept && kept.since <= base ? kept : { since: base, seen: {} };
}

function read(agent: string): Kept | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(agent)) ?? "null");
    if (!isRecord(kept) || typeof kept.since !== "number" || !isRecord(kept.seen)) return null;
    const seen = Object.entries(kept.seen).filter(
      (one): one is [string, number] => typeof one[1] === "number",
    );
    return { since: kept.since, seen: Object.fromEntries(seen) };
  } catch {
    return null;
  }
}
