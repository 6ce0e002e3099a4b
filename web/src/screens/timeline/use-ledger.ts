// The ledger as the list sees it: rows, what stands in each, and what is read when it is looked at.
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { AnyEvent } from "@/live/event";
import { useConnection, useLive } from "@/live/store";
import { filterOf } from "./filter";
import { Matches } from "./matches";
import { Pages } from "./pages";
import type { TimelineSearch } from "./search";
import { findInLedger, readLedger, type Way } from "./source";

/** Rows beyond what is seen that are read and found ahead. */
const AHEAD = 60;

export interface Ledger {
  rows: number;
  /** Rows that were put before the first one. */
  before: number;
  seqAt: (row: number) => number;
  /** The row of an event, or of the nearest behind it. */
  rowOf: (seq: number) => number;
  eventAt: (row: number) => AnyEvent | null | undefined;
  eventOf: (seq: number) => AnyEvent | null | undefined;
  onRange: (first: number, last: number) => void;
  /** The row in the middle of what is seen. */
  middle: number;
  error: unknown;
  retry: () => void;
  /** Null where nothing is filtered. */
  search: Matches | null;
  again: (way: Way) => void;
  /** Begins the search anew at a place that it has not come to. */
  moveTo: (seq: number) => void;
  /** Counts the beginnings: rows of different ones are not the same. */
  beginning: number;
  /** Whether what happens now is put behind the last row. */
  isAtNewest: boolean;
}

export function useLedger(
  given: Pick<TimelineSearch, "agent" | "kind" | "q">,
  head: number,
  from: number,
): Ledger {
  const [pages] = useState(() => new Pages(readLedger));
  const { agent, kind, q } = given;
  const start = useRef(from);
  start.current = from;
  const key = `${agent}\n${kind}\n${q}`;
  const [moved, setMoved] = useState<{ key: string; to: number | null; count: number }>({
    key,
    to: null,
    count: 0,
  });
  // A place that was gone to holds as long as the filter does.
  if (moved.key !== key) setMoved({ key, to: null, count: moved.count });
  const search = useMemo(() => {
    const filter = filterOf({ agent, kind, q });
    const at = moved.to ?? start.current;
    return filter && new Matches(filter, at, findInLedger, (events) => pages.put(events));
  }, [agent, kind, q, moved, pages]);
  const moveTo = useCallback((to: number) => setMoved(({ count }) => ({ key, to, count: count + 1 })), [key]);
  useSyncExternalStore(pages.subscribe, pages.version);
  const found = useSyncExternalStore(search?.subscribe ?? never, search?.version ?? zero);
  useEffect(() => () => pages.close(), [pages]);
  useEffect(() => () => search?.close(), [search]);

  const recent = useLive((state) => state.recent);
  useEffect(() => {
    pages.put(recent);
    search?.follow(recent, head);
  }, [pages, search, recent, head]);

  const phase = useConnection().phase;
  useEffect(() => {
    if (phase !== "live") return;
    pages.retry();
    if (search?.error) search.again("back");
  }, [phase, pages, search]);

  const [range, setRange] = useState<readonly [number, number]>([0, -1]);
  const onRange = useCallback((first: number, last: number) => setRange([first, last]), []);
  const seqs = search?.seqs;
  const rows = seqs ? seqs.length : head;
  const seqAt = (row: number) => (seqs ? (seqs[row] ?? 0) : row + 1);
  useEffect(() => {
    const [first, last] = range;
    if (last < first) return;
    const seqOf = (row: number) => (seqs ? (seqs[row] ?? 0) : row + 1);
    // What is seen, then what is seen next.
    const looked = [
      rowsFrom(first, last),
      rowsFrom(last + 1, last + AHEAD),
      rowsFrom(first - AHEAD, first - 1),
    ];
    pages.look(looked.flat().map(seqOf), head);
  }, [pages, range, seqs, head]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever was found may not be enough
  useEffect(() => {
    if (!search) return;
    const [first, last] = range;
    if (first < AHEAD) void search.seek("back", AHEAD, head);
    if (search.seqs.length - last < AHEAD) void search.seek("on", AHEAD, head);
  }, [search, found, range, head]);

  return {
    rows,
    before: search?.before ?? 0,
    seqAt,
    rowOf: (seq) => (search ? search.rowOf(seq) : seq - 1),
    eventAt: (row) => pages.at(seqAt(row)),
    eventOf: (seq) => pages.at(seq),
    onRange,
    middle: (range[0] + range[1]) >> 1,
    error: pages.error ?? search?.error ?? null,
    retry: () => {
      pages.retry();
      search?.again("back");
    },
    search,
    again: (way) => search?.again(way),
    moveTo,
    beginning: moved.count,
    isAtNewest: search?.isAtNewest ?? true,
  };
}

/** Rows from one to another. */
function rowsFrom(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

const never = () => () => {};
const zero = () => 0;
