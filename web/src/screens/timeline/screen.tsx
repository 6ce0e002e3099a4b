// The ledger, from its first line to what happens now.
import { Link, useSearch } from "@tanstack/react-router";
import { ArrowDown } from "lucide-react";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useCommands } from "@/app/commands";
import { useLive } from "@/live/store";
import { toolOf } from "@/live/tools";
import { Button, cx, Dialog, EmptyState, LoadError, Loading, Screen } from "@/ui";
import { EpochsTimeline } from "./epochs-timeline";
import { FilterBar } from "./filter-bar";
import { LedgerList, type ListHandle } from "./ledger-list";
import { EventPanel } from "./panel";
import { LedgerRow } from "./row";
import { ROWS, type Rows, rowsOf, type TimelineSearch } from "./search";
import { SearchedBar } from "./searched-bar";
import { seek, type Target } from "./seek";
import { readLedger } from "./source";
import { useAddress } from "./use-address";
import { useLedger } from "./use-ledger";

export function TimelineScreen() {
  const isLoaded = useLive((state) => state.base >= 0);
  const search = useSearch({ from: "/timeline" });
  const { agent = "", kind = "", q = "" } = search;
  const rows = rowsOf(search);
  return (
    <Screen
      title="Timeline"
      note={rows === "epochs" ? "Every exchange, and what it took" : "Everything that happened, in order"}
      actions={<RowsChoice rows={rows} agent={search.agent} />}
      fixed
    >
      {!isLoaded ? (
        <Loading what="the ledger" />
      ) : rows === "epochs" ? (
        <EpochsTimeline agent={search.agent} />
      ) : (
        <Timeline filter={`${agent}\n${kind}\n${q}`} />
      )}
    </Screen>
  );
}

/** Exchanges, or all events. */
function RowsChoice({ rows, agent }: { rows: Rows; agent: string | undefined }) {
  return (
    <nav aria-label="What a row is" className="flex rounded-md border border-line p-0.5 text-[13px]">
      {ROWS.map((one) => (
        <Link
          key={one}
          to="/timeline"
          search={{ agent, rows: one === "lines" ? one : undefined }}
          aria-current={one === rows ? "page" : undefined}
          className={cx(
            "rounded px-2.5 py-1 no-underline",
            one === rows ? "bg-raised font-medium text-ink" : "text-muted hover:text-ink",
          )}
        >
          {one === "epochs" ? "Exchanges" : "Events"}
        </Link>
      ))}
    </nav>
  );
}

