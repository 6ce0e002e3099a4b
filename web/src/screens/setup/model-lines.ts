// What a person writes into the configuration to give agents a model. The keeper's file is theirs: the page writes nothing.
import type { AgentView, ConfigView } from "@/api/generated";

export interface ProviderChoice {
  id: string;
  label: string;
  /** The variable that holds its key; empty where none is needed. */
  key: string;
  /** Such as it might be called. */
  example: string;
}

export const PROVIDERS: readonly ProviderChoice[] = [
  { id: "anthropic", label: "Anthropic", key: "ANTHROPIC_API_KEY", example: "claude-…" },
  {
    id: "openai",
    label: "OpenAI, or anything that speaks its language",
    key: "OPENAI_API_KEY",
    example: "gpt-…",
  },
  { id: "ollama", label: "Ollama on this machine", key: "", example: "qwen3:8b" },
];

/** The three lines. */
export function modelLines(provider: string, name: string): string {
  return `[model]\nprovider = "${provider}"\nname = ${JSON.stringify(name.trim() || "MODEL")}`;
}

/** Agents that answer by rules alone though nobody chose that. */
export function withoutModel(agents: readonly AgentView[], config: ConfigView | undefined): AgentView[] {
  if (!config) return [];
  const value = (key: string) => config.items.find((one) => one.key === key)?.value;
  if (value("model.provider") === '"reflex"') return [];
  const chosen = new Set<string>();
  for (const { key, value: mind } of config.items) {
    const at = /^agent\[(\d+)\]\.(?:mind|model\.provider)$/.exec(key)?.[1];
    if (at === undefined || mind !== '"reflex"') continue;
    const id = value(`agent[${at}].id`);
    if (id) chosen.add(id);
  }
  return agents.filter((agent) => /(^|\s)reflex$/.test(agent.mind) && !chosen.has(JSON.stringify(agent.id)));
}
