import { useQuery } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { useDeferredValue, useMemo } from "react";
import type { LiveEpoch } from "@/live/state";
import { EmptyState, Loading, Time, visibleLine } from "@/ui";
import { type FoundLine, foundLines, marked } from "./found";
import { saidQuery } from "./queries";

/** What a search finds, in place of the conversation: one list of all that was ever said. */
export function FoundList(props: {
  agent: string;
  epochs: readonly LiveEpoch[];
  q: string;
  onOpen: (epoch: string) => void;
}) {
  const { agent, epochs, q, onOpen } = props;
  const words = useDeferredValue(q);
  const found = useQuery(saidQuery(agent, words));
  const lines = useMemo(
    () => foundLines(epochs, words, found.data?.items ?? []),
    [epochs, words, found.data],
  );
  const trouble = found.isError
    ? found.error.message
    : found.data?.status === "failed"
      ? found.data.message || "it could not be searched"
      : "";
  return (
    <section aria-label="Found" tabIndex={0} className="min-h-0 flex-1 overflow-y-auto px-4 py-3 sm:px-6">
      <div className="mx-auto max-w-3xl">
        <p role="status" className="pb-2 text-[13px] text-muted">
          {lines.length === 1 ? "1 exchange" : `${lines.length} exchanges`}, in all conversations
        </p>
        {trouble && <p className="pb-2 text-[13px] text-fail">Memory could not be searched: {trouble}</p>}
        {lines.length === 0 && found.isFetching && <Loading what="memory" />}
        {lines.length === 0 && !found.isFetching && (
          <EmptyState title="No match" icon={<SearchX aria-hidden className="size-7" />}>
            Fewer words find more.
          </EmptyState>
        )}
        <ul className="divide-y divide-line">
          {lines.map((line, at) => (
            <li key={`${line.epoch}${at}`}>
              <Line line={line} q={words} onOpen={onOpen} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function Line({ line, q, onOpen }: { line: FoundLine; q: string; onOpen: (epoch: string) => void }) {
  const { epoch } = line;
  const words = (
    <>
      <span className="flex gap-2 text-xs text-muted">
        <span className="font-medium text-ink">{visibleLine(line.speaker)}</span>
        {line.at ? <Time at={line.at} /> : <span>from memory</span>}
      </span>
      <span dir="auto" className="block text-sm break-words text-ink">
        {marked(visibleLine(line.text), q).map((piece, at) =>
          piece.isFound ? (
            <mark key={at} className="rounded-sm bg-wait-soft font-medium text-ink">
              {piece.text}
            </mark>
          ) : (
            piece.text
          ),
        )}
      </span>
    </>
  );
  if (!epoch) return <div className="px-2 py-2">{words}</div>;
  return (
    <button
      type="button"
      className="block w-full rounded-md px-2 py-2 text-left hover:bg-raised"
      onClick={() => onOpen(epoch)}
    >
      {words}
    </button>
  );
}
