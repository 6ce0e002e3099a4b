import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useEffect, useMemo } from "react";
import { isOpen as isRunning, type LiveEpoch } from "@/live/state";
import { doing, quotePlain } from "@/live/words";
import { failureOf, isStopped } from "@/screens/chat/failures";
import {
  Badge,
  type BadgeTone,
  Cost,
  count,
  cx,
  duration,
  LoadError,
  Loading,
  Moment,
  useNow,
  visibleLine,
} from "@/ui";
import { LineRow } from "./line-row";
import { epochLinesQuery } from "./queries";
import { waterfallOf } from "./waterfall";
import { MiniWaterfall, WaterfallView } from "./waterfall-view";

/** Lines of an epoch that are read for its waterfall; a longer one shows its beginning. */
const LINES_MAX = 1_024;

interface Props {
  epoch: LiveEpoch;
  isOpen: boolean;
  onToggle: () => void;
}

/** An epoch on a row; beneath it, when opened, what took how long and its lines. */
export function EpochRow({ epoch, isOpen, onToggle }: Props) {
  const now = useNow();
  const end = epoch.endedAt ? Date.parse(epoch.endedAt) : now;
  const took = epoch.openedAt ? Math.max(0, end - Date.parse(epoch.openedAt)) : null;
  const { tone, word } = outcomeOf(epoch);
  const lines = useLines(epoch, isOpen);
  const isOver = !isRunning(epoch);
  const waterfall = useMemo(() => waterfallOf(lines.events, end, isOver), [lines.events, end, isOver]);
  return (
    <div className="border-b border-line">
      <button
        type="button"
        data-row
        aria-expanded={isOpen}
        onClick={onToggle}
        className="grid w-full grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 px-3 py-2 text-left hover:bg-raised focus-visible:-outline-offset-2"
      >
        <ChevronRight
          aria-hidden
          className={cx("size-4 text-muted transition-transform", isOpen && "rotate-90")}
        />
        <span className="min-w-0">
          <span dir="auto" className="block truncate text-sm text-ink">
            <span className="font-medium">{epoch.agent}</span>{" "}
            <span className="text-muted">for {visibleLine(epoch.sender)}:</span>{" "}
            {quotePlain(epoch.content, 140)}
          </span>
          <span className="flex flex-wrap items-center gap-x-3 text-xs text-muted">
            <Moment at={epoch.sentAt} />
            {took !== null && <span>{duration(took)}</span>}
            <span>{count(epoch.inputTokens + epoch.outputTokens)} tokens</span>
            <span className="max-sm:hidden">
              <Cost microusd={epoch.costMicrousd} />
            </span>
          </span>
        </span>
        <span className="flex w-44 flex-col items-end gap-1.5 max-sm:w-24">
          <Badge tone={tone}>{word}</Badge>
          {lines.events.length > 0 && <MiniWaterfall waterfall={waterfall} className="w-full" />}
        </span>
      </button>
      {isOpen && (
        <div className="flex flex-col gap-3 px-4 pt-1 pb-4 sm:pl-10">
          {lines.error && (
            <LoadError error={lines.error} retry={lines.retry} what="Its events could not be loaded" />
          )}
          {lines.isReading && lines.events.length === 0 && <Loading what="its events" />}
          <WaterfallView waterfall={waterfall} />
          <p dir="auto" className="text-sm break-words text-ink">
            {endOf(epoch)}
          </p>
          <p className="flex flex-wrap gap-x-4 gap-y-1 text-[13px]">
            <Link to="/chat/$agent" params={{ agent: epoch.agent }} search={{ epoch: epoch.id }}>
              In the conversation
            </Link>
            <Link to="/timeline" search={{ seq: epoch.lastSeq, rows: "lines" }}>
              Its story and turns
            </Link>
          </p>
          <details>
            <summary className="cursor-pointer text-[13px] text-muted">
              {lines.events.length} events{lines.isCut ? ", the first of more" : ""}
            </summary>
            <ol aria-label="Its events" className="pt-1">
              {lines.events.map((event) => (
                <LineRow key={event.seq} event={event} among={lines.events} />
              ))}
            </ol>
          </details>
        </div>
      )}
    </div>
  );
}

/** The lines of an epoch, which grow with it; of one that ended, on a folded row, the first piece alone. */
function useLines(epoch: LiveEpoch, isRowOpen: boolean) {
  const isWanted = isRowOpen || isRunning(epoch);
  const read = useInfiniteQuery(epochLinesQuery(epoch.id, epoch.firstSeq, epoch.lastSeq));
  const events = useMemo(() => read.data?.pages.flatMap((page) => page.events) ?? [], [read.data]);
  const { hasNextPage, isFetching, error, fetchNextPage, refetch } = read;
  const wantsMore = isWanted && hasNextPage && !isFetching && !error && events.length < LINES_MAX;
  useEffect(() => {
    if (wantsMore) void fetchNextPage();
  }, [wantsMore, fetchNextPage]);
  return {
    events,
    error,
    isReading: isFetching,
    isCut: hasNextPage && !isFetching && !wantsMore,
    retry: () => void refetch(),
  };
}

function outcomeOf(epoch: LiveEpoch): { tone: BadgeTone; word: string } {
  if (epoch.state === "committed") return { tone: "life", word: "answered" };
  if (epoch.state === "aborted")
    return isStopped(epoch) ? { tone: "plain", word: "stopped" } : { tone: "fail", word: "no reply" };
  if (epoch.phase === "approval") return { tone: "wait", word: "waits for you" };
  return { tone: "plain", word: epoch.state === "queued" ? "queued" : "running" };
}

function endOf(epoch: LiveEpoch): string {
  if (epoch.state === "committed") return quotePlain(epoch.reply ?? "", 400);
  if (epoch.state === "aborted")
    return isStopped(epoch)
      ? `Stopped: ${visibleLine(epoch.abort?.message ?? "")}`
      : `${failureOf(epoch.abort?.code ?? "", epoch.failures.at(-1)?.code).headline}: ${visibleLine(epoch.abort?.message ?? "")}`;
  return `It ${doing(epoch)}.`;
}
