// The Neural Link: what was said, how it came about, and what to say next.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { epochsQuery } from "@/api/queries";
import { useCommands } from "@/app/commands";
import { rememberAgent } from "@/app/preferred-agent";
import { useAgent, useEpochs } from "@/live/hooks";
import { useLive } from "@/live/store";
import { Dialog, EmptyState, Loading } from "@/ui";
import { Composer, type Put, YouAre } from "./composer";
import { ContextPanel } from "./context-panel";
import { ConversationList } from "./conversation-list";
import { conversationsOf } from "./conversations";
import { FoundList } from "./found-list";
import { AgentSelect, ChatHead } from "./head";
import { useSeen } from "./seen";
import { keepSenderName, senderName, useSenderName } from "./sender";
import { stopEpoch } from "./stop";
import { joined, newSession } from "./transcript";
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
  if (!isLoaded) return <Loading what="the conversation" />;
  return <Chat key={agent} id={agent} />;
}

function Chat({ id }: { id: string }) {
  const search = useSearch({ from: "/chat/$agent" });
  const navigate = useNavigate({ from: "/chat/$agent" });
  const pages = useInfiniteQuery(epochsQuery(id));
  const live = useEpochs(id);
  const [isListOpen, setListOpen] = useState(false);
  const [sent, setSent] = useState(0);
  const sender = useSenderName();
  const [begun, setBegun] = useState<Put>({ text: "", n: 0 });
  useEffect(() => rememberAgent(id), [id]);
  const read = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  const all = useMemo(() => joined(read, live), [read, live]);
  const { session, q = "" } = search;
  const shown = useMemo(() => all.filter((epoch) => !session || epoch.session === session), [all, session]);
  const kept = useSeen(id, shown);
  const conversations = useMemo(() => conversationsOf(all, kept.seen, kept.since), [all, kept]);
  const set = (change: Partial<typeof search>) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const context = useContextAddress();
  const choose = (next: string | undefined) => {
    setListOpen(false);
    set({ session: next, epoch: undefined, q: undefined });
  };
  const begin = () => {
    choose(newSession(senderName(), new Date()));
    document.getElementById("message")?.focus();
  };
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
      run: () => newest && context.open(newest.id),
    },
    {
      id: "chat:stop",
      label: "Stop what runs",
      group: "Chat",
      keys: "mod+.",
      run: () => running && void stopEpoch(running.id),
    },
  ]);
  const list = (
    <ConversationList
      conversations={conversations}
      chosen={session}
      onChoose={choose}
      onNew={begin}
      onEarlier={pages.hasNextPage ? () => void pages.fetchNextPage() : undefined}
      isReading={pages.isFetchingNextPage}
    />
  );
  return (
    <div className="flex h-full min-h-0">
      <aside
        aria-label="Conversations with this agent"
        className="hidden w-72 shrink-0 flex-col border-r border-line bg-surface xl:flex"
      >
        {list}
      </aside>
      <div className="flex h-full min-h-0 min-w-0 flex-1 flex-col">
        <ChatHead
          id={id}
          unread={conversations.reduce((sum, one) => sum + one.unread, 0)}
          onConversations={() => setListOpen(true)}
          onNew={begin}
          q={q}
          onFind={(next) => set({ q: next || undefined })}
        />
        {q ? (
          <FoundList
            agent={id}
            epochs={all}
            q={q}
            onOpen={(epoch) => set({ q: undefined, session: undefined, epoch })}
          />
        ) : (
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
            onContext={context.open}
            sent={sent}
            onBegin={(text) => setBegun((old) => ({ text, n: old.n + 1 }))}
          />
        )}
        <Composer
          agent={id}
          session={session}
          put={begun}
          onSent={() => {
            setSent((times) => times + 1);
            if (search.epoch || q) set({ epoch: undefined, q: undefined });
          }}
        />
      </div>
      <Dialog open={isListOpen} onOpenChange={setListOpen} title="Conversations" side>
        <div className="flex items-center gap-3 px-3">
          <AgentSelect id={id} className="min-w-0 flex-1" />
          <YouAre sender={sender} onSender={keepSenderName} />
        </div>
        {list}
      </Dialog>
      <ContextPanel epochId={context.shown} agent={id} onClose={context.close} />
    </div>
  );
}

/** What the mind was shown stands in the address, so that going back closes it and stays in the conversation. */
function useContextAddress() {
  const { context } = useSearch({ from: "/chat/$agent" });
  const navigate = useNavigate({ from: "/chat/$agent" });
  const router = useRouter();
  const isOurs = useRef(false);
  return {
    shown: context ?? null,
    open: useCallback(
      (id: string) => {
        isOurs.current = true;
        void navigate({ search: (old) => ({ ...old, context: id }) });
      },
      [navigate],
    ),
    close: () => {
      if (isOurs.current) router.history.back();
      else void navigate({ search: (old) => ({ ...old, context: undefined }), replace: true });
      isOurs.current = false;
    },
  };
}
