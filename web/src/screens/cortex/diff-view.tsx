import { useMemo, useState } from "react";
import { cx, visible } from "@/ui";
import { type DiffGap, type DiffLine, folded, sizeOf } from "./diff";

/** Lines that are drawn before somebody asks for more. */
const SHOWN_LINES = 800;

const LOOKS = {
  same: { sign: "", word: "", className: "text-muted" },
  gone: { sign: "−", word: "removed: ", className: "bg-fail-soft text-ink" },
  come: { sign: "+", word: "added: ", className: "bg-life-soft text-ink" },
};

/** What two texts differ in, with signs and words beside the colours. */
export function DiffView({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  const [limit, setLimit] = useState(SHOWN_LINES);
  const { gone, come } = useMemo(() => sizeOf(lines), [lines]);
  const all = useMemo(() => folded(lines), [lines]);
  if (gone + come === 0) return <p className="px-4 py-3 text-sm text-muted">No line differs.</p>;
  return (
    <div>
      <p className="px-4 pb-2 text-[13px] text-muted">
        {come} {come === 1 ? "line" : "lines"} added, {gone} removed
      </p>
      <ol aria-label={label} className="border-t border-line py-1 font-mono text-[13px] leading-6">
        {all
          .slice(0, limit)
          .map((line, at) =>
            line.mark === "gap" ? <Gap key={at} gap={line} /> : <Row key={at} line={line} />,
          )}
      </ol>
      {all.length > limit && (
        <button type="button" className="md-more mx-4 mb-2" onClick={() => setLimit(limit + 5_000)}>
          Show more ({all.length - limit} more lines)
        </button>
      )}
    </div>
  );
}

function Row({ line }: { line: DiffLine }) {
  const look = LOOKS[line.mark];
  return (
    <li data-mark={line.mark} className={cx("flex gap-2 px-4", look.className)}>
      <span aria-hidden className="w-3 shrink-0 select-none">
        {look.sign}
      </span>
      <span className="sr-only">{look.word}</span>
      <span dir="auto" className="min-w-0 flex-1 break-words whitespace-pre-wrap">
        {visible(line.text) || " "}
      </span>
    </li>
  );
}

function Gap({ gap }: { gap: DiffGap }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return gap.lines.slice(0, 5_000).map((line, at) => <Row key={at} line={line} />);
  return (
    <li className="px-4 py-0.5">
      <button type="button" className="md-more font-sans" onClick={() => setOpen(true)}>
        {gap.lines.length} unchanged lines
      </button>
    </li>
  );
}
