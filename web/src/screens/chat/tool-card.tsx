import { Braces, ChevronRight } from "lucide-react";
import { useState } from "react";
import { copyText } from "@/app/copy";
import type { LiveCall } from "@/live/state";
import {
  Badge,
  type BadgeTone,
  Code,
  duration,
  givenLine,
  givenText,
  Pulse,
  visible,
  visibleLine,
} from "@/ui";
import { CallSaid } from "./call-said";
import { Result } from "./results/result";

const EFFECTS: Record<string, { tone: BadgeTone; title: string }> = {
  read: { tone: "plain", title: "changes nothing" },
  state: { tone: "thought", title: "changes Abide's own state, when the epoch commits" },
  world: { tone: "wait", title: "changes something outside" },
};

const OUTCOMES: Record<string, { tone: BadgeTone; word: string; title: string }> = {
  ok: { tone: "life", word: "ok", title: "it ran" },
  error: { tone: "fail", word: "failed", title: "it failed; the result says why" },
  unknown: {
    tone: "fail",
    word: "outcome unknown",
    title: "it may or may not have run: the process died in between",
  },
  denied: { tone: "wait", word: "denied", title: "it did not run" },
};

/** A call: what was asked for, what it may change, what it says while it runs, how it ended, what it gave. */
export function ToolCard({ call, isEpochOpen }: { call: LiveCall; isEpochOpen: boolean }) {
  const isRunning = isEpochOpen && call.outcome === null;
  return (
    <div className="rounded-lg border border-line bg-surface text-sm">
      <CallDetails call={call} isRunning={isRunning && call.effect !== null} />
      {isRunning && call.said && <CallSaid name={visibleLine(call.name)} said={call.said} />}
    </div>
  );
}

function CallDetails({ call, isRunning }: { call: LiveCall; isRunning: boolean }) {
  const effect = call.effect ? EFFECTS[call.effect] : undefined;
  const outcome = call.outcome ? OUTCOMES[call.outcome] : undefined;
  // Results are many and may be long: one is drawn when it is first looked at.
  const [wasOpened, setOpened] = useState(false);
  return (
    <details
      className="group"
      data-testid="tool-card"
      onToggle={(event) => event.currentTarget.open && setOpened(true)}
    >
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-2 gap-y-1 rounded-lg px-3 py-1.5">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
        <span className="min-w-0 truncate font-mono text-[13px] text-ink">{visibleLine(call.name)}</span>
        <span
          dir="auto"
          className="order-last w-full min-w-0 truncate pl-6 text-[13px] text-muted group-open:hidden sm:order-none sm:w-0 sm:flex-1 sm:pl-0"
        >
          {givenLine(call.arguments)}
        </span>
        {effect && (
          <Badge tone={effect.tone} title={effect.title}>
            {call.effect}
          </Badge>
        )}
        {call.ethereal && (
          <Badge tone="thought" title="its result was for this epoch alone; a note of it is kept">
            ethereal
          </Badge>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-2 text-[13px] text-muted">
          {call.durationMs !== null && <span>{duration(call.durationMs)}</span>}
          {isRunning && <Pulse life="alive" />}
          {isRunning && <span>running</span>}
          {outcome && (
            <Badge tone={outcome.tone} title={outcome.title}>
              {outcome.word}
            </Badge>
          )}
        </span>
      </summary>
      <div className="flex flex-col gap-2 px-3 pt-1 pb-3">
        <p className="flex items-center gap-1.5 text-xs text-muted">
          <Braces aria-hidden className="size-3.5" /> Arguments
        </p>
        <Code
          label={`Arguments of ${visibleLine(call.name)}`}
          text={givenText(call.arguments)}
          onCopy={() => void copyText(pretty(call.arguments), "The arguments")}
        />
        {call.note !== null && (
          <p className="text-[13px] text-muted">Kept of its result: {visible(call.note)}</p>
        )}
        {call.content !== null && wasOpened && (
          <>
            <p className="text-xs text-muted">Result</p>
            <Result call={call} />
          </>
        )}
      </div>
    </details>
  );
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}
