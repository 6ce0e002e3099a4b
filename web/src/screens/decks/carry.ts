// Carrying a card to another place, by pointer or by keys: a pure machine. What it says is read aloud; what it drops is done by others.
import type { DeckZone } from "@/api/generated";
import { zoneTitle } from "./zones";

/** A finger that rests so long picks up; before, its moving scrolls. */
export const HOLD_MS = 250;
/** Within so many pixels a pointer counts as resting. */
export const SLOP_PX = 8;

export interface Carried {
  /** The entry's key. */
  key: string;
  name: string;
  from: DeckZone;
}

export type Carry =
  | { phase: "idle" }
  | { phase: "pressed"; card: Carried; pointer: "touch" | "mouse"; x: number; y: number }
  | { phase: "carried"; by: "pointer" | "keys"; card: Carried; over: DeckZone | null; x: number; y: number };

export type CarryInput =
  | { type: "press"; card: Carried; pointer: "touch" | "mouse"; x: number; y: number }
  | { type: "held" }
  | { type: "point"; x: number; y: number; over: DeckZone | null }
  | { type: "release" }
  | { type: "pick"; card: Carried }
  | { type: "step"; by: 1 | -1 }
  | { type: "drop" }
  | { type: "cancel" };

export interface CarryStep {
  next: Carry;
  /** Read aloud; nothing where nothing is to be said. */
  say?: string;
  drop?: { key: string; to: DeckZone };
}

const IDLE: Carry = { phase: "idle" };

export function carry(now: Carry, input: CarryInput, places: readonly DeckZone[]): CarryStep {
  switch (input.type) {
    case "press":
      if (now.phase !== "idle") return { next: now };
      return { next: { phase: "pressed", card: input.card, pointer: input.pointer, x: input.x, y: input.y } };
    case "held":
      if (now.phase !== "pressed" || now.pointer !== "touch") return { next: now };
      return lifted(now);
    case "point":
      return pointed(now, input);
    case "release":
      if (now.phase !== "carried" || now.by !== "pointer")
        return { next: now.phase === "pressed" ? IDLE : now };
      return dropped(now);
    case "pick":
      return picked(input.card, places);
    case "step":
      return stepped(now, input.by, places);
    case "drop":
      return now.phase === "carried" ? dropped(now) : { next: now };
    case "cancel":
      if (now.phase !== "carried") return { next: IDLE };
      return { next: IDLE, say: `${now.card.name} stays in ${zoneTitle(now.card.from)}.` };
  }
}

function lifted(now: Extract<Carry, { phase: "pressed" }>): CarryStep {
  const { card, x, y } = now;
  return {
    next: { phase: "carried", by: "pointer", card, over: card.from, x, y },
    say: `${card.name} picked up.`,
  };
}

function pointed(now: Carry, input: Extract<CarryInput, { type: "point" }>): CarryStep {
  const { x, y, over } = input;
  if (now.phase === "pressed") {
    if (Math.hypot(x - now.x, y - now.y) <= SLOP_PX) return { next: now };
    // A finger that moves before it rested scrolls.
    if (now.pointer === "touch") return { next: IDLE };
    return { next: { ...(lifted(now).next as Extract<Carry, { phase: "carried" }>), x, y, over } };
  }
  if (now.phase !== "carried" || now.by !== "pointer") return { next: now };
  return { next: { ...now, x, y, over } };
}

function picked(card: Carried, places: readonly DeckZone[]): CarryStep {
  const at = places.indexOf(card.from);
  return {
    next: { phase: "carried", by: "keys", card, over: card.from, x: 0, y: 0 },
    say: `${card.name} picked up from ${zoneTitle(card.from)}, place ${at + 1} of ${places.length}. Arrows choose a place, Space drops, Escape puts it back.`,
  };
}

function stepped(now: Carry, by: 1 | -1, places: readonly DeckZone[]): CarryStep {
  if (now.phase !== "carried" || now.by !== "keys") return { next: now };
  const at = now.over === null ? -1 : places.indexOf(now.over);
  const next = Math.max(0, Math.min(places.length - 1, at + by));
  const over = places[next] ?? now.over;
  return {
    next: { ...now, over },
    say: over === null ? "No place." : `${zoneTitle(over)}, place ${next + 1} of ${places.length}.`,
  };
}

function dropped(now: Extract<Carry, { phase: "carried" }>): CarryStep {
  const { card, over } = now;
  if (over === null || over === card.from)
    return { next: IDLE, say: `${card.name} stays in ${zoneTitle(card.from)}.` };
  return {
    next: IDLE,
    say: `${card.name} dropped in ${zoneTitle(over)}.`,
    drop: { key: card.key, to: over },
  };
}
