import { useMemo } from "react";
import { Badge, Code, cx } from "@/ui";
import { useBounded } from "./bounded";
import { type Diff, type DiffLine, parseDiff } from "./diff-lines";
import { Path } from "./file-text";
import { counted } from "./read";

const LINES_FIRST = 200;

/** What a call would change: a diff as such, any other text as it is. */
export function ChangePreview({ text, label }: { text: string; label: string }) {
  const diff = useMemo(() => parseDiff(text), [text]);
  return diff ? <DiffView diff={diff} label={label} /> : <Code label={label} text={text} />;
}

/** Lines that come and go, told apart by their sign, their colour, and a word for those who see neither. */
export function DiffView({ diff, label }: { diff: Diff; label: string }) {
  const { shown, rest } = useBounded({ items: diff.lines, more: 0 }, LINES_FIRST);
  const path = diff.to ?? diff.from ?? "";
  const change = `${counted(diff.added, "line")} added, ${diff.removed.toLocaleString("en")} removed`;
  return (
    <div className="flex flex-col items-start gap-1">
      <p className="flex flex-wrap items-baseline gap-x-2 text-[13px]">
        <Path path={path} />
        {diff.from !== null && diff.to !== null && diff.from !== diff.to && (
          <span className="text-muted">
            was <Path path={diff.from} />
          </span>
        )}
        {diff.from === null && <Badge tone="life">new file</Badge>}
        {diff.to === null && <Badge tone="fail">file removed</Badge>}
        <span className="text-muted">
          {change}
          {diff.isCut && ", as far as it is shown"}
        </span>
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a group that scrolls, not one of fields */}
      <div
        tabIndex={0}
        role="group"
        aria-label={`${label}: ${path}, ${change}`}
        className="code w-full !px-0"
      >
        {shown.length === 0 ? (
          <p className="px-3 text-muted">No line changes.</p>
        ) : (
          shown.map((line, at) => <Line key={at} line={line} />)
        )}
      </div>
      {rest}
    </div>
  );
}

const SIGNS: Record<DiffLine["kind"], string> = { added: "+", removed: "-", same: " ", place: "", note: "" };

function Line({ line }: { line: DiffLine }) {
  if (line.kind === "place" || line.kind === "note")
    return (
      <p dir="auto" className={cx("px-3 text-muted", line.kind === "place" && "mt-1 first:mt-0")}>
        {line.text}
      </p>
    );
  const inside = (
    <>
      <span aria-hidden className="w-11 shrink-0 pr-2 text-right text-muted select-none">
        {line.at}
      </span>
      <span aria-hidden className={cx("w-4 shrink-0 font-bold", TONES[line.kind])}>
        {SIGNS[line.kind]}
      </span>
      {line.kind !== "same" && <span className="sr-only select-none">{line.kind}: </span>}
      <span dir="auto" className="min-w-0 flex-1">
        {line.text || "\u00a0"}
      </span>
    </>
  );
  if (line.kind === "added") return <ins className="flex bg-life-soft pr-3 no-underline">{inside}</ins>;
  if (line.kind === "removed") return <del className="flex bg-fail-soft pr-3 no-underline">{inside}</del>;
  return <div className="flex pr-3">{inside}</div>;
}

const TONES = { added: "text-life", removed: "text-fail", same: "" };
