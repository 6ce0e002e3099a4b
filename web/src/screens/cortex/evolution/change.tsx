import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import type { EvolutionDetailView } from "@/api/generated";
import { targetName } from "@/live/words-of-evolution";
import { Badge, Card, CardHead, cx, LoadError, Loading, Time, visible, visibleLine } from "@/ui";
import { useAddress } from "../address";
import { Choice } from "../parts";
import { AnswerBar } from "./answer-bar";
import { CodeChange, hasDiff } from "./code-change";
import { Divergences } from "./divergences";
import { comparisonsOf, divergencesOf, figuresOf, isByRule, STAGES, stateOf } from "./model";
import { changeQuery, searchQuery } from "./queries";
import { Strips } from "./strips";

// Loaded when it is opened.
const ChangeReport = lazy(async () => ({ default: (await import("./report")).ChangeReport }));

/** One change: what it is for, what was measured of it, what it would replace, what happened. */
export function Change({ agent, id }: { agent: string; id: string }) {
  const [{ report }, set] = useAddress();
  const found = useQuery(changeQuery(agent, id));
  if (found.isPending) return <Loading what="the change" />;
  if (found.isError) {
    return (
      <LoadError
        what="The change could not be loaded."
        error={found.error}
        retry={() => void found.refetch()}
      />
    );
  }
  const change = found.data;
  return (
    <div className="flex flex-col gap-5">
      <Head change={change} agent={agent} isReport={Boolean(report)} />
      <fieldset aria-label="What is shown of it" className="flex flex-wrap gap-2">
        <Choice chosen={!report} onClick={() => set({ report: undefined })}>
          Overview
        </Choice>
        <Choice chosen={Boolean(report)} onClick={() => set({ report: true })}>
          Report
        </Choice>
      </fieldset>
      {report ? (
        <Suspense fallback={<Loading what="the report" />}>
          <ChangeReport agent={agent} change={change} />
        </Suspense>
      ) : (
        <>
          <Measured change={change} />
          <CodeCard change={change} />
          <Story change={change} />
        </>
      )}
    </div>
  );
}

function Head(props: { change: EvolutionDetailView; agent: string; isReport: boolean }) {
  const { change, agent, isReport } = props;
  const state = stateOf(change);
  const search = useQuery(searchQuery(agent)).data;
  return (
    <Card
      aria-labelledby="change-title"
      className={cx(change.state === "awaits_approval" && "border-wait/60")}
    >
      <CardHead
        id="change-title"
        title={`A change of ${targetName(change.target)}`}
        note={
          <>
            proposed by {visibleLine(change.by)} <Time at={change.at} />
          </>
        }
      >
        <Badge tone={state.tone}>{state.word}</Badge>
      </CardHead>
      <p dir="auto" className="px-4 pb-2 text-[15px] break-words text-ink">
        {visible(change.reason)}
      </p>
      {search?.outcome?.evolution_id === change.id && (
        <p className="px-4 pb-2 text-sm">
          <Link to="/cortex/$agent" params={{ agent }} search={{ tab: "evolution", searches: true }}>
            The search that found it
          </Link>
        </p>
      )}
      {change.why && !(isReport && isByRule(change.why)) && (
        <p dir="auto" className="px-4 pb-2 text-sm break-words text-muted">
          {visible(change.why)}
        </p>
      )}
      <Stages change={change} />
      <AnswerBar agent={agent} change={change} />
    </Card>
  );
}

/** How far a change in force is, stage by stage. */
function Stages({ change }: { change: EvolutionDetailView }) {
  const percent = change.stage_percent;
  if (percent === null || percent === undefined) return null;
  const pairs = change.stage_pairs ?? 0;
  return (
    <ol aria-label="Share of the requests" className="flex flex-wrap gap-2 px-4 pb-3 text-sm">
      {STAGES.map((stage) => {
        const isNow = stage === percent;
        const words = isNow
          ? `${pairs} ${pairs === 1 ? "pair" : "pairs"} so far`
          : stage < percent
            ? "passed"
            : "to come";
        return (
          <li
            key={stage}
            aria-current={isNow ? "step" : undefined}
            className={cx(
              "rounded-md border px-3 py-1",
              isNow ? "border-accent bg-raised text-ink" : "border-line text-muted",
            )}
          >
            {stage} %: {words}
          </li>
        );
      })}
    </ol>
  );
}

