// Names that are known here: for the chooser and for completion.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { AnyEvent } from "@/live/event";
import { useAgents } from "@/live/hooks";
import { useTrail } from "@/screens/agents/trail";
import { senderName } from "@/screens/chat/sender";
import type { Names } from "./completion";
import { grantsQuery } from "./queries";

const KINDS = ["space.named", "space.said", "stdout.written"];

export function isOfSpaces(event: AnyEvent): boolean {
  return event.kind === "space.named" || event.kind === "space.said" || event.kind === "stdout.written";
}

/** Names in lines: who is in spaces, who spoke, which spaces there are. */
export function namesIn(events: readonly AnyEvent[]): Names {
  const entities = new Set<string>();
  const spaces = new Set<string>();
  for (const event of events) {
    entities.add(event.entity);
    if (event.kind === "space.named" || event.kind === "space.said") spaces.add(event.data.space);
    if (event.kind === "space.named") for (const member of event.data.members) entities.add(member);
  }
  entities.delete("@keeper");
  return {
    entities: [...entities].filter((name) => name.startsWith("@")).sort(),
    spaces: [...spaces].filter((name) => name.startsWith("#")).sort(),
  };
}

export function useNames(): Names {
  const agents = useAgents();
  const grants = useQuery(grantsQuery);
  const trail = useTrail("spaces", KINDS, isOfSpaces);
  return useMemo(() => {
    const heard = namesIn(trail.events);
    const own = ["@user", `@${senderName()}`, ...agents.map((agent) => `@${agent.id}`)];
    const granted = grants.data?.items.flatMap((grant) => [grant.reader, grant.owner].map(withSign)) ?? [];
    return { entities: [...new Set([...own, ...granted, ...heard.entities])], spaces: heard.spaces };
  }, [agents, grants.data, trail.events]);
}

export function withSign(name: string): string {
  return name.startsWith("@") ? name : `@${name}`;
}
