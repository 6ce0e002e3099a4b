import { cx } from "@/ui";
import { useBounded } from "./bounded";

const LINES_FIRST = 200;

export interface NumberedLine {
  at: number;
  text: string;
  /** Stands there for what is around it. */
  isAround?: boolean;
}

/** Lines of a file with their numbers, which are neither read aloud nor copied. */
export function NumberedLines({ lines, label }: { lines: NumberedLine[]; label: string }) {
  const { shown, rest } = useBounded({ items: lines, more: 0 }, LINES_FIRST);
  return (
    <div className="flex flex-col items-start gap-1">
      {/* biome-ignore lint/a11y/useSemanticElements: a group that scrolls, not one of fields */}
      <div tabIndex={0} role="group" aria-label={label} className="code w-full !px-0">
        {shown.map((line, index) => {
          const before = shown[index - 1];
          const isApart = before !== undefined && line.at !== before.at + 1;
          return (
            <div key={index} className={cx("flex pr-3", isApart && "mt-1 border-t border-line pt-1")}>
              <span aria-hidden className="w-12 shrink-0 pr-3 text-right text-muted select-none">
                {line.at}
              </span>
              <span dir="auto" className={cx("min-w-0 flex-1", line.isAround && "text-muted")}>
                {line.text || "\u00a0"}
              </span>
            </div>
          );
        })}
      </div>
      {rest}
    </div>
  );
}
