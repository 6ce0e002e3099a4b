import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ComparedPairView } from "@/api/generated";
import { Badge, Button, visible } from "@/ui";
import { Leg } from "./leg";
import { DIVERGENCES_SHOWN } from "./model";

/** Requests that the two answered differently, or that one of them failed at, side by side. */
export function Divergences(props: { agent: string; pairs: readonly ComparedPairView[]; of: number }) {
  const { agent, pairs, of } = props;
  const [limit, setLimit] = useState(DIVERGENCES_SHOWN);
  return (
    <div className="border-t border-line">
      <h3 className="px-4 pt-3 pb-1 text-[13px] font-semibold text-ink">
        {pairs.length} of {of} {of === 1 ? "pair differs" : "pairs differ"}
      </h3>
      <ul aria-label="Pairs that differ" className="divide-y divide-line">
        {pairs.slice(0, limit).map((pair) => (
          <li key={`${pair.seq}${pair.request}`} className="px-4 py-2 text-sm">
            <p className="flex flex-wrap items-center gap-x-2 text-[13px] text-muted">
              <Link
                to="/chat/$agent"
                params={{ agent }}
                search={{ epoch: pair.request }}
                className="font-mono break-all"
              >
                {pair.request}
              </Link>
              {pair.stage_percent !== null && pair.stage_percent !== undefined && (
                <Badge>at {pair.stage_percent} %</Badge>
              )}
            </p>
            {pair.divergence && (
              <p dir="auto" className="break-words whitespace-pre-wrap text-ink">
                {visible(pair.divergence)}
              </p>
            )}
            <dl className="mt-1 grid gap-x-4 gap-y-1 sm:grid-cols-2">
              <Leg name="Before" leg={pair.main} />
              <Leg name="With the change" leg={pair.candidate} />
            </dl>
          </li>
        ))}
      </ul>
      {pairs.length > limit && (
        <div className="px-4 pb-3">
          <Button size="s" onClick={() => setLimit(limit + 100)}>
            Show more ({pairs.length - limit} more)
          </Button>
        </div>
      )}
    </div>
  );
}
