import { expect, it } from "vitest";
import type { AnyEvent } from "@/live/event";
import { depthOf, grouped, toneOf } from "./grouping";
import { line } from "./ledger.fixture";
import { type Moment, seek, targetOf } from "./seek";

const of = (seq: number, kind: string, data: unknown = {}) =>
  line(seq, { kind, data, epoch: "e1" } as Partial<AnyEvent>);

const EPOCH = [
  of(1, "stimulus.accepted"),
  of(2, "epoch.opened"),
  of(3, "context.assembled"),
  of(4, "turn.started", { turn: 1, attempt: 1 }),
  of(5, "turn.failed", { turn: 1, attempt: 1 }),
  of(6, "turn.started", { turn: 1, attempt: 2 }),
  of(7, "turn.completed", { turn: 1 }),
  of(8, "tool.requested"),
  of(9, "tool.finished", { outcome: "error" }),
  of(10, "turn.started", { turn: 2, attempt: 1 }),
  of(11, "turn.completed", { turn: 2 }),
  of(12, "epoch.committed"),
  of(13, "memory.fact_remembered"),
];

it("an epoch has a beginning, its turns and an end", () => {
  expect(grouped(EPOCH).map(({ title, events }) => [title, events.map((event) => event.seq)])).toEqual([
    ["How it began", [1, 2, 3]],
    ["Turn 1", [4, 5, 6, 7, 8, 9]],
    ["Turn 2", [10, 11]],
    ["How it ended", [12, 13]],
  ]);
  expect(grouped([])).toEqual([]);
});

it("lines stand as deep as they belong, lines of no epoch at the side", () => {
  expect(EPOCH.map(depthOf)).toEqual([0, 0, 1, 1, 1, 1, 1, 2, 2, 1, 1, 0, 2]);
  expect(depthOf(line(1, { kind: "tool.finished" } as Partial<AnyEvent>))).toBe(0);
});

it("what went wrong looks so", () => {
  expect(EPOCH.map(toneOf)).toEqual([
    ...["plain", "plain", "plain", "plain", "fail", "plain", "plain", "plain", "fail", "plain", "plain"],
    ...["life", "thought"],
  ]);
});

it("reads a place as it is written", () => {
  const now = new Date("2026-01-31T12:00:00");
  expect(targetOf("#120", now)).toEqual({ seq: 120 });
  expect(targetOf("120", now)).toEqual({ seq: 120 });
  expect(targetOf("t 42", now)).toEqual({ tick: 42 });
  expect(targetOf("15:30", now)).toEqual({ time: new Date("2026-01-31T15:30:00").getTime() });
  expect(targetOf("2026-01-30 08:00", now)).toEqual({ time: new Date("2026-01-30T08:00").getTime() });
  for (const wrong of ["", "yesterday", "25:00", "t", "-3"]) expect(targetOf(wrong, now)).toBeNull();
});

it("finds a tick or a time with few looks", async () => {
  let looks = 0;
  const look = async (seq: number): Promise<Moment | null> => {
    looks += 1;
    return seq % 97 === 0 ? null : line(seq);
  };
  expect(await seek({ tick: 500 }, 1_000_000, look)).toBe(5_000);
  expect(looks).toBeLessThanOrEqual(20);
  expect(await seek({ time: 7_000 }, 1_000_000, look)).toBe(7);
  expect(await seek({ tick: 9_999_999 }, 1_000, look)).toBe(1_000);
  expect(await seek({ seq: 0 }, 1_000, look)).toBe(1);
  expect(await seek({ seq: 5_000 }, 1_000, look)).toBe(1_000);
});
