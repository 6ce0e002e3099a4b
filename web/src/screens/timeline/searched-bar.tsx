import { Button, count } from "@/ui";
import type { Ledger } from "./use-ledger";

/** How much there is; while it is filtered, how far was searched and how to search farther. */
export function SearchedBar({ ledger, head }: { ledger: Ledger; head: number }) {
  const { rows, search, again } = ledger;
  if (!search) {
    return (
      <div className="flex flex-wrap gap-x-3 border-b border-line px-3 py-1.5 text-xs text-muted">
        <p title={`${head} events`}>{count(head)} events</p>
        <Seen ledger={ledger} />
      </div>
    );
  }
  const isWhole = search.low === 0 && search.high >= head;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5 text-xs text-muted">
      <p role="status">
        {count(rows)} {rows === 1 ? "fits" : "fit"}
        {isWhole ? ` of ${count(head)}` : `; searched #${search.low + 1} to #${search.high}`}
        {search.isSearching && ", searching…"}
      </p>
      {search.spent.has("back") && search.low > 0 && (
        <Button size="s" onClick={() => again("back")}>
          Search further back
        </Button>
      )}
      {search.spent.has("on") && search.high < head && (
        <Button size="s" onClick={() => again("on")}>
          Search further on
        </Button>
      )}
      {search.damaged > 0 && (
        <p className="text-fail">
          {count(search.damaged)} damaged; <code>abide ledger verify</code> names them
        </p>
      )}
      <Seen ledger={ledger} />
    </div>
  );
}

/** The day that is seen: rows tell the time alone. */
function Seen({ ledger }: { ledger: Ledger }) {
  const event = ledger.rows > 0 ? ledger.eventAt(ledger.middle) : null;
  if (!event) return null;
  return (
    <p className="ml-auto tabular-nums">
      <time dateTime={event.timestamp}>{new Date(event.timestamp).toLocaleDateString()}</time>, tick{" "}
      {event.tick}
    </p>
  );
}
