import { useQuery } from "@tanstack/react-query";
import { Database } from "lucide-react";
import { count, visible } from "@/ui";
import { tableQuery } from "./queries";

/** Says what is missing while the keeper knows no cards. */
export function TableCard() {
  const table = useQuery(tableQuery).data;
  if (!table || table.state === "ready") return null;
  return (
    <div
      role="status"
      className="mb-4 flex gap-3 rounded-xl border border-wait/50 bg-wait-soft px-4 py-3 text-sm text-ink"
    >
      <Database aria-hidden className="mt-0.5 size-4 shrink-0 text-wait" />
      <div className="min-w-0">
        {table.state === "missing" ? (
          <>
            <p className="font-medium">The keeper knows no cards yet</p>
            <p className="break-words">
              {table.hint ? (
                visible(table.hint)
              ) : (
                <>
                  <code>abide cards pull</code> fetches them; until then no name of a list is understood.
                </>
              )}
            </p>
          </>
        ) : (
          <p>
            The card table is being {table.state === "pulling" ? "fetched" : "loaded"}
            {table.cards > 0 && `: ${count(table.cards)} cards so far`}.
          </p>
        )}
      </div>
    </div>
  );
}
