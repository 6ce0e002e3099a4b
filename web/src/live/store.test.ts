// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LiveStore } from "./store";

let isHidden = false;

beforeEach(() => {
  vi.useFakeTimers();
  Object.defineProperty(document, "visibilityState", {
    get: () => (isHidden ? "hidden" : "visible"),
    configurable: true,
  });
});
afterEach(() => {
  isHidden = false;
  Reflect.deleteProperty(document, "visibilityState");
  vi.useRealTimers();
});

function attended() {
  const store = new LiveStore();
  vi.spyOn(store.stream, "start").mockReturnValue();
  const check = vi.spyOn(store.stream, "check").mockReturnValue();
  return { ended: store.attend(), check };
}

const hide = (to: boolean) => {
  isHidden = to;
  document.dispatchEvent(new Event("visibilitychange"));
};

it("takes a clock that stood for a sleep of the machine", () => {
  const { ended, check } = attended();
  vi.advanceTimersByTime(4_000);
  expect(check).not.toHaveBeenCalled();
  vi.setSystemTime(Date.now() + 60_000);
  vi.advanceTimersByTime(2_000);
  expect(check).toHaveBeenCalledWith(true);
  ended();
});

it("takes the seldom clock of a hidden tab for none", () => {
  const { ended, check } = attended();
  hide(true);
  // A hidden tab's timers are held back: its clock does not move.
  vi.setSystemTime(Date.now() + 50_000);
  hide(false);
  vi.advanceTimersByTime(4_000);
  expect(check).toHaveBeenCalledWith(false);
  expect(check).not.toHaveBeenCalledWith(true);
  ended();
});
