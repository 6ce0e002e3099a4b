// How an agent changes: what was proposed, what became of it, and one change with all that was measured of it.
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, Dna } from "lucide-react";
import { lazy, Suspense } from "react";
import type { EvolutionView } from "@/api/generated";
import { useCommands } from "@/app/commands";
import { targetName } from "@/live/words-of-evolution";
import { Badge, Button, Card, CardHead, cx, EmptyState, LoadError, Loading, Time, visibleLine } from "@/ui";
import { useAddress } from "../address";
import { Change } from "./change";
import { stateOf } from "./model";
import { changesQuery, searchQuery } from "./queries";
import { SearchCard } from "./search-card";

// Loaded when it is opened.
const Searches = lazy(async () => ({ default: (await import("./searches")).Searches }));

export function EvolutionPart({ agent }: { agent: string }) {
  const [{ change, searches }, set] = useAddress();
  const found = useQuery(changesQuery(agent));
  const search = useQuery(searchQuery(agent)).data;
  const openSearch = () => set({ searches: true, change: undefined, report: undefined }, { push: true });
  useCommands([
    {
      id: "evolution:search",
      label: "Search for a better order of memories",
      group: "Memory",
      run: openSearch,
    },
  ]);
  if (found.isPending) return <Loading what="changes" />;
  if (found.isError) {
    return (
      <LoadError what="Changes could not be loaded." error={found.error} retry={() => void found.refetch()} />
    );
  }
  const all = found.data.items;
  const isOpen = Boolean(change || searches);
  if (all.length === 0 && !search && !isOpen) {
    return (
      <EmptyState
        title="No changes yet"
        icon={<Dna aria-hidden className="size-7" />}
        action={<Button onClick={openSearch}>Search for a better order of memories</Button>}
      >
        A change of an agent is tried on its own record before it counts, and taken back where it is worse.
        Set <code>enabled = true</code> in <code>[evolution]</code>; then{" "}
        <code>abide evolve propose rank.scm --target memory --reason "…"</code> proposes one.
      </EmptyState>
    );
  }
  return (
    <div className="grid gap-5 py-4 lg:grid-cols-[minmax(16rem,2fr)_minmax(0,5fr)]">
      <div className={cx("flex min-w-0 flex-col gap-5", isOpen && "max-lg:hidden")}>
        <Card aria-labelledby="changes-title">
          <CardHead id="changes-title" title="Changes" note={all.length > 0 && "the newest first"} />
          {all.length === 0 && <p className="px-4 pb-3 text-sm text-muted">No changes yet.</p>}
          {all.length > 0 && (
            <ul aria-label="Changes" className="divide-y divide-line border-t border-line">
              {all.map((one) => (
                <ChangeRow
                  key={one.id}
                  change={one}
                  isOpen={one.id === change}
                  onOpen={() =>
                    set({ change: one.id, searches: undefined, report: undefined }, { push: true })
                  }
                />
              ))}
            </ul>
          )}
        </Card>
        <SearchCard search={search} isOpen={Boolean(searches && !change)} onOpen={openSearch} />
      </div>
      <div className="min-w-0">
        {isOpen ? (
          <>
            <Button
              size="s"
              tone="ghost"
              className="mb-2 lg:hidden"
              icon={<ArrowLeft aria-hidden className="size-4" />}
              onClick={() => set({ change: undefined, searches: undefined, report: undefined })}
            >
              All changes
            </Button>
            {change ? (
              <Change key={change} agent={agent} id={change} />
            ) : (
              <Suspense fallback={<Loading what="searches" />}>
                <Searches agent={agent} />
              </Suspense>
            )}
          </>
        ) : (
          <div className="max-lg:hidden">
            <EmptyState title="Choose a change">Its code, its trial and its story are shown here.</EmptyState>
          </div>
        )}
      </div>
    </div>
  );
}

function ChangeRow(props: { change: EvolutionView; isOpen: boolean; onOpen: () => void }) {
  const { change, isOpen } = props;
  const state = stateOf(change);
  return (
    <li>
      <button
        type="button"
        aria-current={isOpen || undefined}
        onClick={props.onOpen}
        className={cx("block w-full px-4 py-2 text-left hover:bg-raised", isOpen && "bg-raised")}
      >
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="text-sm font-medium text-ink">{targetName(change.target)}</span>
          <Badge tone={state.tone}>{state.word}</Badge>
        </span>
        <span dir="auto" className="line-clamp-2 text-sm break-words text-ink">
          {visibleLine(change.reason)}
        </span>
        <span className="block text-xs text-muted">
          <Time at={change.moved_at} />, {change.pairs} {change.pairs === 1 ? "pair" : "pairs"}
        </span>
      </button>
    </li>
  );
}
