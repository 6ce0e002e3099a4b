import { describe, expect, it } from "vitest";
import type { AttentionView } from "@/api/generated";
import type { AnyEvent } from "@/live/event";
import type { LiveEpoch } from "@/live/state";
import { headlineOf } from "./headlines";
import { lastDone, lastEnded } from "./last-done";
import { census } from "./standing";
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
    ];
    expect(byUrgency(matters).map((one) => one.id)).toEqual([
      "ledger5",
      "approval2",
      "approval4",
      "stall3",
      "identity1",
      "something new0",
    ]);
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
