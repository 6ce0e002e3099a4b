import { useInfiniteQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useEffect, useMemo } from "react";
import type { AnyEvent } from "@/live/event";
import { isQuietScan } from "@/screens/watchdog/words";
import { Button, cx, LoadError, Loading } from "@/ui";
import type { Gap } from "./epoch-rows";
import { LineRow } from "./line-row";
import { gapLinesQuery, PIECE_LINES } from "./queries";

interface Props {
  gap: Gap;
  isOpen: boolean;
  onToggle: () => void;
}

/** What happened between two epochs: folded, and of scans that found nothing only how many there were. */
export function GapRow({ gap, isOpen, onToggle }: Props) {
  const events = gap.last - gap.first + 1;
  return (
    <div className="border-b border-line bg-raised/30">
      <button
        type="button"
        data-row
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex w-full items-center gap-3 px-3 py-1.5 text-left text-[13px] text-muted hover:bg-raised focus-visible:-outline-offset-2"
      >
        <ChevronRight aria-hidden className={cx("size-4 transition-transform", isOpen && "rotate-90")} />
        {events === 1 ? "1 event" : `${events.toLocaleString("en")} events`} beside, #{gap.first}
        {events > 1 && `–${gap.last}`}
      </button>
      {isOpen && <GapLines gap={gap} />}
    </div>
  );
}

function GapLines({ gap }: { gap: Gap }) {
  const read = useInfiniteQuery(gapLinesQuery(gap.first, gap.last));
  const events = useMemo(() => eventsOf(read.data?.pages ?? [], gap.last), [read.data, gap.last]);
  const told = useMemo(() => folded(events), [events]);
  const { hasNextPage, isFetching, error, fetchNextPage } = read;
  const isFull = events.length >= PIECE_LINES;
  const wantsMore = hasNextPage && !isFetching && !error && !isFull;
  useEffect(() => {
    if (wantsMore) void fetchNextPage();
  }, [wantsMore, fetchNextPage]);
  if (read.isPending) return <Loading what="these events" />;
  return (
    <div className="px-4 pb-3 sm:pl-10">
      {error && (
        <LoadError
          error={error}
          retry={() => void (read.data ? fetchNextPage() : read.refetch())}
          what="These events could not be loaded"
        />
      )}
      <ol aria-label={`Events ${gap.first} to ${gap.last}`}>
        {told.map((one) =>
          "scans" in one ? (
            <li key={`scans ${one.at}`} className="py-0.5 text-[13px] text-muted">
              {one.scans === 1 ? "1 scan" : `${one.scans} scans`} of the watchdog that found nothing
            </li>
          ) : (
            <LineRow key={one.seq} event={one} among={events} />
          ),
        )}
      </ol>
      {hasNextPage && isFull && (
        <Button size="s" className="mt-1" busy={isFetching} onClick={() => void fetchNextPage()}>
          Read further
        </Button>
      )}
    </div>
  );
}

/** What was read of a gap, up to where it ends now: an epoch that begins in it makes it shorter. */
export function eventsOf(pages: readonly { events: AnyEvent[] }[], last: number): AnyEvent[] {
  return pages.flatMap((page) => page.events).filter((event) => event.seq <= last);
}

/** Lines, with scans that found nothing counted where they follow one another. */
export function folded(events: readonly AnyEvent[]): (AnyEvent | { scans: number; at: number })[] {
  const told: (AnyEvent | { scans: number; at: number })[] = [];
  for (const event of events) {
    if (!isQuietScan(event)) {
      told.push(event);
      continue;
    }
    const last = told.at(-1);
    if (last && "scans" in last) last.scans += 1;
    else told.push({ scans: 1, at: event.seq });
  }
  return told;
}
