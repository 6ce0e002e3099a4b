// What a process showed at each look while the screen was open. Heartbeats are no events: they are life, not history, and are kept here alone.
import type { ProcessView } from "@/api/generated";

/** Looks that are kept for each agent. */
export const SAMPLES_KEPT = 60;

export interface Sample {
  at: number;
  run: string | null;
  /** How long ago it was heard then; null where it was not. */
  silentS: number | null;
  /** The progress counter. */
  progress: number | null;
}

const samples = new Map<string, readonly Sample[]>();

export function sampleOf(process: ProcessView, at: number): Sample {
  const heard = process.last_heartbeat_at ? Date.parse(process.last_heartbeat_at) : Number.NaN;
  return {
    at,
    run: process.run ?? null,
    silentS: Number.isNaN(heard) ? null : Math.max(0, Math.round((at - heard) / 1000)),
    progress: process.progress ?? null,
  };
}

/** One more look; a second one at the same time is none. */
export function withSample(old: readonly Sample[], one: Sample): readonly Sample[] {
  if (old.at(-1)?.at === one.at) return old;
  return [...old, one].slice(-SAMPLES_KEPT);
}

/** Steps of progress between looks. A new run counts from the beginning. */
export function steps(looks: readonly Sample[]): number[] {
  return looks.slice(1).map((one, at) => {
    const before = looks[at];
    if (!before || one.progress === null) return 0;
    return one.run === before.run ? Math.max(0, one.progress - (before.progress ?? 0)) : one.progress;
  });
}

/** Silence at each look, in seconds. */
export function silences(looks: readonly Sample[]): number[] {
  return looks.flatMap((one) => (one.silentS === null ? [] : [one.silentS]));
}

export function keepSample(agent: string, process: ProcessView, at: number): readonly Sample[] {
  const kept = withSample(samples.get(agent) ?? [], sampleOf(process, at));
  samples.set(agent, kept);
  return kept;
}
