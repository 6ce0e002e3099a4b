// The timeline by epochs: what was asked, how it ended, what it took, and when it did what. The lines stand beneath.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { epochsQuery } from "@/api/queries";
import { useCommands } from "@/app/commands";
import { useAgents } from "@/live/hooks";
import { useLive } from "@/live/store";
import { joined } from "@/screens/chat/transcript";
import { Button, EmptyState, LoadError, Loading, Select, VirtualList, type VirtualListHandle } from "@/ui";
import { EpochRow } from "./epoch-row";
import { isOfOutcome, OUTCOMES, type Outcome, type Row, rowsOfEpochs } from "./epoch-rows";
import { GapRow } from "./gap-row";

const OUTCOME_NAMES: Record<Outcome, string> = {
  all: "Any end",
  open: "Still open",
  failed: "Without a reply",
};

const keyOf = (row: Row) => ("epoch" in row ? row.epoch.id : `gap after ${row.gap.after}`);

export function EpochsTimeline({ agent }: { agent: string | undefined }) {
  const pages = useInfiniteQuery(epochsQuery(agent ?? null));
  const live = useLive((state) =>
    Object.values(state.epochs).filter((epoch) => !agent || epoch.agent === agent),
  );
  const head = useLive((state) => state.seq);
  const [outcome, setOutcome] = useState<Outcome>("all");
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set());
  const read = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  const epochs = useMemo(() => joined(read, live), [read, live]);
  const isFiltered = agent !== undefined || outcome !== "all";
  const rows = useMemo<Row[]>(() => {
    const fitting = epochs.filter((epoch) => isOfOutcome(epoch, outcome));
    // Beside the epochs of one agent stand those of others: what lies between them is not told then.
    if (isFiltered) return [...fitting].reverse().map((epoch) => ({ epoch }));
    return rowsOfEpochs(fitting, head, pages.isSuccess && !pages.hasNextPage);
  }, [epochs, outcome, isFiltered, head, pages.isSuccess, pages.hasNextPage]);
  const list = useRef<VirtualListHandle>(null);
  const toggle = (key: string) =>
    setOpenIds((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const step = (by: number) => {
    const buttons = [...document.querySelectorAll<HTMLElement>("[data-row]")];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const next = buttons[at < 0 ? (by > 0 ? 0 : buttons.length - 1) : at + by];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  useCommands([
    { id: "timeline:next", label: "Next row", group: "Timeline", keys: "j", run: () => step(1) },
    { id: "timeline:before", label: "Row before", group: "Timeline", keys: "k", run: () => step(-1) },
    {
      id: "timeline:newest",
      label: "To the newest",
      group: "Timeline",
      keys: "shift+g",
      run: () => list.current?.scrollTo(0),
    },
  ]);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 pb-3 short:pb-1">
        <AgentChoice agent={agent} />
        <Select
          label="How it ended"
          hideLabel
          className="w-40"
          value={outcome}
          onChange={(event) => setOutcome(OUTCOMES.find((one) => one === event.target.value) ?? "all")}
        >
          {OUTCOMES.map((one) => (
            <option key={one} value={one}>
              {OUTCOME_NAMES[one]}
            </option>
          ))}
        </Select>
      </div>
      {pages.isError && (
        <LoadError
          error={pages.error}
          retry={() => void pages.refetch()}
          what="The exchanges could not be loaded"
        />
      )}
      {pages.isPending && epochs.length === 0 && <Loading what="the exchanges" />}
      {pages.isSuccess && rows.length === 0 && (
        <EmptyState title={isFiltered ? "No match" : "Nothing has happened yet"}>
          Each message that an agent is asked becomes a row here, with what came of it. At the command line:{" "}
          <code>abide epochs ls</code>
        </EmptyState>
      )}
      {rows.length > 0 && (
        <VirtualList
          handle={list}
          label="Exchanges"
          className="mb-4 min-h-0 flex-1 rounded-xl border border-line bg-surface short:mb-1"
          items={rows}
          estimate={64}
          keyOf={keyOf}
          render={(row) => {
            const key = keyOf(row);
            const shared = { isOpen: openIds.has(key), onToggle: () => toggle(key) };
            return "epoch" in row ? (
              <EpochRow epoch={row.epoch} {...shared} />
            ) : (
              <GapRow gap={row.gap} {...shared} />
            );
          }}
        />
      )}
      {pages.hasNextPage && (
        <div className="pb-3 text-center short:pb-1">
          <Button size="s" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Earlier exchanges
          </Button>
        </div>
      )}
    </>
  );
}

function AgentChoice({ agent }: { agent: string | undefined }) {
  const agents = useAgents().map((one) => one.id);
  const navigate = useNavigate({ from: "/timeline" });
  return (
    <Select
      label="Agent"
      hideLabel
      className="w-40"
      value={agent ?? ""}
      onChange={(event) =>
        void navigate({
          search: (old) => ({ ...old, agent: event.target.value || undefined }),
          replace: true,
        })
      }
    >
      <option value="">Everybody</option>
      {agent && !agents.includes(agent) && <option value={agent}>{agent}</option>}
      {agents.map((id) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </Select>
  );
}
