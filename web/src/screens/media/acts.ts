// What is done with music. The answer of the player's route is its status afterwards; only that of the newest act is shown.
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { call } from "@/api/client";
import type { MediaControlBody, PlaylistChangeBody, PlaylistCreateBody, PlaylistView } from "@/api/generated";
import { mediaQuery } from "@/api/queries";
import { toast, toastError } from "@/app/toasts";
import { playlistQuery } from "./queries";
import { countOf } from "./words";

/** Does it and says whether it was done; why not is said to the person. */
export type Control = (body: MediaControlBody) => Promise<boolean>;

let newest = 0;

export async function control(client: QueryClient, body: MediaControlBody): Promise<boolean> {
  newest += 1;
  const own = newest;
  // A look that began before would show what was.
  await client.cancelQueries({ queryKey: mediaQuery.queryKey });
  try {
    const status = await call("POST /control-media", { body });
    if (own === newest) client.setQueryData(mediaQuery.queryKey, status);
    return true;
  } catch (error) {
    toastError("The player did not do it", error);
    void client.invalidateQueries({ queryKey: mediaQuery.queryKey });
    return false;
  }
}

export function useControl(): Control {
  const client = useQueryClient();
  return useCallback((body: MediaControlBody) => control(client, body), [client]);
}

/** Puts tracks into the queue and says so. */
export async function enqueue(act: Control, tracks: string[], place: "next" | "end", name: string) {
  if (!(await act({ action: "queue", place, tracks }))) return;
  toast({ title: `${name} ${place === "next" ? "is played next" : "is in the queue"}` });
}

/** Changes a playlist; what it is then is shown at once. */
export async function changePlaylist(
  client: QueryClient,
  id: number,
  body: PlaylistChangeBody,
): Promise<PlaylistView | null> {
  try {
    const next = await call("PATCH /music/playlists/{id}", { path: { id: String(id) }, body });
    client.setQueryData(playlistQuery(id).queryKey, next);
    void client.invalidateQueries({ queryKey: ["playlists", "list"] });
    return next;
  } catch (error) {
    toastError("The playlist was not changed", error);
    void client.invalidateQueries({ queryKey: ["playlists"] });
    return null;
  }
}

export async function createPlaylist(
  client: QueryClient,
  body: PlaylistCreateBody,
): Promise<PlaylistView | null> {
  try {
    const made = await call("POST /music/playlists", { body });
    client.setQueryData(playlistQuery(made.id).queryKey, made);
    void client.invalidateQueries({ queryKey: ["playlists", "list"] });
    return made;
  } catch (error) {
    toastError("The playlist was not made", error);
    return null;
  }
}

export async function addToPlaylist(
  client: QueryClient,
  list: { id: number; name: string },
  tracks: string[],
) {
  const next = await changePlaylist(client, list.id, { add: { tracks } });
  if (next) toast({ title: `${countOf(tracks.length, "track")} added to “${list.name}”` });
}
