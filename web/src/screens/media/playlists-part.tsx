// The playlists: the list of them, and the one that is looked at.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileUp, ListMusic, Plus } from "lucide-react";
import { useState } from "react";
import { Button, cx, EmptyState, LoadError, Loading, visibleLine } from "@/ui";
import { type Control, createPlaylist } from "./acts";
import { ImportDialog } from "./import-dialog";
import { PlaylistNameDialog } from "./name-dialog";
import { PlaylistDetail } from "./playlist-detail";
import { clock } from "./position";
import { playlistsQuery } from "./queries";
import { useAddress } from "./use-address";
import { countOf } from "./words";

export function PlaylistsPart({ act, canSteer }: { act: Control; canSteer: boolean }) {
  const client = useQueryClient();
  const [{ playlist }, set] = useAddress();
  const lists = useQuery(playlistsQuery);
  const [open, setOpen] = useState<"new" | "import" | null>(null);
  const show = (id: number) => {
    setOpen(null);
    set({ playlist: id }, { push: true });
  };
  const items = lists.data?.items ?? [];
  return (
    <section aria-label="Playlists" className="flex min-h-0 flex-1 gap-4 py-3">
      <div
        className={cx(
          "flex min-h-0 w-full flex-col gap-2 md:w-64 md:shrink-0",
          playlist !== undefined && "hidden md:flex",
        )}
      >
        <div className="flex gap-2">
          <Button size="s" icon={<Plus aria-hidden className="size-4" />} onClick={() => setOpen("new")}>
            New
          </Button>
          <Button size="s" icon={<FileUp aria-hidden className="size-4" />} onClick={() => setOpen("import")}>
            Import…
          </Button>
        </div>
        {lists.isPending && <Loading what="the playlists" />}
        {lists.isError && (
          <LoadError
            what="The playlists could not be loaded."
            error={lists.error}
            retry={() => void lists.refetch()}
          />
        )}
        {lists.isSuccess && items.length === 0 && (
          <EmptyState title="There is no playlist yet" icon={<ListMusic aria-hidden className="size-7" />}>
            Make one, or import an .m3u file of another program.
          </EmptyState>
        )}
        {items.length > 0 && (
          <ul aria-label="Playlists" className="min-h-0 overflow-y-auto">
            {items.map((list) => (
              <li key={list.id}>
                <Link
                  to="/media"
                  search={{ tab: "playlists", playlist: list.id }}
                  aria-current={list.id === playlist ? "true" : undefined}
                  className={cx(
                    "block rounded-md px-2 py-1.5 text-ink no-underline hover:bg-raised",
                    list.id === playlist && "bg-raised",
                  )}
                >
                  <span dir="auto" className="block text-sm break-words">
                    {visibleLine(list.name)}
                  </span>
                  <span className="text-xs text-muted">
                    {countOf(list.entries, "track")}, {clock(list.duration_s)}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
      {playlist !== undefined && (
        <PlaylistDetail key={playlist} id={playlist} act={act} canSteer={canSteer} />
      )}
      {open === "new" && (
        <PlaylistNameDialog
          title="New playlist"
          name=""
          act="Create"
          onName={async (name) => {
            const made = await createPlaylist(client, { name });
            if (made) show(made.id);
          }}
          onClose={() => setOpen(null)}
        />
      )}
      {open === "import" && <ImportDialog onClose={() => setOpen(null)} onDone={(made) => show(made.id)} />}
    </section>
  );
}
