// What of the ledger is wanted.
import { EVENT_KINDS, type EventKind } from "@/api/generated";
import { type AnyEvent, nameOf } from "@/live/event";
import type { TimelineSearch } from "./search";
import { told } from "./words";

export interface Filter {
  agent: string | null;
  /** Kinds, or groups as `memory.*`. */
  kinds: readonly string[];
  /** In small letters; all of them must be there. */
  words: readonly string[];
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
    words: (q ?? "").toLowerCase().split(/\s+/).filter(Boolean),
  };
  return filter.agent === null && filter.kinds.length === 0 && filter.words.length === 0 ? null : filter;
}

export function fits({ agent, kinds, words }: Filter, event: AnyEvent): boolean {
  if (agent !== null && nameOf(event.entity) !== agent) return false;
  if (kinds.length > 0 && !kinds.some((kind) => isOf(event.kind, kind))) return false;
  if (words.length === 0) return true;
  const { seq, entity, author, kind, epoch } = event;
  const head = `#${seq} ${entity} ${author} ${kind} ${epoch ?? ""} ${told(event)}`.toLowerCase();
  const rest = words.filter((word) => !head.includes(word));
  if (rest.length === 0) return true;
  const text = JSON.stringify(event.data).toLowerCase();
  return rest.every((word) => text.includes(word));
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
