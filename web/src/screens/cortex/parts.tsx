// What several parts of the Cortex are made of: a search, where something stems from, for how long it holds, the rest of a list.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { epochQuery } from "@/api/queries";
import { quote, quotePlain } from "@/live/words";
import { Button, type ButtonProps, cx, Input, Moment, Time, visibleLine } from "@/ui";

/** Between the last key and the search. */
const PAUSE_MS = 250;

/** A search that stands in the address. `/` leads to it. */
export function SearchBox(props: { label: string; q: string; onSearch: (q: string | undefined) => void }) {
  const { q, onSearch } = props;
  const [text, setText] = useState(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(q);
  // The address may come back when somebody has written on: only what was changed elsewhere is taken from it.
  useEffect(() => {
    if (q !== sent.current) setText(q);
    sent.current = q;
  }, [q]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (words: string, pause: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = words.trim();
      onSearch(words.trim() || undefined);
    }, pause);
  };
  return (
    <search id="cortex-search" className="relative min-w-40 grow sm:max-w-80">
      <Search aria-hidden className="pointer-events-none absolute top-2.5 right-2.5 size-4 text-muted" />
      <Input
        label={props.label}
        hideLabel
        type="search"
        placeholder={props.label}
        value={text}
        maxLength={200}
        onChange={(event) => {
          setText(event.target.value);
          search(event.target.value, PAUSE_MS);
        }}
        onKeyDown={(event) => event.key === "Enter" && search(text, 0)}
      />
    </search>
  );
}

/** One of several views; the chosen one is marked by more than colour. */
export function Choice({ chosen, className, ...rest }: ButtonProps & { chosen: boolean }) {
  return (
    <Button
      size="s"
      {...rest}
      aria-pressed={chosen}
      className={cx(chosen && "border-accent! font-semibold underline underline-offset-4", className)}
    />
  );
}

export function Check(props: {
  label: string;
  checked: boolean;
  disabled?: boolean;
  title?: string;
  onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <span className="flex min-h-9 items-center gap-2 text-[13px] text-muted" title={props.title}>
      <input
        id={id}
        type="checkbox"
        className="size-4 accent-accent"
        checked={props.checked}
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.target.checked)}
      />
      <label htmlFor={id}>{props.label}</label>
    </span>
  );
}

/** For how long something holds or held. */
export function Validity({ from, to }: { from: string; to: string | null | undefined }) {
  if (!to)
    return (
      <span>
        since <Moment at={from} />
      </span>
    );
  return (
    <span className="text-wait">
      held from <Moment at={from} /> until <Moment at={to} />
    </span>
  );
}

/** Where something stems from: the exchanges, or the line of the ledger that a person wrote. */
export function Sources(props: { agent: string; sources: readonly string[]; seq?: number }) {
  const [open, setOpen] = useState<string | null>(null);
  const isMany = props.sources.length > 1;
  return (
    <>
      {props.sources.map((epoch, at) => (
        <button
          key={epoch}
          type="button"
          aria-expanded={open === epoch}
          onClick={() => setOpen(open === epoch ? null : epoch)}
          title={epoch}
          className="rounded-full border border-line-strong px-2 text-xs leading-5 text-ink hover:bg-raised"
        >
          source{isMany && ` ${at + 1}`}
        </button>
      ))}
      {props.seq !== undefined && props.seq > 0 && (
        <Link to="/timeline" search={{ seq: props.seq }} className="text-xs">
          line {props.seq}
        </Link>
      )}
      {open && props.sources.includes(open) && <Source agent={props.agent} epoch={open} />}
    </>
  );
}

/** The exchange that something was learnt in. */
function Source({ agent, epoch }: { agent: string; epoch: string }) {
  const found = useQuery(epochQuery(epoch));
  if (found.isPending) return <p className="w-full text-xs text-muted">reading the exchange…</p>;
  if (found.isError)
    return <p className="w-full text-xs break-words text-fail">exchange {epoch} could not be loaded</p>;
  const { stimulus, seq, final_response } = found.data;
  return (
    <div
      data-testid="source"
      className="w-full rounded-md border border-line bg-field px-3 py-2 text-[13px] text-muted"
    >
      <p dir="auto" className="break-words text-ink">
        {visibleLine(stimulus.sender)}: {quote(stimulus.content)}
      </p>
      {final_response && (
        <p dir="auto" className="break-words">
          {agent}: {quotePlain(final_response)}
        </p>
      )}
      <p className="mt-1 flex flex-wrap gap-x-3">
        <span>{stimulus.channel}</span>
        <Time at={stimulus.timestamp} />
        <Link to="/chat/$agent" params={{ agent }} search={{ epoch }}>
          the exchange
        </Link>
        {seq[0] !== undefined && (
          <Link to="/timeline" search={{ seq: seq[0] }}>
            line {seq[0]} of the ledger
          </Link>
        )}
      </p>
    </div>
  );
}

/** The rest of a list that is read page by page. */
export function More(props: {
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = props.pages;
  if (!hasNextPage) return null;
  return (
    <Button size="s" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      Read more
    </Button>
  );
}
