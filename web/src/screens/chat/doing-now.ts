import type { LiveEpoch } from "@/live/state";
import { doing } from "@/live/words";

/** What an open epoch does, where its answer can be seen to grow. */
export function doingNow(epoch: LiveEpoch): string {
  return epoch.partial ? `writes, turn ${epoch.turn}` : doing(epoch);
}
