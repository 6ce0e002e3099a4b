// Carrying cards with a real pointer and real keys: the machine of `carry.ts`, its timer, and what the page must not do meanwhile.
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { DeckZone } from "@/api/generated";
import { type Carried, type Carry, type CarryInput, carry, HOLD_MS } from "./carry";
import { ZONES } from "./zones";

export interface Carrying {
  state: Carry;
  /** Read aloud. */
  said: string;
  press: (
    card: Carried,
    event: { pointerType: string; clientX: number; clientY: number; button: number },
  ) => void;
  pick: (card: Carried) => void;
  step: (by: 1 | -1) => void;
  drop: () => void;
  cancel: () => void;
  /** Whether the press that ends now carried something: then it is no click. */
  endedCarry: () => boolean;
}

export function useCarry(
  board: RefObject<HTMLElement | null>,
  places: readonly DeckZone[],
  onDrop: (key: string, to: DeckZone, by: "pointer" | "keys") => void,
): Carrying {
  const [state, setState] = useState<Carry>({ phase: "idle" });
  const [said, setSaid] = useState("");
  const now = useRef(state);
  const newest = useRef({ places, onDrop });
  newest.current = { places, onDrop };
  const carried = useRef(false);
  const send = useCallback((input: CarryInput) => {
    const before = now.current;
    const { next, say, drop } = carry(before, input, newest.current.places);
    if (next === before) return;
    now.current = next;
    setState(next);
    if (say) setSaid(say);
    if (before.phase === "carried" && before.by === "pointer" && next.phase === "idle")
      carried.current = true;
    if (drop && before.phase === "carried") newest.current.onDrop(drop.key, drop.to, before.by);
  }, []);
  useHold(state, send);
  useWindow(state, send);
  useNoScroll(board, now, send);
  return {
    state,
    said,
    press: (card, event) => {
      carried.current = false;
      if (event.button !== 0) return;
      const pointer = event.pointerType === "mouse" ? "mouse" : "touch";
      send({ type: "press", card, pointer, x: event.clientX, y: event.clientY });
    },
    pick: (card) => send({ type: "pick", card }),
    step: (by) => send({ type: "step", by }),
    drop: () => send({ type: "drop" }),
    cancel: () => send({ type: "cancel" }),
    endedCarry: () => carried.current,
  };
}

type Send = (input: CarryInput) => void;

function useHold(state: Carry, send: Send): void {
  const waits = state.phase === "pressed" && state.pointer === "touch";
  useEffect(() => {
    if (!waits) return;
    const timer = setTimeout(() => send({ type: "held" }), HOLD_MS);
    return () => clearTimeout(timer);
  }, [waits, send]);
}

function useWindow(state: Carry, send: Send): void {
  const isHeld = state.phase === "pressed" || (state.phase === "carried" && state.by === "pointer");
  useEffect(() => {
    if (!isHeld) return;
    const onMove = (event: PointerEvent) =>
      send({ type: "point", x: event.clientX, y: event.clientY, over: zoneAt(event.clientX, event.clientY) });
    const onUp = () => send({ type: "release" });
    const onCancel = () => send({ type: "cancel" });
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      send({ type: "cancel" });
    };
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onUp);
    window.addEventListener("pointercancel", onCancel);
    window.addEventListener("blur", onCancel);
    window.addEventListener("keydown", onKey, true);
    return () => {
      window.removeEventListener("pointermove", onMove);
      window.removeEventListener("pointerup", onUp);
      window.removeEventListener("pointercancel", onCancel);
      window.removeEventListener("blur", onCancel);
      window.removeEventListener("keydown", onKey, true);
    };
  }, [isHeld, send]);
}

/** While a finger carries, its moving scrolls nothing and its resting opens no menu of the browser. */
function useNoScroll(board: RefObject<HTMLElement | null>, now: RefObject<Carry>, send: Send): void {
  useEffect(() => {
    const element = board.current;
    if (!element) return;
    // A finger that stops what glides is the browser's until it is lifted: what it carried would be lost as soon as it moves.
    const onStart = (event: TouchEvent) => {
      if (!event.cancelable && now.current.phase === "pressed") send({ type: "cancel" });
    };
    const onTouch = (event: TouchEvent) => {
      if (now.current.phase === "carried" && event.cancelable) event.preventDefault();
    };
    const onMenu = (event: Event) => {
      const { phase } = now.current;
      if (phase === "carried" || (phase === "pressed" && now.current.pointer === "touch"))
        event.preventDefault();
    };
    element.addEventListener("touchstart", onStart, { passive: false });
    element.addEventListener("touchmove", onTouch, { passive: false });
    element.addEventListener("contextmenu", onMenu);
    return () => {
      element.removeEventListener("touchstart", onStart);
      element.removeEventListener("touchmove", onTouch);
      element.removeEventListener("contextmenu", onMenu);
    };
  }, [board, now, send]);
}

function zoneAt(x: number, y: number): DeckZone | null {
  const zone = document.elementFromPoint(x, y)?.closest("[data-zone]")?.getAttribute("data-zone");
  return ZONES.find((one) => one === zone) ?? null;
}