function Measured({ change }: { change: EvolutionDetailView }) {
  const figures = useMemo(() => figuresOf(change), [change]);
  const comparisons = useMemo(() => comparisonsOf(change.compared), [change.compared]);
  const divergences = useMemo(() => divergencesOf(change.compared), [change.compared]);
  const of = change.requests === null || change.requests === undefined ? "" : ` of ${change.requests}`;
  return (
    <Card aria-labelledby="measured-title">
      <CardHead
        id="measured-title"
        title="Measured"
        note={`${change.pairs}${of} ${change.pairs === 1 && !of ? "pair" : "pairs"}: each request answered by both`}
      />
      {figures.length > 0 && (
        <section tabIndex={0} aria-label="Figures" className="overflow-x-auto border-t border-line">
          <table className="w-full text-sm">
            <thead className="text-left text-[13px] text-muted">
              <tr>
                <th className="px-4 py-1 font-normal">Figure</th>
                <th className="px-2 py-1 text-right font-normal">Expected</th>
                <th className="px-2 py-1 text-right font-normal">Measured</th>
                <th className="px-2 py-1 text-right font-normal">95 of 100 in</th>
                <th className="px-4 py-1 text-right font-normal">p</th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {figures.map((one) => (
                <tr key={one.name}>
                  <th scope="row" className="px-4 py-1 text-left font-normal text-ink">
                    {visibleLine(one.name)}
                  </th>
                  <td className="px-2 py-1 text-right text-muted">{one.expected ?? "–"}</td>
                  <td className="px-2 py-1 text-right text-ink">{one.measured ?? "–"}</td>
                  <td className="px-2 py-1 text-right whitespace-nowrap text-muted">{one.interval ?? "–"}</td>
                  <td className="px-4 py-1 text-right text-muted">{one.p?.toFixed(4) ?? "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {comparisons.length > 0 && (
        <div className="divide-y divide-line border-t border-line">
          {comparisons.map((one) => (
            <Strips key={one.measure.key} comparison={one} />
          ))}
        </div>
      )}
      {figures.length + comparisons.length === 0 && (
        <p className="px-4 pb-3 text-sm text-muted">Nothing was measured yet.</p>
      )}
      {divergences.length > 0 && (
        <Divergences agent={change.citizen} pairs={divergences} of={change.compared.length} />
      )}
    </Card>
  );
}

function CodeCard({ change }: { change: EvolutionDetailView }) {
  const [isWhole, setWhole] = useState(false);
  const isCompared = hasDiff(change);
  const isMind = change.code === "";
  const against = isCompared ? "against the change that stands before it" : "in place of the base module";
  return (
    <Card aria-labelledby="code-title">
      <CardHead
        id="code-title"
        title={isMind ? "What would change" : "Code"}
        note={isMind ? undefined : against}
      >
        {isCompared && (
          <>
            <Choice chosen={!isWhole} onClick={() => setWhole(false)}>
              Changes
            </Choice>
            <Choice chosen={isWhole} onClick={() => setWhole(true)}>
              Whole text
            </Choice>
          </>
        )}
      </CardHead>
      <CodeChange change={change} isWhole={isWhole} />
    </Card>
  );
}

function Story({ change }: { change: EvolutionDetailView }) {
  return (
    <Card aria-labelledby="story-title">
      <CardHead id="story-title" title="What happened" />
      <ol aria-label="What happened" className="divide-y divide-line border-t border-line">
        {change.story.map((line) => (
          <li key={line.seq} className="px-4 py-2 text-sm">
            <span dir="auto" className="block break-words text-ink">
              {visibleLine(line.text)}
            </span>
            <span className="text-xs text-muted">
              <Time at={line.at} />, {visibleLine(line.by)}, line {line.seq}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
