import { describe, expect, it } from "vitest";
import type { AgentView, HealthView, SnapshotView } from "@/api/generated";
import { checksOf, type Seen } from "./checks";

const well: Seen = {
  health: { status: "ok", stopping: false, uptime_s: 1, version: "1" } as HealthView,
  house: { status: "ok", seq: 7, attention: 0 } as SnapshotView,
  agents: [{ id: "felix", state: "idle" } as AgentView],
  phase: "live",
};
const worst = (seen: Partial<Seen>) =>
  checksOf({ ...well, ...seen })
    .filter((check) => check.verdict !== "ok")
    .map((check) => `${check.verdict} ${check.name}: ${check.detail}`);

describe("the doctor", () => {
  it("has nothing to say where all is well", () => {
    expect(worst({})).toEqual([]);
    expect(checksOf(well).map((check) => check.name)).toEqual([
      "stream",
      "keeper",
      "ledger",
      "matters",
      "agent felix",
    ]);
  });
  it("tells why something is not", () => {
    const health = { ...well.health, status: "degraded", reason: "the disk is full" } as HealthView;
    const house = { ...well.house, status: "poisoned", attention: 2 } as SnapshotView;
    const agents = [
      { id: "a", state: "paused", paused: "its budget is spent" },
      { id: "b", state: "unresponsive", process: { state: "unresponsive" } },
      { id: "c", state: "idle", process: { state: "waiting", message: "it ends again and again" } },
    ] as AgentView[];
    expect(worst({ health, house, agents, phase: "offline" })).toEqual([
      "warn stream: this page is offline",
      "warn keeper: the disk is full",
      "fail ledger: poisoned, 7 lines",
      "warn matters: 2 wait for a person",
      "warn agent a: its budget is spent",
      "fail agent b: its process is silent",
      "warn agent c: it ends again and again",
    ]);
  });
});
