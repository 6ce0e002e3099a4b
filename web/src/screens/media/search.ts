import { oneOf, text, whole } from "@/app/search";

export const MEDIA_TABS = ["library", "albums", "playlists", "queue"] as const;
export type MediaTab = (typeof MEDIA_TABS)[number];

/** What stands in the address of the music: the part that is shown, what is searched for, the album or playlist that is looked at. */
export interface MediaSearch {
  tab?: MediaTab | undefined;
  q?: string | undefined;
  album?: string | undefined;
  playlist?: number | undefined;
}

export function mediaSearch(search: Record<string, unknown>): MediaSearch {
  return {
    tab: oneOf(search.tab, MEDIA_TABS),
    q: text(search.q),
    album: text(search.album, 1_000),
    playlist: whole(search.playlist),
  };
}
