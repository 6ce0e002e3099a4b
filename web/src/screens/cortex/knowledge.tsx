// What an agent knows: facts with where each comes from, since when it holds, and who vouches for it.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { FactView } from "@/api/generated";
import { Badge, Button, EmptyState, LoadError, Loading, Select, VirtualList } from "@/ui";
import { useAddress } from "./address";
import { FactDialog } from "./fact-dialog";
import { FactRow } from "./fact-row";
import { CATEGORIES, isShown } from "./facts";
import { Check, More, SearchBox } from "./parts";
import { factsQuery } from "./queries";

/** Facts that are read by themselves while a filter looks among them. */
const FILTERED_MAX = 5_000;
/** Rows before the end at which the next page is read. */
const NEAR_PX = 600;

export function KnowledgePart({ agent }: { agent: string }) {
  const [{ q = "", category, tag, past = false }, set] = useAddress();
  const pages = useInfiniteQuery(factsQuery(agent, q, past));
  const { hasNextPage, isFetching, fetchNextPage } = pages;
  const [edited, setEdited] = useState<FactView | "new" | null>(null);
  const read = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  const shown = useMemo(() => read.filter((fact) => isShown(fact, category, tag)), [read, category, tag]);
  const isFiltered = Boolean(category || tag);
  const more = () => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  };
  // The keeper knows no filter: what may fit is read, up to a bound.
  useEffect(() => {
    if (isFiltered && hasNextPage && !isFetching && read.length < FILTERED_MAX) void fetchNextPage();
  }, [isFiltered, hasNextPage, isFetching, read.length, fetchNextPage]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
        <SearchBox label="Search facts" q={q} onSearch={(words) => set({ q: words })} />
        <Select
          label="Category"
          hideLabel
          className="w-36"
          value={category ?? ""}
          onChange={(event) => set({ category: event.target.value || undefined })}
        >
          <option value="">All categories</option>
          {CATEGORIES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </Select>
        <Check
          label="Include the past"
          checked={past && !q}
          disabled={q !== ""}
          title={q ? "A search looks among what holds now" : undefined}
          onChange={(checked) => set({ past: checked || undefined })}
        />
        {tag && (
          <Button
            size="s"
            aria-label={`Show facts without the tag ${tag} too`}
            onClick={() => set({ tag: undefined })}
          >
            <span className="max-w-40 truncate">tag {tag}</span> ×
          </Button>
        )}
        <Button
          className="ml-auto"
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => setEdited("new")}
        >
          Add a fact
        </Button>
      </div>
      {pages.isPending && <Loading what="facts" />}
      {pages.isError && (
        <LoadError what="Facts could not be loaded." error={pages.error} retry={() => void pages.refetch()} />
      )}
      {pages.data && shown.length === 0 && !isFetching && (
        <Nothing q={q} isFiltered={isFiltered} isAnyRead={read.length > 0} />
      )}
      {shown.length > 0 && (
        <>
          <VirtualList
            key={`${q}${past}${category}${tag}`}
            label="Facts"
            items={shown}
            keyOf={(fact) => fact.fact_id}
            estimate={92}
            className="min-h-0 shrink rounded-xl border border-line bg-surface"
            onScroll={(box) => {
              if (box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX) more();
            }}
            render={(fact) => <FactRow agent={agent} fact={fact} onCorrect={() => setEdited(fact)} />}
          />
          <p role="status" className="flex items-center gap-3 py-2 text-[13px] text-muted">
            {shown.length} {shown.length === 1 ? "fact" : "facts"}
            {isFiltered && ` of ${read.length} read`}
            {hasNextPage && <Badge>there are more</Badge>}
            <More pages={pages} />
          </p>
        </>
      )}
      {edited && (
        <FactDialog agent={agent} fact={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
      )}
    </div>
  );
}

function Nothing(props: { q: string; isFiltered: boolean; isAnyRead: boolean }) {
  if (props.q || (props.isFiltered && props.isAnyRead)) {
    return (
      <EmptyState title="No match">
        A search takes words of the fact or of its tags; other categories and tags may hold it. What was only
        said stands in the conversations, which Chat searches.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No facts yet">
      Facts come when an agent remembers something in an exchange, when it sleeps over its day, and from you.
      At the command line: <code>abide memory facts remember "the office is in Nantes"</code>
    </EmptyState>
  );
}
