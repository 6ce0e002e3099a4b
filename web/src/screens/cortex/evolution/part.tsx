// How an agent changes: what was proposed, what became of it, and one change with all that was measured of it.
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, Dna } from "lucide-react";
import type { EvolutionView } from "@/api/generated";
import { targetName } from "@/live/words-of-evolution";
import { Badge, Button, Card, CardHead, cx, EmptyState, LoadError, Loading, Time, visibleLine } from "@/ui";
import { useAddress } from "../address";
import { Change } from "./change";
import { stateOf } from "./model";
import { changesQuery } from "./queries";

export function EvolutionPart({ agent }: { agent: string }) {
  const [{ change }, set] = useAddress();
  const found = useQuery(changesQuery(agent));
  if (found.isPending) return <Loading what="changes" />;
  if (found.isError) {
    return (
      <LoadError what="Changes could not be loaded." error={found.error} retry={() => void found.refetch()} />
    );
  }
  const all = found.data.items;
  if (all.length === 0 && !change) {
    return (
      <EmptyState title="No changes yet" icon={<Dna aria-hidden className="size-7" />}>
        A change of an agent is tried on its own record before it counts, and taken back where it is worse.
        Set <code>enabled = true</code> in <code>[evolution]</code>; then{" "}
        <code>abide evolve propose rank.scm --target memory --reason "…"</code> proposes one.
      </EmptyState>
    );
  }
  return (
    <div className="grid gap-5 py-4 lg:grid-cols-[minmax(16rem,2fr)_minmax(0,5fr)]">
      <div className={cx("min-w-0", change && "max-lg:hidden")}>
        <Card aria-labelledby="changes-title">
          <CardHead id="changes-title" title="Changes" note="the newest first" />
          <ul aria-label="Changes" className="divide-y divide-line border-t border-line">
            {all.map((one) => (
              <ChangeRow
                key={one.id}
                change={one}
                isOpen={one.id === change}
                onOpen={() => set({ change: one.id }, { push: true })}
              />
            ))}
          </ul>
        </Card>
      </div>
      <div className="min-w-0">
        {change ? (
          <>
            <Button
              size="s"
              tone="ghost"
              className="mb-2 lg:hidden"
              icon={<ArrowLeft aria-hidden className="size-4" />}
              onClick={() => set({ change: undefined })}
            >
              All changes
            </Button>
            <Change key={change} agent={agent} id={change} />
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
        <span dir="auto" className="line-clamp-2 block text-sm break-words text-ink">
          {visibleLine(change.reason)}
        </span>
        <span className="block text-xs text-muted">
          <Time at={change.moved_at} />, {change.pairs} {change.pairs === 1 ? "pair" : "pairs"}
        </span>
      </button>
    </li>
  );
}
