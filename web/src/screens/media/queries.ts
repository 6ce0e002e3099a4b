// What is read of music. The first word of a key is its topic (`live/topics.ts`); the library has none: its scan says when it changed.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "@/api/client";

/** Rows of a page, as many as the keeper gives. */
const PAGE = 200;
const LISTED = 500;
/** Rows that a page of the client holds; more are found by searching. */
export const ROWS_MAX = 50_000;

export const libraryQuery = (asked: { q: string; album: string }) =>
  infiniteQueryOptions({
    queryKey: ["library", "tracks", asked],
    queryFn: ({ pageParam, signal }) =>
      call("GET /music/library", { query: { ...asked, limit: PAGE, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page, pages) => (pages.length * PAGE >= ROWS_MAX ? null : page.next),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });

export const albumsQuery = infiniteQueryOptions({
  queryKey: ["library", "albums"],
  queryFn: ({ pageParam, signal }) =>
    call("GET /music/albums", { query: { limit: PAGE, cursor: pageParam }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page, pages) => (pages.length * PAGE >= ROWS_MAX ? null : page.next),
  staleTime: Number.POSITIVE_INFINITY,
});

export const playlistsQuery = queryOptions({
  queryKey: ["playlists", "list"],
  queryFn: ({ signal }) => call("GET /music/playlists", { query: { limit: LISTED }, signal }),
});

export const playlistQuery = (id: number) =>
  queryOptions({
    queryKey: ["playlists", "one", id],
    queryFn: ({ signal }) => call("GET /music/playlists/{id}", { path: { id: String(id) }, signal }),
    retry: false,
  });

/** Where the keeper has a cover; an `img` asks for it itself. */
export const coverPath = (digest: string) => `/music/covers/${encodeURIComponent(digest)}`;

/** Where the keeper gives a playlist as a file. */
export const m3uPath = (id: number) => `/music/playlists/${id}/m3u`;
