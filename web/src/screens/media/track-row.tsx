import { ListEnd, ListPlus, ListStart, MoreHorizontal, Play } from "lucide-react";
import type { LibraryTrackView } from "@/api/generated";
import { cx, IconButton, Menu } from "@/ui";
import { type Control, enqueue } from "./acts";
import { Cover } from "./cover";
import { clock } from "./position";
import { titleOf, trackName, underTitle } from "./words";

const ICON = "size-4";

/** A track of the library. One whose file is missing is shown, and cannot be played. */
export function TrackRow(props: {
  track: LibraryTrackView;
  act: Control;
  canSteer: boolean;
  /** In an album its number says more than its cover. */
  isNumbered?: boolean;
  onAddTo: (track: LibraryTrackView) => void;
}) {
  const { track, act } = props;
  const name = titleOf(track);
  const canPlay = props.canSteer && track.available;
  return (
    <div className="flex min-h-[52px] items-center gap-1 border-b border-line pr-1">
      {props.isNumbered ? (
        <span className="w-9 shrink-0 text-center text-[13px] text-muted tabular-nums">
          {track.track ?? "–"}
        </span>
      ) : (
        <Cover digest={track.cover} className="size-9" />
      )}
      <span className="min-w-0 flex-1 px-1.5">
        <span
          dir="auto"
          className={cx("block truncate text-sm", track.available ? "text-ink" : "text-muted")}
        >
          {name}
        </span>
        <span dir="auto" className="block truncate text-xs text-muted">
          {track.available ? underTitle(track) : `File is missing · ${underTitle(track)}`}
        </span>
      </span>
      <span className="text-xs text-muted tabular-nums">{clock(track.duration_s)}</span>
      <IconButton
        label={`Play ${name}`}
        icon={<Play aria-hidden className={ICON} />}
        disabled={!canPlay}
        onClick={() => void act({ action: "play", tracks: [track.id] })}
      />
      <Menu
        label={`What to do with ${trackName(track)}`}
        trigger={
          <IconButton label={`More for ${name}`} icon={<MoreHorizontal aria-hidden className={ICON} />} />
        }
        items={[
          {
            label: "Play next",
            icon: <ListStart aria-hidden className={ICON} />,
            disabled: !canPlay,
            onSelect: () => void enqueue(act, [track.id], "next", `“${name}”`),
          },
          {
            label: "Add to the queue",
            icon: <ListEnd aria-hidden className={ICON} />,
            disabled: !canPlay,
            onSelect: () => void enqueue(act, [track.id], "end", `“${name}”`),
          },
          {
            label: "Add to a playlist…",
            icon: <ListPlus aria-hidden className={ICON} />,
            onSelect: () => props.onAddTo(track),
          },
        ]}
      />
    </div>
  );
}
