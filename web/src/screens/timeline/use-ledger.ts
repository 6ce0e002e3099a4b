// The ledger as the list sees it: rows, what stands in each, and what is read when it is looked at.
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { readEvents } from "@/api/history";
import type { AnyEvent } from "@/live/event";
import { useConnection, useLive } from "@/live/store";
import { filterOf } from "./filter";
import { Matches, type Way } from "./matches";
import { Pages } from "./pages";
import type { TimelineSearch } from "./search";

/** Rows beyond what is seen that a search finds ahead. */
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
}

export function useLedger(
  given: Pick<TimelineSearch, "agent" | "kind" | "q">,
  head: number,
  from: number,
): Ledger {
  const [pages] = useState(() => new Pages(readEvents));
  const { agent, kind, q } = given;
  const start = useRef(from);
  start.current = from;
  const search = useMemo(() => {
    const filter = filterOf({ agent, kind, q });
    return filter && new Matches(filter, start.current, readEvents, (events) => pages.put(events));
  }, [agent, kind, q, pages]);
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
    const looked = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) =>
      seqs ? (seqs[first + at] ?? 0) : first + at + 1,
    );
    pages.look(looked, head);
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
  };
}

const never = () => () => {};
const zero = () => 0;
