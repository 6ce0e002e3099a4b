// The conversation about a deck, beside it: the chat's own parts, in a conversation of its own for each deck.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { DeckStateView } from "@/api/generated";
import { epochsQuery } from "@/api/queries";
import { usePreferredAgent } from "@/app/preferred-agent";
import { toast, toastError } from "@/app/toasts";
import { useAgent, useAgents, useEpochs } from "@/live/hooks";
import { Composer, type Put } from "@/screens/chat/composer";
import { ContextPanel } from "@/screens/chat/context-panel";
import { useSenderName } from "@/screens/chat/sender";
import { joined } from "@/screens/chat/transcript";
import { Transcript } from "@/screens/chat/transcript-view";
import { Button, Loading, lifeOf, Pulse, Select, stateWord } from "@/ui";
import { act, readAgain } from "./acts";
import { deckSession } from "./deck-session";
import { loadedQuery } from "./queries";
import { loadDeck } from "./routes";

/** For somebody who never spoke about this deck. */
const BEGINNINGS = [
  "What would you change in this deck?",
  "Make it cheaper without making it slower.",
  "What does it lack?",
];

export function DeckChat({ state }: { state: DeckStateView }) {
  const preferred = usePreferredAgent();
  const [chosen, setChosen] = useState<string | null>(null);
  const agent = chosen ?? preferred;
  if (!agent) return <Loading what="the agents" />;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Head agent={agent} onAgent={setChosen} state={state} />
      <Conversation key={agent} agent={agent} deck={state.deck_id} />
    </div>
  );
}

/** Who is spoken with, and whether they work on this deck. */
function Head(props: { agent: string; onAgent: (agent: string) => void; state: DeckStateView }) {
  const { agent, state } = props;
  const agents = useAgents();
  const known = useAgent(agent);
  const client = useQueryClient();
  const loaded = useQuery(loadedQuery(agent));
  const isThis = loaded.data === state.deck_id;
  const load = async () => {
    const { error } = await act(client, state.deck_id, () => loadDeck(state.deck_id, agent));
    void readAgain(client);
    if (error !== undefined) toastError("The deck was not given to the agent", error);
    else toast({ title: `${known?.name ?? agent} works on this deck now` });
  };
  return (
    <header className="flex min-h-12 flex-wrap items-center gap-2 border-b border-line px-4 py-1.5">
      <Pulse life={lifeOf(known?.state ?? "idle")} />
      <h2 className="truncate text-sm font-semibold text-ink">{known?.name ?? agent}</h2>
      <span className="text-[13px] text-muted">{stateWord(known?.state ?? "idle")}</span>
      {agents.length > 1 && (
        <Select
          label="Agent"
          hideLabel
          className="w-28"
          value={agent}
          onChange={(event) => props.onAgent(event.target.value)}
        >
          {agents.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </Select>
      )}
      <span className="ml-auto">
        {isThis ? (
          <span className="text-[13px] text-muted">works on this deck</span>
        ) : (
          loaded.isSuccess && (
            <Button size="s" onClick={() => void load()}>
              Load this deck
            </Button>
          )
        )}
      </span>
    </header>
  );
}

function Conversation({ agent, deck }: { agent: string; deck: string }) {
  const pages = useInfiniteQuery(epochsQuery(agent));
  const live = useEpochs(agent);
  const session = deckSession(useSenderName(), deck);
  const [sent, setSent] = useState(0);
  const [begun, setBegun] = useState<Put>({ text: "", n: 0 });
  const [context, setContext] = useState<string | null>(null);
  const read = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  const shown = useMemo(
    () => joined(read, live).filter((epoch) => epoch.session === session),
    [read, live, session],
  );
  return (
    <>
      <Transcript
        agent={agent}
        epochs={shown}
        target={undefined}
        isReading={pages.isPending}
        error={pages.error}
        onRetry={() => void pages.refetch()}
        hasEarlier={pages.hasNextPage}
        isReadingEarlier={pages.isFetchingNextPage}
        onEarlier={() => void pages.fetchNextPage()}
        onContext={setContext}
        sent={sent}
        beginnings={BEGINNINGS}
        onBegin={(text) => setBegun((old) => ({ text, n: old.n + 1 }))}
      />
      <Composer
        agent={agent}
        session={session}
        put={begun}
        isNarrow
        onSent={() => setSent((times) => times + 1)}
      />
      <ContextPanel epochId={context} agent={agent} onClose={() => setContext(null)} />
    </>
  );
}
