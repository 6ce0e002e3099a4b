import { expect, it } from "vitest";
import { EVENT_KINDS } from "@/api/generated";
import type { AnyEvent } from "./event";
import { toolAmong } from "./tools";
import { phraseOf, plain } from "./words";

const words = (kind: string, data: unknown, entity = "@felix", author = "@ann") =>
  phraseOf({
    kind,
    data,
    entity,
    author,
    seq: 1,
    tick: 0,
    v: 1,
    timestamp: "2026-01-31T15:00:00Z",
  } as AnyEvent);

it("tells of logs, spaces and wakes", () => {
  expect(words("stdout.written", { content: "a\nb" })).toBe("wrote: “a b”");
  expect(words("stdout.granted", { to: "@bob" })).toBe("lets bob read its log");
  expect(words("space.named", { space: "#dev", members: ["@ann", "@bob"] })).toBe(
    "named the space #dev: ann, bob",
  );
  expect(words("space.said", { message_id: "m", space: "#dev", text: "hi", hop: 0 })).toBe(
    "said in #dev: “hi”",
  );
  expect(words("wake.fired", { wake_id: "w" })).toBe("was woken: its condition holds");
  expect(words("wake.fired", { wake_id: "w", error: "no such log" })).toContain("“no such log”");
  expect(words("wake.scheduled", { name: "morning", cron: "0 8 * * *", content: "rise" })).toBe(
    "has a schedule “morning” (0 8 * * *): “rise”",
  );
});

it("tells of the watchdog with the agent as the subject", () => {
  expect(words("watchdog.stall_opened", { silent_ms: 700_000, threshold_ms: 600_000 })).toBe(
    "has been silent for 12 min (limit 10 min)",
  );
  expect(words("watchdog.escalated", { cause: "page-failed" })).toContain("the page failed");
  expect(words("watchdog.acknowledged", { until: "2026-01-31T16:00:00Z", reason: "moving" })).toMatch(
    /^was acknowledged by ann until .*: “moving”$/,
  );
  expect(words("watchdog.silenced", { until: "2026-01-31T16:00:00Z" }, "@keeper")).toMatch(
    /^sends no pages until/,
  );
  expect(words("watchdog.tested", { page: "7f3a" }, "@keeper")).toBe(
    "tested the escalation, and every step works",
  );
  const agents = Array.from({ length: 12 }, (_, at) => `a${at}`);
  expect(words("watchdog.scanned", { scanned: 12, stalled: agents, paged: [], escalated: [] })).toMatch(
    /a7 and 4 more$/,
  );
});

it("tells of places where people are reached", () => {
  const said = { channel: "irc", nick: "ann", text: "hi", form: "plain" };
  expect(words("channel.said", { ...said, room: "#abide", network: "libera" }, "@keeper")).toBe(
    "said in #abide (libera): ann: “hi”",
  );
  expect(words("channel.said", { ...said, with: "felix" }, "@ann")).toBe("said in private over irc: “hi”");
  expect(words("channel.maybe_sent", { channel: "irc" }, "@felix")).toMatch(/nobody can know/);
  expect(words("channel.answered", { channel: "irc", people: 1, maybe_sent: true }, "@felix")).toMatch(
    /may have been said before$/,
  );
  const gate = { channel: "irc", room: "#abide", is_open: true };
  expect(words("channel.gate_moved", gate, "@felix")).toBe("was set to hear everything in #abide");
});

it("tells of changes with the agent as the subject and the person by name", () => {
  const decided = { decision: "marginal", reason: "14 % quicker, 40 pairs" };
  expect(words("evolution.decided", decided)).toBe(
    "has a change that a person must decide on: “14 % quicker, 40 pairs”",
  );
  expect(words("evolution.proposed", { target: "memory_system", reason: "quicker" })).toBe(
    "has a change of memory proposed: “quicker”",
  );
  expect(words("evolution.answered", { approved: false })).toBe("had a change rejected by ann");
  expect(words("evolution.compared", { pairs: [{}] })).toBe("had a change compared on 1 request");
  expect(words("evolution.stage_begun", { percent: 50 })).toBe("has 50 of 100 requests answered by a change");
});

it("tells of music, and for whom it is played", () => {
  const by = { who: "person", name: "ann" };
  const track = { id: 0, key: "00", title: "Jóga" };
  expect(words("media.queue_added", { by, entries: [track] })).toBe(
    "put “Jóga” into the queue of music for ann",
  );
  expect(words("media.playlist_added", { by, playlist: 0, entries: [track, track, track] })).toBe(
    "put “Jóga” and 2 more tracks into a playlist for ann",
  );
  expect(words("media.intent_set", { by, intent: "pause" })).toBe("paused the music for ann");
  expect(words("media.volume_set", { by, volume: 40 })).toBe("set the music to 40 % for ann");
  const player = { who: "player", name: "player" };
  expect(words("media.entry_finished", { by: player, entry: 3 })).toBe(
    "played entry 3 of the queue of music to its end",
  );
  expect(words("media.stopped", { by: player, reason: "end_of_queue" })).toBe("came to the end of the music");
});

