import { text } from "@/app/search";

/** `?agent=` shows one agent. */
export interface AgentsSearch {
  agent?: string | undefined;
}

export function agentsSearch(search: Record<string, unknown>): AgentsSearch {
  return { agent: text(search.agent, 64) };
}
