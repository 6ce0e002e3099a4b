import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/errors";
import type { DeckStateView } from "@/api/generated";
import { Button, Dialog, Input, Textarea, visible } from "@/ui";
import { keepNotes, keepState, readAgain } from "./acts";
import { createDeck } from "./routes";

const NAME_CHARS_MAX = 120;

/** Begins a deck, empty or out of a list in any form. */
export function NewDeckDialog({
  onDone,
  onClose,
}: {
  onDone: (state: DeckStateView) => void;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [commander, setCommander] = useState("");
  const [list, setList] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  const create = async () => {
    setBusy(true);
    setTrouble("");
    try {
      const state = await createDeck({
        name: name.trim(),
        format: "commander",
        ...(commander.trim() ? { commander: commander.trim() } : {}),
        ...(list.trim() ? { cards: list } : {}),
      });
      keepState(client, state);
      keepNotes(client, state);
      void readAgain(client);
      onDone(state);
    } catch (error) {
      setTrouble(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="New deck">
      <form
        className="flex flex-col gap-3 px-4 pb-4"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Input
          label="Name"
          autoFocus
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Input
          label="Commander (may be left empty)"
          value={commander}
          onChange={(event) => setCommander(event.target.value)}
        />
        <Textarea
          label="Cards (may be left empty)"
          rows={10}
          spellCheck={false}
          className="[&_textarea]:font-mono [&_textarea]:text-[13px]"
          placeholder={"1 Sol Ring (C21) 263\n8 Forest"}
          hint="A list from Moxfield, Archidekt, Arena or Magic Online, text or .dek. Lines that cannot be read are kept and shown."
          value={list}
          onChange={(event) => setList(event.target.value)}
        />
        {trouble && (
          <p role="alert" className="text-sm break-words text-fail">
            {visible(trouble)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button tone="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button tone="primary" type="submit" busy={isBusy} disabled={!name.trim()}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
