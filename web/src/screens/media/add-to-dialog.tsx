import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "@/app/toasts";
import { Button, Dialog, Input, LoadError, Loading, visibleLine } from "@/ui";
import { addToPlaylist, createPlaylist } from "./acts";
import { playlistsQuery } from "./queries";
import { countOf } from "./words";

export const NAME_CHARS_MAX = 200;

/** Puts tracks into a playlist that is there, or into a new one. */
export function AddToDialog(props: { tracks: string[]; what: string; onClose: () => void }) {
  const client = useQueryClient();
  const lists = useQuery(playlistsQuery);
  const [name, setName] = useState("");
  const [isBusy, setBusy] = useState(false);
  const run = async (act: () => Promise<unknown>) => {
    setBusy(true);
    await act();
    props.onClose();
  };
  const make = async () => {
    const made = await createPlaylist(client, { name: name.trim(), tracks: props.tracks });
    if (made) toast({ title: `${countOf(props.tracks.length, "track")} in the new playlist “${made.name}”` });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title="Add to a playlist"
      about={visibleLine(props.what)}
    >
      <div className="flex flex-col gap-3 px-4 pb-4 text-sm">
        {lists.isPending && <Loading what="the playlists" />}
        {lists.isError && <LoadError what="The playlists could not be loaded." error={lists.error} />}
        {lists.data && lists.data.items.length > 0 && (
          <ul aria-label="Playlists" className="flex flex-col gap-1">
            {lists.data.items.map((list) => (
              <li key={list.id}>
                <Button
                  className="w-full !justify-start text-left !whitespace-normal"
                  disabled={isBusy}
                  onClick={() => void run(() => addToPlaylist(client, list, props.tracks))}
                >
                  <span dir="auto" className="min-w-0 flex-1 break-words">
                    {visibleLine(list.name)}
                  </span>
                  <span className="text-xs text-muted">{countOf(list.entries, "track")}</span>
                </Button>
              </li>
            ))}
          </ul>
        )}
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void run(make);
          }}
        >
          <Input
            className="flex-1"
            label="New playlist"
            maxLength={NAME_CHARS_MAX}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Button tone="primary" type="submit" busy={isBusy} disabled={!name.trim()}>
            Create
          </Button>
        </form>
      </div>
    </Dialog>
  );
}
