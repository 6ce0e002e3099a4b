// Lists and tables of any length: the first of them at once, more on demand.
import { type ReactNode, useState } from "react";
import { cx } from "@/ui";
import type { Kept } from "./read";

const MORE_AT_ONCE = 100;

/** The items that are shown, and the way to more of them. */
export function useBounded<T>({ items, more }: Kept<T>, first: number): { shown: T[]; rest: ReactNode } {
  const [most, setMost] = useState(first);
  const shown = items.slice(0, most);
  const left = items.length - shown.length;
  const leftWords = `and ${(left + more).toLocaleString("en")} more`;
  if (left > 0)
    return {
      shown,
      rest: (
        <button type="button" className="md-more" onClick={() => setMost(most + MORE_AT_ONCE)}>
          {leftWords}
        </button>
      ),
    };
  return {
    shown,
    rest: (
      <>
        {most > first && (
          // The button that was pressed is gone, and with it the place of whoever goes by keys.
          <p tabIndex={-1} ref={focusOn} className="sr-only">
            All {items.length.toLocaleString("en")} are shown.
          </p>
        )}
        {more > 0 && <Remark>{leftWords}</Remark>}
      </>
    ),
  };
}

/** Runs once, for it is always the same function. */
function focusOn(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}

/** Something that is said beside a result. */
export function Remark({ children }: { children: ReactNode }) {
  return (
    <p dir="auto" className="text-xs break-words text-muted">
      {children}
    </p>
  );
}

export interface Column<T> {
  name: string;
  of: (row: T) => ReactNode;
  isNumber?: boolean;
}

/** A compact table; the first column names its rows. */
export function Table<T>(props: {
  label: string;
  columns: readonly Column<T>[];
  rows: Kept<T>;
  first?: number;
}) {
  const { shown, rest } = useBounded(props.rows, props.first ?? 20);
  const cell = (column: Column<T>) =>
    cx("py-0.5 pr-4", column.isNumber && "text-right whitespace-nowrap tabular-nums");
  return (
    <div className="flex flex-col items-start gap-1">
      {/* biome-ignore lint/a11y/useSemanticElements: a group that scrolls, not one of fields */}
      <div tabIndex={0} role="group" aria-label={props.label} className="max-h-96 max-w-full overflow-auto">
        <table className="text-[13px]">
          <thead>
            <tr>
              {props.columns.map((column) => (
                <th
                  key={column.name}
                  scope="col"
                  className={cx(
                    "text-xs font-normal text-muted",
                    column.isNumber ? "text-right" : "text-left",
                    "py-0.5 pr-4",
                  )}
                >
                  {column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <tr key={at} className="border-t border-line align-top">
                {props.columns.map((column, place) =>
                  place === 0 ? (
                    <th
                      key={column.name}
                      scope="row"
                      dir="auto"
                      className="max-w-80 min-w-36 py-0.5 pr-4 text-left font-normal break-words text-ink"
                    >
                      {column.of(row)}
                    </th>
                  ) : (
                    <td key={column.name} className={cell(column)}>
                      {column.of(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rest}
    </div>
  );
}
