import { describe, expect, it } from "vitest";
import type { AgentView, ApprovalView, AttentionView, EpochView, SnapshotView } from "@/api/generated";
import { type AnyEvent, decodeEvent } from "./event";
import { type Action, reduce } from "./reduce";
import { EMPTY, EPOCHS_KEPT, isOpen, type LiveEpoch, type LiveState, RECENT_KEPT } from "./state";
import { agentWithProfile, epochFromView } from "./views";

/** What a page that was opened at `before` was sent, and what the keeper said at the end. */
interface Fixture {
  before: SnapshotView;
  events: unknown[];
  after: SnapshotView;
  epochs: EpochView[];
  agents: AgentView[];
  approvals: ApprovalView[];
  attention: AttentionView[];
}

const files = import.meta.glob<Fixture>("../../tests/fixtures/*.json", { eager: true, import: "default" });
const fixtures = Object.fromEntries(
  Object.entries(files).map(([path, fixture]) => [path.replace(/^.*\/(.*)\.json$/, "$1"), fixture]),
);
const names = Object.keys(fixtures);

function load(name: string): Fixture {
  const fixture = fixtures[name];
  if (!fixture) throw new Error(`there is no fixture ${name}`);
  return fixture;
}

function decoded(fixture: Fixture): AnyEvent[] {
  return fixture.events.map((line) => {
    const event = decodeEvent(JSON.stringify(line));
    if (!event) throw new Error(`not known: ${JSON.stringify(line)}`);
    return event;
  });
}

function fold(state: LiveState, actions: Action[]): LiveState {
  return actions.reduce(reduce, state);
}

function opened(fixture: Fixture): LiveState {
  return fold(EMPTY, [
    { type: "snapshot", snapshot: fixture.before, day: "2026-01-01" },
    { type: "agents", views: fixture.agents },
  ]);
}

const asActions = (events: AnyEvent[]): Action[] => events.map((event) => ({ type: "event", event }));

/** What a read of an epoch tells; the rest only the stream knows. */
function told(epoch: LiveEpoch) {
  const {
    id,
    agent,
    session,
    sender,
    channel,
    content,
    state,
    reply,
    emotive,
    abort,
    inputTokens,
    outputTokens,
  } = epoch;
  const turns = epoch.turns.map((turn) => ({
    turn: turn.turn,
    emotive: turn.emotive,
    thought: turn.thought,
    calls: turn.calls.map(({ startedAt: _, approvalId: __, ...call }) => call),
  }));
  const { firstSeq, lastSeq, costMicrousd } = epoch;
  return {
    id,
    agent,
    session,
    sender,
    channel,
    content,
    state,
    reply,
    emotive,
    abort,
    inputTokens,
    outputTokens,
    costMicrousd,
    turns,
    firstSeq,
    lastSeq,
  };
}

describe("the fold of real epochs", () => {
  it("has fixtures", () => expect(names.length).toBeGreaterThanOrEqual(5));

  it.each(names)("shows %s as the keeper shows it", (name) => {
    const fixture = load(name);
    const state = fold(opened(fixture), asActions(decoded(fixture)));
    expect(state.seq).toBe(fixture.after.seq);
    for (const view of fixture.epochs) {
      const live = state.epochs[view.epoch_id];
      expect(live && told(live)).toEqual(told(epochFromView(view)));
    }
    for (const live of fixture.after.agents) {
      const agent = state.agents[live.id];
      expect(agent).toMatchObject({ state: live.state, openEpoch: live.epoch_id, queue: live.queue });
      expect(agent?.usageToday).toEqual(live.usage_today);
    }
    expect(Object.keys(state.approvals)).toEqual(fixture.approvals.map((approval) => approval.id));
    for (const approval of fixture.approvals) {
      expect(state.approvals[approval.id]).toMatchObject({
        tool: approval.tool,
        arguments: approval.arguments,
      });
    }
  });

  it.each(names)("is the same when %s comes twice, in pieces, or beside a read that was newer", (name) => {
    const fixture = load(name);
    const events = asActions(decoded(fixture));
    const once = fold(opened(fixture), events);
    expect(fold(once, events)).toEqual(once);
    const half = events.slice(0, Math.floor(events.length / 2));
    const read: Action = { type: "epochs", views: fixture.epochs };
    const mixed = fold(opened(fixture), [...half, read, ...events]);
    for (const epoch of Object.values(once.epochs)) {
      const other = mixed.epochs[epoch.id];
      expect(other && told(other)).toEqual(told(epoch));
    }
    expect(mixed.agents).toEqual(once.agents);
  });

  it("marks what the events made stale", () => {
    const fixture = load("approved");
    const state = fold(opened(fixture), asActions(decoded(fixture)));
    expect(Object.keys(state.marks)).toEqual(expect.arrayContaining(["approvals", "attention", "agents"]));
  });

  it("gives agents the names of their profiles", () => {
    const fixture = load("answer");
    const [view] = fixture.agents;
    const agent = opened(fixture).agents.felix;
    expect(agent?.name).toBe("Felix");
    if (view && agent) expect(agentWithProfile(agent, view).name).toBe("Felix");
  });
});

