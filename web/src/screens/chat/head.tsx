import { useNavigate } from "@tanstack/react-router";
import { MessagesSquare, Plus, Search, X } from "lucide-react";
import { useState } from "react";
import { useAgent, useAgents } from "@/live/hooks";
import { useConnection } from "@/live/store";
import { Cost, cx, IconButton, Input, lifeOf, Pulse, Select, stateWord } from "@/ui";

interface Props {
  id: string;
  /** What nobody looked at, in all conversations but the one that is shown. */
  unread: number;
  onConversations: () => void;
  onNew: () => void;
  q: string;
  onFind: (q: string) => void;
}

/** Who is spoken with, in one line at any width. */
export function ChatHead({ id, unread, onConversations, onNew, q, onFind }: Props) {
  const agent = useAgent(id);
  const isOff = useConnection().phase === "offline";
  const [isFinding, setFinding] = useState(false);
  const isShown = isFinding || q.length > 0;
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-3 sm:gap-3 sm:px-6 short:h-10">
      <div className={cx("flex min-w-0 items-center gap-2", isShown && "max-sm:sr-only")}>
        <Pulse life={isOff ? "away" : lifeOf(agent?.state ?? "idle")} />
        <h1 className="truncate text-lg font-semibold tracking-tight">{agent?.name ?? id}</h1>
        <span className="truncate text-[13px] whitespace-nowrap text-muted">
          {isOff ? "as last seen: " : ""}
          {stateWord(agent?.state ?? "idle")}
          {agent && agent.queue > 0 && `, ${agent.queue} waiting`}
        </span>
        {agent && agent.usageToday.cost_microusd > 0 && (
          <span className="hidden text-[13px] whitespace-nowrap text-muted lg:inline">
            today <Cost microusd={agent.usageToday.cost_microusd} unpriced={agent.usageToday.unpriced} />
          </span>
        )}
      </div>
      <div className={cx("ml-auto flex items-center gap-1 sm:gap-2", isShown && "max-sm:flex-1")}>
        <AgentSelect id={id} className="w-32 max-sm:hidden" />
        <Input
          id="chat-find"
          label="Search in all that was said"
          hideLabel
          type="search"
          placeholder="Search"
          className={cx("sm:w-40", isShown ? "max-sm:w-full max-sm:flex-1" : "max-sm:sr-only")}
          value={q}
          onFocus={() => setFinding(true)}
          onBlur={() => setFinding(false)}
          onChange={(event) => onFind(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            onFind("");
            event.currentTarget.blur();
          }}
        />
        {isShown ? (
          <IconButton
            className="sm:!hidden"
            label="End the search"
            icon={<X aria-hidden className="size-4" />}
            onClick={() => onFind("")}
          />
        ) : (
          <IconButton
            className="sm:!hidden"
            label="Search in all that was said"
            icon={<Search aria-hidden className="size-4" />}
            onClick={() => document.getElementById("chat-find")?.focus()}
          />
        )}
        <span className={cx("relative xl:hidden", isShown && "max-sm:hidden")}>
          <IconButton
            label="Conversations"
            icon={<MessagesSquare aria-hidden className="size-4" />}
            onClick={onConversations}
          />
          {unread > 0 && (
            <span className="pointer-events-none absolute -top-0.5 -right-0.5 min-w-4 rounded-full bg-accent px-1 text-center text-[10px] leading-4 font-semibold text-on-accent">
              {unread}
              <span className="sr-only"> unread</span>
            </span>
          )}
        </span>
        <IconButton
          className={cx("xl:!hidden", isShown && "max-sm:!hidden")}
          label="New conversation"
          icon={<Plus aria-hidden className="size-4" />}
          onClick={onNew}
        />
      </div>
    </header>
  );
}

/** Leads to another agent; nothing where there is one alone. */
export function AgentSelect({ id, className }: { id: string; className?: string }) {
  const agents = useAgents();
  const navigate = useNavigate();
  if (agents.length < 2) return null;
  return (
    <Select
      label="Agent"
      hideLabel
      className={className}
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
  );
}
