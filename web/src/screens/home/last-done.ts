// What an agent did last, in a line.
import { isOpen, type LiveEpoch } from "@/live/state";
import { plain, quote } from "@/live/words";

const QUOTE_CHARS = 110;

/** The last exchange that ended; the epochs are the oldest first. */
export function lastEnded(epochs: readonly LiveEpoch[]): LiveEpoch | undefined {
  return epochs.findLast((epoch) => !isOpen(epoch));
}

/** `answered nicolas: “…”`, or why there was no reply. */
export function lastDone(epoch: LiveEpoch): string {
  if (epoch.state === "aborted")
    return `ended without a reply to ${epoch.sender}: ${quote(epoch.abort?.message ?? "no reason given", QUOTE_CHARS)}`;
  const reply = plain(epoch.reply ?? "", QUOTE_CHARS);
  return reply
    ? `answered ${epoch.sender}: ${quote(reply, QUOTE_CHARS)}`
    : `answered ${epoch.sender} without text`;
}