describe("an agent", () => {
  const idle = opened(load("answer"));
  const happens = (state: LiveState, kind: string, data: unknown) =>
    reduce(state, {
      type: "event",
      event: { ...decoded(load("answer"))[0], seq: state.seq + 1, entity: "@felix", kind, data } as AnyEvent,
    });

  it("is what its process lets it be", () => {
    const started = happens(idle, "agent.started", {});
    const ready = happens(started, "agent.ready", {});
    const silent = happens(ready, "agent.unresponsive", {});
    const heard = happens(silent, "agent.responsive", {});
    const crashed = happens(heard, "agent.exited", { reason: "signalled" });
    const resting = happens(happens(crashed, "agent.ready", {}), "agent.exited", { reason: "hibernated" });
    const held = happens(ready, "agent.exited", { reason: "disk_limit" });
    const states = [started, ready, silent, heard, crashed, resting, held].map(
      (state) => state.agents.felix?.state,
    );
    expect(states).toEqual([
      "starting",
      "idle",
      "unresponsive",
      "idle",
      "starting",
      "hibernated",
      "over_disk_limit",
    ]);
  });

  it("is paused, parked and asleep until it is told or done", () => {
    const parked = happens(idle, "agent.paused", { reason: "person", message: "parked" });
    const paused = happens(idle, "agent.paused", { reason: "budget", message: "spent" });
    const back = happens(parked, "agent.resumed", { message: "" });
    const asleep = happens(back, "sleep.started", {});
    const awake = happens(asleep, "sleep.ended", { message: "" });
    const states = [parked, paused, back, asleep, awake].map((state) => state.agents.felix?.state);
    expect(states).toEqual(["parked", "paused", "idle", "asleep", "idle"]);
  });

  it("begins to count anew at midnight", () => {
    const usage = { input_tokens: 3, output_tokens: 2, cost_microusd: null };
    const late = happens(idle, "turn.failed", { turn: 1, attempt: 1, code: "x", message: "", usage });
    expect(late.agents.felix?.usageToday.input_tokens).toBe(3);
    const old = { ...idle, agents: { felix: { ...(late.agents.felix ?? never()), usageDay: "2025-12-31" } } };
    expect(
      happens(old, "turn.failed", { turn: 1, attempt: 1, code: "x", message: "", usage }).agents.felix
        ?.usageToday.input_tokens,
    ).toBe(3);
  });
});

function never(): never {
  throw new Error("there is no such agent");
}

describe("what a running call says", () => {
  const fixture = load("approved");
  const events = decoded(fixture);
  const requested = events.findIndex((event) => event.kind === "tool.requested");
  const [begun, rest] = [events.slice(0, requested + 1), events.slice(requested + 1)];
  const line = events[requested];
  const [epoch_id, call_id] = [line?.epoch ?? "", line?.kind === "tool.requested" ? line.data.call_id : ""];
  const wrote = (text: string, sequence: number, call = call_id): Action => {
    const output = [{ stream: "stdout" as const, left_out_bytes: 0, text }];
    return { type: "progress", update: { epoch_id, call_id: call, sequence, output } };
  };
  const saidIn = (state: LiveState) =>
    state.epochs[epoch_id]?.turns.flatMap((turn) => turn.calls).find((call) => call.id === call_id)?.said;

  it("grows while it runs, and its result takes the place of it", () => {
    const running = fold(opened(fixture), [...asActions(begun), wrote("a", 0), wrote("b\n", 1)]);
    expect(saidIn(running)?.lines.map((one) => one.text)).toEqual(["ab"]);
    const ended = fold(running, asActions(rest));
    expect(saidIn(ended)).toBeNull();
    expect(fold(ended, [wrote("late", 2)])).toEqual(ended);
  });

  it("is nobody's news where the call is not known", () => {
    const running = fold(opened(fixture), asActions(begun));
    expect(fold(running, [wrote("a", 0, "call_9_9")])).toEqual(running);
    expect(fold(opened(fixture), [wrote("a", 0)])).toEqual(opened(fixture));
  });
});

