// The card that a pointer or the focus rests on, beside it. Escape puts it away; a pointer may move onto it.
import { useEffect } from "react";
import type { CardFactsView } from "@/api/generated";
import { CardFront } from "./card-text";
import { type Box, placeBeside } from "./place";

export const PREVIEW_ID = "card-preview";
const SIZE = { width: 244, height: 340 };

export interface Previewed {
  /** What it is shown beside. */
  id: string;
  card: CardFactsView;
  anchor: Box;
}

export function CardPreview({
  shown,
  onEnter,
  onLeave,
  onClose,
}: {
  shown: Previewed | null;
  onEnter: () => void;
  onLeave: () => void;
  onClose: () => void;
}) {
  useEffect(() => {
    if (!shown) return;
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && onClose();
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [shown, onClose]);
  if (!shown) return null;
  const at = placeBeside(shown.anchor, SIZE, { width: window.innerWidth, height: window.innerHeight });
  return (
    <div
      id={PREVIEW_ID}
      role="tooltip"
      className="fixed z-30 shadow-2xl"
      style={{ left: at.left, top: at.top, width: SIZE.width }}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
    >
      <CardFront key={shown.card.oracle_id} card={shown.card} />
    </div>
  );
}
