// What a model was shown, all of it: the share of each part, every line with where it comes from, and whether it is proven.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ShieldAlert, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { isRecord } from "@/api/errors";
import type { ContextView } from "@/api/generated";
import { contextQuery } from "@/api/queries";
import { phraseOf, subjectOf } from "@/live/words";
import {
  Badge,
  Code,
  count,
  cx,
  Dialog,
  EmptyState,
  LoadError,
  Loading,
  PlainText,
  ShareBar,
  Time,
  visible,
} from "@/ui";
import { type Part, partsOf, type Source, sourcesOf } from "./context-parts";
import { lineQuery } from "./queries";

const FILLS = [
  "fill-life",
  "fill-thought",
  "fill-wait",
  "fill-muted",
  "fill-fail",
  "fill-life/55",
  "fill-thought/55",
  "fill-wait/55",
  "fill-line-strong",
  "fill-fail/55",
  "fill-ink",
];

export function ContextPanel({
  epochId,
  agent,
  onClose,
}: {
  epochId: string | null;
  agent: string;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={epochId !== null}
      onOpenChange={(open) => !open && onClose()}
      title="What the model saw"
      about="Rendered again from the ledger, for this exchange alone."
      side
    >
      {epochId && <Contents epochId={epochId} agent={agent} />}
    </Dialog>
  );
}

function Contents({ epochId, agent }: { epochId: string; agent: string }) {
  const found = useQuery(contextQuery(epochId));
  if (found.isPending) return <Loading what="the ledger" />;
  if (found.isError)
    return (
      <LoadError what="The context cannot be shown." error={found.error} retry={() => void found.refetch()} />
    );
  const { context } = found.data;
  if (!context)
    return (
      <EmptyState title="No context yet">
        The exchange ended, or waits, before the model was shown anything.
      </EmptyState>
    );
  const parts = partsOf(context);
  return (
    <div className="flex flex-col gap-5 px-4 pt-1 pb-6 text-sm">
      <Proof context={context} />
      <Shares parts={parts} />
      {parts
        .filter((part) => part.text)
        .map((part) => (
          <PartView key={part.name} part={part} agent={agent} />
        ))}
      <History context={context} agent={agent} />
      <Tools context={context} />
      <Looked context={context} />
    </div>
  );
}

function Proof({ context }: { context: ContextView }) {
  const Icon = context.verified ? ShieldCheck : ShieldAlert;
  return (
    <p className="flex gap-2 text-[13px] text-muted">
      <Icon aria-hidden className={cx("size-4 shrink-0", context.verified ? "text-life" : "text-wait")} />
      <span className="min-w-0 break-words">
        {context.verified
          ? "Proven: byte for byte what the model was shown."
          : `Not proven: ${context.reason ?? "the digest differs"}.`}{" "}
        {toolsProof(context)} <span title={context.sha256}>Digest {context.sha256.slice(0, 12)}…</span>
      </span>
    </p>
  );
}

function toolsProof(context: ContextView): string {
  if (context.tools_verified === true) return "The tools are those of then.";
  if (context.tools_verified === false) return "The tools are those of today, and were others then.";
  return "Which tools there were then is not recorded.";
}