describe("growing answers", () => {
  const fixture = load("stopped");
  const events = decoded(fixture);
  const started = events.findIndex((event) => event.kind === "turn.started");
  const before = fold(opened(fixture), asActions(events.slice(0, started)));
  const id = events[started]?.epoch ?? "";
  const piece = (text: string, turn = 1): Action => ({ type: "delta", delta: { epoch_id: id, turn, text } });
  const begun = asActions(events.slice(started, started + 1));

  it("grow by pieces and end with their turn", () => {
    const grown = fold(before, [...begun, piece("a"), piece("b")]);
    expect(grown.epochs[id]?.partial).toBe("ab");
    const ended = fold(grown, asActions(events.slice(started + 1)));
    expect(ended.epochs[id]).toMatchObject({ partial: "", state: "aborted" });
    expect(fold(ended, [piece("late")]).epochs[id]?.partial).toBe("");
  });

  it("keep a piece that overtakes the beginning of its turn", () => {
    expect(fold(before, [piece("a"), ...begun, piece("b")]).epochs[id]?.partial).toBe("ab");
  });

  it("leave what was written where they are stopped, also where the attempt is said to have failed first", () => {
    const grown = fold(before, [...begun, piece("half")]);
    const ended = fold(grown, asActions(events.slice(started + 1)));
    expect(ended.epochs[id]).toMatchObject({ state: "aborted", leftover: "half" });
    const start = events[started];
    if (!start) throw new Error("no turn began");
    const cut = {
      ...start,
      seq: start.seq + 0.5,
      kind: "turn.failed",
      data: { turn: 1, attempt: 1, code: "paged", message: "cut" },
    } as AnyEvent;
    const told = fold(grown, asActions([cut, ...events.slice(started + 1)]));
    expect(told.epochs[id]).toMatchObject({ state: "aborted", leftover: "half", partial: "" });
    // Another attempt begins anew.
    const again = { ...start, seq: start.seq + 0.7 } as AnyEvent;
    expect(fold(grown, asActions([cut, again])).epochs[id]?.leftover).toBe("");
  });

  it("are what the keeper says after a lost connection", () => {
    const grown = fold(before, [...begun, piece("a")]);
    const partials: Action = { type: "partials", partials: { [id]: { text: "a longer one", turn: 1 } } };
    expect(fold(grown, [partials, piece("!")]).epochs[id]?.partial).toBe("a longer one!");
    expect(fold(grown, [{ type: "partials", partials: {} }]).epochs[id]?.partial).toBe("");
  });
});

describe("bounds", () => {
  it("forget the oldest ended epochs of an agent and no open one", () => {
    const fixture = load("answer");
    const [view] = fixture.epochs;
    if (!view) throw new Error("no epoch");
    const many = Array.from({ length: EPOCHS_KEPT + 40 }, (_, at) => ({
      ...view,
      epoch_id: `e${at}`,
      state: at === 0 ? "open" : "committed",
      seq: [10 * at + 1, 10 * at + 9],
    }));
    const state = fold(opened(fixture), [{ type: "epochs", views: many }]);
    const kept = Object.values(state.epochs);
    expect(kept.filter((epoch) => !isOpen(epoch)).length).toBe(EPOCHS_KEPT);
    expect(state.epochs.e0).toBeDefined();
    expect(state.epochs.e1).toBeUndefined();
  });

  it("keep a bounded feed", () => {
    const fixture = load("answer");
    const [first] = decoded(fixture);
    if (!first) throw new Error("no event");
    const many = Array.from(
      { length: 500 },
      (_, at) => ({ ...first, seq: first.seq + at, epoch: `x${at}` }) as AnyEvent,
    );
    expect(fold(opened(fixture), asActions(many)).recent.length).toBe(RECENT_KEPT);
  });
});

describe("decoding", () => {
  it("leaves out what it does not know and never throws", () => {
    expect(decodeEvent("{")).toBeNull();
    expect(decodeEvent("null")).toBeNull();
    expect(decodeEvent('{"seq":1,"kind":"memory.sung","data":{}}')).toBeNull();
    expect(decodeEvent('{"seq":1,"kind":"toString","data":{}}')).toBeNull();
    expect(decodeEvent('{"seq":"1","kind":"epoch.opened","data":{}}')).toBeNull();
  });
});
