// What a conversation shows: exchanges that were read of the keeper and those that came over the stream, each once.
import type { EpochView } from "@/api/generated";
import type { LiveEpoch } from "@/live/state";
import { epochFromView } from "@/live/views";

/** Read and live exchanges together, the oldest first; of two forms of one, the newer. */
export function joined(read: readonly EpochView[], live: readonly LiveEpoch[]): LiveEpoch[] {
  const byId = new Map<string, LiveEpoch>();
  for (const view of read) byId.set(view.epoch_id, epochFromView(view));
  for (const epoch of live) {
    const known = byId.get(epoch.id);
    if (!known || epoch.lastSeq >= known.lastSeq) byId.set(epoch.id, epoch);
  }
  return [...byId.values()].sort((a, b) => a.firstSeq - b.firstSeq);
}

/** Whether all words stand somewhere in an exchange: message, reply, tools and what they were given. */
export function holds(epoch: LiveEpoch, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const calls = epoch.turns
    .flatMap((turn) => turn.calls)
    .map((call) => `${call.name} ${JSON.stringify(call.arguments)}`);
  const all = [epoch.content, epoch.reply ?? "", epoch.sender, ...calls].join("\n").toLowerCase();
  return words.every((word) => all.includes(word));
}

/** A new conversation's name; the sender's own is the one without a time. */
export function newSession(sender: string, now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(":", "").replace("T", "-");
  return `direct:${sender}:${stamp}`.slice(0, 128);
}
