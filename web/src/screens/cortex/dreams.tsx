// What an agent dreamt: one document for each day that it slept over.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, MoonStar } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import type { DreamView } from "@/api/generated";
import { later } from "@/app/undo";
import { Button, Card, CardHead, cx, EmptyState, LoadError, Loading, Time, visibleLine } from "@/ui";
import { Markdown } from "@/ui/markdown";
import { useAddress } from "./address";
import { bodyOf } from "./dream-body";
import { More, SearchBox } from "./parts";
import { dreamQuery, dreamsQuery } from "./queries";

export function DreamsPart({ agent }: { agent: string }) {
  const [{ q = "", dream }, set] = useAddress();
  const pages = useInfiniteQuery(dreamsQuery(agent));
  if (pages.isPending) return <Loading what="dreams" />;
  if (pages.isError) {
    return (
      <LoadError what="Dreams could not be loaded." error={pages.error} retry={() => void pages.refetch()} />
    );
  }
  const all = pages.data.pages.flatMap((page) => page.items);
  const shown = all.filter((one) => `${one.title} ${one.filename}`.toLowerCase().includes(q.toLowerCase()));
  if (all.length === 0 && !dream) {
    return (
      <EmptyState title="No dreams yet" icon={<MoonStar aria-hidden className="size-7" />}>
        When an agent sleeps over a day, it writes down what the day meant. Start a sleep under Sleep, or with{" "}
        <code>abide sleep</code>; then <code>abide memory dreams</code> lists the same as this page.
      </EmptyState>
    );
  }
  return (
    <div className="grid gap-5 py-4 lg:grid-cols-[minmax(16rem,2fr)_minmax(0,5fr)]">
      <div className={cx("flex min-w-0 flex-col gap-3", dream && "max-lg:hidden")}>
        <div className="flex">
          <SearchBox label="Search titles" q={q} onSearch={(words) => set({ q: words })} />
        </div>
        <Card aria-labelledby="dreams-title">
          <CardHead
            id="dreams-title"
            title="Dreams"
            note={q ? `${shown.length} of ${all.length}` : "the newest first"}
          />
          {shown.length === 0 && <p className="px-4 pb-3 text-sm text-muted">No title has these words.</p>}
          <ul aria-label="Dreams" className="divide-y divide-line border-t border-line">
            {shown.map((one) => (
              <DreamRow
                key={one.filename}
                dream={one}
                isOpen={one.filename === dream}
                onOpen={() => set({ dream: one.filename }, { push: true })}
              />
            ))}
          </ul>
          {pages.hasNextPage && (
            <div className="border-t border-line px-4 py-2">
              <More pages={pages} />
            </div>
          )}
        </Card>
      </div>
      <div className="min-w-0">
        {dream ? (
          <>
            <Button
              size="s"
              tone="ghost"
              className="mb-2 lg:hidden"
              icon={<ArrowLeft aria-hidden className="size-4" />}
              onClick={() => set({ dream: undefined })}
            >
              All dreams
            </Button>
            <Dream
              key={dream}
              agent={agent}
              filename={dream}
              known={all.find((one) => one.filename === dream)}
              onGone={() => set({ dream: undefined })}
            />
          </>
        ) : (
          <div className="max-lg:hidden">
            <EmptyState title="Choose a dream">It is read here.</EmptyState>
          </div>
        )}
      </div>
    </div>
  );
}

function DreamRow(props: { dream: DreamView; isOpen: boolean; onOpen: () => void }) {
  const { dream, isOpen } = props;
  return (
    <li>
      <button
        type="button"
        aria-current={isOpen || undefined}
        onClick={props.onOpen}
        className={cx("block w-full px-4 py-2 text-left hover:bg-raised", isOpen && "bg-raised")}
      >
        <span dir="auto" className="block text-sm font-medium break-words text-ink">
          {visibleLine(dream.title || dream.filename)}
        </span>
        <span className="block text-xs break-all text-muted">
          <Time at={dream.created_at} />, {dream.filename}
        </span>
      </button>
    </li>
  );
}

function Dream(props: { agent: string; filename: string; known: DreamView | undefined; onGone: () => void }) {
  const { agent, filename, known } = props;
  const client = useQueryClient();
  const found = useQuery(dreamQuery(agent, filename));
  const [isGoing, setGoing] = useState(false);
  if (found.isPending) return <Loading what="the dream" />;
  if (found.isError) {
    return (
      <LoadError
        what="The dream could not be loaded."
        error={found.error}
        retry={() => void found.refetch()}
      />
    );
  }
  // What is taken out of the list cannot be put back: it can be called off for a moment.
  const forget = async () => {
    setGoing(true);
    const isDone = await later({
      doing: `Forgetting ${filename}`,
      run: () => call("DELETE /dreams/{filename}", { path: { filename }, query: { citizen: agent } }),
    });
    setGoing(false);
    if (!isDone) return;
    props.onGone();
    await client.invalidateQueries({ queryKey: ["dreams", agent], exact: true });
  };
  return (
    <Card aria-labelledby="dream-title">
      <CardHead
        id="dream-title"
        title={known?.title || filename}
        note={known && <Time at={known.created_at} />}
      >
        <Button size="s" tone="danger" busy={isGoing} onClick={() => void forget()}>
          Forget
        </Button>
      </CardHead>
      <div data-testid="dream" className="border-t border-line px-4 py-3 text-[15px]">
        <Markdown text={bodyOf(found.data.content, known?.title)} />
      </div>
    </Card>
  );
}
