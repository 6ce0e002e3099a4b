// The queue in the order of playing: what is played stands first.
import { ArrowDown, ArrowUp, MoreHorizontal, Play, Trash2, TriangleAlert, X } from "lucide-react";
import { useState } from "react";
import type { MediaEntryView, MediaStatusView } from "@/api/generated";
import { Button, Confirm, cx, EmptyState, IconButton, Menu, visibleLine } from "@/ui";
import type { Control } from "./acts";
import { canSteer, OrderButtons } from "./controls";
import { Cover } from "./cover";
import { clock } from "./position";
import type { Places } from "./reorder";
import { ReorderList } from "./reorder-list";
import type { Music } from "./use-music";
import { countOf, titleOf, trackName, underTitle } from "./words";

/** Where entries may go; null where the order is not that of the queue. What is played stays where it is. */
export function queuePlaces(status: MediaStatusView): Places | null {
  const first = status.entry != null && status.queue[0]?.entry === status.entry ? 1 : 0;
  // Behind the last of those that are shown there are others, which are not known here.
  const last = status.queue.length - (status.queue_total > status.queue.length ? 2 : 1);
  return status.shuffle || last <= first ? null : { first, last };
}

/** What an entry stands before that is put last: in a queue that goes round, what is played. */
export function queueEnd(status: MediaStatusView): number | null {
  return status.repeat === "all" ? (status.entry ?? null) : null;
}

export function QueuePart({ music, act, className }: { music: Music; act: Control; className?: string }) {
  const [isClearing, setClearing] = useState(false);
  const { status } = music;
  const hidden = status.queue_total - status.queue.length;
  const places = canSteer(music) ? queuePlaces(status) : null;
  return (
    <section aria-label="Queue" className={cx("flex min-h-0 flex-col", className)}>
      <div className="flex flex-wrap items-center gap-1 pb-2">
        <p className="mr-auto text-[13px] text-muted">
          {countOf(status.queue_total, "track")}
          {status.shuffle && ", shuffled: the order can be changed when shuffle is off"}
        </p>
        <OrderButtons music={music} act={act} />
        <Button
          size="s"
          tone="danger"
          icon={<Trash2 aria-hidden className="size-4" />}
          disabled={!canSteer(music) || status.queue_total === 0}
          onClick={() => setClearing(true)}
        >
          Clear
        </Button>
      </div>
      {status.queue.length === 0 ? (
        <EmptyState title="The queue is empty">Play something of the library, or put it here.</EmptyState>
      ) : (
        <ReorderList
          className="min-h-0 flex-1"
          rows={status.queue}
          idOf={(row) => row.entry}
          nameOf={(row) => titleOf(row.track)}
          label="Queue"
          places={places}
          end={queueEnd(status)}
          onMove={(entry, before) => void act({ action: "move", entry, before })}
          render={(row, at, move) => (
            <QueueRow
              row={row}
              isNow={row.entry === status.entry}
              canSteer={canSteer(music)}
              act={act}
              move={move}
              at={at}
            />
          )}
        />
      )}
      {hidden > 0 && (
        <p className="pt-2 text-[13px] text-muted">{countOf(hidden, "more track")} behind them</p>
      )}
      <Confirm
        open={isClearing}
        onOpenChange={setClearing}
        title="Clear the queue?"
        act="Clear the queue"
        onAct={() => void act({ action: "clear" })}
      >
        The music stops, and {countOf(status.queue_total, "track")} leave the queue. Playlists stay as they
        are.
      </Confirm>
    </section>
  );
}

function QueueRow(props: {
  row: MediaEntryView;
  at: number;
  isNow: boolean;
  canSteer: boolean;
  act: Control;
  move: ((to: number) => void) | null;
}) {
  const { row, at, isNow, act, move } = props;
  const { track, entry } = row;
  const icon = "size-4";
  return (
    <>
      <Cover digest={track.cover} className="size-9" />
      <span className="min-w-0 flex-1 px-1.5" aria-current={isNow ? "true" : undefined}>
        <span dir="auto" className={cx("block truncate text-sm", isNow ? "text-accent" : "text-ink")}>
          {isNow && <span className="font-semibold">Now: </span>}
          {titleOf(track)}
        </span>
        {row.failed ? (
          <span className="flex items-center gap-1 text-xs text-fail" title={visibleLine(row.failed)}>
            <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
            <span className="truncate">Not played: {visibleLine(row.failed)}</span>
          </span>
        ) : (
          <span dir="auto" className="block truncate text-xs text-muted">
            {underTitle(track)}
          </span>
        )}
      </span>
      <span className="text-xs text-muted tabular-nums">{clock(track.duration_s)}</span>
      <Menu
        label={`What to do with ${trackName(track)}`}
        trigger={
          <IconButton
            label={`More for ${titleOf(track)}`}
            icon={<MoreHorizontal aria-hidden className={icon} />}
            disabled={!props.canSteer}
          />
        }
        items={[
          {
            label: "Play now",
            icon: <Play aria-hidden className={icon} />,
            onSelect: () => void act({ action: "play", entry }),
          },
          {
            label: "Move up",
            icon: <ArrowUp aria-hidden className={icon} />,
            disabled: !move,
            onSelect: () => move?.(at - 1),
          },
          {
            label: "Move down",
            icon: <ArrowDown aria-hidden className={icon} />,
            disabled: !move,
            onSelect: () => move?.(at + 1),
          },
          {
            label: "Move to the end",
            icon: <ArrowDown aria-hidden className={icon} />,
            disabled: !move,
            onSelect: () => move?.(Number.MAX_SAFE_INTEGER),
          },
          {
            label: "Remove from the queue",
            icon: <X aria-hidden className={icon} />,
            danger: true,
            onSelect: () => void act({ action: "remove", entries: [entry] }),
          },
        ]}
      />
    </>
  );
}
