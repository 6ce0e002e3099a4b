// A list of any length with a bounded number of elements: only what is seen is drawn. Rows are of one height, so that the place of
// each is known without any other having been read.
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { cx } from "@/ui";
import { drawnHeightOf, endOf, moved, type Place, rowsAt, type Shape, toDrawn, topFor } from "./scroll";

/** Rows that are drawn beyond what is seen, above and below. */
const AROUND = 8;
const ROW_PX = 30;
const ROW_NARROW_PX = 54;
const NARROW_PX = 640;
/** So near to the end counts as being there. */
const NEAR_PX = 24;
/** After so long without a movement the bar is put where the list is. */
const REST_MS = 150;

export interface ListHandle {
  toRow: (row: number, align: "near" | "middle") => void;
  focus: () => void;
}

interface Props {
  label: string;
  rows: number;
  /** How many rows were put before the first one since the list began: what is seen stays where it is. */
  before: number;
  keyOf: (row: number) => number;
  render: (row: number, isNarrow: boolean) => ReactNode;
  /** The row that the keyboard stands on; -1 for none. */
  current: number;
  follows: boolean;
  onFollows: (follows: boolean) => void;
  onRange: (first: number, last: number) => void;
  onCurrent: (row: number) => void;
  onOpen: (row: number) => void;
  handle: Ref<ListHandle>;
}

export function LedgerList(props: Props) {
  const { rows, current, follows, before, onRange, onFollows } = props;
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(box);
  const isNarrow = width > 0 && width < NARROW_PX;
  const shape: Shape = { rows, row: isNarrow ? ROW_NARROW_PX : ROW_PX, view: height };
  const place = useRef<Place>({ top: 0, drawn: 0 });
  const [top, setTop] = useState(0);
  const put = useCallback((to: number, of: Shape) => {
    const element = box.current;
    if (!element) return;
    element.scrollTop = toDrawn(to, of);
    place.current = { top: Math.min(to, endOf(of)), drawn: element.scrollTop };
    setTop(place.current.top);
  }, []);
  const newest = useRef(shape);
  newest.current = shape;

  const seenBefore = useRef(before);
  const seenRow = useRef(shape.row);
  const waiting = useRef<{ row: number; align: "near" | "middle" } | null>(null);
  const rowPx = shape.row;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is seen stays, or the end is kept, whatever of these changed
  useLayoutEffect(() => {
    const of = newest.current;
    const added = before - seenBefore.current;
    seenBefore.current = before;
    const scale = of.row / seenRow.current;
    seenRow.current = of.row;
    const wanted = height > 0 ? waiting.current : null;
    if (wanted) {
      waiting.current = null;
      put(topFor(wanted.row + added, place.current.top, of, wanted.align), of);
    } else if (follows) put(endOf(of), of);
    else if (added !== 0 || scale !== 1) put(place.current.top * scale + added * of.row, of);
  }, [rows, before, follows, height, rowPx, put]);

  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(rest.current), []);
  const onScroll = () => {
    const element = box.current;
    if (!element || Math.abs(element.scrollTop - place.current.drawn) < 1) return;
    const of = newest.current;
    place.current = moved(place.current, element.scrollTop, of);
    setTop(place.current.top);
    const isAtEnd = place.current.top >= endOf(of) - NEAR_PX;
    if (isAtEnd !== follows) onFollows(isAtEnd);
    clearTimeout(rest.current);
    rest.current = setTimeout(() => put(place.current.top, newest.current), REST_MS);
  };

  const toRow = useCallback(
    (row: number, align: "near" | "middle") => {
      const of = newest.current;
      // Before the list was measured nobody knows where its middle is.
      if (of.view <= 0) waiting.current = { row, align };
      else put(topFor(row, place.current.top, of, align), of);
    },
    [put],
  );
  useImperativeHandle(props.handle, () => ({ toRow, focus: () => box.current?.focus() }), [toRow]);

  const { first, last } = rowsAt(top, shape, AROUND);
  useEffect(() => onRange(first, last), [first, last, onRange]);
  const shown = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const offset = place.current.drawn - (top - first * shape.row);
  return (
    <div
      ref={box}
      role="listbox"
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={current >= first && current <= last ? `line-${props.keyOf(current)}` : undefined}
      className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto [overflow-anchor:none] focus-visible:-outline-offset-2"
      onScroll={onScroll}
      onKeyDown={(event) =>
        onKey(event, props, Math.max(1, Math.floor(height / shape.row) - 1), last - AROUND)
      }
    >
      <div role="presentation" className="relative w-full" style={{ height: drawnHeightOf(shape) }}>
        <div
          role="presentation"
          className="absolute inset-x-0 top-0"
          style={{ transform: `translateY(${offset}px)` }}
        >
          {shown.map((row) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
            <div
              key={props.keyOf(row)}
              id={`line-${props.keyOf(row)}`}
              role="option"
              tabIndex={-1}
              aria-selected={row === current}
              aria-setsize={rows}
              aria-posinset={row + 1}
              className={cx(
                "cursor-pointer overflow-hidden border-b border-line/60 outline-none hover:bg-raised",
                row === current && "bg-raised ring-1 ring-line-strong ring-inset",
              )}
              style={{ height: shape.row }}
              onClick={() => props.onOpen(row)}
            >
              {props.render(row, isNarrow)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Arrow keys and their kin; letters are commands of the screen. */
function onKey(
  event: KeyboardEvent,
  { rows, current, onCurrent, onOpen }: Props,
  page: number,
  seen: number,
) {
  if (event.ctrlKey || event.metaKey || event.altKey || rows === 0) return;
  const from = current < 0 ? Math.max(0, Math.min(seen, rows - 1)) : current;
  const to = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: rows - 1,
  }[event.key];
  if (to !== undefined) onCurrent(Math.max(0, Math.min(to, rows - 1)));
  else if (event.key === "Enter" && current >= 0) onOpen(current);
  else return;
  event.preventDefault();
}

function useSize(box: { current: HTMLElement | null }): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return size;
}
