import { TriangleAlert } from "lucide-react";
import type { UnparsedLineView } from "@/api/generated";
import { visible, visibleLine } from "@/ui";

/** Lines of a list that were not understood, each with why. They are kept with the deck. */
export function Unread(props: {
  lines: readonly UnparsedLineView[];
  /** What a list said that does not hold, as long as it was just read. */
  notes: readonly string[];
  isOpen: boolean;
}) {
  const { lines, notes } = props;
  return (
    <>
      {notes.length > 0 && (
        <ul
          aria-label="Notes on the list"
          className="mt-3 list-disc rounded-xl border border-line bg-surface py-2 pr-3 pl-7 text-[13px] text-muted"
        >
          {notes.map((note, at) => (
            <li key={at} className="break-words">
              {visible(note)}
            </li>
          ))}
        </ul>
      )}
      {lines.length > 0 && <Lines lines={lines} isOpen={props.isOpen} />}
    </>
  );
}

function Lines({ lines, isOpen }: { lines: readonly UnparsedLineView[]; isOpen: boolean }) {
  return (
    <details
      open={isOpen}
      className="mt-3 rounded-xl border border-wait/50 bg-wait-soft px-3 py-2 text-sm text-ink"
      data-testid="unread"
    >
      <summary className="flex cursor-pointer items-center gap-2">
        <TriangleAlert aria-hidden className="size-4 shrink-0 text-wait" />
        {lines.length === 1
          ? "1 line of the list was not understood"
          : `${lines.length} lines of the list were not understood`}
      </summary>
      <ul className="mt-2 flex flex-col gap-1.5 text-[13px]">
        {lines.map((one, at) => (
          <li key={at} className="flex flex-wrap gap-x-3">
            {one.line > 0 && <span className="text-muted tabular-nums">line {one.line}</span>}
            <code dir="auto" className="min-w-0 font-mono break-all">
              {visibleLine(one.text)}
            </code>
            <span className="min-w-0 break-words text-wait">{visible(one.why)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
