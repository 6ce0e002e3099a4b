// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { standForTelling, tellsHere } from "./notices";

/** Locks of a browser: one holds, the others wait for their turn. */
class Locks {
  readonly #waiting: (() => Promise<void>)[] = [];
  #isHeld = false;

  request(_: string, { signal }: { signal: AbortSignal }, hold: () => Promise<void>): Promise<void> {
    return new Promise((done, fail) => {
      const turn = () => hold().then(done);
      signal.addEventListener("abort", () => {
        const at = this.#waiting.indexOf(turn);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        fail(new DOMException("given up", "AbortError"));
      });
      this.#waiting.push(turn);
      this.#next();
    });
  }

  #next(): void {
    const turn = this.#isHeld ? undefined : this.#waiting.shift();
    if (!turn) return;
    this.#isHeld = true;
    void turn().then(() => {
      this.#isHeld = false;
      this.#next();
    });
  }
}

const elsewhere = () => window.dispatchEvent(new StorageEvent("storage", { key: "abide.notices" }));
const settled = () => new Promise((done) => setTimeout(done));

beforeEach(() => {
  vi.stubGlobal("Notification", { permission: "granted" });
  vi.stubGlobal("isSecureContext", true);
  localStorage.setItem("abide.notices", "on");
});
afterEach(() => {
  Reflect.deleteProperty(navigator, "locks");
  vi.unstubAllGlobals();
});
const setLocks = (value: unknown) => Object.defineProperty(navigator, "locks", { value, configurable: true });

it("one tab tells, the next one after it, and none that gave up", async () => {
  const locks = new Locks();
  setLocks(locks);
  const other = new AbortController();
  let close = () => {};
  void locks.request("", { signal: other.signal }, () => new Promise((done) => (close = done)));
  const turn = vi.fn();
  const stepDown = standForTelling(turn);
  elsewhere();
  expect([tellsHere(), turn.mock.calls.length]).toEqual([false, 0]);
  close();
  await settled();
  expect([tellsHere(), turn.mock.calls.length]).toEqual([true, 1]);
  // Turned on or off in another tab.
  elsewhere();
  expect(turn).toHaveBeenCalledTimes(2);
  localStorage.setItem("abide.notices", "off");
  expect(tellsHere()).toBe(false);
  localStorage.setItem("abide.notices", "on");
  stepDown();
  expect(tellsHere()).toBe(false);
  elsewhere();
  expect(turn).toHaveBeenCalledTimes(2);
  // It was released: the next has its turn at once.
  await settled();
  const after = standForTelling(turn);
  expect(tellsHere()).toBe(true);
  after();
});

it("who gives up before its turn never has it", async () => {
  const locks = new Locks();
  setLocks(locks);
  let close = () => {};
  void locks.request("", new AbortController(), () => new Promise((done) => (close = done)));
  const turn = vi.fn();
  standForTelling(turn)();
  close();
  await settled();
  expect([tellsHere(), turn.mock.calls.length]).toEqual([false, 0]);
});

it("each tab tells for itself where a browser has no locks", () => {
  setLocks(undefined);
  const stepDown = standForTelling(() => {});
  expect(tellsHere()).toBe(true);
  stepDown();
  expect(tellsHere()).toBe(false);
});
