import type { JudgeView } from "@/api/generated";
import { Badge, Card, CardHead, count, ShareBar, visibleLine } from "@/ui";
import { judgeChance, ordersWords, pairsWord } from "./report-model";

/** What a model said that was asked which of two replies is better: advice, beside what was measured. */
export function ReportJudge({ judge, model }: { judge: JudgeView; model: string | null | undefined }) {
  const parts = [
    { name: "The change is better", value: judge.better, className: "fill-life" },
    { name: "Neither", value: judge.tie, className: "fill-line-strong" },
    { name: "What was before is better", value: judge.worse, className: "fill-wait" },
  ];
  return (
    <Card aria-labelledby="judge-title">
      <CardHead id="judge-title" title="A judge's advice" note={model ? visibleLine(model) : undefined}>
        <Badge>decides nothing</Badge>
      </CardHead>
      <div className="flex flex-col gap-2 px-4 pb-3 text-sm">
        <ShareBar parts={parts} />
        <ul aria-label="What the judge preferred" className="flex flex-wrap gap-x-5 gap-y-1">
          {parts.map((part) => (
            <li key={part.name} className="flex items-center gap-2 text-ink">
              <svg aria-hidden width="10" height="10" viewBox="0 0 10 10">
                <rect width="10" height="10" rx="2" className={part.className} />
              </svg>
              {part.name}: {count(part.value)}
            </li>
          ))}
        </ul>
        <p className="text-ink">{ordersWords(judge)}</p>
        {judge.unread > 0 && (
          <p className="text-ink">About {pairsWord(judge.unread)} it gave no answer that can be read.</p>
        )}
        <p className="text-muted">{judgeChance(judge)}</p>
        <p className="text-muted">
          It is a model's opinion and no evidence: nothing is decided by it, and asked again it answers
          otherwise about once in seven times. Its choices stand at the answers below.
        </p>
      </div>
    </Card>
  );
}
