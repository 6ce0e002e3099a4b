import { isOpen, type LiveEpoch } from "@/live/state";
import { doing } from "@/live/words";
import { ToolCard } from "@/screens/chat/tool-card";
import { EmptyState, visibleLine } from "@/ui";
import { Markdown } from "@/ui/markdown";

/** An epoch turn by turn, each call with what it was given and what it gave. */
export function TurnsView({ epoch }: { epoch: LiveEpoch }) {
  if (epoch.turns.length === 0)
    return (
      <EmptyState title="No turn of it is complete">
        {isOpen(epoch) ? `${epoch.agent} ${doing(epoch)}.` : "It ended before the mind answered."}
      </EmptyState>
    );
  return (
    <ol className="flex flex-col gap-5 px-4 py-4">
      {epoch.turns.map((turn) => (
        <li key={turn.turn} className="flex min-w-0 flex-col gap-2">
          <h3 className="flex flex-wrap items-baseline gap-x-2 text-[13px] font-medium text-ink">
            Turn {turn.turn}
            <span className="font-normal break-words text-muted">
              {visibleLine(turn.emotive.slice(0, 60))}
            </span>
          </h3>
          {turn.thought && (
            <details className="rounded-lg border border-thought/40 bg-thought-soft px-3 py-1.5 text-sm">
              <summary className="cursor-pointer text-[13px] text-thought">Thought</summary>
              <div className="pt-2 text-ink">
                <Markdown text={turn.thought} />
              </div>
            </details>
          )}
          {turn.calls.map((call) => (
            <ToolCard key={call.id} call={call} isEpochOpen={isOpen(epoch)} />
          ))}
          {turn.text && <Markdown text={turn.text} className="text-sm" />}
          {turn.calls.length === 0 && !turn.text && epoch.reply && turn === epoch.turns.at(-1) && (
            <Markdown text={epoch.reply} className="text-sm" />
          )}
        </li>
      ))}
    </ol>
  );
}