function Timeline({ filter }: { filter: string }) {
  const search = useSearch({ from: "/timeline" });
  const { seq, axis = "time", view = "story" } = search;
  const { set, setSoon } = useAddress();
  const last = useLive((state) => state.seq);
  const [paused, setPaused] = useState<number | null>(null);
  const head = Math.min(paused ?? last, last);
  const [follows, setFollows] = useState(seq === undefined);
  const [current, setCurrent] = useState<number | null>(seq ?? null);
  const list = useRef<ListHandle>(null);
  const ledger = useLedger(search, head, Math.min(seq ?? head, head));
  const { rows, rowOf, moveTo } = ledger;

  // Where the address leads, once for each address; what the keyboard wrote into it leads nowhere.
  const shown = useRef<string | null>(null);
  const target = seq === undefined ? null : `${seq}\n${filter}`;
  const isFar = seq !== undefined && ledger.search?.covers(Math.min(seq, head)) === false;
  useEffect(() => {
    if (target === null || seq === undefined || shown.current === target) return;
    if (isFar) moveTo(Math.min(seq, head));
    if (isFar || rows === 0) return;
    shown.current = target;
    setCurrent(seq);
    setFollows(false);
    list.current?.toRow(Math.min(rowOf(seq), rows - 1), "middle");
  }, [target, seq, rows, rowOf, isFar, head, moveTo]);

  const isOpen = seq !== undefined;
  const toCurrent = (row: number) => {
    const next = ledger.seqAt(row);
    setCurrent(next);
    setFollows(false);
    list.current?.toRow(row, "near");
    if (isOpen)
      setSoon({ seq: next }, () => {
        shown.current = `${next}\n${filter}`;
      });
  };
  const open = (next: number) => {
    shown.current = `${next}\n${filter}`;
    setCurrent(next);
    setFollows(false);
    set({ seq: next });
  };
  const step = (by: number) => {
    list.current?.focus();
    if (rows === 0) return;
    const at = current === null ? rows - 1 : rowOf(current) + by;
    toCurrent(Math.max(0, Math.min(at, rows - 1)));
  };
  const close = () => {
    set({ seq: undefined });
    list.current?.focus();
  };
  const toNewest = () => {
    setPaused(null);
    if (!ledger.isAtNewest) moveTo(last);
    setFollows(true);
    setCurrent(null);
    if (isOpen) set({ seq: undefined });
  };
  const pause = () => setPaused(paused === null ? last : null);
  const onSearch = (change: Partial<TimelineSearch>) => {
    // Another choice begins at its newest, unless an event holds the place.
    if (seq === undefined && !("axis" in change)) setFollows(true);
    set(change);
  };
  const go = async (to: Target) => {
    const look = async (at: number) =>
      (await readLedger({ after: at - 1, through: head, limit: 8 })).events[0] ?? null;
    const found = await seek(to, head, look);
    shown.current = null;
    set({ seq: found });
  };
  useCommands([
    { id: "timeline:next", label: "Next event", group: "Timeline", keys: "j", run: () => step(1) },
    { id: "timeline:before", label: "Event before", group: "Timeline", keys: "k", run: () => step(-1) },
    {
      id: "timeline:find",
      label: "Search in all events",
      group: "Timeline",
      keys: "/",
      run: () => document.getElementById("timeline-find")?.focus(),
    },
    { id: "timeline:pause", label: "Pause, or go on", group: "Timeline", keys: "p", run: pause },
    {
      id: "timeline:newest",
      label: "To the newest event",
      group: "Timeline",
      keys: "shift+g",
      run: toNewest,
    },
    ...(isOpen
      ? [{ id: "timeline:close", label: "Close the event", group: "Timeline", keys: "escape", run: close }]
      : []),
  ]);

  const isWide = useMedia("(min-width: 1024px)");
  const held = seq === undefined ? undefined : ledger.eventOf(seq);
  const epoch = held?.epoch;
  const panel = seq !== undefined && (
    <EventPanel
      seq={seq}
      held={held}
      near={ledger.eventOf}
      head={last}
      view={view}
      onView={(next) => set({ view: next === "story" ? undefined : next })}
      onOpen={open}
      {...(isWide ? { onClose: close } : {})}
    />
  );
  return (
    <>
      <FilterBar search={search} onSearch={onSearch} isPaused={paused !== null} onPause={pause} onGo={go} />
      {ledger.error !== null && (
        <LoadError error={ledger.error} retry={ledger.retry} what="The ledger could not be loaded" />
      )}
      <div className="flex min-h-0 flex-1 gap-4 pb-4">
        <div className="relative flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden rounded-xl border border-line bg-surface">
          <SearchedBar ledger={ledger} head={head} />
          {rows === 0 && (
            <Nothing isSearching={ledger.search?.isSearching ?? false} isFiltered={!!ledger.search} />
          )}
          <LedgerList
            key={`${filter}\n${ledger.beginning}`}
            handle={list}
            label="Events"
            rows={rows}
            before={ledger.before}
            keyOf={ledger.seqAt}
            current={current === null ? -1 : rowIn(ledger, current)}
            follows={follows}
            onFollows={(isAtEnd) => setFollows(isAtEnd && ledger.isAtNewest)}
            onRange={ledger.onRange}
            onCurrent={toCurrent}
            onOpen={(row) => open(ledger.seqAt(row))}
            render={(row, isNarrow) => {
              const event = ledger.eventAt(row);
              return (
                <LedgerRow
                  seq={ledger.seqAt(row)}
                  event={event}
                  axis={axis}
                  isNarrow={isNarrow}
                  isOfEpoch={!!epoch && event?.epoch === epoch}
                  tool={event ? toolOf(event, ledger.eventOf) : undefined}
                />
              );
            }}
          />
          {(!follows || paused !== null) && (
            <Button
              size="s"
              className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-lg"
              icon={<ArrowDown aria-hidden className="size-3.5" />}
              onClick={toNewest}
            >
              To the newest{last > head ? `, ${(last - head).toLocaleString("en")} more` : ""}
            </Button>
          )}
        </div>
        {panel && isWide && (
          <aside
            aria-label="The chosen event"
            className="w-[26rem] shrink-0 overflow-hidden rounded-xl border border-line bg-surface xl:w-[32rem]"
          >
            {panel}
          </aside>
        )}
      </div>
      {panel && !isWide && (
        <Dialog open side title="The chosen event" onOpenChange={(isToBe) => !isToBe && close()}>
          {panel}
        </Dialog>
      )}
    </>
  );
}

function Nothing({ isSearching, isFiltered }: { isSearching: boolean; isFiltered: boolean }) {
  if (isSearching) return <Loading what="the ledger" />;
  if (!isFiltered)
    return (
      <EmptyState title="Nothing has happened yet">
        Each message, turn, tool and memory becomes a line here. At the command line:{" "}
        <code>abide ledger tail -f</code>
      </EmptyState>
    );
  return (
    <EmptyState title="No match">
      The text must stand in one event as it is written here, in any case; less of it finds more. At the
      command line: <code>abide ledger query --text 'grey heron'</code>
    </EmptyState>
  );
}

/** The row of an event that is in the list; -1 where it is not. */
function rowIn(ledger: ReturnType<typeof useLedger>, seq: number): number {
  const row = ledger.rowOf(seq);
  return row >= 0 && row < ledger.rows && ledger.seqAt(row) === seq ? row : -1;
}

function useMedia(query: string): boolean {
  const list = useMemo(() => window.matchMedia(query), [query]);
  return useSyncExternalStore(
    (listener) => {
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => list.matches,
  );
}
