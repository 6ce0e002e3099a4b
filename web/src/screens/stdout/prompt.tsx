import { Play } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { Button, cx, Input, Textarea } from "@/ui";
import { accept, type Completion, complete, type Names } from "./completion";
import { keepHistory, readHistory, step, withCommand } from "./history";
import { offsetOf } from "./transcript";

const CHARS_MAX = 20_000;
const CLOSED: Completion = { from: 0, options: [] };
const FIELD = "command";

/** A text that is put into the field from outside; another `n` is another time. */
export interface Put {
  text: string;
  /** Where the caret goes, in characters; the end if left out. */
  place?: number;
  n: number;
}

export function Prompt(props: {
  as: string;
  onAs: (as: string) => void;
  names: Names;
  put: Put;
  isBusy: boolean;
  onRun: (command: string) => void;
}) {
  const { names, put } = props;
  const [text, setText] = useState("");
  const [found, setFound] = useState<Completion>(CLOSED);
  const [chosen, setChosen] = useState(0);
  const [move, setMove] = useState<{ caret: number } | null>(null);
  const history = useRef(readHistory());
  const listId = useId();
  const show = (next: string, caret = next.length) => {
    setText(next);
    setFound(CLOSED);
    setMove({ caret });
  };
  // With the text and before the next key, so that fast typing goes where it should.
  useLayoutEffect(() => {
    if (!move) return;
    const element = field();
    element?.focus();
    element?.setSelectionRange(move.caret, move.caret);
  }, [move]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time that something is put in
  useEffect(() => {
    if (put.n > 0) show(put.text, put.place === undefined ? undefined : offsetOf(put.text, put.place));
  }, [put.n]);
  const look = (next: string, caret: number) => {
    setFound(complete(next, caret, names));
    setChosen(0);
  };
  const take = (at: number) => {
    const option = found.options[at];
    const caret = field()?.selectionStart ?? text.length;
    if (!option) return;
    const next = accept(text, caret, found.from, option.text);
    show(next.text, next.caret);
  };
  const run = () => {
    const command = text.trim();
    if (!command || props.isBusy) return;
    history.current = withCommand(history.current, text);
    keepHistory(history.current);
    show("");
    props.onRun(text);
  };
  const recall = (by: -1 | 1): boolean => {
    const moved = step(history.current, by, text);
    if (!moved) return false;
    history.current = moved.history;
    show(moved.text);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const isOpen = found.options.length > 0;
    const { selectionStart, selectionEnd } = event.currentTarget;
    const used = keyed(event, isOpen, {
      move: (by) => setChosen((chosen + by + found.options.length) % found.options.length),
      take: () => take(chosen),
      close: () => setFound(CLOSED),
      look: () => look(text, selectionStart),
      run,
      older: () =>
        !text.slice(0, selectionStart).includes("\n") && selectionStart === selectionEnd && recall(-1),
      newer: () => !text.slice(selectionEnd).includes("\n") && selectionStart === selectionEnd && recall(1),
    });
    if (used) event.preventDefault();
  };
  return (
    <form
      className="relative"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      {found.options.length > 0 && <Options id={listId} found={found} chosen={chosen} onTake={take} />}
      <div className="flex flex-wrap items-start gap-2">
        <AsField as={props.as} onAs={props.onAs} names={names} />
        <Textarea
          id={FIELD}
          className="min-w-0 flex-1 basis-64"
          label="Command"
          hideLabel
          rows={1}
          grows
          value={text}
          maxLength={CHARS_MAX}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          placeholder="\stdout read: last 10 ---"
          aria-autocomplete="list"
          aria-controls={found.options.length > 0 ? listId : undefined}
          aria-activedescendant={found.options.length > 0 ? `${listId}-${chosen}` : undefined}
          onChange={(event) => {
            setText(event.target.value);
            look(event.target.value, event.target.selectionStart);
          }}
          onBlur={() => setFound(CLOSED)}
          onKeyDown={onKeyDown}
        />
        <Button
          type="submit"
          tone="primary"
          className="min-h-[42px]"
          busy={props.isBusy}
          disabled={!text.trim()}
          icon={<Play aria-hidden className="size-4" />}
        >
          Run
        </Button>
      </div>
      <p className="mt-1 text-xs text-muted">
        Enter runs, Shift+Enter begins a new line, Up and Down recall, Tab completes, Escape closes the list.
        The last <code>---</code> may be left out.
      </p>
    </form>
  );
}

/** Does what a key stands for; true where it stood for something. */
function keyed(
  event: KeyboardEvent,
  isOpen: boolean,
  does: {
    move: (by: 1 | -1) => void;
    take: () => void;
    close: () => void;
    look: () => void;
    run: () => void;
    older: () => boolean;
    newer: () => boolean;
  },
): boolean {
  const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key === " " && event.ctrlKey) {
    does.look();
    return true;
  }
  if (!isPlain) return false;
  switch (event.key) {
    case "Enter":
      does.run();
      return true;
    case "Tab":
      if (isOpen) does.take();
      return isOpen;
    case "Escape":
      if (isOpen) does.close();
      return isOpen;
    case "ArrowUp":
      if (!isOpen) return does.older();
      does.move(-1);
      return true;
    case "ArrowDown":
      if (!isOpen) return does.newer();
      does.move(1);
      return true;
    default:
      return false;
  }
}

function Options({
  id,
  found,
  chosen,
  onTake,
}: {
  id: string;
  found: Completion;
  chosen: number;
  onTake: (at: number) => void;
}) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Suggestions"
      className="absolute bottom-full left-0 z-30 mb-1 max-h-72 max-w-full min-w-64 overflow-y-auto rounded-lg border border-line-strong bg-surface p-1 shadow-xl"
    >
      {found.options.map((option, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which says which one is chosen
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
        <div
          key={option.text}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === chosen}
          className={cx(
            "flex cursor-default items-baseline gap-3 rounded-md px-2 py-1 text-[13px]",
            at === chosen ? "bg-raised" : "",
          )}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(at)}
        >
          <code className="font-mono text-ink">{option.text.trimEnd()}</code>
          <span className="truncate text-muted">{option.about}</span>
        </div>
      ))}
    </div>
  );
}

/** Run the command as. Any name may be written; those that are known are offered. */
function AsField({ as, onAs, names }: { as: string; onAs: (as: string) => void; names: Names }) {
  const id = useId();
  return (
    <>
      <Input
        className="w-36 [&_input]:h-[42px]"
        label="As"
        hideLabel
        title="Run the command as"
        list={id}
        value={as}
        maxLength={65}
        spellCheck={false}
        onChange={(event) => onAs(event.target.value)}
      />
      <datalist id={id}>
        {names.entities.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

function field(): HTMLTextAreaElement | null {
  return document.getElementById(FIELD) as HTMLTextAreaElement | null;
}