function Shares({ parts }: { parts: readonly Part[] }) {
  const total = parts.reduce((sum, part) => sum + part.tokens, 0) || 1;
  const chars = parts.reduce((sum, part) => sum + part.chars, 0);
  const shown = parts.map((part, at) => ({
    name: part.name,
    value: part.tokens,
    chars: part.chars,
    className: FILLS[at % FILLS.length] ?? "fill-muted",
  }));
  return (
    <section aria-labelledby="shares">
      <h3 id="shares" className="mb-2 font-medium text-ink">
        {count(total)} tokens, estimated; {count(chars)} characters
      </h3>
      <ShareBar parts={shown} />
      <ul className="mt-2 grid grid-cols-1 gap-x-4 text-[13px] sm:grid-cols-2">
        {shown.map((part) => (
          <li key={part.name} className="flex items-center gap-2 text-muted">
            <svg aria-hidden width="9" height="9" className="shrink-0">
              <rect width="9" height="9" rx="2" className={part.className} />
            </svg>
            <span className="min-w-0 flex-1 truncate text-ink">{part.name}</span>
            <span className="tabular-nums" title={`${count(part.chars)} characters`}>
              {count(part.value)} · {Math.round((part.value / total) * 100)} %
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const LINES_SHOWN = 80;

function PartView({ part, agent }: { part: Part; agent: string }) {
  // Fences are for the model; for people the list shows where a text begins and ends.
  const lines = part.text.split("\n").filter((line) => line.trim() && !/^(```+|~~~+)\w*$/.test(line.trim()));
  const isLong = lines.length > LINES_SHOWN;
  const [isWhole, setWhole] = useState(false);
  return (
    <section aria-label={part.name}>
      <h3 className="mb-1 font-medium text-ink">{part.name}</h3>
      <ul className="flex flex-col gap-1">
        {(isLong && !isWhole ? lines.slice(0, LINES_SHOWN) : lines).map((line, at) => (
          <Line key={at} line={line} isQuoted={part.isQuoted} agent={agent} />
        ))}
      </ul>
      {isLong && !isWhole && (
        <button type="button" className="md-more" onClick={() => setWhole(true)}>
          Show all {lines.length} lines
        </button>
      )}
    </section>
  );
}

function Line({ line, isQuoted, agent }: { line: string; isQuoted: boolean; agent: string }) {
  const { text, sources } = isQuoted ? { text: line, sources: [] } : sourcesOf(line);
  const heading = /^#+ (.+)$/.exec(text)?.[1];
  if (heading) return <li className="mt-1 text-[13px] font-semibold text-ink">{heading}</li>;
  return (
    <li className="text-[13px] text-muted">
      <PlainText text={text.slice(0, 4_000)} className="inline text-ink" />{" "}
      {sources.map((source) => (
        <SourceMark key={source.label} source={source} agent={agent} />
      ))}
    </li>
  );
}

function SourceMark({ source, agent }: { source: Source; agent: string }) {
  const [isOpen, setOpen] = useState(false);
  if (source.kind === "word") return <Badge title="where this comes from">{source.label}</Badge>;
  if (source.kind === "epoch") {
    return (
      <Link to="/chat/$agent" params={{ agent }} search={{ epoch: source.epoch }} className="text-xs">
        {source.label}
      </Link>
    );
  }
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        title={`${source.what}, line ${source.seq} of the ledger`}
        onClick={() => setOpen(!isOpen)}
        className="rounded-full border border-line-strong px-2 font-mono text-xs leading-5 text-ink hover:bg-raised"
      >
        {source.label}
      </button>
      {isOpen && <SourceLine seq={source.seq} agent={agent} />}
    </>
  );
}

/** The line of the ledger that something stems from. */
function SourceLine({ seq, agent }: { seq: number; agent: string }) {
  const found = useQuery(lineQuery(seq));
  if (found.isPending) return <p className="text-xs text-muted">reading line {seq}…</p>;
  if (found.isError || !found.data)
    return <p className="text-xs text-fail">line {seq} could not be loaded</p>;
  const event = found.data;
  return (
    <div className="mt-1 rounded-md border border-line bg-field px-3 py-2 text-[13px] text-muted">
      <p dir="auto" className="break-words text-ink">
        {subjectOf(event)} {phraseOf(event)}
      </p>
      <p className="flex flex-wrap gap-x-3">
        <span>{event.kind}</span>
        <Time at={event.timestamp} />
        <Link to="/timeline" search={{ seq }}>
          line {seq}
        </Link>
        {event.epoch && (
          <Link to="/chat/$agent" params={{ agent }} search={{ epoch: event.epoch }}>
            its exchange
          </Link>
        )}
      </p>
    </div>
  );
}

function History({ context, agent }: { context: ContextView; agent: string }) {
  if (context.history.length === 0) return null;
  return (
    <section aria-label="The conversation that was shown">
      <h3 className="mb-1 font-medium text-ink">The conversation, {context.history.length} exchanges</h3>
      <ol className="flex flex-col gap-2">
        {context.history.map((exchange) => (
          <li key={exchange.epoch_id} className="rounded-md border border-line px-3 py-2 text-[13px]">
            <p className="flex gap-2 text-muted">
              {exchange.sender}, {exchange.channel}, <Time at={exchange.sent_at} />
              <Link
                to="/chat/$agent"
                params={{ agent }}
                search={{ epoch: exchange.epoch_id }}
                className="ml-auto"
              >
                open
              </Link>
            </p>
            <p dir="auto" className="line-clamp-3 break-words text-ink">
              {visible(exchange.stimulus.slice(0, 2_000))}
            </p>
            <p dir="auto" className="line-clamp-3 break-words text-muted">
              {visible(exchange.reply.slice(0, 2_000))}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The tools that may be called, with what the model is told of them. */
function Tools({ context }: { context: ContextView }) {
  if (context.tools.length === 0) return null;
  return (
    <section aria-label="The tools that were offered">
      <h3 className="mb-1 font-medium text-ink">{context.tools.length} tools</h3>
      <ul className="flex flex-col gap-1">
        {context.tools.map((tool) => (
          <li key={tool.name} className="text-[13px] text-muted">
            <details>
              <summary className="cursor-pointer">
                <span className="font-mono text-ink">{visible(tool.name)}</span> {visible(tool.description)}
              </summary>
              <Code
                label={`Parameters of ${visible(tool.name)}`}
                text={JSON.stringify(tool.parameters, null, 2)}
              />
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Where the Dreamer looked: found, nothing there and could not look stay apart. */
function Looked({ context }: { context: ContextView }) {
  const { exploration } = context;
  if (!isRecord(exploration)) return null;
  const found = isRecord(exploration.found) ? exploration.found : {};
  const named = (list: unknown) => (Array.isArray(list) ? list.map(String) : []);
  const failed = named(exploration.failed);
  const skipped = named(exploration.skipped);
  const lenses = [
    "relational",
    "historical",
    "technical",
    "emotional",
    "strategic",
    "experiential",
    "constraint",
    "connective",
  ];
  const said = (lens: string) => {
    if (failed.includes(lens)) return "could not look";
    if (skipped.includes(lens)) return "did not look";
    const refs = named(found[lens]);
    return refs.length === 0 ? "nothing there" : refs.join(", ");
  };
  return (
    <section aria-label="Where the Dreamer looked">
      <h3 className="mb-1 font-medium text-ink">
        The Dreamer: {Number(exploration.steps ?? 0)} steps, {Number(exploration.queries ?? 0)} queries
      </h3>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 text-[13px]">
        {lenses.map((lens) => (
          <div key={lens} className="contents">
            <dt className="text-muted">{lens}</dt>
            <dd className={cx("break-words", said(lens) === "could not look" ? "text-fail" : "text-ink")}>
              {said(lens)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
