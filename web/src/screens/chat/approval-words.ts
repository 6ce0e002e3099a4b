// What a call that waits would change, who asked for it and why, for the person who decides.
import type { LiveApproval, LiveEpoch } from "@/live/state";
import { quotePlain } from "@/live/words";

const CHANGES: Record<string, string> = {
  read: "It reads and changes nothing.",
  state:
    "It changes Abide's own state (memory, notes, wakes, agents), once this exchange is complete; nothing outside.",
  world: "It changes something outside of Abide. That cannot be taken back here.",
};

/** What it would change; the worst is said where that is not known. */
export function changeOf(effect: string | null): string {
  return CHANGES[effect ?? ""] ?? "What it changes is not known; it may be something outside of Abide.";
}

/** Whether a yes is to be a calm press: what changes the world is not offered as the obvious thing. */
export function isGrave(effect: string | null): boolean {
  return effect !== "read" && effect !== "state";
}

const CHARS = 220;

export interface Asked {
  sender: string;
  message: string;
  sentAt: string;
  /** What the agent said or thought when it wanted the call; empty where it gave no reason. */
  why: string;
}

/** Who asked, and what the agent gave as its reason. */
export function askedOf(approval: LiveApproval, epoch: LiveEpoch | undefined): Asked | null {
  if (!epoch) return null;
  const turn =
    epoch.turns.find((one) => one.calls.some((call) => call.id === approval.callId)) ?? epoch.turns.at(-1);
  const given = turn?.text?.trim() || turn?.thought.trim() || "";
  return {
    sender: epoch.sender,
    message: quotePlain(epoch.content, CHARS),
    sentAt: epoch.sentAt,
    why: given ? quotePlain(given, CHARS) : "",
  };
}
