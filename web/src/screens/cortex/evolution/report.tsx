// The report of a trial: the verdict and why, both sides in figures, how much of a difference is chance, a judge's advice, the answers
// side by side. All of it is what the keeper makes of the ledger; nothing here decides anything.
import { useQuery } from "@tanstack/react-query";
import type { EvolutionDetailView, EvolutionReportView } from "@/api/generated";
import {
  Badge,
  Card,
  CardHead,
  count,
  LoadError,
  Loading,
  money,
  ShareBar,
  visible,
  visibleLine,
} from "@/ui";
import { reportQuery } from "./queries";
import { ReportJudge } from "./report-judge";
import {
  type Comparison,
  comparisonOf,
  type FigureRow,
  medianRows,
  powerWords,
  totalRows,
  unusableWords,
  verdictOf,
} from "./report-model";
import { ReportPairs } from "./report-pairs";

export function ChangeReport({ agent, change }: { agent: string; change: EvolutionDetailView }) {
  const found = useQuery(reportQuery(agent, change.id));
  if (found.isPending) return <Loading what="the report" />;
  if (found.isError) {
    return (
      <LoadError
        what="The report could not be loaded."
        error={found.error}
        retry={() => void found.refetch()}
      />
    );
  }
  const report = found.data;
  const comparison = comparisonOf(report);
  return (
    <>
      <VerdictCard report={report} comparison={comparison} />
      {comparison && report.agreement.pairs > 0 && (
        <>
          <SideBySide report={report} comparison={comparison} />
          <AgreementCard report={report} />
          {report.judge && <ReportJudge judge={report.judge} model={report.trial?.judge} />}
          <ReportPairs report={report} compared={change.compared} />
        </>
      )}
      <Origin report={report} />
    </>
  );
}

function VerdictCard({ report, comparison }: { report: EvolutionReportView; comparison: Comparison | null }) {
  const verdict = verdictOf(report, comparison);
  return (
    <Card aria-labelledby="verdict-title">
      <CardHead id="verdict-title" title="Verdict">
        <Badge tone={verdict.tone}>{verdict.word}</Badge>
      </CardHead>
      <div className="flex flex-col gap-2 px-4 pb-3 text-sm">
        <p className="text-[15px] text-ink">
          {verdict.title}. {verdict.after}
        </p>
        {verdict.reasons.length > 0 && (
          <ul aria-label="Why" className="list-disc space-y-1 pl-5 text-ink">
            {verdict.reasons.map((reason) => (
              <li key={reason} dir="auto" className="break-words">
                {visible(reason)}
              </li>
            ))}
          </ul>
        )}
        {comparison && comparison.progress !== "running" && report.agreement.pairs > 0 && (
          <p className="text-muted">
            <span className="text-ink">Pairs that it takes: </span>
            {visible(powerWords(report.power, report.agreement.pairs))}
          </p>
        )}
        {comparison && comparison.unusable.length > 0 && (
          <p className="text-muted">
            Pairs that say nothing:{" "}
            {comparison.unusable
              .map((one) => `${count(one.pairs)} (${unusableWords(one.because)})`)
              .join(", ")}
            .
          </p>
        )}
        {report.watched.pairs > 0 && (
          <p className="text-muted">
            Since it was put in force, {count(report.watched.pairs)} live requests were given to both; of{" "}
            {count(report.watched.judged)} it is known whether both answered alike, and{" "}
            {count(report.watched.agreeing)} did.
          </p>
        )}
      </div>
    </Card>
  );
}

function SideBySide({ report, comparison }: { report: EvolutionReportView; comparison: Comparison }) {
  return (
    <Card aria-labelledby="sides-title">
      <CardHead
        id="sides-title"
        title="Side by side"
        note={`${count(comparison.usable)} of ${count(report.agreement.pairs)} pairs can be used`}
      />
      <section tabIndex={0} aria-label="Both in figures" className="overflow-x-auto border-t border-line">
        <table className="w-full text-sm">
          <thead className="text-left text-[13px] text-muted">
            <tr>
              <th className="px-2.5 py-1 font-normal sm:px-4">Figure</th>
              <th className="px-1.5 py-1 text-right sm:px-2 font-normal">Before</th>
              <th className="px-1.5 py-1 text-right sm:px-2 font-normal">
                <span className="max-sm:hidden">With the change</span>
                <span className="sm:hidden">After</span>
              </th>
              <th className="px-2.5 py-1 text-right font-normal sm:px-4">Difference</th>
            </tr>
          </thead>
          <Rows name="Median of a request" rows={medianRows(comparison)} />
          <Rows name="In all" rows={totalRows(report, money)} />
        </table>
      </section>
      {comparison.failures.length > 0 && (
        <p className="border-t border-line px-4 py-2 text-sm text-muted">
          Failures by kind:{" "}
          {comparison.failures
            .map((one) => `${visibleLine(one.kind)} ${one.main} before, ${one.candidate} with the change`)
            .join("; ")}
          .
        </p>
      )}
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Below a difference: where it lies in 95 of 100 resamples, and p, how likely one like it is by chance
        alone; at the figure that decides, how likely such a gain is. A difference is a trimmed mean over the
        pairs, so it need not be that of the medians.
      </p>
    </Card>
  );
}

