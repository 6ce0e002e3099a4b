import { describe, expect, it } from "vitest";
import type { AgentView } from "@/api/generated";
import type { AnyEvent } from "@/live/event";
import { RECENT_KEPT } from "@/live/state";
import { phraseOf } from "@/live/words";
import { pointsOf } from "./detail";
import { evidenceOf, STRETCH_MS } from "./evidence";
import { newer } from "./trail";
import { measured, measures } from "./words";

const line = (seq: number, kind = "agent.measured", data: unknown = { run: "r", metrics: { rss: seq } }) =>
  ({
    seq,
    kind,
    data,
    tick: 0,
    v: 1,
    entity: "@felix",
    author: "@felix",
    timestamp: `2026-01-01T00:00:${String(seq % 60).padStart(2, "0")}Z`,
  }) as unknown as AnyEvent;

describe("the trail", () => {
  it("takes what is new once", () => {
    const state = { recent: [line(4), line(5), line(6)], seq: 6 };
    expect(newer(4, state).fresh.map((one) => one.seq)).toEqual([5, 6]);
    expect(newer(6, state)).toEqual({ fresh: [], hole: null, cursor: 6 });
  });
  it("sees that more came at once than the page keeps", () => {
    const recent = Array.from({ length: RECENT_KEPT }, (_, at) => line(100 + at));
    expect(newer(50, { recent, seq: 159 }).hole).toEqual({ after: 50, through: 99 });
    expect(newer(99, { recent, seq: 159 }).hole).toBeNull();
  });
});

describe("checkpoints", () => {
  it("are those that were seen and the newest, each once", () => {
    const made = (seq: number, id: string) =>
      line(seq, "agent.checkpointed", { checkpoint_id: id, bytes: 9, wal_sequence: seq, sha256: "" });
    const checkpoint = { id: "b", bytes: 9, wal_sequence: 2, created_at: "2026-01-01T00:00:02Z" };
    const agent = { id: "felix", process: { checkpoint } } as unknown as AgentView;
    const elsewhere = { ...made(9, "z"), entity: "@iris" } as AnyEvent;
    expect(pointsOf(agent, [made(1, "a"), elsewhere]).map((one) => one.id)).toEqual(["b", "a"]);
    expect(pointsOf(agent, [made(1, "a"), made(2, "b")]).map((one) => one.id)).toEqual(["b", "a"]);
  });
});

describe("words", () => {
  it("say why a run began and ended", () => {
    const started = line(1, "agent.started", { run: "r1", pid: 7, cause: "restart", failures: 2 });
    expect(phraseOf(started)).toBe(
      "began run r1, process 7: the last run had ended, after 2 unexpected exits",
    );
    const exited = line(2, "agent.exited", {
      run: "r1",
      reason: "signalled",
      message: "signal 9",
      uptime_ms: 1500,
    });
    expect(phraseOf(exited)).toBe("ended its process after 1.5 s: “signal 9”");
  });
  it("gather measures by name", () => {
    expect([...measures([line(1), line(2), line(3, "agent.resumed", { message: "" })])]).toEqual([
      ["rss", [1, 2]],
    ]);
  });
});

describe("evidence lately", () => {
  const NOW = Date.parse("2026-01-01T12:00:00Z");
  const at = (minutes: number, kind = "tool.finished", entity = "@felix") =>
    ({
      seq: 1,
      kind,
      entity,
      timestamp: new Date(NOW - minutes * 60_000).toISOString(),
    }) as unknown as AnyEvent;

  it("is counted in stretches of the last two hours, of one agent", () => {
    const events = [
      at(500),
      at(119),
      at(60, "turn.completed"),
      at(60, "turn.started"),
      at(1, "tool.finished", "@iris"),
      at(0),
    ];
    const found = evidenceOf({ events, from: 0 }, "felix", NOW);
    expect(found?.stretchMs).toBe(STRETCH_MS);
    expect(found?.counts).toHaveLength(24);
    expect([found?.counts[0], found?.counts[12], found?.counts[23]]).toEqual([1, 1, 1]);
    expect(found?.counts.reduce((sum, one) => sum + one, 0)).toBe(3);
  });

  it("makes no silence of lines that were not read", () => {
    const found = evidenceOf({ events: [at(30), at(1)], from: 900 }, "felix", NOW);
    expect(found?.stretchMs).toBe(30 * 60_000);
    expect(evidenceOf({ events: [at(2)], from: 900 }, "felix", NOW)).toBeNull();
    expect(evidenceOf({ events: [], from: 900 }, "felix", NOW)).toBeNull();
    expect(evidenceOf({ events: [], from: 0 }, "felix", NOW)?.counts.every((one) => one === 0)).toBe(true);
  });
});

describe("what an agent measured", () => {
  it("has the unit that its name tells", () => {
    expect(measured("p99_latency", 5787)).toBe("5.8 s");
    expect(measured("memory_usage", 29_716_480)).toBe("28.3 MB");
    expect(measured("throughput", 0.4)).toBe("0.4");
  });
});
