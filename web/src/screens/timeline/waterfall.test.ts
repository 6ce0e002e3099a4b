import { describe, expect, it } from "vitest";
import type { AnyEvent } from "@/live/event";
import type { LiveEpoch } from "@/live/state";
import { isOfOutcome, rowsOfEpochs } from "./epoch-rows";
import { folded } from "./gap-row";
import { rowsOf } from "./search";
import { spansInWords, waterfallOf } from "./waterfall";

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
const line = (seq: number, ms: number, kind: string, data: unknown = {}) =>
  ({ seq, timestamp: at(ms), kind, data, entity: "@felix", epoch: "e" }) as unknown as AnyEvent;
const NOW = Date.UTC(2026, 0, 1) + 10_000;

const LINES = [
  line(1, 0, "stimulus.accepted"),
  line(2, 100, "epoch.opened"),
  line(3, 250, "context.assembled"),
  line(4, 250, "turn.started", { turn: 1, attempt: 1 }),
  line(5, 900, "turn.failed", { turn: 1, attempt: 1 }),
  line(6, 1000, "turn.started", { turn: 1, attempt: 2 }),
  line(7, 2000, "turn.completed", { turn: 1 }),
  line(8, 2000, "approval.requested", { approval_id: "a", call_id: "1" }),
  line(9, 5000, "approval.decided", { approval_id: "a", decision: "approve" }),
  line(10, 5000, "tool.requested", { call_id: "1", name: "clock.now" }),
  line(11, 5400, "tool.finished", { call_id: "1", outcome: "error" }),
];

describe("a waterfall", () => {
  it("has a span for all that took time, with its beginning and its end", () => {
    const { spans, totalMs } = waterfallOf([...LINES, line(12, 6000, "epoch.committed")], NOW);
    expect(spans.map(({ label, start, end, isFailed }) => [label, start, end, isFailed])).toEqual([
      ["in the queue", 0, 100, false],
      ["reads its memory", 100, 250, false],
      ["turn 1", 250, 900, true],
      ["turn 1, attempt 2", 1000, 2000, false],
      ["waits for a person", 2000, 5000, false],
      ["clock.now", 5000, 5400, true],
    ]);
    expect(totalMs).toBe(6000);
    expect(spans.some((span) => span.isOpen)).toBe(false);
    expect(spansInWords(spans)).toBe("2 turns, 1 tool, 1 wait");
  });

  it("of what still runs ends at the present", () => {
    const { spans, totalMs } = waterfallOf(LINES.slice(0, 4), NOW);
    expect(spans.at(-1)).toMatchObject({ label: "turn 1", start: 250, end: 10_000, isOpen: true });
    expect(totalMs).toBe(10_000);
  });

  it("of what ended ends there, though its last line was not read", () => {
    const { spans, totalMs } = waterfallOf(LINES.slice(0, 4), NOW - 4_000, true);
    expect(spans.at(-1)).toMatchObject({ label: "turn 1", end: 6_000, isOpen: false });
    expect(totalMs).toBe(6_000);
  });

  it("of an attempt that a restart cut says that it failed", () => {
    const cut = [...LINES.slice(0, 4), line(5, 3000, "turn.started", { turn: 1, attempt: 2 })];
    expect(waterfallOf(cut, NOW).spans.at(-2)).toMatchObject({ end: 3000, isFailed: true, isOpen: false });
  });

  it("of nothing is empty, and a clock that went back breaks nothing", () => {
    expect(waterfallOf([], NOW)).toEqual({ spans: [], totalMs: 0 });
    expect(spansInWords([])).toBe("no turn");
    const back = [line(1, 500, "epoch.opened"), line(2, 0, "context.assembled"), line(3, 0, "epoch.aborted")];
    const { spans, totalMs } = waterfallOf(back, NOW);
    expect(spans.every((span) => span.end >= span.start)).toBe(true);
    expect(totalMs).toBeGreaterThan(0);
  });
});

describe("the rows", () => {
  const epoch = (id: string, firstSeq: number, lastSeq: number, state = "committed") =>
    ({ id, firstSeq, lastSeq, state }) as LiveEpoch;
  const told = (epochs: LiveEpoch[], head: number, isWhole: boolean) =>
    rowsOfEpochs(epochs, head, isWhole).map((row) =>
      "epoch" in row ? row.epoch.id : `${row.gap.first}-${row.gap.last}`,
    );

  it("are the epochs, the newest first, and what lies between them", () => {
    const epochs = [epoch("b", 12, 20), epoch("a", 4, 9), epoch("c", 15, 18)];
    expect(told(epochs, 25, true)).toEqual(["21-25", "c", "b", "10-11", "a", "1-3"]);
    // What lies before the oldest is not told where older ones may be.
    expect(told(epochs, 20, false)).toEqual(["c", "b", "10-11", "a"]);
    expect(told([], 3, true)).toEqual(["1-3"]);
    expect(told([], 3, false)).toEqual([]);
  });

  it("keep the name of what lies between them while it moves", () => {
    const gaps = (epochs: LiveEpoch[], head: number) =>
      rowsOfEpochs(epochs, head, true).flatMap((row) => ("gap" in row ? [row.gap] : []));
    // The epoch has a line more, and another one begins.
    expect(gaps([epoch("a", 4, 9)], 12)[0]).toEqual({ after: "a", first: 10, last: 12 });
    expect(gaps([epoch("a", 4, 10)], 12)[0]).toEqual({ after: "a", first: 11, last: 12 });
    expect(gaps([epoch("a", 4, 10), epoch("b", 14, 15)], 15)[0]).toEqual({ after: "a", first: 11, last: 13 });
    expect(gaps([epoch("a", 4, 9)], 12)[1]).toEqual({ after: "", first: 1, last: 3 });
  });

  it("are chosen by their end", () => {
    const all = ["committed", "aborted", "queued", "executing"].map((state) => epoch(state, 1, 1, state));
    const of = (outcome: "all" | "open" | "failed") =>
      all.filter((one) => isOfOutcome(one, outcome)).map((one) => one.id);
    expect(of("failed")).toEqual(["aborted"]);
    expect(of("open")).toEqual(["queued", "executing"]);
    expect(of("all")).toHaveLength(4);
  });

  it("fold scans that found nothing, and no others", () => {
    const scan = (seq: number, paged: string[] = []) =>
      line(seq, seq, "watchdog.scanned", { paged, escalated: [] });
    const rows = folded([scan(1), scan(2), line(3, 3, "agent.ready"), scan(4), scan(5, ["felix"])]);
    expect(rows.map((one) => ("scans" in one ? `${one.scans} scans` : one.seq))).toEqual([
      "2 scans",
      3,
      "1 scans",
      5,
    ]);
  });

  it("are events where an address asks for what only events have", () => {
    expect(rowsOf({})).toBe("epochs");
    expect(rowsOf({ agent: "felix" })).toBe("epochs");
    for (const search of [{ seq: 3 }, { kind: "epoch.*" }, { q: "heron" }, { rows: "lines" as const }])
      expect(rowsOf(search)).toBe("lines");
    expect(rowsOf({ seq: 3, rows: "epochs" })).toBe("epochs");
  });
});
