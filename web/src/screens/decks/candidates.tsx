import { useQueryClient } from "@tanstack/react-query";
import type { DeckStateView } from "@/api/generated";
import { Button, visibleLine } from "@/ui";
import { edit } from "./acts";
import { refOf } from "./ops";

const SHOWN_MAX = 12;

/** Cards that could lead a deck which nobody leads. A person picks; nothing is picked for them. */
export function Candidates({ state }: { state: DeckStateView }) {
  const client = useQueryClient();
  const { commander_candidates: all } = state;
  if (state.commander.length > 0 || all.length === 0) return null;
  return (
    <section
      aria-label="Cards that could lead the deck"
      className="mt-3 rounded-xl border border-wait/50 bg-wait-soft px-3 py-2 text-sm text-ink"
    >
      <p>No card leads the deck. These could:</p>
      <p className="mt-2 flex flex-wrap gap-2">
        {all.slice(0, SHOWN_MAX).map((one) => (
          <Button
            key={one.oracle_id}
            size="s"
            onClick={() =>
              void edit(
                client,
                state.deck_id,
                [{ op: "set_commanders", cards: [refOf(one)] }],
                `${one.name} leads the deck`,
              )
            }
          >
            {visibleLine(one.name)}
          </Button>
        ))}
      </p>
      {all.length > SHOWN_MAX && (
        <p className="mt-1 text-[13px] text-muted">
          and {all.length - SHOWN_MAX} more; move any card to the commander's place.
        </p>
      )}
    </section>
  );
}
