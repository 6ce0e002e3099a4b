// The Deck Forge: the decks, and a new one.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Layers, Plus } from "lucide-react";
import { useState } from "react";
import type { DeckItemView } from "@/api/generated";
import { useCommands } from "@/app/commands";
import { Badge, Button, EmptyState, LoadError, Loading, Screen, Time, visibleLine } from "@/ui";
import { NewDeckDialog } from "./new-deck-dialog";
import { decksQuery } from "./queries";
import { TableCard } from "./table-card";
import { cards } from "./words";

export function DecksScreen() {
  const decks = useQuery(decksQuery);
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  useCommands([
    { id: "decks:new", label: "New deck", group: "Deck Forge", keys: "n", run: () => setNew(true) },
  ]);
  const begin = (
    <Button tone="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setNew(true)}>
      New deck
    </Button>
  );
  const items = decks.data?.items;
  return (
    <Screen title="Deck Forge" note="Commander decks, and what agents propose for them" actions={begin}>
      <div className="max-w-5xl">
        <TableCard />
        {decks.isPending && <Loading what="the decks" />}
        {decks.isError && (
          <LoadError
            what="The decks could not be loaded."
            error={decks.error}
            retry={() => void decks.refetch()}
          />
        )}
        {items?.length === 0 && (
          <EmptyState title="There is no deck yet" icon={<Layers aria-hidden className="size-7" />}>
            Paste a list from Moxfield, Archidekt, Arena or Magic Online, or begin with a commander alone. An
            agent that works on a deck proposes changes; you approve them line by line.
          </EmptyState>
        )}
        {items && items.length > 0 && (
          <ul aria-label="Decks" className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {items.map((deck) => (
              <DeckTile key={deck.deck_id} deck={deck} />
            ))}
          </ul>
        )}
      </div>
      {isNew && (
        <NewDeckDialog
          onClose={() => setNew(false)}
          onDone={(state) => {
            setNew(false);
            void navigate({ to: "/decks/$deck", params: { deck: state.deck_id }, search: {} });
          }}
        />
      )}
    </Screen>
  );
}

function DeckTile({ deck }: { deck: DeckItemView }) {
  return (
    <li className="relative flex flex-col gap-2 rounded-xl border border-line bg-surface p-4 hover:border-line-strong">
      <Link
        to="/decks/$deck"
        params={{ deck: deck.deck_id }}
        search={{}}
        className="font-semibold break-words text-ink no-underline after:absolute after:inset-0 after:rounded-xl"
      >
        {visibleLine(deck.name)}
      </Link>
      <p dir="auto" className="text-[13px] break-words text-muted">
        {deck.commander ? visibleLine(deck.commander) : "no commander yet"}
      </p>
      <p className="mt-auto flex flex-wrap items-center gap-1.5">
        <Badge>{cards(deck.count)}</Badge>
        <Badge tone={deck.legal ? "life" : "fail"}>{deck.legal ? "legal" : "not legal"}</Badge>
        {deck.open_proposals > 0 && (
          <Badge tone="wait">
            {deck.open_proposals === 1 ? "1 proposal waits" : `${deck.open_proposals} proposals wait`}
          </Badge>
        )}
        <Time at={deck.updated_at} className="ml-auto text-xs text-muted" />
      </p>
    </li>
  );
}
