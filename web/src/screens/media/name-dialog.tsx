import { useState } from "react";
import { Button, Dialog, Input } from "@/ui";
import { NAME_CHARS_MAX } from "./add-to-dialog";

/** Asks for the name of a playlist. */
export function PlaylistNameDialog(props: {
  title: string;
  name: string;
  act: string;
  onName: (name: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const [name, setName] = useState(props.name);
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()} title={props.title}>
      <form
        className="px-4 pb-4"
        onSubmit={(event) => {
          event.preventDefault();
          setBusy(true);
          void props.onName(name.trim()).finally(() => setBusy(false));
        }}
      >
        <Input
          label="Name"
          autoFocus
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="mt-4 flex justify-end gap-2">
          <Button tone="ghost" onClick={props.onClose}>
            Cancel
          </Button>
          <Button tone="primary" type="submit" busy={isBusy} disabled={!name.trim()}>
            {props.act}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