it("tells of decks with the keeper or the agent as the subject", () => {
  const own = { deck: { name: "Elves" } };
  expect(words("deck.created", own, "@felix", "@felix")).toBe("made the deck “Elves”");
  expect(words("deck.created", own, "@keeper")).toBe("had the deck “Elves” made by ann");
  expect(words("deck.loaded", {})).toBe("had a deck loaded by ann");
  expect(words("deck.proposed", { ops: [{}, {}], reason: "faster" })).toBe(
    "proposed 2 lines for a deck: “faster”",
  );
  expect(words("deck.lines_taken", { lines: [0], rev: 3 }, "@keeper")).toBe(
    "had 1 line for a deck taken by ann: revision 3",
  );
  expect(words("deck.lines_refused", { lines: [0, 1], reason: "no" }, "@keeper")).toBe(
    "had 2 lines for a deck refused by ann: “no”",
  );
  expect(words("deck.undone", { undone: 2 }, "@keeper")).toBe("had revision 2 of a deck taken back by ann");
  expect(words("deck.bracket_set", {}, "@keeper")).toBe(
    "had the bracket of a deck set by ann: by the estimate",
  );
});

/** All that any kind has, so that each can be told. */
const ANYTHING = {
  evidence_seq: 4,
  ...{ deck: { name: "d" }, ops: [{}], lines: [0], rev: 2, undone: 1, bracket: 3 },
  ...{
    sender: "ann",
    content: "c",
    message: "m",
    reason: "r",
    text: "t",
    name: "n",
    nick: "ann",
    title: "t",
  },
  ...{
    turn: 1,
    attempt: 1,
    call_id: "call_1_1",
    outcome: "ok",
    duration_ms: 3,
    decision: "approve",
    by: "ann",
  },
  ...{ tokens: { system: 1, history: 1, stimulus: 1 }, voice: { final_response: "**Yes**" }, version: 2 },
  ...{
    channel: "irc",
    room: "#abide",
    network: "libera",
    people: 1,
    account: "ann",
    at: "2026-01-31T15:00:00Z",
    space: "#dev",
    members: ["@ann"],
    to: "@bob",
  },
  ...{ condition: "?(x)", prompt: "p", cron: "0 8 * * *", due: "2026-01-31T15:00:00Z", wake_id: "w" },
  ...{
    run: "r1",
    cause: "restart",
    failures: 0,
    pid: 7,
    took_ms: 5,
    protocol: 1,
    wal_entries: 0,
    uptime_ms: 5,
  },
  ...{ silent_ms: 5, restarts: 3, window_ms: 5, pause_ms: 5, code: "c", is_fatal: false, bytes: 9 },
  ...{
    checkpoint_id: "c",
    wal_sequence: 1,
    is_lost: true,
    report: ["r"],
    pairs: [{}],
    requests: 100,
    percent: 10,
    approved: true,
    metrics: { rss: 1 },
    role: "assistant",
  },
  ...{
    mind: "model",
    agent: "iris",
    subject: { ref_type: "epoch", ref_id: "e" },
    claim_type: "done",
    target: "t",
  },
  ...{
    problem: "p",
    fact_id: "f",
    filename: "f",
    node_id: "n",
    node: { type: "Person" },
    from: "a",
    edge: "KNOWS",
  },
  ...{
    epochs: ["e"],
    trigger: "person",
    step: 2,
    status: "ok",
    part: 1,
    parts: 1,
    segment: 2,
    interval_ms: 9,
  },
  ...{
    from_tick: 1,
    scanned: 1,
    stalled: [],
    paged: [],
    escalated: [],
    threshold_ms: 5,
    after_ms: 5,
    page: "7f3a",
  },
  ...{
    proof: "sent",
    attempts: [],
    kind: "resolved",
    until: "2026-01-31T15:00:00Z",
    state: "asleep",
    rung: "bell",
  },
};
const OTHERWISE: Record<string, object> = {
  "tools.policy_changed": { tool: "stdout", agent: "felix", policy: "ask", before: null },
  "mcp.tool_accepted": { server: "files", tool: "read" },
  "mcp.question_asked": { server: "files", message: "Who are you?" },
  "mcp.question_answered": { answer: "expired" },
  "epoch.stood_still": { duration_ms: 60_000 },
  "epoch.dismissed": {},
  "tool.inner_requested": { call_id: "call_1_1", n: 1, name: "memory.recall", arguments: {}, effect: "read" },
  "tool.inner_finished": { call_id: "call_1_1", n: 1, outcome: "ok", content: "x", duration_ms: 1 },
  "tool.kept": { namespace: "rss", key: "https://example.org/feed", value: {} },
  "watchdog.stepped": { to: ["phone"] },
  "watchdog.attention_raised": {
    to: ["phone"],
    matters: [{ id: "budget:felix", kind: "budget", summary: "felix is paused" }],
  },
  "keeper.erase_requested": { lines: 3 },
  "memory.forgotten": { asked_by: "@ann" },
  "memory.fact_proposed": { fact: { content: "c" } },
  "keeper.erased": { lines: [1, 2] },
  "watchdog.attention_ended": { matters: ["budget:felix"] },
  "memory.reset": { epochs: 2 },
  "media.queue_added": { entries: [{ title: "Jóga" }] },
  "media.queue_removed": { entries: [1] },
  "media.entry_started": { entry: 1 },
  "media.entry_finished": { entry: 1 },
  "media.entry_failed": { entry: 1, reason: "no file" },
  "media.intent_set": { intent: "play" },
  "media.repeat_set": { repeat: "all" },
  "media.shuffle_set": { seed: null },
  "media.volume_set": { volume: 40 },
  "media.playlist_created": { title: "Road" },
  "media.playlist_renamed": { title: "Road" },
  "media.playlist_added": { entries: [] },
  "media.playlist_removed": { entries: [1, 2] },
  "sleep.step_finished": { step: "facts" },
  "watchdog.rebased": { from: "2026-01-31T15:00:00Z" },
};
/** What a sentence behind an actor begins with. */
const VERB =
  /^(erased|is|was|has|had|may|would|could|cannot|does|owes|looked|took|takes|thinks|wants|answered|gave|runs|ran|failed|waits|finished|remembers|wrote|pauses|slept|started|stops|lets|escalated|cancelled|created|recorded|resumed|paused|proposed|answered|responds|exited|moved|sends|works|tested|notified|must|made|commits|reads|finished|skipped|ended|named|said|told|tried|began|ended|reported|lost|measured|goes|proposes|forgot|noted|closed|linked|unlinked|let|fell|found|left|set|ticks|sent|delivered|pages|can|watched|stood|accepted|put|moved|emptied|played|went|stopped|came|shuffled|renamed|deleted)\b/;

