// One deck: its board and figures, what is proposed for it, what became of it, and the conversation about it.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { ApiError } from "@/api/errors";
import type { DeckStateView } from "@/api/generated";
import { Badge, cx, EmptyState, LoadError, Loading, Screen, Tabs, visibleLine } from "@/ui";
import { Board } from "./board";
import { deckCount } from "./board-model";
import { DeckActions } from "./deck-actions";
import { Figures } from "./figures";
import { legalWords } from "./findings";
import { History } from "./history";
import { deckQuery } from "./queries";
import { Review } from "./review";
import { type Unticked, waitingLines } from "./review-model";
import type { DeckTab } from "./search";
import { useMedia } from "./use-media";
import { amount, bracketWords, coverage } from "./words";

const DeckChat = lazy(() => import("./chat").then((module) => ({ default: module.DeckChat })));

/** Wide enough for figures beside the board, and for a conversation beside both. */
const FIGURES_BESIDE = "(width >= 64rem)";
const CHAT_BESIDE = "(width >= 80rem) and (height >= 30rem)";

export function DeckScreen() {
  const { deck } = useParams({ from: "/decks/$deck" });
  const asked = useQuery(deckQuery(deck));
  if (asked.data) return <Deck key={deck} state={asked.data} />;
  const isUnknown = asked.error instanceof ApiError && asked.error.status === 404;
  return (
    <Screen title="Deck Forge" note={<Link to="/decks">all decks</Link>}>
      {asked.isPending && <Loading what="the deck" />}
      {isUnknown ? (
        <EmptyState title="There is no such deck">{asked.error?.message}</EmptyState>
      ) : (
        asked.isError && (
          <LoadError
            what="The deck could not be loaded."
            error={asked.error}
            retry={() => void asked.refetch()}
          />
        )
      )}
    </Screen>
  );
}

function Deck({ state }: { state: DeckStateView }) {
  const search = useSearch({ from: "/decks/$deck" });
  const navigate = useNavigate({ from: "/decks/$deck" });
  const isFiguresBeside = useMedia(FIGURES_BESIDE);
  const isChatBeside = useMedia(CHAT_BESIDE);
  const [ticks, setTicks] = useState<Readonly<Record<string, Unticked>>>({});
  const [forkFrom, setForkFrom] = useState<number | null>(null);
  const [wanted, setWanted] = useState<string | null>(null);
  const waiting = waitingLines(state.proposals);
  const set = (change: Partial<typeof search>) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const open = (tab: DeckTab) => set({ tab });
  const onCard = (oracleId: string) => {
    setWanted(oracleId);
    open("board");
  };
  const figures = <Figures state={state} onCard={onCard} />;
  const tabs: { id: DeckTab; label: React.ReactNode; content: React.ReactNode }[] = [
    {
      id: "board",
      label: "Board",
      content: (
        <Board state={state} isImported={state.rev === 1} wanted={wanted} onShown={() => setWanted(null)} />
      ),
    },
    {
      id: "review",
      label: <ReviewLabel waiting={waiting} />,
      content: (
        <Review
          state={state}
          chosen={search.proposal}
          onChoose={(proposal) => set({ proposal })}
          ticks={ticks}
          onTicks={(proposal, unticked) => setTicks((old) => ({ ...old, [proposal]: unticked }))}
        />
      ),
    },
  ];
  if (!isFiguresBeside) tabs.push({ id: "figures", label: "Figures", content: figures });
  tabs.push({
    id: "history",
    label: "History",
    content: <History state={state} onFork={setForkFrom} />,
  });
  const chat = (
    <Suspense fallback={<Loading what="the conversation" />}>
      <DeckChat state={state} />
    </Suspense>
  );
  if (!isChatBeside) tabs.push({ id: "chat", label: "Chat", content: <div className="h-full">{chat}</div> });
  const tab = tabs.some((one) => one.id === search.tab) ? (search.tab ?? "board") : "board";
  return (
    <div className="flex h-full min-h-0">
      <div className="min-w-0 flex-1">
        <Screen
          title={visibleLine(state.name)}
          note={<Link to="/decks">all decks</Link>}
          actions={
            <DeckActions
              state={state}
              tabs={tabs.map((one) => one.id)}
              onTab={open}
              forkFrom={forkFrom}
              onForkFrom={setForkFrom}
            />
          }
          fixed
        >
          <Glance state={state} />
          <div className="flex min-h-0 flex-1 gap-5">
            {isFiguresBeside && tab === "board" && (
              <aside
                aria-label="Figures of the deck"
                tabIndex={0}
                className="w-56 shrink-0 overflow-y-auto pr-1"
              >
                {figures}
              </aside>
            )}
            <div
              className={cx(
                "-mx-4 flex min-w-0 flex-1 flex-col sm:mx-0",
                tab !== "chat" && "max-sm:[&_[role=tabpanel]]:px-4",
              )}
            >
              <Tabs
                label="Parts of the deck"
                tabs={tabs}
                value={tab}
                onChange={(id) => {
                  const known = tabs.find((one) => one.id === id);
                  if (known) open(known.id);
                }}
              />
            </div>
          </div>
        </Screen>
      </div>
      {isChatBeside && (
        <aside
          aria-label="Conversation about the deck"
          className="w-[23rem] shrink-0 border-l border-line bg-surface"
        >
          {chat}
        </aside>
      )}
    </div>
  );
}

function ReviewLabel({ waiting }: { waiting: number }) {
  return (
    <span className="inline-flex items-center gap-2">
      Review {waiting > 0 && <Badge tone="wait">{waiting}</Badge>}
    </span>
  );
}

/** The deck in one line. */
function Glance({ state }: { state: DeckStateView }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 pb-2 text-[13px] text-muted short:hidden">
      <span className="tabular-nums">{deckCount(state)} cards</span>
      <span className={state.legal ? "text-life" : "text-fail"}>{legalWords(state)}</span>
      <span title={coverage(state.price)} className="tabular-nums">
        {amount(state.price.total, state.price.currency)}
        {state.price.priced < state.price.of && ` (${coverage(state.price)})`}
      </span>
      <span>bracket {bracketWords(state.bracket)}</span>
      <span className="text-xs tabular-nums">revision {state.rev}</span>
    </p>
  );
}
