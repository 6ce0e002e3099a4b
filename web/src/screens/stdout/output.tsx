import { CornerDownLeft } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button, Clock, cx, EmptyState, visible, visibleLine } from "@/ui";
import { type Entry, placeOf } from "./transcript";

const CHARS_SHOWN = 20_000;

/** What was given and what came of it, the newest at the end. */
export function Output({
  entries,
  onAgain,
}: {
  entries: readonly Entry[];
  onAgain: (entry: Entry, place: number | null) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new is shown
  useEffect(() => {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [entries]);
  return (
    <div
      ref={box}
      role="log"
      aria-label="Output"
      tabIndex={0}
      className="max-h-[50dvh] min-h-40 flex-1 overflow-y-auto rounded-xl border border-line bg-surface lg:max-h-none"
    >
      {entries.length === 0 ? (
        <EmptyState title="No commands yet">
          A command is a backslash, a name, what it is told, and <code>---</code>. Try{" "}
          <code>\stdout read: last 10 ---</code>, or press an example. At the command line:{" "}
          <code>abide stdout '\help ---'</code>
        </EmptyState>
      ) : (
        <ol className="divide-y divide-line">
          {entries.map((entry) => (
            <Said key={entry.id} entry={entry} onAgain={onAgain} />
          ))}
        </ol>
      )}
    </div>
  );
}

function Said({ entry, onAgain }: { entry: Entry; onAgain: (entry: Entry, place: number | null) => void }) {
  const place = entry.isError && entry.output ? placeOf(entry.output) : null;
  return (
    <li className="px-4 py-2 text-[13px]" data-mistake={entry.isError || undefined}>
      <div className="flex items-start gap-2">
        <p dir="auto" className="min-w-0 flex-1 font-mono text-xs break-words whitespace-pre-wrap text-muted">
          <span className="text-ink">{visibleLine(entry.as)}&gt;</span> {visible(entry.command)}
        </p>
        <Clock at={entry.at} className="shrink-0 text-xs text-muted tabular-nums" />
        <Button
          size="s"
          tone="ghost"
          icon={<CornerDownLeft aria-hidden className="size-3.5" />}
          aria-label={place === null ? `Again: ${entry.command}` : `Show the error in: ${entry.command}`}
          onClick={() => onAgain(entry, place)}
        >
          {place === null ? "Again" : "Show the error"}
        </Button>
      </div>
      {entry.output === null ? (
        <p role="status" className="mt-1 text-muted">
          Running…
        </p>
      ) : (
        <Text entry={entry} text={entry.output} />
      )}
    </li>
  );
}

function Text({ entry, text }: { entry: Entry; text: string }) {
  const [shown, setShown] = useState(CHARS_SHOWN);
  return (
    <>
      {entry.isError && <p className="mt-1 text-xs font-semibold text-fail">Stopped before the end</p>}
      {/* biome-ignore lint/a11y/useSemanticElements: a group that scrolls, not one of fields */}
      <pre
        tabIndex={0}
        role="group"
        aria-label={`${entry.isError ? "Error" : "Output"} of ${visibleLine(entry.command)}`}
        // The caret of a mistake stands under its place only where nothing is broken or turned around.
        dir={entry.isError ? "ltr" : "auto"}
        className={cx(
          "mt-1 overflow-x-auto font-mono text-[12.5px] leading-relaxed text-ink",
          entry.isError
            ? "rounded-md border border-fail/50 bg-fail-soft px-3 py-2 whitespace-pre"
            : "break-words whitespace-pre-wrap",
        )}
      >
        {visible(text.slice(0, shown))}
      </pre>
      {text.length > shown && (
        <Button size="s" onClick={() => setShown(shown + 5 * CHARS_SHOWN)}>
          Show more ({(text.length - shown).toLocaleString("en")} more characters)
        </Button>
      )}
    </>
  );
}
