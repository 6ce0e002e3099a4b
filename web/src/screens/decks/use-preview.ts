import { useCallback, useEffect, useRef, useState } from "react";
import type { CardFactsView } from "@/api/generated";
import type { Previewed } from "./preview";

/** A pointer that passes over cards shows none of them. */
const REST_MS = 180;
/** The way from the card to its picture takes so long. */
const LEAVE_MS = 160;

/** Which card is shown beside the board. A finger shows none: it opens the card instead. */
export function usePreview() {
  const [shown, setShown] = useState<Previewed | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const after = useCallback((ms: number, next: () => void) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(next, ms);
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);
  const close = useCallback(() => {
    clearTimeout(timer.current);
    setShown(null);
  }, []);
  const show = useCallback(
    (id: string, card: CardFactsView, element: HTMLElement) =>
      after(REST_MS, () => {
        if (element.isConnected) setShown({ id, card, anchor: element.getBoundingClientRect() });
      }),
    [after],
  );
  const leave = useCallback(() => after(LEAVE_MS, () => setShown(null)), [after]);
  const stay = useCallback(() => clearTimeout(timer.current), []);
  return { shown, show, leave, stay, close };
}
