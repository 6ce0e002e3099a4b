import { useQuery } from "@tanstack/react-query";
import { Shuffle } from "lucide-react";
import { useState } from "react";
import type { CardFactsView } from "@/api/generated";
import { Button, Dialog, LoadError, Loading, visibleLine } from "@/ui";
import { CardThumb } from "./card-text";
import { ManaCost } from "./mana-cost";
import { handQuery } from "./queries";

const MULLIGANS_MAX = 7;

/** A shuffled hand. Its seed gives the same cards again, here and anywhere. */
export function HandDialog({ deck, onClose }: { deck: string; onClose: () => void }) {
  const [drawn, setDrawn] = useState({ times: 0, mulligans: 0, seed: null as number | null });
  const asked = useQuery(handQuery(deck, drawn));
  const { data } = asked;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="A hand to try the deck with">
      <div className="flex min-h-60 flex-col gap-3 px-4 pb-4 text-sm">
        {asked.isPending && <Loading what="the hand" />}
        {asked.isError && <LoadError what="No hand could be drawn." error={asked.error} />}
        {data && (
          <>
            <Cards label="The hand" cards={data.hand} />
            <p className="text-[13px] text-muted">
              {data.to_bottom > 0 && `${data.to_bottom} of them go to the bottom. `}
              {data.library} cards are left; the next ones are{" "}
              {data.next
                .slice(0, 3)
                .map((card) => visibleLine(card.name))
                .join(", ") || "none"}
              . Seed {data.seed}.
            </p>
            <div className="mt-auto flex flex-wrap justify-end gap-2">
              <Button
                disabled={drawn.mulligans >= MULLIGANS_MAX}
                onClick={() => setDrawn({ ...drawn, mulligans: drawn.mulligans + 1, seed: data.seed })}
              >
                Mulligan
              </Button>
              <Button
                tone="primary"
                icon={<Shuffle aria-hidden className="size-4" />}
                onClick={() => setDrawn({ times: drawn.times + 1, mulligans: 0, seed: null })}
              >
                New hand
              </Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}

function Cards({ label, cards }: { label: string; cards: readonly CardFactsView[] }) {
  return (
    <ol aria-label={label} className="divide-y divide-line rounded-lg border border-line">
      {cards.map((card, at) => (
        <li key={at} className="flex items-center gap-3 px-2 py-1 text-ink">
          <CardThumb card={card} />
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {visibleLine(card.name)}
          </span>
          <ManaCost cost={card.mana_cost} />
        </li>
      ))}
    </ol>
  );
}
