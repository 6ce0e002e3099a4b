// Sleeps as they are shown: from the keeper's view of the one that runs and the last one, and from the ledger for older ones.
import type { NightView, StepView } from "@/api/generated";
import { type AnyEvent, nameOf } from "@/live/event";

export const STEPS = ["facts", "identity", "dream"] as const;

export interface StepLine {
  step: string;
  /** `ok`, `empty`, `failed`, `skipped`; `running`, `to come`, `not reached`. */
  state: string;
  part: number;
  parts: number;
  messages: string[];
}

/** The three steps in their order, with where each stands. */
export function stepsOf(night: NightView): StepLine[] {
  const isOver = Boolean(night.status);
  let isFree = !isOver;
  return STEPS.map((step) => {
    const done = night.steps.filter((one) => one.step === step);
    const last = done.at(-1);
    const isWhole = last !== undefined && last.part >= last.parts;
    const line = {
      step,
      part: last?.part ?? 0,
      parts: last?.parts ?? 0,
      messages: done.map((one) => one.message).filter(Boolean),
    };
    if (isWhole || (last && isOver)) return { ...line, state: worst(done) };
    if (!isFree) return { ...line, state: isOver ? "not reached" : "to come" };
    isFree = false;
    return { ...line, state: "running" };
  });
}

/** Of several parts, the one that says most: a failure, else something found. */
function worst(parts: readonly StepView[]): string {
  const order = ["failed", "ok", "empty", "skipped"];
  return order.find((status) => parts.some((one) => one.status === status)) ?? "ok";
}

/** A sleep of the ledger's past, with the epochs that it was about and where it begins. */
export interface PastNight {
  night: NightView;
  epochs: readonly string[];
  seq: number;
}

/** Sleeps of one agent among events of the ledger, the newest first. One that begins before the first event is left out. */
export function nightsOf(events: readonly AnyEvent[], agent: string): PastNight[] {
  const nights = new Map<string, PastNight>();
  for (const event of events) {
    if (nameOf(event.entity) !== agent) continue;
    if (event.kind === "sleep.started") {
      const { sleep_id, trigger, distiller, epochs } = event.data;
      const night = {
        sleep_id,
        trigger,
        distiller,
        epochs: epochs.length,
        started_at: event.timestamp,
        steps: [] as StepView[],
      };
      nights.set(sleep_id, { night, epochs, seq: event.seq });
    } else if (event.kind === "sleep.step_finished") {
      const { sleep_id, step, part, parts, status, message = "" } = event.data;
      nights.get(sleep_id)?.night.steps.push({ step, part, parts, status, message });
    } else if (event.kind === "sleep.ended") {
      const known = nights.get(event.data.sleep_id);
      if (!known) continue;
      known.night.ended_at = event.timestamp;
      known.night.status = event.data.status;
      known.night.message = event.data.message;
    }
  }
  return [...nights.values()].reverse();
}

const TRIGGERS: Record<string, string> = {
  person: "a person asked for it",
  schedule: "its schedule",
  idle: "it was idle",
  pressure: "its memory was full",
};

export const triggerWord = (trigger: string) => TRIGGERS[trigger] ?? trigger;
