// One playlist: played, renamed, sorted, exported, deleted.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Download, ListEnd, MoreHorizontal, Pencil, Play, Trash2, X } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import type { PlaylistEntryView, PlaylistView } from "@/api/generated";
import { later, undoable } from "@/app/undo";
import { Button, cx, EmptyState, IconButton, LoadError, Loading, Menu, visibleLine } from "@/ui";
import { type Control, changePlaylist } from "./acts";
import { Cover } from "./cover";
import { PlaylistNameDialog } from "./name-dialog";
import { clock } from "./position";
import { m3uPath, playlistQuery } from "./queries";
import { ReorderList } from "./reorder-list";
import { useAddress } from "./use-address";
import { titleOf, trackName, underTitle } from "./words";

export function PlaylistDetail({ id, act, canSteer }: { id: number; act: Control; canSteer: boolean }) {
  const read = useQuery(playlistQuery(id));
  const [, set] = useAddress();
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col gap-2">
      <span className="md:hidden">
        <Button size="s" tone="ghost" onClick={() => set({ playlist: undefined })}>
          All playlists
        </Button>
      </span>
      {read.isPending && <Loading what="the playlist" />}
      {read.isError && <LoadError what="The playlist could not be loaded." error={read.error} />}
      {read.data && <Detail list={read.data} act={act} canSteer={canSteer} />}
    </div>
  );
}

function Detail({ list, act, canSteer }: { list: PlaylistView; act: Control; canSteer: boolean }) {
  const client = useQueryClient();
  return (
    <>
      <Head list={list} act={act} canSteer={canSteer} />
      {list.entries.length === 0 ? (
        <EmptyState title="This playlist is empty">
          Tracks come in from the library: “Add to a playlist…” in the menu of a track.
        </EmptyState>
      ) : (
        <ReorderList
          className="flex-1"
          rows={list.entries}
          idOf={(row) => row.entry}
          nameOf={(row) => titleOf(row.track)}
          label={`Tracks of ${visibleLine(list.name)}`}
          places={list.entries.length > 1 ? { first: 0, last: list.entries.length - 1 } : null}
          onMove={(entry, before) => void changePlaylist(client, list.id, { move: { entry, before } })}
          render={(row, at, move) => (
            <EntryRow list={list} row={row} at={at} move={move} act={act} canSteer={canSteer} />
          )}
        />
      )}
    </>
  );
}

function Head({ list, act, canSteer }: { list: PlaylistView; act: Control; canSteer: boolean }) {
  const client = useQueryClient();
  const [, set] = useAddress();
  const [isNaming, setNaming] = useState(false);
  const canPlay = canSteer && list.entries.length > 0;
  const remove = async () => {
    set({ tab: "playlists", playlist: undefined });
    const isGone = await later({
      doing: `Deleting “${visibleLine(list.name)}”`,
      run: () => call("DELETE /music/playlists/{id}", { path: { id: String(list.id) } }),
    });
    if (isGone) void client.invalidateQueries({ queryKey: ["playlists", "list"] });
  };
  const icon = "size-4";
  return (
    <div className="flex flex-wrap items-center gap-2">
      <h2 dir="auto" className="mr-auto min-w-0 font-semibold break-words text-ink">
        {visibleLine(list.name)}
      </h2>
      <Button
        size="s"
        icon={<Play aria-hidden className={icon} />}
        disabled={!canPlay}
        onClick={() => void act({ action: "play", playlist: list.id })}
      >
        Play
      </Button>
      <Button
        size="s"
        icon={<ListEnd aria-hidden className={icon} />}
        disabled={!canPlay}
        onClick={() => void act({ action: "queue", place: "end", playlist: list.id })}
      >
        Queue it
      </Button>
      <a
        href={m3uPath(list.id)}
        download
        className="inline-flex min-h-7 items-center gap-1.5 rounded-md border border-line bg-raised px-2 text-[13px] text-ink no-underline hover:border-line-strong"
      >
        <Download aria-hidden className={icon} />
        Export .m3u8
      </a>
      <IconButton
        size="s"
        label="Rename the playlist"
        icon={<Pencil aria-hidden className={icon} />}
        onClick={() => setNaming(true)}
      />
      <IconButton
        size="s"
        label="Delete the playlist"
        icon={<Trash2 aria-hidden className={icon} />}
        onClick={() => void remove()}
      />
      {isNaming && (
        <PlaylistNameDialog
          title="Rename the playlist"
          name={list.name}
          act="Rename"
          onName={async (name) => {
            if (await changePlaylist(client, list.id, { name })) setNaming(false);
          }}
          onClose={() => setNaming(false)}
        />
      )}
    </div>
  );
}

function EntryRow(props: {
  list: PlaylistView;
  row: PlaylistEntryView;
  at: number;
  move: ((to: number) => void) | null;
  act: Control;
  canSteer: boolean;
}) {
  const { list, row, at, move, act } = props;
  const { track } = row;
  const client = useQueryClient();
  const canPlay = props.canSteer && row.available;
  const path = { id: String(list.id) };
  const change = (body: Parameters<typeof changePlaylist>[2]) =>
    call("PATCH /music/playlists/{id}", { path, body }).then((next) =>
      client.setQueryData(playlistQuery(list.id).queryKey, next),
    );
  const before = list.entries[list.entries.indexOf(row) + 1]?.entry ?? null;
  const remove = () =>
    undoable({
      done: `“${titleOf(track)}” removed`,
      run: () => change({ remove: [row.entry] }),
      undo: () => change({ add: { tracks: [track.id], before } }),
    });
  const icon = "size-4";
  return (
    <>
      <Cover digest={track.cover} className="size-9" />
      <span className="min-w-0 flex-1 px-1.5">
        <span dir="auto" className={cx("block truncate text-sm", row.available ? "text-ink" : "text-muted")}>
          {titleOf(track)}
        </span>
        <span dir="auto" className="block truncate text-xs text-muted">
          {row.available ? underTitle(track) : `File is missing · ${underTitle(track)}`}
        </span>
      </span>
      <span className="text-xs text-muted tabular-nums">{clock(track.duration_s)}</span>
      <Menu
        label={`What to do with ${trackName(track)}`}
        trigger={
          <IconButton
            label={`More for ${titleOf(track)}`}
            icon={<MoreHorizontal aria-hidden className={icon} />}
          />
        }
        items={[
          {
            label: "Play",
            icon: <Play aria-hidden className={icon} />,
            disabled: !canPlay,
            onSelect: () => void act({ action: "play", tracks: [track.id] }),
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
            label: "Remove from the playlist",
            icon: <X aria-hidden className={icon} />,
            danger: true,
            onSelect: () => void remove(),
          },
        ]}
      />
    </>
  );
}
