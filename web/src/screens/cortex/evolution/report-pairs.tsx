import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import type { ComparedPairView, EvolutionReportView } from "@/api/generated";
import { Badge, Button, Card, CardHead, count, visible } from "@/ui";
import { Choice } from "../parts";
import { Leg } from "./leg";
import { DIVERGENCES_SHOWN } from "./model";
import {
  differs,
  hasFailed,
  isPreferred,
  judgedWords,
  pairsOf,
  pairTitle,
  type SeenPair,
} from "./report-model";

type Which = "differ" | "preferred" | "all";

/** The answers side by side, those that differ first. */
export function ReportPairs(props: { report: EvolutionReportView; compared: readonly ComparedPairView[] }) {
  const { report, compared } = props;
  const pairs = useMemo(() => pairsOf(report.divergences, compared), [report.divergences, compared]);
  const kinds: Record<Which, SeenPair[]> = {
    differ: pairs.filter(differs),
    preferred: pairs.filter(isPreferred),
    all: pairs,
  };
  const [chosen, setChosen] = useState<Which | null>(null);
  const which = chosen ?? (kinds.differ.length > 0 ? "differ" : "all");
  const [limit, setLimit] = useState(DIVERGENCES_SHOWN);
  const shown = kinds[which];
  const missing = Math.max(0, report.divergences_total - kinds.differ.length);
  return (
    <Card aria-labelledby="answers-title">
      <CardHead id="answers-title" title="Answers side by side" note="what differs first">
        <Choice chosen={which === "differ"} onClick={() => setChosen("differ")}>
          Differ ({count(kinds.differ.length)})
        </Choice>
        {kinds.preferred.length > 0 && (
          <Choice chosen={which === "preferred"} onClick={() => setChosen("preferred")}>
            Judge prefers one ({count(kinds.preferred.length)})
          </Choice>
        )}
        <Choice chosen={which === "all"} onClick={() => setChosen("all")}>
          All ({count(kinds.all.length)})
        </Choice>
      </CardHead>
      {shown.length === 0 ? (
        <p className="px-4 pb-3 text-sm text-muted">No pair differs.</p>
      ) : (
        <ul aria-label="Answers side by side" className="divide-y divide-line border-t border-line">
          {shown.slice(0, limit).map((pair) => (
            <PairRow key={pair.request} agent={report.evolution.citizen} pair={pair} />
          ))}
        </ul>
      )}
      {shown.length > limit && (
        <div className="border-t border-line px-4 py-2">
          <Button size="s" onClick={() => setLimit(limit + 100)}>
            Show more ({count(shown.length - limit)} more)
          </Button>
        </div>
      )}
      {missing > 0 && which !== "preferred" && (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          {count(missing)} more differ; the report names the first fifty, and this page has the newest 500
          pairs.
        </p>
      )}
    </Card>
  );
}

function PairRow({ agent, pair }: { agent: string; pair: SeenPair }) {
  const judged = judgedWords(pair.candidate.judged);
  return (
    <li>
      <details className="group">
        <summary className="flex cursor-pointer list-none items-start gap-2 px-4 py-2 text-sm hover:bg-raised [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden
            className="mt-0.5 size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
          />
          <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
            <span dir="auto" className="min-w-0 break-words text-ink">
              {visible(pairTitle(pair))}
            </span>
            {hasFailed(pair) && <Badge tone="fail">a failure</Badge>}
            {pair.divergence && pair.agrees && <Badge tone="life">as good</Badge>}
            {judged && <Badge tone={pair.candidate.judged === "tie" ? "plain" : "thought"}>{judged}</Badge>}
          </span>
        </summary>
        <div className="px-4 pt-2 pb-3 pl-10 text-sm max-sm:pl-4">
          <dl className="grid gap-x-5 gap-y-3 sm:grid-cols-2">
            <Leg name="Before" leg={pair.main} isWhole />
            <Leg name="With the change" leg={pair.candidate} isWhole />
          </dl>
          <p className="mt-2 text-[13px]">
            <Link to="/chat/$agent" params={{ agent }} search={{ epoch: pair.request }}>
              The request in its conversation
            </Link>
          </p>
        </div>
      </details>
    </li>
  );
}
