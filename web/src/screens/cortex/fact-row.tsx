import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "@/api/client";
import type { FactView } from "@/api/generated";
import { later } from "@/app/undo";
import { quote } from "@/live/words";
import { Badge, Button, cx, PlainText, visibleLine } from "@/ui";
import { useAddress } from "./address";
import { trustOf } from "./facts";
import { Sources, Validity } from "./parts";

/** One fact, with everything that says how much it is worth. */
export function FactRow(props: { agent: string; fact: FactView; onCorrect: () => void }) {
  const { agent, fact } = props;
  const [, set] = useAddress();
  const client = useQueryClient();
  const [isGoing, setGoing] = useState(false);
  const trust = trustOf(fact);
  const isPast = Boolean(fact.valid_to);
  // Told anew it would be another fact, with another source: so it is not taken back, but called off.
  const forget = async () => {
    setGoing(true);
    const isDone = await later({
      doing: `Forgetting ${quote(fact.content)}`,
      run: () =>
        call("DELETE /knowledge/{fact_id}", { path: { fact_id: fact.fact_id }, query: { citizen: agent } }),
    });
    if (isDone) await client.invalidateQueries({ queryKey: ["knowledge"] });
    setGoing(false);
  };
  return (
    <div data-testid="fact" className="flex gap-3 border-b border-line px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <PlainText
          text={fact.content}
          className={cx("text-sm", isPast || isGoing ? "text-muted line-through" : "text-ink")}
        />
        <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
          <Badge>{fact.category}</Badge>
          <Badge tone={trust.tone} title={trust.why}>
            {trust.word}
          </Badge>
          {fact.confidence < 1 && <span>{Math.round(fact.confidence * 100)} % sure</span>}
          <Validity from={fact.valid_from} to={fact.valid_to} />
          {fact.told_by && (
            <span dir="auto" className="max-w-48 truncate">
              told by {visibleLine(fact.told_by)}
            </span>
          )}
          {fact.tags.map((tag) => (
            <button
              key={tag}
              type="button"
              title={`Facts with the tag ${tag}`}
              className="max-w-40 truncate rounded px-1 text-ink underline underline-offset-2 hover:bg-raised"
              onClick={() => set({ tag }, { push: true })}
            >
              #{tag}
            </button>
          ))}
          {fact.sources.length > 0 ? (
            <Sources agent={agent} sources={fact.sources} />
          ) : (
            <Link to="/timeline" search={{ agent, kind: "memory.*", q: fact.fact_id }}>
              told outside exchanges
            </Link>
          )}
        </div>
      </div>
      {!isPast && (
        <div className="flex shrink-0 flex-col gap-1 sm:flex-row">
          <Button
            size="s"
            tone="ghost"
            disabled={isGoing}
            aria-label={`Correct: ${quote(fact.content)}`}
            onClick={props.onCorrect}
          >
            Correct
          </Button>
          <Button
            size="s"
            tone="ghost"
            disabled={isGoing}
            aria-label={`Forget: ${quote(fact.content)}`}
            onClick={() => void forget()}
          >
            Forget
          </Button>
        </div>
      )}
    </div>
  );
}
