// The tracks: all, those of an album, or those that are searched for.
import { useInfiniteQuery } from "@tanstack/react-query";
import { ListEnd, Play, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { LibraryTrackView } from "@/api/generated";
import { Button, EmptyState, Input, LoadError, Loading, VirtualList, visibleLine } from "@/ui";
import { type Control, enqueue } from "./acts";
import { AddToDialog } from "./add-to-dialog";
import { libraryQuery, ROWS_MAX } from "./queries";
import { TrackRow } from "./track-row";
import { useAddress } from "./use-address";
import { readOn, useRows } from "./use-pages";
import { countOf, trackName } from "./words";

/** After the last letter, before it is searched. */
const REST_MS = 250;
/** Tracks that one act may name. */
const TRACKS_MAX = 1_000;
const ROW_PX = 52;

export function LibraryPart({ act, canSteer }: { act: Control; canSteer: boolean }) {
  const [{ q = "", album = "" }] = useAddress();
  const pages = useInfiniteQuery(libraryQuery({ q, album }));
  const rows = useRows<LibraryTrackView>(pages.data);
  const [adding, setAdding] = useState<{ tracks: string[]; what: string } | null>(null);
  const first = pages.data?.pages[0];
  return (
    <section aria-label="Library" className="flex min-h-0 flex-1 flex-col gap-2 py-3">
      <SearchField />
      {album && (
        <AlbumHead
          rows={rows}
          act={act}
          canSteer={canSteer}
          onAddTo={(tracks, what) => setAdding({ tracks, what })}
        />
      )}
      <p role="status" className="text-[13px] text-muted">
        {first &&
          q &&
          `${countOf(first.matches ?? 0, "track")} found${first.more ? " at least; more words find less" : ""}`}
        {rows.length >= ROWS_MAX && `The first ${countOf(ROWS_MAX, "track")} are shown; search for others.`}
      </p>
      {pages.isPending && <Loading what="the library" />}
      {pages.isError && (
        <LoadError
          what="The library could not be read."
          error={pages.error}
          retry={() => void pages.refetch()}
        />
      )}
      {pages.isSuccess && rows.length === 0 && (
        <EmptyState title={q ? "Nothing was found" : "The library is empty"}>
          {q
            ? "Words are looked for in titles, artists and albums."
            : "Music files in the configured folders appear here when they were scanned."}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <VirtualList
          // A search begins at its top.
          key={`${q}\u0000${album}`}
          items={rows}
          keyOf={(track, at) => `${track.id} ${at}`}
          label="Tracks"
          estimate={ROW_PX}
          className="min-h-0 flex-1 rounded-lg"
          onScroll={readOn(pages)}
          render={(track) => (
            <TrackRow
              track={track}
              act={act}
              canSteer={canSteer}
              isNumbered={album !== ""}
              onAddTo={() => setAdding({ tracks: [track.id], what: trackName(track) })}
            />
          )}
        />
      )}
      {adding && <AddToDialog {...adding} onClose={() => setAdding(null)} />}
    </section>
  );
}

/** The words of the search; the address has them when they have rested. */
function SearchField() {
  const [{ q = "" }, set] = useAddress();
  const [words, setWords] = useState(q);
  const [sent, setSent] = useState(q);
  const [seen, setSeen] = useState(q);
  if (q !== seen) {
    setSeen(q);
    // The address changed by itself: back, a link.
    if (q !== sent) {
      setSent(q);
      setWords(q);
    }
  }
  useEffect(() => {
    const next = words.trim();
    if (next === sent) return;
    const timer = setTimeout(() => {
      setSent(next);
      set({ q: next || undefined, album: undefined });
    }, REST_MS);
    return () => clearTimeout(timer);
  });
  return (
    <Input
      id="music-search"
      type="search"
      label="Search the library"
      hideLabel
      placeholder="Search titles, artists, albums"
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      value={words}
      onChange={(event) => setWords(event.target.value)}
    />
  );
}

function AlbumHead(props: {
  rows: readonly LibraryTrackView[];
  act: Control;
  canSteer: boolean;
  onAddTo: (tracks: string[], what: string) => void;
}) {
  const [, set] = useAddress();
  const { rows, act } = props;
  const title = visibleLine(rows[0]?.album ?? "Album");
  const tracks = rows.filter((row) => row.available).slice(0, TRACKS_MAX);
  const ids = tracks.map((row) => row.id);
  const canPlay = props.canSteer && ids.length > 0;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <h2 dir="auto" className="mr-auto min-w-0 font-semibold break-words text-ink">
        {title}
      </h2>
      <Button
        size="s"
        icon={<Play aria-hidden className="size-4" />}
        disabled={!canPlay}
        onClick={() => void act({ action: "play", tracks: ids })}
      >
        Play the album
      </Button>
      <Button
        size="s"
        icon={<ListEnd aria-hidden className="size-4" />}
        disabled={!canPlay}
        onClick={() => void enqueue(act, ids, "end", `“${title}”`)}
      >
        Queue it
      </Button>
      <Button size="s" disabled={ids.length === 0} onClick={() => props.onAddTo(ids, title)}>
        Add to a playlist…
      </Button>
      <Button
        size="s"
        tone="ghost"
        icon={<X aria-hidden className="size-4" />}
        onClick={() => set({ album: undefined })}
      >
        All tracks
      </Button>
    </div>
  );
}
