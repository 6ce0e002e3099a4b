// A list of any length whose rows can be put elsewhere: by a handle that takes keys and the pointer, and by each row's menu.
import { GripVertical } from "lucide-react";
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { cx, VirtualList, type VirtualListHandle } from "@/ui";
import { beforeAt, type CarriedRow, moved, type Places, placeByKey, reorderWords, within } from "./reorder";

/** From the edge of the list, where carrying scrolls it, and by how much a move of the pointer does. */
const EDGE_PX = 32;
const SCROLL_PX = 14;
const ROW_PX = 52;

interface Props<T> {
  rows: readonly T[];
  idOf: (row: T) => number;
  nameOf: (row: T) => string;
  label: string;
  /** Where rows may go; null where the order cannot be changed. */
  places: Places | null;
  /** What a row stands before that is put last; see `beforeAt`. */
  end?: number | null;
  className?: string;
  onMove: (id: number, before: number | null) => void;
  /** `move` puts the row elsewhere; null where it stays. */
  render: (row: T, at: number, move: ((to: number) => void) | null) => ReactNode;
}

export function ReorderList<T>(props: Props<T>) {
  const { rows, idOf, nameOf, label, places, render } = props;
  const list = useRef<VirtualListHandle>(null);
  const prefix = useId();
  const [carried, setCarried] = useState<CarriedRow | null>(null);
  const [said, setSaid] = useState("");
  const ids = rows.map(idOf);
  const from = carried ? ids.indexOf(carried.id) : -1;
  const active = carried && places && from >= 0 ? { ...carried, to: within(carried.to, places) } : null;
  const shown = active ? moved(rows, from, active.to) : rows;
  const nameById = (id: number) => {
    const row = rows[ids.indexOf(id)];
    return row === undefined ? "" : nameOf(row);
  };
  const move = (id: number, to: number) => {
    const at = ids.indexOf(id);
    if (!places || at < 0 || within(to, places) === at) return;
    props.onMove(id, beforeAt(ids, at, within(to, places), props.end ?? null));
  };
  const carry = (next: CarriedRow, words = reorderWords.over) => {
    setCarried(next);
    setSaid(words(nameById(next.id), next.to, rows.length));
  };
  const drop = () => {
    if (!active) return;
    setCarried(null);
    const words = active.to === from ? reorderWords.stays : reorderWords.dropped;
    setSaid(words(nameById(active.id), active.to, rows.length));
    move(active.id, active.to);
  };
  const cancel = () => {
    if (active) setSaid(reorderWords.stays(nameById(active.id)));
    setCarried(null);
  };
  useCarrying(active, list, { carry, drop, cancel });
  useKeptFocus(active, list, prefix);
  return (
    <div className={cx("flex min-h-0 flex-col", props.className)}>
      <span role="status" className="sr-only" data-testid="moved-said">
        {said}
      </span>
      <VirtualList
        handle={list}
        items={shown}
        keyOf={idOf}
        label={label}
        estimate={ROW_PX}
        className="min-h-0 flex-1 rounded-lg"
        render={(row, at) => {
          const id = idOf(row);
          const canMove = places !== null && at >= places.first;
          return (
            <div
              data-place={at}
              className={cx(
                "flex min-h-[52px] items-center gap-1 border-b border-line pr-1",
                active?.id === id && "bg-raised outline-2 -outline-offset-2 outline-accent",
              )}
            >
              {places && (
                <button
                  type="button"
                  id={`${prefix}${id}`}
                  aria-label={`Move ${nameOf(row)}`}
                  aria-pressed={active?.id === id}
                  disabled={!canMove}
                  className="grid size-9 shrink-0 cursor-grab touch-none place-items-center rounded-md text-muted hover:text-ink disabled:cursor-default disabled:opacity-40"
                  onPointerDown={(event) => {
                    if (event.button === 0) carry({ id, to: at, by: "pointer" });
                  }}
                  onKeyDown={(event) => {
                    if (event.key === " " || event.key === "Enter") {
                      event.preventDefault();
                      if (active?.by === "keys") drop();
                      else carry({ id, to: at, by: "keys" }, reorderWords.picked);
                      return;
                    }
                    if (active?.by !== "keys") return;
                    if (event.key === "Tab") return cancel();
                    const to = placeByKey(event.key, active.to, places);
                    if (to === null) return;
                    event.preventDefault();
                    carry({ ...active, to });
                  }}
                >
                  <GripVertical aria-hidden className="size-4" />
                </button>
              )}
              {render(row, at, canMove ? (to) => move(id, to) : null)}
            </div>
          );
        }}
      />
    </div>
  );
}

type ListRef = { current: VirtualListHandle | null };

/** While a row is carried the whole page listens: Escape puts it back before any dialog hears of it. */
function useCarrying(
  active: CarriedRow | null,
  list: ListRef,
  acts: { carry: (next: CarriedRow) => void; drop: () => void; cancel: () => void },
): void {
  const newest = useRef({ active, acts });
  newest.current = { active, acts };
  const by = active?.by ?? null;
  useEffect(() => {
    if (by === null) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      newest.current.acts.cancel();
    };
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, [by]);
  useEffect(() => {
    if (by !== "pointer") return;
    const onMove = (event: PointerEvent) => {
      scrollAtEdge(list.current?.element ?? null, event.clientY);
      const to = placeAt(list.current?.element ?? null, event.clientX, event.clientY);
      const { active: row, acts: does } = newest.current;
      // Drawn at once: the pointer may be let go before the next frame.
      if (row && to !== null && to !== row.to) flushSync(() => does.carry({ ...row, to }));
    };
    const onUp = () => newest.current.acts.drop();
    const onCancel = () => newest.current.acts.cancel();
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onUp);
    window.addEventListener("pointercancel", onCancel);
    return () => {
      window.removeEventListener("pointermove", onMove);
      window.removeEventListener("pointerup", onUp);
      window.removeEventListener("pointercancel", onCancel);
    };
  }, [by, list]);
}

function placeAt(box: HTMLElement | null, x: number, y: number): number | null {
  const row = document.elementFromPoint?.(x, y)?.closest("[data-place]");
  return row instanceof HTMLElement && box?.contains(row) ? Number(row.dataset.place) : null;
}

function scrollAtEdge(box: HTMLElement | null, y: number): void {
  if (!box) return;
  const { top, bottom } = box.getBoundingClientRect();
  if (y < top + EDGE_PX) box.scrollTop -= SCROLL_PX;
  else if (y > bottom - EDGE_PX) box.scrollTop += SCROLL_PX;
}

/** A row that is carried by keys stays in sight, and its handle keeps the focus wherever it is drawn. */
function useKeptFocus(active: CarriedRow | null, list: ListRef, prefix: string): void {
  const isByKeys = active?.by === "keys";
  const [id, to] = [active?.id, active?.to];
  useLayoutEffect(() => {
    if (!isByKeys || id === undefined || to === undefined) return;
    list.current?.scrollTo(to);
    const focus = () => document.getElementById(`${prefix}${id}`)?.focus({ preventScroll: true });
    focus();
    const frame = requestAnimationFrame(focus);
    return () => cancelAnimationFrame(frame);
  }, [isByKeys, id, to, list, prefix]);
}