it("makes a sentence of every kind behind its actor, never the catalogue's words", () => {
  for (const [kind, about] of Object.entries(EVENT_KINDS)) {
    const phrase = words(kind, { ...ANYTHING, ...OTHERWISE[kind] });
    expect(phrase, kind).toMatch(VERB);
    expect(phrase, kind).not.toContain("wrote a line");
    expect(about.toLowerCase().startsWith(phrase.toLowerCase().slice(0, 24)), `${kind}: ${phrase}`).toBe(
      false,
    );
    expect(phrase, kind).not.toMatch(/undefined|\[object|NaN|\*\*/);
  }
});

it("names the tool of a call's end where a line before it does", () => {
  const line = (seq: number, kind: string, data: object, epoch = "e") =>
    ({ seq, kind, data, epoch, entity: "@felix" }) as unknown as AnyEvent;
  const asked = line(2, "tool.requested", { call_id: "call_1_1", name: "clock.now" });
  const elsewhere = line(3, "tool.requested", { call_id: "call_1_1", name: "shell.run" }, "other");
  const end = line(4, "tool.finished", { call_id: "call_1_1", outcome: "ok", duration_ms: 3 });
  expect(phraseOf(end, toolAmong(end, [asked, elsewhere, end]))).toBe("ran clock.now in 3 ms");
  const voice = { tool_calls: [{ call_id: "call_1_1", name: "clock.now", arguments: {} }] };
  expect(toolAmong(end, [line(1, "turn.completed", { voice })])).toBe("clock.now");
  expect(phraseOf(end, toolAmong(end, [elsewhere, end]))).toBe("ran its tool in 3 ms");
  const denied = line(5, "tool.finished", { call_id: "call_1_1", outcome: "denied", duration_ms: 0 });
  expect(phraseOf(denied, "shell.run")).toBe("was not allowed shell.run");
});

it("quotes an answer without its marks, and keeps markup of others as text", () => {
  expect(words("turn.completed", { voice: { final_response: "**Yes**, by `09:50`" } })).toBe(
    "answered: “Yes, by 09:50”",
  );
  expect(plain("<script>x</script> [press](javascript:x)")).toBe("<script>x</script> press");
});
