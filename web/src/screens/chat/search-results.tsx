import { useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { quotePlain } from "@/live/words";
import { visibleLine } from "@/ui";
import { saidQuery } from "./queries";

/** What was said before, beyond what is on the screen. */
export function SearchResults({
  agent,
  q,
  onOpen,
}: {
  agent: string;
  q: string;
  onOpen: (epoch: string) => void;
}) {
  const words = useDeferredValue(q);
  const found = useQuery(saidQuery(agent, words));
  const items = found.data?.items ?? [];
  return (
    <section
      aria-label="Found in memory"
      className="max-h-48 overflow-y-auto border-b border-line px-4 py-2 text-[13px] sm:px-6"
    >
      {found.isError && <p className="text-fail">Memory could not be searched: {found.error.message}</p>}
      {found.data?.status === "failed" && (
        <p className="text-fail">Memory could not be searched: {found.data.message}</p>
      )}
      {found.data && found.data.status !== "failed" && (
        <p className="text-muted">{items.length === 0 ? "No match." : "In all conversations:"}</p>
      )}
      <ul>
        {items.map((item) => (
          <li key={`${item.epoch}${item.content}`} dir="auto" className="py-0.5">
            {item.epoch ? (
              <button
                type="button"
                className="text-left text-ink underline decoration-line-strong underline-offset-3"
                onClick={() => onOpen(item.epoch ?? "")}
              >
                {visibleLine(item.speaker)}: {quotePlain(item.content, 140)}
              </button>
            ) : (
              <span className="text-ink">
                {item.speaker}: {quotePlain(item.content, 140)}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
