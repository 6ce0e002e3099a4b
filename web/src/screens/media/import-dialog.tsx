// A playlist out of an `.m3u` file: its bytes go to the keeper, who finds its tracks in the library.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PlaylistView } from "@/api/generated";
import { Button, Dialog, Input, visibleLine } from "@/ui";
import { createPlaylist } from "./acts";
import { NAME_CHARS_MAX } from "./add-to-dialog";
import { base64Of } from "./base64";
import { countOf } from "./words";

/** A list of names that is larger is none. */
const M3U_BYTES_MAX = 1_000_000;

export function ImportDialog(props: { onClose: () => void; onDone: (made: PlaylistView) => void }) {
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState("");
  const [folder, setFolder] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [made, setMade] = useState<PlaylistView | null>(null);
  const isTooLarge = file !== null && file.size > M3U_BYTES_MAX;
  const send = async () => {
    if (!file) return;
    setBusy(true);
    const done = await createPlaylist(client, {
      m3u_base64: base64Of(new Uint8Array(await file.arrayBuffer())),
      name: name.trim() || file.name.replace(/\.m3u8?$/i, "").slice(0, NAME_CHARS_MAX),
      ...(folder.trim() ? { m3u_folder: folder.trim() } : {}),
    });
    setBusy(false);
    if (done?.unknown_total === 0) props.onDone(done);
    else setMade(done);
  };
  if (made) return <Unknown made={made} onDone={() => props.onDone(made)} />;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title="Import a playlist"
      about="An .m3u or .m3u8 file; its tracks must be in the library."
    >
      <form
        className="flex flex-col gap-3 px-4 pb-4 text-sm"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <label className="block">
          <span className="mb-1 block text-[13px] text-muted">File</span>
          <input
            type="file"
            accept=".m3u,.m3u8,audio/x-mpegurl"
            className="block w-full text-sm text-ink"
            onChange={(event) => setFile(event.target.files?.[0] ?? null)}
          />
        </label>
        {isTooLarge && (
          <p role="alert" className="text-fail">
            This file is larger than 1 MB, which no playlist is.
          </p>
        )}
        <Input
          label="Name"
          hint="Without one it is called like its file."
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Input
          label="Folder of the list on the keeper's machine"
          hint="Where relative names in it begin; without one, the first music folder."
          value={folder}
          onChange={(event) => setFolder(event.target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button tone="ghost" onClick={props.onClose}>
            Cancel
          </Button>
          <Button tone="primary" type="submit" busy={isBusy} disabled={!file || isTooLarge}>
            Import
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Lines of the list that name no track of the library. */
function Unknown({ made, onDone }: { made: PlaylistView; onDone: () => void }) {
  const unknown = made.unknown ?? [];
  const rest = made.unknown_total - unknown.length;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onDone()}
      title={`${countOf(made.entries.length, "track")} imported`}
      about={`${countOf(made.unknown_total, "line")} of the file name no track of the library.`}
    >
      <div className="flex flex-col gap-3 px-4 pb-4 text-sm">
        <ul aria-label="Lines that name no track" className="list-disc pl-5 text-[13px] text-wait">
          {unknown.map((line, at) => (
            <li key={at} className="break-all">
              {visibleLine(line)}
            </li>
          ))}
        </ul>
        {rest > 0 && <p className="text-muted">and {countOf(rest, "other")}</p>}
        <Button tone="primary" className="self-end" onClick={onDone}>
          Show the playlist
        </Button>
      </div>
    </Dialog>
  );
}
