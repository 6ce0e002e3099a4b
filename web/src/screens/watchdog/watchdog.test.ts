import { describe, expect, it } from "vitest";
import type { AnyEvent } from "@/live/event";
import { phraseOf } from "@/live/words";
import { joined, type Status } from "./api";
import { ENDED_KEPT, foldWatchdog } from "./fold";
import { isQuietScan } from "./words";

let seq = 0;
const line = (kind: string, data: unknown, entity = "@felix", author = "@tickle-1") => {
  seq += 1;
  return {
    seq,
    kind: `watchdog.${kind}`,
    data,
    entity,
    author,
    tick: 0,
    v: 1,
    timestamp: new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString(),
  } as unknown as AnyEvent;
};
const stall = (episode: string, entity = "@felix") =>
  line("stall_opened", { episode, silent_ms: 700_000, threshold_ms: 600_000, evidence_seq: 3 }, entity);

describe("the watchdog", () => {
  it("says nothing where it wrote nothing", () => {
    const other = { ...stall("e"), kind: "agent.resumed", data: { message: "" } } as AnyEvent;
    expect(foldWatchdog([other]).isSeen).toBe(false);
  });

  it("climbs the ladder of an episode and ends it", () => {
    const climb = [
      stall("e"),
      line("bell_rung", { episode: "e" }),
      line("bell_answered", { episode: "e", after_ms: 4 }),
      line("paged", { episode: "e", page: "7f3a", silent_ms: 800_000 }),
      line("page_failed", { page: "7f3a", message: "irc is off" }, "@keeper"),
      line("escalated", { episode: "e", cause: "page-failed", notice: "n" }),
      line("notify_failed", { notice: "n", attempt: 1, message: "no way" }, "@keeper"),
    ];
    const [episode] = foldWatchdog(climb).episodes;
    expect([episode?.bell.state, episode?.page.state, episode?.person.state]).toEqual([
      "done",
      "failed",
      "failed",
    ]);
    expect(episode?.page.note).toBe("irc is off");
    expect(episode?.end).toBeNull();
    const told = foldWatchdog([
      ...climb,
      line("notified", { notice: "n", attempt: 2, by: "ntfy" }, "@keeper"),
      line("acknowledged", { episode: "e", until: "2026-01-02T00:00:00Z" }, "@felix", "@nicolas"),
      line("resolved", { episode: "e", rung: "human", evidence_seq: 9 }),
    ]).episodes[0];
    expect(told?.person).toMatchObject({ state: "done", note: "told by ntfy" });
    expect(told?.heldBy).toBe("nicolas");
    expect(told?.end?.how).toBe("evidence returned after the human (line 9)");
  });

  it("does not show a task that was given up as a recovery", () => {
    const end = (data: object) =>
      foldWatchdog([stall("e"), line("withdrawn", { episode: "e", state: "idle", ...data })]).episodes[0]?.end
        ?.how;
    expect(end({ unanswered: "019a0000-0000-7000-8000-000000000001" })).toBe(
      "its task was given up without an answer",
    );
    expect(end({})).toBe("over without evidence: it is idle");
  });

  it("tells who was told in each step, by which service, and that they know the end", () => {
    const attempt = (service: string, outcome: string) => ({ service, outcome, words: "x", took_ms: 3 });
    const climb = [
      stall("e"),
      stall("other", "@iris"),
      line("escalated", { episode: "e", cause: "no-evidence", notice: "n1", to: ["phone"] }),
      line("notify_failed", {
        notice: "n1",
        attempt: 1,
        message: "m",
        attempts: [attempt("phone", "failed")],
      }),
      line("notified", { notice: "n1", attempt: 2, by: "ntfy", attempts: [attempt("phone", "sent")] }),
      line("stepped", { episode: "e", step: 2, notice: "n2", to: ["pager", "mail"] }),
      line("notified", {
        notice: "n2",
        attempt: 1,
        by: "pagerduty",
        attempts: [attempt("pager", "confirmed"), attempt("mail", "failed")],
      }),
      line("closed", {
        notice: "n3",
        kind: "resolved",
        episodes: ["e"],
        attempts: [attempt("phone", "sent")],
      }),
    ];
    const [episode, other] = foldWatchdog(climb).episodes;
    const outcomes = (all: readonly { service: string; outcome: string }[] | undefined) =>
      all?.map((one) => `${one.service} ${one.outcome}`);
    expect(episode?.person).toMatchObject({ state: "done", to: ["phone"], note: "told by ntfy" });
    expect(outcomes(episode?.person.attempts)).toEqual(["phone sent"]);
    expect(episode?.steps).toMatchObject([{ step: 2, to: ["pager", "mail"], state: "done" }]);
    expect(outcomes(episode?.steps[0]?.attempts)).toEqual(["pager confirmed", "mail failed"]);
    expect(episode?.closed).toMatchObject({ kind: "resolved" });
    expect([other?.person.state, other?.steps, other?.closed]).toEqual(["ahead", [], null]);
    const tested = line(
      "tested",
      { page: "7f3a", notice: "t", attempts: [attempt("phone", "sent")] },
      "@keeper",
    );
    expect(outcomes(foldWatchdog([tested]).lastTest?.attempts)).toEqual(["phone sent"]);
  });

  it("keeps one page of several agents apart from their other pages", () => {
    const view = foldWatchdog([
      stall("a"),
      stall("b", "@iris"),
      line("paged", { episode: "a", page: "aaaa", silent_ms: 1 }),
      line("paged", { episode: "b", page: "bbbb", silent_ms: 1 }, "@iris"),
      line("page_delivered", { page: "bbbb", proof: "sent", by: "the agents themselves" }, "@keeper"),
    ]);
    expect(view.episodes.map((one) => one.page.state)).toEqual(["tried", "done"]);
    expect(view.episodes[1]?.page.note).toBe("page bbbb sent (the agents themselves)");
  });

  it("keeps open episodes whatever their number, and a bound of those that are over", () => {
    const lines = [stall("open")];
    for (let n = 0; n < ENDED_KEPT + 10; n += 1)
      lines.push(stall(`e${n}`), line("withdrawn", { episode: `e${n}`, state: "asleep" }));
    const view = foldWatchdog([...lines, stall("last")]);
    expect(view.episodes.filter((one) => !one.end).map((one) => one.id)).toEqual(["open", "last"]);
    expect(view.episodes.filter((one) => one.end)).toHaveLength(ENDED_KEPT);
  });

  it("tells silences of one and of all apart, and ends them", () => {
    const until = "2026-01-02T00:00:00Z";
    const all = [
      line("silenced", { until }, "@felix", "@nicolas"),
      line("silenced", { until, reason: "move" }, "@keeper", "@nicolas"),
    ];
    expect(foldWatchdog(all).silences.map((one) => one.agent)).toEqual(["felix", null]);
    expect(foldWatchdog([...all, line("unsilenced", {})]).silences.map((one) => one.agent)).toEqual([null]);
  });

  it("is blind and paused until it is told otherwise", () => {
    const lines = [
      line("blinded", { cause: "network", message: "no way out" }, "@keeper"),
      line("paused", { reason: "move" }, "@keeper", "@nicolas"),
    ];
    expect(foldWatchdog(lines)).toMatchObject({ blind: { cause: "network" }, paused: { by: "nicolas" } });
    const after = foldWatchdog([...lines, line("sighted", { cause: "network" }), line("resumed", {})]);
    expect([after.blind, after.paused]).toEqual([null, null]);
  });

  it("keeps the newest account of an episode", () => {
    const par = (episode: string, problem: string) =>
      ({ ...line("x", { episode, problem, tried: [] }), kind: "par.written" }) as unknown as AnyEvent;
    const view = foldWatchdog([par("a", "first"), par("b", "other"), par("a", "last")]);
    expect(view.pars.map((one) => one.par.problem)).toEqual(["other", "last"]);
  });

  it("says a scan in one line", () => {
    const scan = line("scanned", { scanned: 3, stalled: ["felix"], paged: [], escalated: [] }, "@keeper");
    expect(phraseOf(scan)).toBe("looked at 3; stalled: felix");
    expect(foldWatchdog([scan]).lastScan?.stalled).toEqual(["felix"]);
    const quiet = line("scanned", { scanned: 3, stalled: [], paged: [], escalated: [] }, "@keeper");
    // That somebody is still stalled is no news: the stall's own lines tell of it.
    expect([isQuietScan(scan), isQuietScan(quiet)]).toEqual([true, true]);
    const paged = line(
      "scanned",
      { scanned: 3, stalled: ["felix"], paged: ["felix"], escalated: [] },
      "@keeper",
    );
    const asked = line(
      "scanned",
      { scanned: 3, stalled: [], paged: [], escalated: [], asked: true },
      "@keeper",
    );
    expect([isQuietScan(paged), isQuietScan(asked)]).toEqual([false, false]);
  });
});

