// What the list of tools shows and what of it can be changed. Pure.
import type { AgentToolView, PolicySetting } from "@/api/generated";

export const POLICIES: readonly PolicySetting[] = ["allow", "ask", "deny"];

export const POLICY_NAMES: Record<PolicySetting, string> = { allow: "Allow", ask: "Ask", deny: "Deny" };

/** Whether a change is for the shown agent alone or for all. */
export type WhomFor = "one" | "all";

/** What is set for a tool, else what abide.toml says. What the tool itself says of a call stands beside that. */
export function policyOf(tool: AgentToolView): PolicySetting {
  const policy = tool.is_locked ? "deny" : (tool.policy_set?.policy ?? tool.file_policy);
  return POLICIES.find((one) => one === policy) ?? "deny";
}

/** Whether a change is impossible, for which agent it would be (null: all), and what keeps it from changing anything here. */
export function inForce(
  tool: AgentToolView,
  { agent, whom, areSeveral }: { agent: string; whom: WhomFor; areSeveral: boolean },
): { isFixed: boolean; agent: string | null; why: string | null } {
  if (tool.is_locked) return { isFixed: true, agent: null, why: null };
  const own = tool.policy_set?.agent ?? null;
  if (whom === "one") return { isFixed: false, agent, why: null };
  // A setting of its own goes before one for all, which would change nothing here.
  if (own === null) return { isFixed: false, agent: null, why: null };
  if (!areSeveral) return { isFixed: false, agent: own, why: null };
  return { isFixed: true, agent: null, why: `${own} has its own setting, which goes before one for all.` };
}

export interface ToolSpace {
  name: string;
  tools: AgentToolView[];
}

/** The tools in which all words occur, by namespace, in the order in which they came. */
export function spacesOf(tools: readonly AgentToolView[], words: string): ToolSpace[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const spaces = new Map<string, ToolSpace>();
  for (const tool of tools) {
    const text =
      `${tool.name} ${tool.description} ${policyOf(tool)} ${tool.effect} ${tool.source}`.toLowerCase();
    if (!wanted.every((word) => text.includes(word))) continue;
    const space = spaces.get(tool.namespace) ?? { name: tool.namespace, tools: [] };
    space.tools.push(tool);
    spaces.set(tool.namespace, space);
  }
  return [...spaces.values()];
}
