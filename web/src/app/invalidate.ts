// What was read of the keeper becomes stale when an event says so; reads follow at most a few times a second.
import type { QueryClient } from "@tanstack/react-query";
import type { LiveState } from "@/live/state";
import type { LiveStore } from "@/live/store";
import { TOPICS, type Topic } from "@/live/topics";

const GATHER_MS = 250;

export function invalidateOn(store: LiveStore, client: QueryClient): void {
  let stale = new Set<Topic>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const sweep = () => {
    timer = null;
    const topics = stale;
    stale = new Set();
    void client.invalidateQueries({ predicate: ({ queryKey }) => topics.has(queryKey[0] as Topic) });
  };
  store.onFlush = (before: LiveState, after: LiveState) => {
    for (const topic of TOPICS) if (before.marks[topic] !== after.marks[topic]) stale.add(topic);
    // A new beginning makes everything stale that is not marked by events.
    if (before.base >= 0 && before.base !== after.base) void client.invalidateQueries();
    if (stale.size > 0 && timer === null) timer = setTimeout(sweep, GATHER_MS);
  };
}
