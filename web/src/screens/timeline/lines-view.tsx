import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import type { AnyEvent } from "@/live/event";
import type { LiveEpoch } from "@/live/state";
import { Button, Code, cx, EmptyState, LoadError, Loading, VirtualList, type VirtualListHandle } from "@/ui";
import { grouped } from "./grouping";
import { epochLinesQuery } from "./queries";

/** Lines that are read without being asked for. */
const LINES_FIRST = 300;

type Item = { title: string } | AnyEvent;

/** The lines of an epoch, as the ledger has them. */
export function LinesView({
  epoch,
  seq,
  onOpen,
}: {
  epoch: LiveEpoch;
  seq: number;
  onOpen: (seq: number) => void;
}) {
  const read = useInfiniteQuery(epochLinesQuery(epoch.id, epoch.firstSeq, epoch.lastSeq));
  const events = useMemo(() => read.data?.pages.flatMap((page) => page.events) ?? [], [read.data]);
  const items = useMemo<Item[]>(
    () => grouped(events).flatMap((group) => [{ title: group.title }, ...group.events]),
    [events],
  );
  const { hasNextPage, isFetching, error, fetchNextPage } = read;
  const wantsMore = hasNextPage && !isFetching && !error;
  useEffect(() => {
    if (wantsMore && events.length < LINES_FIRST) void fetchNextPage();
  }, [wantsMore, events.length, fetchNextPage]);
  const list = useRef<VirtualListHandle>(null);
  const at = items.findIndex((item) => "seq" in item && item.seq === seq);
  useEffect(() => {
    if (at >= 0) list.current?.scrollTo(at);
  }, [at]);
  if (read.isPending) return <Loading what="its events" />;
  return (
    <div className="flex h-full min-h-0 flex-col">
      {error && (
        <LoadError
          error={error}
          retry={() => void (read.data ? fetchNextPage() : read.refetch())}
          what="Its events could not be loaded"
        />
      )}
      {items.length === 0 && !error && !isFetching && <EmptyState title="None of its events can be shown" />}
      <VirtualList
        handle={list}
        label="Events of the epoch"
        className="min-h-0 flex-1 px-4 py-3"
        items={items}
        estimate={220}
        overscan={3}
        keyOf={(item, at) => ("title" in item ? `${item.title}${at}` : item.seq)}
        render={(item) =>
          "title" in item ? (
            <h3 className="pt-2 pb-1 text-[13px] font-medium text-ink">{item.title}</h3>
          ) : (
            <div className={cx("mb-2 rounded-lg", item.seq === seq && "ring-2 ring-line-strong")}>
              <button
                type="button"
                className="px-1 font-mono text-xs text-muted hover:text-ink"
                onClick={() => onOpen(item.seq)}
              >
                #{item.seq} {item.kind}
              </button>
              <Code label={`Event ${item.seq}`} text={JSON.stringify(item, null, 2)} chars={2_000} />
            </div>
          )
        }
      />
      {hasNextPage && events.length >= LINES_FIRST && (
        <div className="border-t border-line p-2 text-center">
          <Button size="s" busy={isFetching} onClick={() => void fetchNextPage()}>
            Read further
          </Button>
        </div>
      )}
    </div>
  );
}
