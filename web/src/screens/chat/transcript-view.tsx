import { useQuery } from "@tanstack/react-query";
import { ArrowDown, MessagesSquare } from "lucide-react";
import { Fragment, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { epochQuery } from "@/api/queries";
import { useAgent } from "@/live/hooks";
import { isOpen, type LiveEpoch } from "@/live/state";
import { epochFromView } from "@/live/views";
import { Button, EmptyState, LoadError, Loading } from "@/ui";
import { Exchange } from "./exchange";

interface Props {
  agent: string;
  epochs: readonly LiveEpoch[];
  /** An exchange that the address leads to. */
  target: string | undefined;
  isReading: boolean;
  error: unknown;
  onRetry: () => void;
  hasEarlier: boolean;
  isReadingEarlier: boolean;
  onEarlier: () => void;
  onContext: (epoch: string) => void;
  /** Counts the messages that were sent here: whoever sends one wants to see it. */
  sent: number;
  /** Puts a text where messages are written. */
  onBegin: (text: string) => void;
  /** What could be said first, where that depends on where the conversation stands. */
  beginnings?: readonly string[];
}

/** For somebody who never spoke to an agent. */
const BEGINNINGS = ["Who are you, and what can you do?", "Remember that ", "What do you know about me?"];

/** So near to the end counts as being there. */
const NEAR_PX = 90;

export function Transcript(props: Props) {
  const { epochs, target, sent } = props;
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const seen = useRef<{ id: string; top: number } | null>(null);
  const first = epochs[0]?.id;
  const [isAway, setAway] = useState(false);
  const toEnd = useCallback(() => {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);
  // What was put above does not move what is read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another exchange is the first
  useLayoutEffect(() => {
    const element = box.current;
    const kept = seen.current;
    if (!element || !kept || follows.current) return;
    const there = document.getElementById(kept.id);
    if (there) element.scrollTop += there.getBoundingClientRect().top - kept.top;
  }, [first]);
  useEffect(() => {
    if (sent === 0) return;
    follows.current = true;
    setAway(false);
    toEnd();
  }, [sent, toEnd]);
  // Drawn anew with each piece of a growing answer: whoever reads at the end stays there.
  useLayoutEffect(() => {
    if (follows.current && !target) toEnd();
  });
  const isThere = target !== undefined && epochs.some((epoch) => epoch.id === target);
  useEffect(() => {
    if (!target || !isThere) return;
    follows.current = false;
    const element = document.getElementById(`epoch-${target}`);
    element?.scrollIntoView({ block: "start" });
    element?.focus();
  }, [target, isThere]);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Conversation"
        className="h-full overflow-y-auto px-4 [overflow-anchor:none] sm:px-6"
        onScroll={(event) => {
          const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
          follows.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
          setAway(!follows.current);
          seen.current = firstSeen(event.currentTarget);
        }}
      >
        <div className="mx-auto max-w-3xl py-4">
          <Earlier
            {...props}
            onEarlier={() => {
              // Whoever looks back does not want to be taken to the end.
              follows.current = false;
              if (box.current) seen.current = firstSeen(box.current);
              props.onEarlier();
            }}
          />
          {target && !isThere && <Elsewhere id={target} onContext={props.onContext} />}
          {epochs.map((epoch, at) => (
            <Fragment key={epoch.id}>
              <Day at={epoch.sentAt} before={epochs[at - 1]?.sentAt} />
              <Exchange epoch={epoch} onContext={props.onContext} isTarget={epoch.id === target} />
            </Fragment>
          ))}
        </div>
      </div>
      {isAway && (
        <Button
          size="s"
          className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-lg"
          icon={<ArrowDown aria-hidden className="size-3.5" />}
          onClick={() => {
            follows.current = true;
            toEnd();
          }}
        >
          To the newest
        </Button>
      )}
      <Announcer epochs={epochs} />
    </div>
  );
}

/** The first exchange that is in sight, and where. */
function firstSeen(box: HTMLElement): { id: string; top: number } | null {
  const edge = box.getBoundingClientRect().top;
  for (const one of box.querySelectorAll<HTMLElement>("article[id]")) {
    const { top, bottom } = one.getBoundingClientRect();
    if (bottom > edge) return { id: one.id, top };
  }
  return null;
}

const dayOf = (at: string) =>
  new Date(at).toLocaleDateString([], { weekday: "long", day: "numeric", month: "long", year: "numeric" });

/** The day, where it is another one than that of the exchange before. */
function Day({ at, before }: { at: string; before: string | undefined }) {
  const day = dayOf(at);
  if (before !== undefined && dayOf(before) === day) return null;
  return (
    <p className="mb-3 flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      <time dateTime={at.slice(0, 10)}>{day}</time>
    </p>
  );
}

function Earlier({
  agent,
  epochs,
  isReading,
  error,
  onRetry,
  hasEarlier,
  isReadingEarlier,
  onEarlier,
  onBegin,
  beginnings = BEGINNINGS,
}: Props) {
  const name = useAgent(agent)?.name ?? agent;
  if (error) return <LoadError what="The conversation could not be loaded." error={error} retry={onRetry} />;
  if (isReading && epochs.length === 0) return <Loading what="the conversation" />;
  if (hasEarlier) {
    return (
      <div className="flex justify-center pb-4">
        <Button size="s" busy={isReadingEarlier} onClick={onEarlier}>
          Earlier
        </Button>
      </div>
    );
  }
  if (epochs.length > 0) return null;
  return (
    <EmptyState title={`Say something to ${name}`} icon={<MessagesSquare aria-hidden className="size-7" />}>
      <p>
        Its answer, what it thought, which tools it ran and what it was shown stand here. At the command line:{" "}
        <code>abide say --agent {agent} "hello"</code>
      </p>
      <ul aria-label="To begin" className="mt-4 flex flex-wrap justify-center gap-2">
        {beginnings.map((text) => (
          <li key={text}>
            <Button size="s" onClick={() => onBegin(text)}>
              {text.endsWith(" ") ? `${text}…` : text}
            </Button>
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}

/** The exchange that a link leads to, where it is not among those that are shown. */
function Elsewhere({ id, onContext }: { id: string; onContext: (epoch: string) => void }) {
  const found = useQuery(epochQuery(id));
  if (found.isPending) return <Loading what="the exchange of the link" />;
  if (found.isError) return <LoadError what="The linked exchange cannot be shown." error={found.error} />;
  return (
    <section aria-label="The linked exchange" className="mb-6 rounded-xl border border-line-strong p-3">
      <Exchange epoch={epochFromView(found.data)} onContext={onContext} isTarget />
    </section>
  );
}

/** Reads finished answers aloud, each once and none that was there before; growing text is not read. */
function Announcer({ epochs }: { epochs: readonly LiveEpoch[] }) {
  const open = useRef(new Set<string>());
  const [said, setSaid] = useState("");
  useEffect(() => {
    for (const epoch of epochs) {
      if (isOpen(epoch)) open.current.add(epoch.id);
      else if (open.current.delete(epoch.id)) {
        const text =
          epoch.state === "committed" ? (epoch.reply ?? "") : `no reply: ${epoch.abort?.message ?? ""}`;
        setSaid(`${epoch.agent}: ${text.slice(0, 600)}`);
      }
    }
  }, [epochs]);
  return (
    <div aria-live="polite" className="sr-only">
      {said}
    </div>
  );
}
