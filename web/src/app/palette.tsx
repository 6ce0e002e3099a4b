// Everything that can be done, found by a few letters.
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { cx, Dialog, Kbd } from "@/ui";
import { type Command, useAllCommands } from "./commands";

const SHOWN_MAX = 60;

export function Palette({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Find a command" hideTitle>
      {open && <Finder onDone={() => onOpenChange(false)} />}
    </Dialog>
  );
}

function Finder({ onDone }: { onDone: () => void }) {
  const commands = useAllCommands();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  const found = useMemo(() => rank(commands, text).slice(0, SHOWN_MAX), [commands, text]);
  const chosen = found[Math.min(at, found.length - 1)];
  useEffect(() => {
    if (at >= 0) box.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onDone();
    // The dialog gives focus back first; then the command may take it.
    setTimeout(() => command.run(), 0);
  };
  return (
    <div className="flex max-h-[60vh] flex-col">
      <input
        type="text"
        // biome-ignore lint/a11y/noAutofocus: whoever opens it wants to type
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={chosen ? `${list}-${chosen.id}` : undefined}
        aria-label="Find a command"
        placeholder="Type what you want to do…"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
          const move = moves[event.key];
          if (move) {
            event.preventDefault();
            setAt(Math.max(0, Math.min(found.length - 1, at + move)));
          } else if (event.key === "Enter") {
            event.preventDefault();
            run(chosen);
          }
        }}
        className="mx-3 mt-3 h-10 shrink-0 rounded-md border border-line-strong bg-field px-3 text-ink placeholder:text-muted"
      />
      <div ref={box} id={list} role="listbox" aria-label="Commands" className="min-h-0 overflow-y-auto p-2">
        {found.map((command) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard acts in the field above
          // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field above
          <div
            key={command.id}
            id={`${list}-${command.id}`}
            role="option"
            aria-selected={command === chosen}
            onClick={() => run(command)}
            className={cx(
              "flex cursor-pointer items-center gap-3 rounded-md px-3 py-2 text-sm text-ink",
              command === chosen ? "bg-raised outline-1 outline-line-strong" : "hover:bg-raised",
            )}
          >
            <span className="min-w-0 flex-1 truncate">{command.label}</span>
            <span className="text-xs text-muted">{command.group}</span>
            {command.keys && <Kbd keys={command.keys} />}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="px-4 pb-4 text-sm text-muted">No command has that name.</p>}
    </div>
  );
}

/** Those that hold all words, the best first: a label that begins with them comes before one that only holds them. */
export function rank(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = commands.flatMap((command) => {
    const label = command.label.toLowerCase();
    const all = `${label} ${command.group.toLowerCase()} ${command.words?.toLowerCase() ?? ""}`;
    if (!words.every((word) => all.includes(word))) return [];
    const score = words.reduce(
      (sum, word) =>
        sum + (label.startsWith(word) ? 3 : label.includes(` ${word}`) ? 2 : label.includes(word) ? 1 : 0),
      0,
    );
    return [{ command, score }];
  });
  return scored.sort((a, b) => b.score - a.score).map(({ command }) => command);
}
