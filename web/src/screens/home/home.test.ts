import { Wrench } from "lucide-react";
import { describe, expect, it } from "vitest";
import type { AttentionView } from "@/api/generated";
import { asideKey, isAside, SNOOZES } from "@/app/aside";
import type { AnyEvent } from "@/live/event";
import type { LiveEpoch } from "@/live/state";
import { groupsOf, sharedActions } from "./groups";
import { headlineOf } from "./headlines";
import { lastDone, lastEnded } from "./last-done";
import { lookOf } from "./looks";
import { byStanding, census } from "./standing";
import { byUrgency } from "./urgency";

const epoch = (change: Partial<LiveEpoch>) =>
  ({ id: "e", sender: "nicolas", state: "committed", reply: "Yes.", abort: null, ...change }) as LiveEpoch;

describe("what an agent did last", () => {
  it("is the last exchange that ended, not the one that runs", () => {
    const ended = epoch({ id: "b" });
    expect(lastEnded([epoch({ id: "a" }), ended, epoch({ id: "c", state: "executing" })])).toBe(ended);
    expect(lastEnded([epoch({ state: "queued" })])).toBeUndefined();
  });

  it("is told with its words, or with why there were none", () => {
    expect(lastDone(epoch({ reply: "**Yes**, and by `09:50`.\n\n- a" }))).toBe(
      "answered nicolas: “Yes, and by 09:50. a”",
    );
    expect(lastDone(epoch({ reply: "" }))).toBe("answered nicolas without text");
    const abort = { code: "deadline", message: "no answer in time" } as LiveEpoch["abort"];
    expect(lastDone(epoch({ state: "aborted", abort }))).toBe(
      "ended without a reply to nicolas: “no answer in time”",
    );
  });
});

describe("the census", () => {
  it("counts who works, who waits, who is stalled", () => {
    const agent = (id: string, state: string, openEpoch: string | null) => ({ id, state, openEpoch });
    const agents = [
      agent("a", "busy", "1"),
      agent("b", "waiting_approval", "2"),
      agent("c", "busy", "3"),
      agent("d", "idle", null),
    ];
    expect(census(agents, new Set(["c"]))).toBe("3 of 4 working, 1 of them stalled, 1 waits for you");
    expect(census(agents, new Set())).toBe("3 of 4 working, 1 waits for you");
    expect(census([], new Set())).toBe("0 of 0 working");
  });
});

describe("what must be decided first", () => {
  it("is what ends by itself, then who stands still, then what can wait", () => {
    const matter = (kind: string, since: string) => ({ id: `${kind}${since}`, kind, since }) as AttentionView;
    const matters = [
      matter("identity", "1"),
      matter("stall", "3"),
      matter("something new", "0"),
      matter("approval", "4"),
      matter("approval", "2"),
      matter("ledger", "5"),
      matter("evolution", "1"),
      matter("tools", "6"),
      matter("sleep", "7"),
    ];
    expect(byUrgency(matters).map((one) => one.id)).toEqual([
      "ledger5",
      "approval2",
      "approval4",
      "stall3",
      "sleep7",
      "tools6",
      "evolution1",
      "identity1",
      "something new0",
    ]);
  });
});

describe("a kind of matters", () => {
  it("has a look and a word, and one that is not known has a plain one", () => {
    expect(lookOf("tools")).toEqual({ icon: Wrench, word: "tools", tone: "wait" });
    expect(lookOf("something_new")).toMatchObject({ word: "something new", tone: "plain" });
  });
});

describe("agents", () => {
  it("stand with those first who need a look, by names among equals", () => {
    const agent = (id: string, state: string, openEpoch: string | null = null) => ({
      id,
      name: id,
      state,
      openEpoch,
    });
    const agents = [
      agent("z", "idle"),
      agent("a", "idle"),
      agent("w", "busy", "1"),
      agent("p", "waiting_approval", "2"),
      agent("s", "busy", "3"),
      agent("t", "paused"),
    ];
    expect(byStanding(agents, new Set(["s"])).map((one) => one.id)).toEqual(["s", "t", "p", "w", "a", "z"]);
  });
});

