import { useAgents } from "@/live/hooks";

const KEY = "abide.agent";

/** The agent that was looked at last, if it still lives here; else the first. Null until the agents are known. */
export function usePreferredAgent(): string | null {
  const agents = useAgents();
  const kept = localStorage.getItem(KEY);
  return (agents.find((agent) => agent.id === kept) ?? agents[0])?.id ?? null;
}

export function rememberAgent(id: string): void {
  localStorage.setItem(KEY, id);
}
