import type { RankingSearchView } from "@/api/generated";
import { Badge, Card, CardHead, cx, Time } from "@/ui";
import { isRunning, placeOf, searchState } from "./search-model";

/** Leads to the search of an agent, and says how it is. */
export function SearchCard(props: {
  search: RankingSearchView | null | undefined;
  isOpen: boolean;
  onOpen: () => void;
}) {
  const { search, isOpen } = props;
  const state = search ? searchState(search) : null;
  return (
    <Card aria-labelledby="search-title">
      <CardHead id="search-title" title="Search" note="for a better order of memories" />
      <button
        type="button"
        aria-current={isOpen || undefined}
        onClick={props.onOpen}
        className={cx(
          "block w-full border-t border-line px-4 py-2 text-left text-sm hover:bg-raised",
          isOpen && "bg-raised",
        )}
      >
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium text-ink">
            {search ? (isRunning(search) ? "A search is under way" : "The last search") : "Start a search"}
          </span>
          {state && <Badge tone={state.tone}>{state.word}</Badge>}
        </span>
        <span className="block text-xs text-muted">
          {!search && "None was made yet."}
          {search && (isRunning(search) ? placeOf(search) : <Time at={search.started_at} />)}
        </span>
      </button>
    </Card>
  );
}
