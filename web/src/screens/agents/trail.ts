// Lines of some kinds: those just before the screen was opened, earlier ones piece by piece, and those that come while it is open.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { readEvents, readKinds } from "@/api/history";
import type { AnyEvent } from "@/live/event";
import { type LiveState, RECENT_KEPT } from "@/live/state";
import { live, useLive } from "@/live/store";

/** Lines of a piece of the past, and lines that are read at once where more came than the page keeps. */
const PIECE_LINES = 500;
/** Newer lines that are kept; older ones of them go. */
const NEWER_KEPT = 500;

export interface Trail {
  /** The oldest first. */
  events: AnyEvent[];
  isReading: boolean;
  error: Error | null;
  retry: () => void;
  /** The line behind which all was read; 0 where nothing stands before. */
  from: number;
  /** Reads the piece before; null where there is none. */
  earlier: (() => void) | null;
  isReadingEarlier: boolean;
}

/** What is new behind `cursor`, and the hole before it where more came at once than the page keeps. */
export function newer(
  cursor: number,
  { recent, seq }: Pick<LiveState, "recent" | "seq">,
): { fresh: AnyEvent[]; hole: { after: number; through: number } | null; cursor: number } {
  const fresh = recent.filter((event) => event.seq > cursor);
  const first = recent[0];
  const isCut = recent.length >= RECENT_KEPT && first !== undefined && first.seq > cursor + 1;
  return {
    fresh,
    hole: isCut ? { after: cursor, through: first.seq - 1 } : null,
    cursor: Math.max(cursor, seq),
  };
}

/** `kinds` (or groups of them) hold whatever `wants` does; both must be the same each time. */
export function useTrail(name: string, kinds: readonly string[], wants: (event: AnyEvent) => boolean): Trail {
  const base = useLive((state) => state.base);
  // The past ends and the present begins where the stream stood when the screen was opened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another snapshot is another beginning
  const opened = useMemo(() => live.state.seq, [base]);
  const past = useInfiniteQuery({
    queryKey: ["trail", name, opened],
    queryFn: async ({ pageParam, signal }) => {
      const before = pageParam ?? opened + 1;
      const read = await readKinds({ kinds, before, limit: PIECE_LINES, signal });
      return { events: read.events.filter(wants), after: Math.max(0, read.before - 1) };
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.after > 0 ? page.after + 1 : null),
    enabled: base >= 0 && opened > 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const present = useNewer(opened, wants);
  const pages = past.data?.pages;
  const events = useMemo(
    () => [...[...(pages ?? [])].reverse().flatMap((page) => page.events), ...present],
    [pages, present],
  );
  return {
    events,
    isReading: past.isPending && past.fetchStatus !== "idle",
    error: past.error,
    retry: () => void past.refetch(),
    from: pages?.at(-1)?.after ?? opened,
    earlier: past.hasNextPage ? () => void past.fetchNextPage() : null,
    isReadingEarlier: past.isFetchingNextPage,
  };
}

function useNewer(opened: number, wants: (event: AnyEvent) => boolean): AnyEvent[] {
  const [kept, setKept] = useState<AnyEvent[]>([]);
  useEffect(() => {
    const done = new AbortController();
    let cursor = opened;
    setKept([]);
    const add = (events: AnyEvent[]) => {
      const wanted = events.filter(wants);
      if (wanted.length > 0 && !done.signal.aborted)
        setKept((old) => [...old, ...wanted].sort((a, b) => a.seq - b.seq).slice(-NEWER_KEPT));
    };
    const look = () => {
      const found = newer(cursor, live.state);
      cursor = found.cursor;
      add(found.fresh);
      if (found.hole)
        readEvents({ ...found.hole, limit: PIECE_LINES, signal: done.signal }).then(
          ({ events }) => add(events),
          // The connection says that it is lost; the lines are in the timeline.
          () => {},
        );
    };
    look();
    const end = live.subscribe(look);
    return () => {
      end();
      done.abort();
    };
  }, [opened, wants]);
  return kept;
}