describe("many matters", () => {
  const matter = (id: string, kind: string, citizen: string | null, labels: string[]) =>
    ({
      id,
      kind,
      citizen,
      since: "2026-01-01T00:00:00Z",
      actions: labels.map((label) => ({ label, method: label === "Show" ? "GET" : "POST", path: "/" })),
    }) as unknown as AttentionView;

  it("stand together by agent and cause", () => {
    const matters = [
      matter("1", "epoch_failed", "felix", []),
      matter("2", "epoch_failed", "iris", []),
      matter("3", "epoch_failed", "felix", []),
      matter("4", "clock", null, []),
    ];
    expect(groupsOf(matters).map((group) => group.matters.map((one) => one.id))).toEqual([
      ["1", "3"],
      ["2"],
      ["4"],
    ]);
  });

  it("have done to them at once what each of them offers, and no approval", () => {
    const failed = matter("1", "epoch_failed", "felix", ["Ask again", "Show"]);
    expect(sharedActions([failed, matter("2", "epoch_failed", "iris", ["Ask again"])])).toEqual([
      "Ask again",
    ]);
    const asked = matter("3", "approval", "felix", ["Approve", "Deny"]);
    expect(sharedActions([asked, asked])).toEqual(["Deny"]);
    expect(sharedActions([failed, asked])).toEqual([]);
    expect(sharedActions([])).toEqual([]);
  });

  it("are put aside until a time, or until they come up anew", () => {
    const one = { id: "budget:felix", since: "2026-01-01T00:00:00Z" };
    const now = Date.parse("2026-01-01T10:00:00Z");
    expect(isAside({}, one, now)).toBe(false);
    expect(isAside({ [asideKey(one)]: 0 }, one, now)).toBe(true);
    expect(isAside({ [asideKey(one)]: now + 1 }, one, now)).toBe(true);
    expect(isAside({ [asideKey(one)]: now }, one, now)).toBe(false);
    expect(isAside({ [asideKey(one)]: 0 }, { ...one, since: "2026-01-02T00:00:00Z" }, now)).toBe(false);
    for (const { until } of SNOOZES) expect(until(new Date(now))).toBeGreaterThan(now);
  });
});

describe("the feed", () => {
  const line = (kind: string, data: unknown) => ({ kind, data, entity: "@felix" }) as unknown as AnyEvent;

  it("tells what happened and leaves steps on the way out", () => {
    for (const kind of [
      "turn.started",
      "epoch.committed",
      "watchdog.scanned",
      "par.written",
      "agent.measured",
    ])
      expect(headlineOf(line(kind, {}))).toBeNull();
    expect(headlineOf(line("tool.finished", { outcome: "ok", duration_ms: 3 }))).toBeNull();
    expect(headlineOf(line("tool.finished", { outcome: "error", duration_ms: 3 }))).toBe(
      "failed with its tool after 3 ms",
    );
    expect(headlineOf(line("turn.failed", { code: "paged", message: "no recent activity" }))).toBe(
      "was paged, and is asked again",
    );
    expect(headlineOf(line("agent.registered", { role: "assistant" }))).toBe("is there: assistant");
  });

  it("counts tools, and says an answer without its marks", () => {
    const calls = ["a", "b", "a", "stdout"].map((name) => ({ name, arguments: {} }));
    expect(headlineOf(line("turn.completed", { voice: { tool_calls: calls } }))).toBe("uses a (2\u00d7), b");
    const command = [{ name: "stdout", arguments: {} }];
    expect(headlineOf(line("turn.completed", { voice: { tool_calls: command } }))).toBeNull();
    expect(headlineOf(line("turn.completed", { voice: { final_response: "**Yes.**" } }))).toBe(
      "answered: “Yes.”",
    );
  });
});
