import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ledgerOf, line, range } from "./ledger.fixture";
import { CHARS_KEPT, LOOSE_KEPT, PAGE, PAGES_KEPT, Pages, pageOf } from "./pages";
import type { Read } from "./source";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(200);

it("reads the pages that are looked at, once, and no other", async () => {
  const { read, asked } = ledgerOf();
  const pages = new Pages(read);
  pages.look(range(PAGE - 1, PAGE + 2), 10_000);
  expect(pages.at(PAGE)).toBeUndefined();
  await settle();
  expect(asked).toEqual([
    { after: 0, through: PAGE },
    { after: PAGE, through: 2 * PAGE },
  ]);
  expect(pages.at(PAGE)?.seq).toBe(PAGE);
  expect(pages.at(PAGE + 1)?.seq).toBe(PAGE + 1);
  pages.look(range(PAGE, PAGE + 3), 10_000);
  await settle();
  expect(asked).toHaveLength(2);
});

it("does not read what is flown over", async () => {
  const { read, asked } = ledgerOf();
  const pages = new Pages(read);
  for (let at = 1; at < 1_000_000; at += 10_000) pages.look(range(at, at + 30), 1_000_000);
  await settle();
  expect(asked.every(({ after }) => after > 980_000)).toBe(true);
});

it("reads what is scrolled through steadily, without a rest", async () => {
  const { read } = ledgerOf();
  const pages = new Pages(read);
  for (let at = 1; at < 4 * PAGE; at += 20) {
    pages.look(range(at, at + 60), 10_000);
    await vi.advanceTimersByTimeAsync(30);
  }
  expect(pages.at(2 * PAGE)?.seq).toBe(2 * PAGE);
  expect(pages.at(3 * PAGE)?.seq).toBe(3 * PAGE);
});

it("holds a bounded number of events, however far one scrolls", async () => {
  const { read } = ledgerOf();
  const pages = new Pages(read);
  for (let at = 1; at < 20_000; at += PAGE) {
    pages.look(range(at, at + 30), 20_000);
    await settle();
    expect(pages.at(at)?.seq).toBe(at);
    expect(pages.held).toBeLessThanOrEqual((PAGES_KEPT + 2) * PAGE);
  }
  expect(pages.at(1)).toBeUndefined();
  pages.look([1], 20_000);
  await settle();
  expect(pages.at(1)?.seq).toBe(1);
});

it("holds a bounded number of characters", async () => {
  const text = "x".repeat(CHARS_KEPT / PAGE / 2);
  const { read } = ledgerOf((seq) => line(seq, { data: { content: text } } as never));
  const pages = new Pages(read);
  for (let page = 0; page < 6; page += 1) {
    pages.look([page * PAGE + 1], 10_000);
    await settle();
  }
  expect(pages.held).toBeLessThanOrEqual(2 * PAGE);
  expect(pages.at(5 * PAGE + 1)?.seq).toBe(5 * PAGE + 1);
});

it("keeps a bounded number of single events, the newest", () => {
  const pages = new Pages(ledgerOf().read);
  pages.put(range(1, LOOSE_KEPT + 500).map((seq) => line(seq)));
  expect(pages.held).toBe(LOOSE_KEPT);
  expect(pages.at(1)).toBeUndefined();
  expect(pages.at(LOOSE_KEPT + 500)?.seq).toBe(LOOSE_KEPT + 500);
});

it("reads only the rest of a page that has grown", async () => {
  const { read, asked } = ledgerOf();
  const pages = new Pages(read);
  pages.look([1, 2], 10);
  await settle();
  pages.look([9, 10, 11, 12], 12);
  await settle();
  expect(asked).toEqual([
    { after: 0, through: 10 },
    { after: 10, through: 12 },
  ]);
  expect(pages.at(12)?.seq).toBe(12);
});

it("tells an unknown kind from one that is not read", async () => {
  const pages = new Pages(ledgerOf((seq) => (seq === 5 ? null : line(seq))).read);
  expect(pages.at(5)).toBeUndefined();
  pages.look([5], 10);
  await settle();
  expect(pages.at(5)).toBeNull();
});

it("stops at a failure and goes on when it is told to", async () => {
  const { read } = ledgerOf();
  let isBroken = true;
  const asked = vi.fn<Read>((query) => (isBroken ? Promise.reject(new Error("away")) : read(query)));
  const pages = new Pages(asked);
  pages.look([1], 10);
  await settle();
  expect(pages.error).toEqual(new Error("away"));
  pages.look([2], 10);
  await settle();
  expect(asked).toHaveBeenCalledTimes(1);
  isBroken = false;
  pages.retry();
  await settle();
  expect(pages.at(2)?.seq).toBe(2);
  expect(pages.error).toBeNull();
});

it("forgets a ledger that another one took the place of", async () => {
  const pages = new Pages(ledgerOf().read);
  pages.look([90], 100);
  await settle();
  expect(pages.at(90)?.seq).toBe(90);
  pages.look([], 20);
  expect(pages.at(90)).toBeUndefined();
  expect(pageOf(90)).toBe(0);
});
