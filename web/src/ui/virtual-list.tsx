import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type Ref, useImperativeHandle, useRef } from "react";
import { cx } from "./cx";

export interface VirtualListHandle {
  scrollTo: (index: number, align?: "start" | "center" | "end" | "auto") => void;
  element: HTMLDivElement | null;
}

interface Props<T> {
  items: readonly T[];
  keyOf: (item: T, index: number) => string | number;
  render: (item: T, index: number) => ReactNode;
  /** Height of a row before it is measured. */
  estimate: number;
  label: string;
  className?: string;
  overscan?: number;
  handle?: Ref<VirtualListHandle>;
  onScroll?: (element: HTMLDivElement) => void;
}

/** A list of any length with a bounded number of elements. Rows may be of any height; each says where in the whole it stands. */
export function VirtualList<T>({
  items,
  keyOf,
  render,
  estimate,
  label,
  className,
  overscan = 8,
  handle,
  onScroll,
}: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => estimate,
    overscan,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item, index);
    },
  });
  useImperativeHandle(handle, () => ({
    scrollTo: (index, align = "auto") => rows.scrollToIndex(index, { align }),
    element: box.current,
  }));
  return (
    <div
      ref={box}
      tabIndex={0}
      className={cx("overflow-y-auto", className)}
      onScroll={(event) => onScroll?.(event.currentTarget)}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: rows are placed by transform, which a list element does not change */}
      <div role="list" aria-label={label} className="relative w-full" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => {
          const item = items[row.index];
          if (item === undefined) return null;
          return (
            // biome-ignore lint/a11y/useSemanticElements: see above
            <div
              key={row.key}
              role="listitem"
              aria-setsize={items.length}
              aria-posinset={row.index + 1}
              data-index={row.index}
              ref={rows.measureElement}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${row.start}px)` }}
            >
              {render(item, row.index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
