// What of the ledger is wanted.
import { EVENT_KINDS, type EventKind } from "@/api/generated";
import { type AnyEvent, nameOf } from "@/live/event";
import type { TimelineSearch } from "./search";

export interface Filter {
  agent: string | null;
  /** Kinds, or groups as `memory.*`. */
  kinds: readonly string[];
  /** What must stand in the event's data, in any case; empty for anything. */
  text: string;
}

/** Choices that are more than one group: the ledger at three depths. */
export const DEPTHS = [
  { kinds: "stimulus.accepted,epoch.*", label: "Epochs" },
  { kinds: "stimulus.accepted,epoch.*,turn.*", label: "Epochs and turns" },
  { kinds: "stimulus.accepted,epoch.*,turn.*,tool.*,approval.*", label: "Epochs, turns and tools" },
] as const;

/** All kinds by group. */
export const GROUPS: ReadonlyMap<string, readonly EventKind[]> = byGroup();

/** The filter of an address; null where all is wanted. */
export function filterOf({ agent, kind, q }: Pick<TimelineSearch, "agent" | "kind" | "q">): Filter | null {
  const filter = {
    agent: agent ? nameOf(agent) : null,
    kinds: (kind ?? "")
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean),
    text: (q ?? "").trim(),
  };
  return filter.agent === null && filter.kinds.length === 0 && filter.text === "" ? null : filter;
}

/** Whether a line that came over the stream fits, as the keeper would say. */
export function fits({ agent, kinds, text }: Filter, event: AnyEvent): boolean {
  if (agent !== null && nameOf(event.entity) !== agent) return false;
  if (kinds.length > 0 && !kinds.some((kind) => isOf(event.kind, kind))) return false;
  return text === "" || holds(event.data, text.toLowerCase());
}

/** Whether a text stands in a string of a value; names of fields do not count. */
function holds(value: unknown, text: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(text);
  return typeof value === "object" && value !== null && Object.values(value).some((one) => holds(one, text));
}

function isOf(kind: string, wanted: string): boolean {
  return wanted.endsWith("*") ? kind.startsWith(wanted.slice(0, -1)) : kind === wanted;
}

function byGroup(): Map<string, EventKind[]> {
  const groups = new Map<string, EventKind[]>();
  for (const kind of Object.keys(EVENT_KINDS) as EventKind[]) {
    const group = kind.slice(0, kind.indexOf("."));
    groups.set(group, [...(groups.get(group) ?? []), kind]);
  }
  return groups;
}
