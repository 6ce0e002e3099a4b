import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Download, GitCompare, GitFork, MoreHorizontal, Pencil, Shuffle, Undo2 } from "lucide-react";
import { useState } from "react";
import type { DeckStateView } from "@/api/generated";
import { useCommands } from "@/app/commands";
import { toast, toastError } from "@/app/toasts";
import { Button, IconButton, Menu, visibleLine } from "@/ui";
import { act, edit, readAgain, undo } from "./acts";
import { ADD_CARD_ID } from "./add-card";
import { CompareDialog } from "./compare-dialog";
import { ExportDialog } from "./export-dialog";
import { focusSoon } from "./focus-soon";
import { HandDialog } from "./hand-dialog";
import { NameDialog } from "./name-dialog";
import { forkDeck } from "./routes";
import type { DeckTab } from "./search";

type Open = "export" | "compare" | "rename" | "hand" | null;

const TAB_WORDS: Record<DeckTab, string> = {
  board: "board",
  review: "review",
  figures: "figures",
  history: "history",
  chat: "chat",
};

/** What can be done with a whole deck, as buttons, commands and keys. */
export function DeckActions(props: {
  state: DeckStateView;
  tabs: readonly DeckTab[];
  onTab: (tab: DeckTab) => void;
  /** The revision that a fork is to begin from, while its name is asked for. */
  forkFrom: number | null;
  onForkFrom: (rev: number | null) => void;
}) {
  const { state, forkFrom } = props;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const undoLast = async () => {
    if (await undo(client, state.deck_id, state.rev)) toast({ title: `Revision ${state.rev} undone` });
  };
  const fork = async (name: string) => {
    const { state: made, error } = await act(client, state.deck_id, () =>
      forkDeck(state.deck_id, forkFrom ?? state.rev, name),
    );
    if (!made) return toastError("The deck was not forked", error);
    props.onForkFrom(null);
    void readAgain(client);
    void navigate({ to: "/decks/$deck", params: { deck: made.deck_id }, search: {} });
  };
  const rename = async (name: string) => {
    if (await edit(client, state.deck_id, [{ op: "rename", name }], `Named “${visibleLine(name)}”`)) close();
  };
  const canUndo = state.rev > 1;
  useDeckCommands(props, {
    undo: () => canUndo && void undoLast(),
    open: setOpen,
  });
  const icon = "size-4";
  return (
    <>
      <IconButton
        label="Undo the last change"
        disabled={!canUndo}
        icon={<Undo2 aria-hidden className={icon} />}
        onClick={() => void undoLast()}
      />
      <Button
        className="max-sm:hidden"
        icon={<Download aria-hidden className={icon} />}
        onClick={() => setOpen("export")}
      >
        Export
      </Button>
      <Menu
        label="More about the deck"
        trigger={
          <IconButton label="More about the deck" icon={<MoreHorizontal aria-hidden className={icon} />} />
        }
        items={[
          {
            label: "Export…",
            icon: <Download aria-hidden className={icon} />,
            onSelect: () => setOpen("export"),
          },
          {
            label: "Compare…",
            icon: <GitCompare aria-hidden className={icon} />,
            onSelect: () => setOpen("compare"),
          },
          {
            label: "Draw a hand…",
            icon: <Shuffle aria-hidden className={icon} />,
            onSelect: () => setOpen("hand"),
          },
          {
            label: "Fork…",
            icon: <GitFork aria-hidden className={icon} />,
            onSelect: () => props.onForkFrom(state.rev),
          },
          {
            label: "Rename…",
            icon: <Pencil aria-hidden className={icon} />,
            onSelect: () => setOpen("rename"),
          },
        ]}
      />
      {open === "export" && <ExportDialog deck={state.deck_id} onClose={close} />}
      {open === "compare" && <CompareDialog state={state} onClose={close} />}
      {open === "hand" && <HandDialog deck={state.deck_id} onClose={close} />}
      {open === "rename" && (
        <NameDialog title="Rename the deck" name={state.name} act="Rename" onName={rename} onClose={close} />
      )}
      {forkFrom !== null && (
        <NameDialog
          title={`Fork from revision ${forkFrom}`}
          about="A deck of its own; this one stays as it is."
          name={`${state.name}, a variant`}
          act="Fork"
          onName={fork}
          onClose={() => props.onForkFrom(null)}
        />
      )}
    </>
  );
}

function useDeckCommands(
  props: {
    tabs: readonly DeckTab[];
    onTab: (tab: DeckTab) => void;
    onForkFrom: (rev: number) => void;
    state: DeckStateView;
  },
  acts: { undo: () => void; open: (what: Open) => void },
): void {
  const group = "Deck Forge";
  const focusIn = (tab: DeckTab, id: string) => {
    if (props.tabs.includes(tab)) props.onTab(tab);
    focusSoon(id);
  };
  useCommands([
    { id: "deck:add", label: "Add a card", group, keys: "/", run: () => focusIn("board", ADD_CARD_ID) },
    {
      id: "deck:say",
      label: "Write a message about the deck",
      group,
      keys: "i",
      run: () => focusIn("chat", "message"),
    },
    { id: "deck:undo", label: "Undo the last change of the deck", group, keys: "u", run: acts.undo },
    ...props.tabs.map((tab, at) => ({
      id: `deck:${tab}`,
      label: `Deck: ${TAB_WORDS[tab]}`,
      group,
      keys: String(at + 1),
      run: () => props.onTab(tab),
    })),
    {
      id: "deck:export",
      label: "Export the deck",
      group,
      words: "moxfield arena mtgo archidekt",
      run: () => acts.open("export"),
    },
    { id: "deck:compare", label: "Compare the deck", group, run: () => acts.open("compare") },
    {
      id: "deck:fork",
      label: "Fork the deck",
      group,
      words: "variant copy",
      run: () => props.onForkFrom(props.state.rev),
    },
    {
      id: "deck:hand",
      label: "Draw a hand of the deck",
      group,
      words: "playtest mulligan",
      run: () => acts.open("hand"),
    },
    { id: "deck:rename", label: "Rename the deck", group, run: () => acts.open("rename") },
  ]);
}
