// What became of a deck, revision by revision, each of which can be taken back or begun from anew.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { GitFork, Undo2 } from "lucide-react";
import { useState } from "react";
import type { DeckRevisionView, DeckStateView } from "@/api/generated";
import { Badge, Button, LoadError, Loading, Time, visibleLine } from "@/ui";
import { undo } from "./acts";
import { entriesOf } from "./board-model";
import { historyQuery } from "./queries";
import { actorWords, causeWords, changeWords } from "./words";

/** Changes of a revision that are shown before somebody asks for more. */
const CHANGES_SHOWN = 8;
const REVISIONS_SHOWN = 100;

export function History({ state, onFork }: { state: DeckStateView; onFork: (rev: number) => void }) {
  const asked = useQuery(historyQuery(state.deck_id));
  const client = useQueryClient();
  const [limit, setLimit] = useState(REVISIONS_SHOWN);
  const names = new Map(entriesOf(state).map((card) => [card.oracle_id, card.name]));
  if (asked.isPending) return <Loading what="the history" />;
  if (asked.isError)
    return (
      <LoadError
        what="The history could not be loaded."
        error={asked.error}
        retry={() => void asked.refetch()}
      />
    );
  const items = [...asked.data.items].sort((a, b) => b.rev - a.rev);
  return (
    <div className="py-4">
      <ol
        aria-label="Revisions, the newest first"
        className="divide-y divide-line rounded-xl border border-line bg-surface"
      >
        {items.slice(0, limit).map((one) => (
          <Revision
            key={one.rev}
            revision={one}
            isNow={one.rev === state.rev}
            nameOf={(card) => names.get(card) ?? card}
            onUndo={() => undo(client, state.deck_id, one.rev)}
            onFork={() => onFork(one.rev)}
          />
        ))}
      </ol>
      {items.length > limit && (
        <Button className="mt-3" onClick={() => setLimit(limit + REVISIONS_SHOWN)}>
          Earlier
        </Button>
      )}
    </div>
  );
}

function Revision(props: {
  revision: DeckRevisionView;
  isNow: boolean;
  nameOf: (card: string) => string;
  onUndo: () => Promise<boolean>;
  onFork: () => void;
}) {
  const { revision } = props;
  const [isBusy, setBusy] = useState(false);
  return (
    <li className="flex flex-wrap items-start gap-3 px-4 py-2.5 text-sm" data-rev={revision.rev}>
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2 text-ink">
          <span className="font-medium tabular-nums">Revision {revision.rev}</span>
          {props.isNow && <Badge tone="life">now</Badge>}
          <span className="text-[13px] text-muted">
            {causeWords(revision.cause)} by {visibleLine(actorWords(revision.by))}, <Time at={revision.at} />
          </span>
        </p>
        <Changes revision={revision} nameOf={props.nameOf} />
      </div>
      <div className="flex gap-2">
        <Button
          size="s"
          tone="ghost"
          aria-label={`Fork from revision ${revision.rev}`}
          icon={<GitFork aria-hidden className="size-3.5" />}
          onClick={props.onFork}
        >
          Fork
        </Button>
        <Button
          size="s"
          busy={isBusy}
          disabled={!revision.undoable}
          aria-label={`Undo revision ${revision.rev}`}
          icon={<Undo2 aria-hidden className="size-3.5" />}
          onClick={() => {
            setBusy(true);
            void props.onUndo().finally(() => setBusy(false));
          }}
        >
          Undo
        </Button>
      </div>
    </li>
  );
}

function Changes({ revision, nameOf }: { revision: DeckRevisionView; nameOf: (card: string) => string }) {
  const [isAll, setAll] = useState(false);
  const { changes } = revision;
  if (changes.length === 0) return null;
  const more = changes.length - CHANGES_SHOWN;
  return (
    <>
      <ul className="mt-1 text-[13px] text-muted">
        {changes.slice(0, isAll ? undefined : CHANGES_SHOWN).map((change, at) => (
          <li key={at} dir="auto" className="break-words">
            {changeWords(change, nameOf)}
          </li>
        ))}
      </ul>
      {!isAll && more > 0 && (
        <button type="button" className="text-[13px] text-accent underline" onClick={() => setAll(true)}>
          and {more} more
        </button>
      )}
    </>
  );
}
