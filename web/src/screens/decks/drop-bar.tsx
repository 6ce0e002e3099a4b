import type { DeckZone } from "@/api/generated";
import { cx, visibleLine } from "@/ui";
import type { Carry } from "./carry";
import { zoneTitle } from "./zones";

/** Where a carried card can go, in reach however long the board is; and the card's name beside the pointer. */
export function DropBar({
  carried,
  places,
}: {
  carried: Extract<Carry, { phase: "carried" }>;
  places: readonly DeckZone[];
}) {
  return (
    <>
      <div
        data-testid="drop-bar"
        className="fixed inset-x-0 bottom-0 z-40 border-t border-line-strong bg-surface px-3 pt-2 pb-[calc(0.75rem+env(safe-area-inset-bottom))] shadow-2xl"
      >
        <p className="text-center text-[13px] text-muted">
          <span dir="auto" className="font-medium text-ink">
            {visibleLine(carried.card.name)}
          </span>{" "}
          {carried.by === "keys" ? "— arrows choose, Space drops, Esc puts it back" : "— drop it on a place"}
        </p>
        <ul className="mx-auto mt-2 flex max-w-3xl flex-wrap justify-center gap-2">
          {places.map((place) => (
            <li
              key={place}
              data-zone={place}
              data-over={carried.over === place || undefined}
              className={cx(
                "flex min-h-11 min-w-24 items-center justify-center rounded-lg border px-3 text-sm",
                carried.over === place
                  ? "border-accent bg-life-soft font-semibold text-ink outline-2 outline-accent"
                  : "border-line-strong text-muted",
              )}
            >
              {zoneTitle(place)}
              {place === carried.card.from && " (here)"}
            </li>
          ))}
        </ul>
      </div>
      {carried.by === "pointer" && (
        <div
          aria-hidden
          className="pointer-events-none fixed z-50 max-w-56 truncate rounded-md border border-accent bg-raised px-2 py-1 text-sm text-ink shadow-xl"
          style={{ left: carried.x + 12, top: carried.y + 12 }}
        >
          {visibleLine(carried.card.name)}
        </div>
      )}
    </>
  );
}
