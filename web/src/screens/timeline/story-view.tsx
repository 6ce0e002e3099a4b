import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isOpen, type LiveCall, type LiveEpoch } from "@/live/state";
import { doing } from "@/live/words";
import { Cost, count, duration, Time, visible, visibleLine } from "@/ui";
import { Markdown, PlainText } from "@/ui/markdown";

/** An epoch as it would be told. */
export function StoryView({ epoch }: { epoch: LiveEpoch }) {
  return (
    <div className="flex flex-col gap-4 px-4 py-4 text-sm">
      <Passage title={`${epoch.sender} said over ${epoch.channel}`} note={<Time at={epoch.sentAt} />}>
        <PlainText text={epoch.content} className="rounded-lg bg-raised px-3 py-2" />
      </Passage>
      {epoch.turns.map((turn) => (
        <Passage key={turn.turn} title={`Turn ${turn.turn}`} note={visibleLine(turn.emotive.slice(0, 60))}>
          {turn.thought && (
            <div className="rounded-lg border border-thought/40 bg-thought-soft px-3 py-2">
              <p className="text-xs text-thought">Thought</p>
              <Markdown text={turn.thought} />
            </div>
          )}
          {turn.calls.length > 0 && (
            <ul className="flex list-disc flex-col gap-1 pl-5 text-ink">
              {turn.calls.map((call) => (
                <li key={call.id}>{headlineOf(call)}</li>
              ))}
            </ul>
          )}
          {turn.calls.length > 0 && turn.text && <Markdown text={turn.text} />}
          {turn.calls.length === 0 && !turn.thought && <p className="text-muted">It answered.</p>}
        </Passage>
      ))}
      <End epoch={epoch} />
      <Sum epoch={epoch} />
    </div>
  );
}

function Passage({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <h3 className="flex flex-wrap items-baseline gap-x-2 text-[13px] font-medium text-ink">
        <span className="min-w-0 break-words">{title}</span>
        {note && <span className="font-normal break-words text-muted">{note}</span>}
      </h3>
      {children}
    </section>
  );
}

const ENDS: Record<string, string> = {
  ok: "and it ran",
  error: "and it failed",
  unknown: "and its outcome is unknown",
  denied: "and was not allowed to",
};

function headlineOf(call: LiveCall): ReactNode {
  const took = call.durationMs === null ? "" : `, in ${duration(call.durationMs)}`;
  const end = call.outcome === null ? "and has no outcome yet" : (ENDS[call.outcome] ?? call.outcome);
  return (
    <span className="break-words">
      It wanted <code className="font-mono text-[13px]">{call.name}</code> {end}
      {took}.
    </span>
  );
}

function End({ epoch }: { epoch: LiveEpoch }) {
  if (epoch.state === "committed")
    return (
      <Passage title={`${epoch.agent} answered`}>
        <Markdown text={epoch.reply ?? ""} />
      </Passage>
    );
  if (epoch.state === "aborted")
    return (
      <Passage title="It ended without a reply" note={epoch.abort?.code}>
        <p dir="auto" className="break-words text-fail">
          {visible(epoch.abort?.message ?? "")}
        </p>
      </Passage>
    );
  return (
    <Passage title="Still running">
      <p className="text-muted">
        {epoch.agent} {doing(epoch)}.
      </p>
    </Passage>
  );
}

function Sum({ epoch }: { epoch: LiveEpoch }) {
  const took =
    epoch.openedAt && epoch.endedAt ? Date.parse(epoch.endedAt) - Date.parse(epoch.openedAt) : null;
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 border-t border-line pt-3 text-[13px] text-muted">
      {took !== null && <span>took {duration(took)}</span>}
      <span>
        {count(epoch.inputTokens)} tokens in, {count(epoch.outputTokens)} out
      </span>
      {!isOpen(epoch) && <Cost microusd={epoch.costMicrousd} />}
      <Link to="/chat/$agent" params={{ agent: epoch.agent }} search={{ epoch: epoch.id }}>
        In the conversation
      </Link>
    </p>
  );
}
