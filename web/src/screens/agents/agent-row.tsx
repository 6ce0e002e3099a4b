import { Link } from "@tanstack/react-router";
import { MessagesSquare } from "lucide-react";
import type { AgentView } from "@/api/generated";
import { useAgent, useEpoch, useEpochs } from "@/live/hooks";
import { quote } from "@/live/words";
import { doingNow } from "@/screens/chat/doing-now";
import { lastDone, lastEnded } from "@/screens/home/last-done";
import { cx, lifeOf, Pulse, stateWord, Time, visible } from "@/ui";
import { ProcessFigures, WorkFigures } from "./figures";
import { Steer } from "./steer";
import type { Trail } from "./trail";

export function AgentRow({
  agent,
  trail,
  isShown,
  isStalled,
}: {
  agent: AgentView;
  trail: Trail;
  isShown: boolean;
  isStalled: boolean;
}) {
  // The stream is ahead of what was read.
  const state = useAgent(agent.id)?.state ?? agent.state;
  return (
    <li className="relative min-w-0 border-l border-line-strong py-1 pl-4" data-agent={agent.id}>
      <div className="rounded-xl border border-line bg-surface px-4 py-3">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <div className="flex min-w-0 flex-1 items-center gap-2">
            <Pulse life={isStalled ? "troubled" : lifeOf(state)} />
            <Link
              to="/agents"
              search={{ agent: agent.id }}
              aria-haspopup="dialog"
              aria-expanded={isShown}
              className="truncate font-medium text-ink max-sm:flex-1"
            >
              {agent.name}
            </Link>
            <span className="truncate text-[13px] text-muted max-sm:hidden">
              {agent.role}, mind {agent.mind}
            </span>
            <span
              className={cx("ml-auto text-[13px] whitespace-nowrap", isStalled ? "text-fail" : "text-ink")}
              data-testid="state"
            >
              {isStalled ? "stalled" : stateWord(state)}
            </span>
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <Steer agent={agent} state={state} size="s" />
            <Link
              to="/chat/$agent"
              params={{ agent: agent.id }}
              search={{}}
              aria-label={`Talk to ${agent.name}`}
              className="inline-flex min-h-7 items-center px-1 text-muted hover:text-ink"
            >
              <MessagesSquare aria-hidden className="size-4" />
            </Link>
          </div>
        </div>
        {(agent.paused ?? agent.process?.message) && (
          <p dir="auto" className="mt-1 text-[13px] break-words text-muted">
            {visible(agent.paused ?? agent.process?.message ?? "")}
          </p>
        )}
        <Doing id={agent.id} />
        <dl className="mt-2 grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-[repeat(auto-fill,minmax(10.5rem,1fr))]">
          <WorkFigures agent={agent} trail={trail} />
          <ProcessFigures process={agent.process} />
        </dl>
      </div>
    </li>
  );
}

/** What it does, or did last. */
function Doing({ id }: { id: string }) {
  const open = useEpoch(useAgent(id)?.openEpoch);
  const last = lastEnded(useEpochs(id));
  const shown = open ?? last;
  if (!shown) return null;
  return (
    <p dir="auto" className="mt-1 truncate text-[13px] text-muted">
      {!open && (
        <>
          <Time at={shown.endedAt} />{" "}
        </>
      )}
      <Link
        to="/chat/$agent"
        params={{ agent: id }}
        search={{ epoch: shown.id }}
        className="text-ink no-underline hover:underline"
      >
        {open ? `${doingNow(open)}: ${quote(open.content)}` : lastDone(shown)}
      </Link>
    </p>
  );
}
