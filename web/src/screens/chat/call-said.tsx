import { useLayoutEffect, useRef } from "react";
import type { CallStepView } from "@/api/generated";
import { type Said, type SaidLine, stepWords } from "@/live/said";
import { cx, visible } from "@/ui";

/** So near to the end counts as being there. */
const NEAR_PX = 24;

const LOOKS: Record<SaidLine["stream"], string> = {
  stdout: "",
  stderr: "text-wait",
  gap: "text-muted italic",
};

/** What a running call says: how far it has come, and the end of what its command wrote. */
export function CallSaid({ name, said }: { name: string; said: Said }) {
  return (
    <div className="flex flex-col gap-2 px-3 pb-3" data-testid="call-said">
      {said.step && <Step name={name} step={said.step} />}
      {said.lines.length > 0 && <Output name={name} lines={said.lines} />}
    </div>
  );
}

function Step({ name, step }: { name: string; step: CallStepView }) {
  const { done, total, message } = step;
  return (
    <div className="flex flex-col gap-1 text-[13px] text-muted">
      {total != null && (
        <progress className="call-step" aria-label={`Steps of ${name}`} max={total} value={done} />
      )}
      <p dir="auto" className="break-words">
        {stepWords(step)}
        {message != null && ` · ${visible(message)}`}
      </p>
    </div>
  );
}

/** Stays at the end while it grows, unless somebody has scrolled away from it. */
function Output({ name, lines }: { name: string; lines: readonly SaidLine[] }) {
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when something was written
  useLayoutEffect(() => {
    const element = box.current;
    if (element && follows.current) element.scrollTop = element.scrollHeight;
  }, [lines]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group that scrolls, not one of fields
    <pre
      ref={box}
      tabIndex={0}
      role="group"
      aria-label={`Output of ${name} so far`}
      dir="auto"
      className="code max-h-60"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      }}
    >
      {lines.map((line) => (
        <span
          key={line.number}
          data-stream={line.stream}
          className={cx("block min-h-[1lh]", LOOKS[line.stream])}
        >
          {visible(line.text.replace(/\r+$/, ""))}
        </span>
      ))}
    </pre>
  );
}
