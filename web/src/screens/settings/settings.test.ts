import { describe, expect, it } from "vitest";
import type { AgentView, HealthView, SnapshotView } from "@/api/generated";
import { checksOf, ircCommand, type Seen } from "./checks";

const well: Seen = {
  health: { status: "ok", stopping: false, uptime_s: 1, version: "1" } as HealthView,
  snapshot: { status: "ok", seq: 7, attention: 0 } as SnapshotView,
  agents: [{ id: "felix", state: "idle" } as AgentView],
  stalled: new Set(),
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
    const snapshot = { ...well.snapshot, status: "poisoned", attention: 2 } as SnapshotView;
    const agents = [
      { id: "a", state: "paused", paused: "its budget is spent" },
      { id: "b", state: "unresponsive", process: { state: "unresponsive" } },
      { id: "c", state: "idle", process: { state: "waiting", message: "it ends again and again" } },
      { id: "d", state: "busy" },
    ] as AgentView[];
    expect(worst({ health, snapshot, agents, stalled: new Set(["d"]), phase: "offline" })).toEqual([
      "warn stream: this page is offline",
      "warn keeper: the disk is full",
      "fail ledger: poisoned, 7 lines",
      "warn matters: 2 wait for a person",
      "warn agent a: its budget is spent",
      "fail agent b: its process is silent",
      "warn agent c: it ends again and again",
      "fail agent d: stalled, busy",
    ]);
  });
  it("tells how people reach agents, where that was set up", () => {
    const networks = [
      { name: "libera", agent: "felix", state: "online", detail: "felix" },
      { name: "oftc", agent: "felix", state: "down", detail: "no route" },
    ];
    const reached = (more: object) =>
      checksOf({ ...well, health: { ...well.health, ...more } as HealthView })
        .slice(5)
        .map((check) => `${check.verdict} ${check.name}: ${check.detail}`);
    expect(reached({ irc: { server: "127.0.0.1:6667", networks }, telegram: null })).toEqual([
      "ok irc: listens on 127.0.0.1:6667",
      "ok irc libera: felix is online: felix",
      "warn irc oftc: felix is down: no route",
    ]);
    expect(reached({ irc: { server: "down: taken", networks: [] } })).toEqual(["warn irc: down: taken"]);
    expect(reached({ irc: { server: "off", networks: [] } })).toEqual(["ok irc: off"]);
    expect(reached({ telegram: { state: "connecting" } })).toEqual(["warn telegram: connecting"]);
  });
  it("says how to come in by irc only where something listens, and never the token", () => {
    expect(ircCommand("127.0.0.1:6667")).toBe("/connect 127.0.0.1 6667 TOKEN YOUR-NAME");
    expect(ircCommand("[::1]:6697")).toContain("/connect ::1 6697 ");
    expect(ircCommand("0.0.0.0:6667")).toContain("/connect 127.0.0.1 ");
    for (const none of ["off", "down: 127.0.0.1:6667 is taken", undefined])
      expect(ircCommand(none)).toBeNull();
  });
});
