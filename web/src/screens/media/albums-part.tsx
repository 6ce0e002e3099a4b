import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AlbumView } from "@/api/generated";
import { Button, EmptyState, LoadError, Loading, visibleLine } from "@/ui";
import { Cover } from "./cover";
import { albumsQuery } from "./queries";
import { readOn, useRows } from "./use-pages";
import { artistOf, countOf } from "./words";

/** The albums with their covers; the browser leaves out what is not in sight. */
export function AlbumsPart() {
  const pages = useInfiniteQuery(albumsQuery);
  const rows = useRows<AlbumView>(pages.data);
  const next = readOn(pages);
  return (
    <section
      aria-label="Albums"
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto py-3"
      onScroll={(event) => next(event.currentTarget)}
    >
      {pages.isPending && <Loading what="the albums" />}
      {pages.isError && (
        <LoadError
          what="The albums could not be read."
          error={pages.error}
          retry={() => void pages.refetch()}
        />
      )}
      {pages.isSuccess && rows.length === 0 && (
        <EmptyState title="There is no album yet">
          Files whose tags name an album make one when they were scanned.
        </EmptyState>
      )}
      <ul
        aria-label="Albums"
        className="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-x-3 gap-y-4"
        hidden={rows.length === 0}
      >
        {rows.map((album) => (
          <li
            key={album.id}
            className="relative min-w-0 [contain-intrinsic-size:auto_13rem] [content-visibility:auto]"
          >
            <Cover digest={album.cover} className="aspect-square w-full" />
            <Link
              to="/media"
              search={{ tab: "library", album: album.id }}
              dir="auto"
              className="mt-1 block truncate text-sm text-ink no-underline after:absolute after:inset-0 after:rounded-md hover:underline"
            >
              {visibleLine(album.title)}
            </Link>
            <p dir="auto" className="truncate text-xs text-muted">
              {artistOf(album)}
            </p>
            <p className="text-xs text-muted">
              {[album.year, countOf(album.tracks, "track")].filter(Boolean).join(" · ")}
            </p>
          </li>
        ))}
      </ul>
      {pages.hasNextPage && (
        <Button className="mt-4" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          More albums
        </Button>
      )}
    </section>
  );
}
