const MAC = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A key, or keys after one another: `mod+k`, `g h`. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="inline-flex gap-1">
      {keys.split(" ").map((one) => (
        <kbd
          key={one}
          className="rounded border border-line-strong bg-raised px-1.5 py-px font-mono text-[11px] text-muted"
        >
          {one
            .split("+")
            .map((part) => shown(part))
            .join(MAC ? "" : "+")}
        </kbd>
      ))}
    </span>
  );
}

function shown(part: string): string {
  if (part === "mod") return MAC ? "⌘" : "Ctrl";
  if (part === "escape") return "Esc";
  if (part === "enter") return "Enter";
  if (part === "shift") return "Shift";
  return part.length === 1 ? part.toUpperCase() : part;
}