describe("what it says of itself", () => {
  const status = (more: object): Status => {
    const quiet = {
      interval_ms: 1,
      threshold_ms: 1,
      scans_missed: 0,
      agents: [],
      episodes: [],
      silences: [],
      next_steps: [],
    };
    return { enabled: true, ...quiet, ...more } as unknown as Status;
  };
  it("sets right what its lines tell", () => {
    const lines = foldWatchdog([
      stall("gone"),
      stall("here"),
      line("silenced", { until: "2026-01-02T00:00:00Z", reason: "move" }, "@felix", "@nicolas"),
    ]);
    const episode = {
      opened_at: "2025-12-31T00:00:00Z",
      silent_ms: 9,
      threshold_ms: 1,
      tried: ["bell (alive)"],
    };
    const view = joined(
      lines,
      status({
        episodes: [
          { ...episode, id: "old", agent: "iris", acknowledged_by: null, acknowledged_until: null },
          { ...episode, id: "here", agent: "felix", acknowledged_by: "ann", acknowledged_until: "x" },
        ],
        next_steps: [{ agent: "iris", episode: "old", at: "y", to: ["pager"] }],
        silences: [
          { agent: "felix", until: "2026-01-03T00:00:00Z" },
          { agent: null, until: "2026-01-03T00:00:00Z" },
        ],
      }),
    );
    expect(view.episodes.map((one) => [one.id, one.inWords, one.heldBy])).toEqual([
      ["old", ["bell (alive)"], null],
      ["here", null, "ann"],
    ]);
    expect(view.episodes.map((one) => one.next?.to)).toEqual([["pager"], undefined]);
    expect(view.silences.map((one) => [one.agent, one.by])).toEqual([
      ["felix", "nicolas"],
      [null, null],
    ]);
  });
  it("changes nothing where it is off or not known yet", () => {
    const lines = foldWatchdog([stall("e")]);
    expect(joined(lines, null)).toBe(lines);
    expect(joined(lines, status({ enabled: false }))).toBe(lines);
  });
});