/** A figure with its unit stays on one line; only what p is of may stand on the next. */
const unbroken = (part: string) => part.replace(/ (?!for a gain)/g, "\u00a0");

function Rows({ name, rows }: { name: string; rows: readonly FigureRow[] }) {
  if (rows.length === 0) return null;
  return (
    <tbody className="border-t border-line">
      <tr>
        <th
          scope="rowgroup"
          colSpan={4}
          className="px-2.5 pt-2 text-left text-xs font-normal text-muted sm:px-4"
        >
          {name}
        </th>
      </tr>
      {rows.map((row) => (
        <tr key={row.name} className="align-baseline">
          <th scope="row" className="px-2.5 py-1 text-left font-normal text-ink sm:px-4">
            {visibleLine(row.name)}
          </th>
          <td className="px-1.5 py-1 text-right sm:px-2 whitespace-nowrap text-muted">{row.main}</td>
          <td className="px-1.5 py-1 text-right sm:px-2 whitespace-nowrap text-ink">{row.candidate}</td>
          <td className="px-2.5 py-1 text-right text-ink sm:px-4">
            {row.change}
            {row.sure.map((part) => (
              <span key={part} className="block text-xs text-muted">
                {unbroken(part)}
              </span>
            ))}
          </td>
        </tr>
      ))}
    </tbody>
  );
}

/** How often both answer alike, beside how often what is in force answers like itself. */
function AgreementCard({ report }: { report: EvolutionReportView }) {
  const { agreement } = report;
  const floor = agreement.floor;
  return (
    <Card aria-labelledby="alike-title">
      <CardHead
        id="alike-title"
        title="How often both answer alike"
        note={floor && "two answers of one mind differ as well"}
      />
      <dl className="flex flex-col gap-3 px-4 pb-3 text-sm">
        <Share
          name="What is in force and the change"
          of={agreement.judged}
          is={agreement.agreeing}
          none="of no pair can that be said"
        />
        {floor && (
          <>
            <Share
              name="What is in force, asked twice, answers like itself"
              of={floor.requests}
              is={floor.agreeing}
              none="it was not asked twice"
            />
            <Share
              name="On the same requests the change answers like it"
              of={floor.requests}
              is={floor.candidate_agreeing}
              none="it was not asked"
            />
          </>
        )}
      </dl>
      {(floor || report.evolution.target === "mind") && (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          {floor
            ? "Nothing can be expected to agree with what is in force more often than that does with itself."
            : "What is in force was not asked twice here, so there is no floor to hold this against."}
        </p>
      )}
    </Card>
  );
}

function Share({ name, of, is, none }: { name: string; of: number; is: number; none: string }) {
  return (
    <div>
      <dt className="text-ink">{name}</dt>
      <dd className="flex items-center gap-3 text-muted">
        {of === 0 ? (
          none
        ) : (
          <>
            <span className="min-w-0 flex-1">
              <ShareBar
                parts={[
                  { name: "alike", value: is, className: "fill-life" },
                  { name: "not", value: of - is, className: "fill-line-strong" },
                ]}
              />
            </span>
            <span className="w-20 text-right whitespace-nowrap text-ink">
              {count(is)} of {count(of)}
            </span>
          </>
        )}
      </dd>
    </div>
  );
}

/** What it rests on, and how to have it elsewhere. */
function Origin({ report }: { report: EvolutionReportView }) {
  const { evolution: change, trial } = report;
  const [first, last] = [change.events[0], change.events.at(-1)];
  const repeat = trial?.repeat ?? 1;
  const tried = [
    trial && `the newest ${count(trial.last)} requests at most`,
    repeat > 1 && `each asked ${repeat} times, medians count`,
    trial?.budget_usd != null && `with a budget of ${money(trial.budget_usd * 1e6)}`,
  ].filter(Boolean);
  return (
    <Card aria-labelledby="origin-title">
      <CardHead id="origin-title" title="How it was made" />
      <div className="flex flex-col gap-1 px-4 pb-3 text-sm text-muted">
        {change.notes.length > 0 && (
          <ul aria-label="What the checks found">
            {change.notes.map((note) => (
              <li key={note} dir="auto" className="break-words text-ink">
                {visibleLine(note)}
              </li>
            ))}
          </ul>
        )}
        {tried.length > 0 && <p className="break-words">Tried on {tried.join(", ")}.</p>}
        {report.seed && (
          <p className="break-words">
            Attempt {change.attempt} since the last change that was kept; each asks for surer figures. Seed{" "}
            {report.seed}.
          </p>
        )}
        <p className="break-words">
          Made from lines {first} to {last} of the ledger alone, the same whenever it is asked for. At the
          command line:
        </p>
        <code className="break-all text-ink">abide evolve report {change.id} --markdown</code>
      </div>
    </Card>
  );
}
