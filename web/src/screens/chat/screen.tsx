// The Neural Link: what was said, how it came about, and what to say next.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { epochsQuery } from "@/api/queries";
import { useCommands } from "@/app/commands";
import { rememberAgent } from "@/app/preferred-agent";
import { useAgent, useEpochs } from "@/live/hooks";
import { useLive } from "@/live/store";
import { EmptyState } from "@/ui";
import { Composer, type Put } from "./composer";
import { ContextPanel } from "./context-panel";
import { ChatHead } from "./head";
import { SearchResults } from "./search-results";
import { stopEpoch } from "./stop";
import { holds, joined, sessionsOf } from "./transcript";
import { Transcript } from "./transcript-view";

export function ChatScreen() {
  const { agent } = useParams({ from: "/chat/$agent" });
  const known = useAgent(agent);
  const isLoaded = useLive((state) => state.base >= 0);
  if (!known && isLoaded) {
    return (
      <EmptyState title={`No agent is called ${agent}`}>
        Agents are named in abide.toml; the navigation lists those that exist.
      </EmptyState>
    );
  }
  return <Chat key={agent} id={agent} />;
}

function Chat({ id }: { id: string }) {
  const search = useSearch({ from: "/chat/$agent" });
  const navigate = useNavigate({ from: "/chat/$agent" });
  const pages = useInfiniteQuery(epochsQuery(id));
  const live = useEpochs(id);
  const [shownContext, setShownContext] = useState<string | null>(null);
  const [begun, setBegun] = useState<Put>({ text: "", n: 0 });
  useEffect(() => rememberAgent(id), [id]);
  const read = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  const all = useMemo(() => joined(read, live), [read, live]);
  const sessions = useMemo(() => sessionsOf(all), [all]);
  const { session, q = "" } = search;
  const shown = useMemo(
    () => all.filter((epoch) => (!session || epoch.session === session) && holds(epoch, q)),
    [all, session, q],
  );
  const set = (change: Partial<typeof search>) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const newest = all.at(-1);
  const running = all.find((epoch) => epoch.state === "open" || epoch.state === "executing");
  useCommands([
    {
      id: "chat:say",
      label: "Write a message",
      group: "Chat",
      keys: "i",
      run: () => document.getElementById("message")?.focus(),
    },
    {
      id: "chat:find",
      label: "Search in the conversation",
      group: "Chat",
      keys: "/",
      run: () => document.getElementById("chat-find")?.focus(),
    },
    {
      id: "chat:context",
      label: "What the model saw last",
      group: "Chat",
      keys: "v",
      run: () => newest && setShownContext(newest.id),
    },
    {
      id: "chat:stop",
      label: "Stop what runs",
      group: "Chat",
      keys: "mod+.",
      run: () => running && void stopEpoch(running.id),
    },
  ]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <ChatHead
        id={id}
        sessions={sessions}
        session={session}
        onSession={(next) => set({ session: next, epoch: undefined })}
        q={q}
        onFind={(next) => set({ q: next || undefined })}
        found={shown.length}
      />
      {q && (
        <SearchResults
          agent={id}
          q={q}
          onOpen={(epoch) => set({ q: undefined, session: undefined, epoch })}
        />
      )}
      <Transcript
        agent={id}
        epochs={shown}
        target={search.epoch}
        isReading={pages.isPending}
        error={pages.error}
        onRetry={() => void pages.refetch()}
        hasEarlier={pages.hasNextPage}
        isReadingEarlier={pages.isFetchingNextPage}
        onEarlier={() => void pages.fetchNextPage()}
        onContext={setShownContext}
        isFiltered={q.length > 0}
        onBegin={(text) => setBegun((old) => ({ text, n: old.n + 1 }))}
      />
      <Composer agent={id} session={session} put={begun} />
      <ContextPanel epochId={shownContext} agent={id} onClose={() => setShownContext(null)} />
    </div>
  );
}
