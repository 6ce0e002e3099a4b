// What agents may do with each tool, and how a person changes that: at once, and with a way back. What abide.toml denies is shown and
// stays as it is.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useId, useState } from "react";
import { call } from "@/api/client";
import type { AgentToolView, PolicySetting } from "@/api/generated";
import { toolsQuery } from "@/api/queries";
import { usePreferredAgent } from "@/app/preferred-agent";
import { undoable } from "@/app/undo";
import { useAgents } from "@/live/hooks";
import {
  Badge,
  Button,
  Card,
  CardHead,
  count,
  EmptyState,
  Input,
  LoadError,
  Loading,
  Select,
  Time,
  visibleLine,
} from "@/ui";
import { inForce, POLICIES, POLICY_NAMES, policyOf, spacesOf, type WhomFor } from "./tool-policy";

/** For whom changes are made: agents by name, and whether for all of them. */
interface Scope {
  agent: string;
  whom: WhomFor;
  areSeveral: boolean;
}

export function Tools() {
  const agents = useAgents();
  const preferred = usePreferredAgent();
  const [chosen, setChosen] = useState<string | null>(null);
  const [wanted, setWanted] = useState<WhomFor>("one");
  const agent = agents.find((one) => one.id === chosen)?.id ?? preferred;
  const areSeveral = agents.length > 1;
  return (
    <Card aria-labelledby="tools-title">
      <CardHead
        id="tools-title"
        title="Tools"
        note="what agents may do; a change holds from the next call on"
      />
      {areSeveral && agent && (
        <div className="flex flex-wrap gap-2 px-4 pb-2">
          <Select
            label="Agent"
            className="w-40"
            value={agent}
            onChange={(event) => setChosen(event.target.value)}
          >
            {agents.map((one) => (
              <option key={one.id} value={one.id}>
                {one.id}
              </option>
            ))}
          </Select>
          <Select
            label="A change is for"
            className="w-40"
            value={wanted}
            onChange={(event) => setWanted(event.target.value === "all" ? "all" : "one")}
          >
            <option value="one">{agent} alone</option>
            <option value="all">all agents</option>
          </Select>
        </div>
      )}
      {agent && <ToolsOf scope={{ agent, whom: areSeveral ? wanted : "all", areSeveral }} />}
    </Card>
  );
}

function ToolsOf({ scope }: { scope: Scope }) {
  const tools = useQuery(toolsQuery(scope.agent));
  const [words, setWords] = useState("");
  if (tools.isPending) return <Loading what="the tools" />;
  if (tools.isError)
    return (
      <LoadError
        what="The tools could not be loaded."
        error={tools.error}
        retry={() => void tools.refetch()}
      />
    );
  const { items, next } = tools.data;
  const spaces = spacesOf(items, words);
  const found = spaces.reduce((sum, space) => sum + space.tools.length, 0);
  return (
    <>
      <div className="relative mx-4 mb-2">
        <Search aria-hidden className="absolute top-2.5 left-2.5 size-4 text-muted" />
        <Input
          label="Find a tool"
          hideLabel
          type="search"
          placeholder="Name, words, allow, ask, deny"
          maxLength={100}
          className="[&_input]:pl-8"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      <p role="status" className="px-4 pb-2 text-xs text-muted">
        {count(found)} of {count(items.length)} tools
        {next && "; there are more, which abide tools ls lists"}
      </p>
      {found === 0 && <EmptyState title="No match">Fewer words find more.</EmptyState>}
      <section
        tabIndex={0}
        aria-label="Tools and their policies"
        className="flex max-h-[36rem] flex-col gap-3 overflow-y-auto px-4 pb-4 focus-visible:-outline-offset-2"
      >
        {spaces.map((space) => (
          <div key={space.name}>
            <h3 className="pb-1 font-mono text-xs break-words text-muted">{visibleLine(space.name)}</h3>
            <ul aria-label={visibleLine(space.name)} className="flex flex-col">
              {space.tools.map((tool) => (
                <Tool key={`${scope.agent} ${tool.name}`} tool={tool} scope={scope} />
              ))}
            </ul>
          </div>
        ))}
      </section>
    </>
  );
}

function Tool({ tool, scope }: { tool: AgentToolView; scope: Scope }) {
  const client = useQueryClient();
  const id = useId();
  // What was chosen shows until the keeper has said what holds now.
  const [wanted, setWanted] = useState<PolicySetting | null>(null);
  const { isFixed, agent, why } = inForce(tool, scope);
  const name = visibleLine(tool.name);
  const held = policyOf(tool);

  const put = (policy: PolicySetting | null) =>
    call("PUT /tools/{name}/policy", { path: { name: tool.name }, body: { policy, agent } });
  const again = () => client.invalidateQueries({ queryKey: ["tools"] });
  const set = async (policy: PolicySetting | null) => {
    setWanted(policy);
    let before: PolicySetting | null = null;
    const whom = scope.areSeveral ? ` for ${agent ?? "all agents"}` : "";
    await undoable({
      done: `${name}${whom}: ${policy ? `${held} → ${policy}` : `${held} is taken back`}`,
      run: async () => {
        before = ((await put(policy)).before ?? null) as PolicySetting | null;
      },
      undo: () => put(before).finally(again),
    });
    await again();
    setWanted(null);
  };

  return (
    <li className="border-t border-line py-2 text-[13px]">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span id={id} className="min-w-0 font-mono text-xs break-words text-ink">
          {name}
        </span>
        <Badge tone={tool.effect === "world" ? "wait" : "plain"} title="What running it changes">
          {tool.effect}
        </Badge>
        <fieldset aria-labelledby={id} disabled={isFixed} className="ml-auto flex gap-3 disabled:opacity-60">
          {POLICIES.map((policy) => (
            <label key={policy} className="flex min-h-6 items-center gap-1.5 text-ink">
              <input
                type="radio"
                name={`policy ${id}`}
                className="size-4 accent-accent"
                checked={(wanted ?? held) === policy}
                onChange={() => void set(policy)}
              />
              {POLICY_NAMES[policy]}
            </label>
          ))}
        </fieldset>
      </div>
      <p className="truncate text-muted" title={visibleLine(tool.description)}>
        {visibleLine(tool.description)}
      </p>
      <Source tool={tool} areSeveral={scope.areSeveral} />
      {why && <p className="break-words text-muted">{why}</p>}
      {!isFixed && tool.policy_set && (tool.policy_set.agent ?? null) === agent && (
        <Button
          size="s"
          tone="ghost"
          className="mt-1 -ml-2"
          aria-label={`Take back what was set for ${name}`}
          onClick={() => void set(null)}
        >
          Take back
        </Button>
      )}
    </li>
  );
}

/** Where the policy of a tool comes from; of one that abide.toml denies, why. */
function Source({ tool, areSeveral }: { tool: AgentToolView; areSeveral: boolean }) {
  const set = tool.is_locked ? null : tool.policy_set;
  const whom = set?.agent ? `, for ${set.agent} alone` : areSeveral ? ", for all agents" : "";
  return (
    <p className="break-words text-muted">
      {set ? (
        <>
          set by {visibleLine(set.by)} <Time at={set.at} />
          {whom}; abide.toml says {tool.file_policy}
        </>
      ) : (
        visibleLine(tool.why_not ?? "as abide.toml says")
      )}
      {tool.policy !== policyOf(tool) && `; by its own rules: ${tool.policy}`}
    </p>
  );
}
