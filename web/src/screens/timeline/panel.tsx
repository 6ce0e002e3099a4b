// One event, and the epoch that it is of in three views.
import { useQuery } from "@tanstack/react-query";
import { Copy, Link2, X } from "lucide-react";
import { EVENT_KINDS } from "@/api/generated";
import { epochQuery } from "@/api/queries";
import { copyText } from "@/app/copy";
import type { AnyEvent } from "@/live/event";
import { useEpoch } from "@/live/hooks";
import { toolOf } from "@/live/tools";
import { epochFromView } from "@/live/views";
import { phraseOf, subjectOf } from "@/live/words";
import { absolute, Badge, Button, Code, cx, EmptyState, IconButton, LoadError, Loading, Tabs } from "@/ui";
import { toneOf } from "./grouping";
import { LinesView } from "./lines-view";
import { lineQuery } from "./queries";
import { VIEWS, type View } from "./search";
import { StoryView } from "./story-view";
import { TurnsView } from "./turns-view";

interface Props {
  seq: number;
  /** As the list has it; undefined where it does not. */
  held: AnyEvent | null | undefined;
  /** A line near it, where the list has it. */
  near: (seq: number) => AnyEvent | null | undefined;
  /** The last event there is. */
  head: number;
  view: View;
  onView: (view: View) => void;
  onOpen: (seq: number) => void;
  /** Left out where the frame around it closes. */
  onClose?: () => void;
}

export function EventPanel({ seq, held, near, head, view, onView, onOpen, onClose }: Props) {
  const isThere = seq >= 1 && seq <= head;
  const read = useQuery({ ...lineQuery(seq), enabled: isThere && held === undefined });
  const event = held === undefined ? read.data : held;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex items-start gap-2 border-b border-line px-4 py-3">
        <div className="min-w-0 flex-1">
          <h2 className="text-sm font-semibold text-ink">Event #{seq}</h2>
          {event && <About event={event} tool={toolOf(event, near)} />}
        </div>
        <IconButton
          size="s"
          label="Copy a link"
          icon={<Link2 aria-hidden className="size-4" />}
          onClick={() => void copyText(linkTo(seq), "The link")}
        />
        {onClose && (
          <IconButton size="s" label="Close" icon={<X aria-hidden className="size-4" />} onClick={onClose} />
        )}
      </header>
      {!isThere && <EmptyState title="There is no such event">The ledger ends at #{head}.</EmptyState>}
      {isThere && event === undefined && !read.error && <Loading what="the event" />}
      {read.error && (
        <LoadError error={read.error} retry={() => void read.refetch()} what="It could not be loaded" />
      )}
      {event === null && (
        <EmptyState title="An event of a kind that this client does not know">
          At the command line: <code>abide ledger query</code>
        </EmptyState>
      )}
      {event && <Line event={event} isOpen={!event.epoch} />}
      {event?.epoch && (
        <EpochViews
          key={event.epoch}
          id={event.epoch}
          seq={seq}
          view={view}
          onView={onView}
          onOpen={onOpen}
        />
      )}
    </div>
  );
}

/** The address as it stands, with its filters and its view, leading here. */
function linkTo(seq: number): string {
  const address = new URL(location.href);
  address.searchParams.set("seq", String(seq));
  return address.href;
}

function About({ event, tool }: { event: AnyEvent; tool: string | undefined }) {
  return (
    <>
      <p dir="auto" className="text-sm break-words text-ink">
        <span className="font-medium">{subjectOf(event)}</span> {phraseOf(event, tool)}
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        <Badge tone={toneOf(event)} title={EVENT_KINDS[event.kind]}>
          {event.kind}
        </Badge>
        <span>tick {event.tick}</span>
        <time dateTime={event.timestamp} title={absolute(event.timestamp)}>
          {new Date(event.timestamp).toLocaleString()}
        </time>
      </p>
    </>
  );
}

function Line({ event, isOpen }: { event: AnyEvent; isOpen: boolean }) {
  return (
    <details
      open={isOpen}
      className={cx("border-b border-line px-4 py-2 text-sm", isOpen && "min-h-0 overflow-y-auto")}
    >
      <summary className="cursor-pointer text-[13px] text-muted">As it stands in the ledger</summary>
      <div className={cx("pt-2", !isOpen && "max-h-80 overflow-y-auto")}>
        <p className="pb-1 text-xs text-muted">{EVENT_KINDS[event.kind]}</p>
        <Code label={`Event ${event.seq}`} text={JSON.stringify(event, null, 2)} />
        <Button
          size="s"
          className="mt-2"
          icon={<Copy aria-hidden className="size-3.5" />}
          onClick={() => void copyText(JSON.stringify(event), "The line")}
        >
          Copy the line
        </Button>
      </div>
    </details>
  );
}

interface ViewsProps {
  id: string;
  seq: number;
  view: View;
  onView: (view: View) => void;
  onOpen: (seq: number) => void;
}

function EpochViews({ id, seq, view, onView, onOpen }: ViewsProps) {
  const live = useEpoch(id);
  const read = useQuery(epochQuery(id));
  const known = read.data && epochFromView(read.data);
  // Of two forms the newer.
  const epoch = live && (!known || live.lastSeq >= known.lastSeq) ? live : known;
  if (!epoch)
    return read.error ? (
      <LoadError error={read.error} retry={() => void read.refetch()} what="Its epoch could not be loaded" />
    ) : (
      <Loading what="its epoch" />
    );
  return (
    <Tabs
      label="Views of the epoch"
      value={view}
      onChange={(next) => onView(VIEWS.find((one) => one === next) ?? "story")}
      tabs={[
        { id: "story", label: "Story", content: <StoryView epoch={epoch} /> },
        { id: "turns", label: "Turns", content: <TurnsView epoch={epoch} /> },
        { id: "lines", label: "Events", content: <LinesView epoch={epoch} seq={seq} onOpen={onOpen} /> },
      ]}
    />
  );
}
