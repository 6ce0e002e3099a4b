import { useNavigate } from "@tanstack/react-router";
import { Plus, Search } from "lucide-react";
import { useAgent, useAgents } from "@/live/hooks";
import { Cost, IconButton, Input, lifeOf, Pulse, Select, stateWord } from "@/ui";
import { senderName } from "./sender";
import { newSession } from "./transcript";

interface Props {
  id: string;
  sessions: readonly { id: string; epochs: number }[];
  session: string | undefined;
  onSession: (session: string | undefined) => void;
  q: string;
  onFind: (q: string) => void;
  found: number;
}

export function ChatHead({ id, sessions, session, onSession, q, onFind, found }: Props) {
  const agent = useAgent(id);
  const agents = useAgents();
  const navigate = useNavigate();
  const isNew = session !== undefined && !sessions.some((one) => one.id === session);
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2 sm:px-6">
      <div className="flex min-w-0 items-center gap-2">
        <Pulse life={lifeOf(agent?.state ?? "idle")} />
        <h1 className="truncate text-lg font-semibold tracking-tight">{agent?.name ?? id}</h1>
        <span className="text-[13px] whitespace-nowrap text-muted">
          {stateWord(agent?.state ?? "idle")}
          {agent && agent.queue > 0 && `, ${agent.queue} waiting`}
        </span>
        {agent && agent.usageToday.cost_microusd > 0 && (
          <span className="hidden text-[13px] text-muted sm:inline">
            today <Cost microusd={agent.usageToday.cost_microusd} unpriced={agent.usageToday.unpriced} />
          </span>
        )}
      </div>
      <div className="order-3 ml-auto flex min-w-0 grow basis-full items-center justify-end gap-2 sm:order-2 sm:grow-0 sm:basis-auto">
        {agents.length > 1 && (
          <Select
            label="Agent"
            hideLabel
            className="w-28 shrink sm:w-32"
            value={id}
            onChange={(event) =>
              void navigate({ to: "/chat/$agent", params: { agent: event.target.value }, search: {} })
            }
          >
            {agents.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </Select>
        )}
        <Select
          label="Conversation"
          hideLabel
          className="min-w-0 flex-1 sm:w-44 sm:flex-none"
          value={session ?? ""}
          onChange={(event) => onSession(event.target.value || undefined)}
        >
          <option value="">All conversations</option>
          {isNew && <option value={session}>{session} (new)</option>}
          {sessions.map((one) => (
            <option key={one.id} value={one.id}>
              {one.id} ({one.epochs})
            </option>
          ))}
        </Select>
        <IconButton
          label="New conversation"
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => {
            onSession(newSession(senderName(), new Date()));
            document.getElementById("message")?.focus();
          }}
        />
      </div>
      <div className="order-2 ml-auto flex min-w-0 items-center gap-2 sm:order-3 sm:ml-0">
        <div className="relative min-w-0">
          <Search aria-hidden className="absolute top-2.5 left-2.5 size-4 text-muted" />
          <Input
            id="chat-find"
            label="Search in the conversation"
            hideLabel
            type="search"
            placeholder="Search"
            className="w-36 sm:w-40 [&_input]:pl-8"
            value={q}
            onChange={(event) => onFind(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && onFind("")}
          />
        </div>
        {q && (
          <span role="status" className="text-[13px] text-muted">
            {found} here
          </span>
        )}
      </div>
    </header>
  );
}
