// The keeper's own page. Text of agents, people and tools is only ever set as textContent. Everything shown is what the
// ledger says: after a lost connection the missed events are read, and the page says how many they were.
const $ = (id) => document.getElementById(id);
const SHOWN_MAX = 100;
const EPOCHS_MAX = 20;
const RETRY_MS = 2000;
const KINDS = [
  "stimulus.accepted", "epoch.opened", "epoch.stood_still", "epoch.dismissed", "context.assembled", "turn.started", "turn.completed", "turn.failed",
  "tool.requested", "tool.finished", "tool.kept", "tool.inner_requested", "tool.inner_finished", "approval.requested", "approval.decided", "epoch.committed", "epoch.aborted",
  "memory.fact_remembered", "memory.fact_forgotten", "memory.identity_changed", "memory.identity_proposed",
  "memory.identity_decided", "memory.dream_written", "memory.dream_forgotten", "memory.node_recorded", "memory.node_closed",
  "memory.edge_recorded", "memory.edge_closed", "memory.reset", "sleep.started", "sleep.step_finished", "sleep.ended", "agent.registered",
  "mcp.tool_accepted", "mcp.question_asked", "mcp.question_answered", "tools.policy_changed", "stdout.written", "stdout.granted", "stdout.revoked", "space.named", "space.said", "channel.said", "channel.asked", "channel.answered", "channel.joined",
  "channel.parted", "channel.sending", "channel.unsent", "channel.maybe_sent", "channel.gate_moved", "channel.topic_set", "channel.read_marked", "channel.chat_moved", "wake.set", "wake.cancelled",
  "wake.fired", "wake.scheduled", "wake.unscheduled", "wake.ran", "agent.spawned", "agent.paused", "agent.resumed", "agent.started", "agent.ready", "agent.exited", "agent.unresponsive",
  "agent.responsive", "agent.restarts_frequent", "agent.checkpointed", "agent.state_begun", "agent.state_troubled", "agent.faulted",
  "agent.measured", "agent.evidence_reported", "evolution.proposed", "evolution.validated", "evolution.checkpointed", "evolution.shadow_started", "evolution.compared", "evolution.decided", "evolution.answered",
  "evolution.backed_up", "evolution.reloaded", "evolution.stage_begun", "evolution.kept", "evolution.rolled_back", "evolution.aborted",
  "deck.created", "deck.loaded", "deck.edited", "deck.proposed", "deck.lines_taken", "deck.lines_refused", "deck.lines_reopened", "deck.line_edited", "deck.undone", "deck.bracket_set", "media.queue_added", "media.queue_removed", "media.queue_moved", "media.queue_cleared", "media.entry_started", "media.entry_finished", "media.entry_failed", "media.intent_set", "media.stopped", "media.repeat_set", "media.shuffle_set", "media.volume_set", "media.playlist_created", "media.playlist_renamed", "media.playlist_deleted", "media.playlist_added", "media.playlist_removed", "media.playlist_moved", "evidence.recorded", "par.written",
  "watchdog.scanned", "watchdog.rebased", "watchdog.blinded", "watchdog.sighted", "watchdog.alarmed", "watchdog.stall_opened",
  "watchdog.bell_rung", "watchdog.bell_answered", "watchdog.bell_failed", "watchdog.paged", "watchdog.page_delivered",
  "watchdog.page_failed", "watchdog.escalated", "watchdog.stepped", "watchdog.closed", "watchdog.notified", "watchdog.notify_failed", "watchdog.resolved",
  "watchdog.withdrawn", "watchdog.acknowledged", "watchdog.silenced", "watchdog.unsilenced", "watchdog.paused",
  "watchdog.resumed", "watchdog.tested", "watchdog.attention_raised", "watchdog.attention_ended", "memory.forgotten", "memory.fact_proposed", "memory.fact_decided", "keeper.erase_requested", "keeper.erased", "keeper.started", "keeper.stopped", "keeper.segment_opened",
  "keeper.tail_quarantined", "keeper.tick_interval_changed",
];
const page = { csrf: "", last: 0, source: null, epochs: new Map(), growing: new Map(), lost: false, replay: null, target: null };

class Refused extends Error {
  constructor(status, error) { super(error?.message ?? `the keeper answered ${status}`); this.status = status; }
}

async function call(method, path, body, headers = {}) {
  const options = { method, headers: { Accept: "application/json", ...headers }, cache: "no-store" };
  if (method !== "GET") {
    options.headers["X-Abide-Csrf"] = page.csrf;
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body ?? {});
  }
  const response = await fetch(path, options);
  const json = await response.json().catch(() => null);
  if (response.status === 401) askForLogin("");
  if (!response.ok) throw new Refused(response.status, json?.error);
  return json;
}

// What is not seen and changes what is seen, in texts of others: shown by its number, as the keeper does (crates/domain/src/hidden.rs).
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/gu;
const visible = (text) => String(text).replaceAll("\r\n", "\n").replace(HIDDEN, (c) => `⟦U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`);

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = visible(text);
  if (className) element.className = className;
  return element;
}

function connection(state, text) {
  $("connection").dataset.state = state;
  $("connection").textContent = text;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const agent = () => $("agent").value;
const time = (text) => (text ? new Date(text).toLocaleTimeString() : "");
const key = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

// -- signing in

function askForLogin(reason) {
  page.source?.close();
  page.source = null;
  $("main").hidden = true;
  $("login").hidden = false;
  $("login-reason").textContent = reason;
  connection("lost", "not signed in");
  $("code").focus();
}

$("login-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const code = $("code").value.trim().replace(/^.*[?&]code=/, "");
  try {
    await call("POST", "/session", { code });
    $("code").value = "";
    await begin();
  } catch {
    $("login-reason").textContent = "This code was used, is older than five minutes, or is not one of this keeper's.";
    $("code").focus();
  }
});

// -- the beginning, and after a snapshot

async function begin() {
  for (;;) {
    try {
      page.csrf = (await call("GET", "/session")).csrf;
      await load();
      $("login").hidden = true;
      $("main").hidden = false;
      follow();
      return;
    } catch (error) {
      if (error.status === 401) return;
      connection("lost", error.status === 503 ? "the keeper is reading its ledger…" : "the keeper cannot be reached; trying again…");
      await pause(RETRY_MS);
    }
  }
}

async function load() {
  const snapshot = await call("GET", "/snapshot");
  const before = agent() || localStorage.getItem("agent");
  $("agent").replaceChildren(...snapshot.agents.map((a) => new Option(a.id, a.id)));
  if (snapshot.agents.some((a) => a.id === before)) $("agent").value = before;
  page.last = snapshot.seq;
  await Promise.all([loadEpochs(), loadApprovals(), loadAttention(), showLane(snapshot)]);
}

async function loadEpochs() {
  const list = await call("GET", `/epochs?limit=${EPOCHS_MAX}&citizen=${encodeURIComponent(agent())}`);
  page.epochs.clear();
  page.growing.clear();
  $("log").replaceChildren();
  // Old messages are no news: they are put in while the log is silent.
  $("log").setAttribute("aria-live", "off");
  for (const epoch of list.items.reverse()) {
    page.epochs.set(epoch.epoch_id, epoch);
    showStimulus(epoch);
    showEnd(epoch);
  }
  showEpochs();
  grow();
  setTimeout(() => $("log").setAttribute("aria-live", "polite"), 500);
}

function showLane(snapshot) {
  const mine = snapshot.agents.find((a) => a.id === agent());
  $("lane").textContent = mine ? `${mine.state}${mine.queue ? `, ${mine.queue} waiting` : ""}` : "";
}

const refreshLane = async () => showLane(await call("GET", "/snapshot"));

// -- events

function follow() {
  page.source?.close();
  const source = new EventSource(`/events?deltas=1&after=${page.last}`);
  page.source = source;
  source.onopen = () => opened(source);
  source.onerror = () => lost(source);
  for (const kind of KINDS) source.addEventListener(kind, (event) => take(event));
  source.addEventListener("turn.delta", (event) => delta(JSON.parse(event.data)));
  source.addEventListener("snapshot", () => load().then(follow).catch(() => lost(source)));
}

async function opened(source) {
  if (!page.lost) return connection("live", "live");
  page.lost = false;
  page.replay = 0;
  connection("live", "reconnected; reading what was missed…");
  try {
    page.target = (await call("GET", "/snapshot")).seq;
    replayed();
    loadApprovals();
    loadAttention();
  } catch { lost(source); }
}

async function lost(source) {
  if (source !== page.source) return;
  page.lost = true;
  page.replay = page.target = null;
  connection("lost", `reconnecting… (last event ${page.last})`);
  if (source.readyState !== EventSource.CLOSED) return;
  page.source = null;
  await pause(RETRY_MS);
  try {
    page.csrf = (await call("GET", "/session")).csrf;
    if (!page.source) follow();
  } catch (error) {
    if (error.status === 401) return;
    page.source = source;
    lost(source);
  }
}

function replayed() {
  if (page.target === null || page.last < page.target) return;
  connection("live", page.replay ? `live; reconnected and replayed ${page.replay} events` : "live; reconnected, nothing was missed");
  page.replay = page.target = null;
}

function take(message) {
  const event = JSON.parse(message.data);
  page.last = event.seq;
  if (page.replay !== null) page.replay += 1;
  replayed();
  const [group] = event.kind.split(".");
  if (group === "approval") loadApprovals();
  if (["agent", "approval", "mcp"].includes(group) || event.kind === "epoch.aborted" || event.kind === "epoch.committed") loadAttention();
  if (event.entity !== `@${agent()}`) return;
  if (event.epoch) step(event);
  if (["stimulus", "epoch", "approval", "agent"].includes(group)) refreshLane().catch(() => {});
}

function step(event) {
  const { kind, data, epoch: id } = event;
  if (kind === "stimulus.accepted" && !page.epochs.has(id)) {
    const epoch = { epoch_id: id, state: "queued", stimulus: { ...data, timestamp: data.sent_at }, doing: "" };
    page.epochs.set(id, epoch);
    showStimulus(epoch);
  }
  const epoch = page.epochs.get(id);
  if (!epoch) return;
  const doing = {
    "epoch.opened": ["open", "preparing"], "turn.started": ["open", "thinking"], "turn.failed": ["open", `asked again: ${data.message}`],
    "tool.requested": ["executing", `runs ${data.name}`], "tool.finished": ["executing", ""], "approval.requested": ["executing", "waits for approval"],
    "epoch.committed": ["committed", ""], "epoch.aborted": ["aborted", ""],
  }[kind];
  if (doing) [epoch.state, epoch.doing] = doing;
  if (kind === "turn.started") page.growing.delete(id);
  if (kind === "epoch.committed" || kind === "epoch.aborted") finish(id);
  showEpochs();
  grow();
}

async function finish(id) {
  page.growing.delete(id);
  const epoch = await call("GET", `/epochs/${id}`).catch(() => null);
  if (!epoch || !page.epochs.has(id)) return;
  page.epochs.set(id, epoch);
  showEnd(epoch);
  showEpochs();
  grow();
}

function delta({ epoch_id: id, text }) {
  if (!page.epochs.has(id)) return;
  page.growing.set(id, (page.growing.get(id) ?? "") + text);
  grow();
}

// -- what is seen

function add(className, who, text) {
  const scroll = $("scroll");
  const follows = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  const item = make("article", undefined, className);
  item.append(make("div", who, "who"), make("div", text, "text"));
  $("log").append(item);
  while ($("log").childElementCount > SHOWN_MAX) $("log").firstElementChild.remove();
  if (follows) scroll.scrollTop = scroll.scrollHeight;
}

const showStimulus = ({ stimulus }) => add("stimulus", `${stimulus.sender} (${stimulus.channel}), ${time(stimulus.timestamp)}`, stimulus.content);

function showEnd(epoch) {
  if (epoch.state === "committed") add("reply", `${epoch.citizen}, ${epoch.emotive_state ?? ""} ${time(epoch.ended_at)}`, epoch.final_response ?? "");
  if (epoch.state === "aborted") add("failed", `${epoch.citizen} gave no reply, ${time(epoch.ended_at)}`, epoch.abort?.message ?? "");
}

function grow() {
  const texts = [...page.growing.values()].filter(Boolean);
  $("growing").hidden = texts.length === 0;
  $("growing").textContent = visible(texts.join("\n\n"));
}

function showEpochs() {
  const newest = [...page.epochs.values()].slice(-EPOCHS_MAX).reverse();
  for (const id of [...page.epochs.keys()].slice(0, -SHOWN_MAX)) page.epochs.delete(id);
  $("epochs").replaceChildren(...newest.map((epoch) => {
    const item = make("li");
    const doing = epoch.doing ? `: ${epoch.doing}` : "";
    item.append(make("strong", `${epoch.state}${doing}`), make("div", epoch.stimulus.content.slice(0, 120), "small"));
    if (!["committed", "aborted"].includes(epoch.state)) {
      const stop = make("button", "Stop");
      stop.type = "button";
      stop.setAttribute("aria-label", `Stop the epoch about: ${epoch.stimulus.content.slice(0, 60)}`);
      stop.addEventListener("click", () => tell(call("POST", `/epochs/${epoch.epoch_id}/abort`, { reason: "stopped on the page" })));
      item.append(stop);
    }
    return item;
  }));
}

async function loadApprovals() {
  const { items } = await call("GET", "/approvals");
  const known = new Set([...$("approvals").children].map((card) => card.dataset.id));
  const focused = $("approvals").contains(document.activeElement);
  const news = items.filter((item) => !known.has(item.id));
  if (news.length) $("approvals-news").textContent = visible(`${news[0].citizen} asks to run ${news[0].tool}`);
  for (const card of [...$("approvals").children]) if (!items.some((item) => item.id === card.dataset.id)) card.remove();
  for (const item of news) $("approvals").append(approval(item));
  if (!items.length) $("approvals").replaceChildren(make("p", "None waits.", "small"));
  if (focused && !$("approvals").contains(document.activeElement)) $("message").focus();
}

function approval(item) {
  const card = make("article", undefined, "card");
  const title = make("strong", `${item.citizen} wants to run ${item.tool}`);
  title.id = `approval-${item.id}`;
  card.dataset.id = item.id;
  card.setAttribute("role", "alertdialog");
  card.setAttribute("aria-labelledby", title.id);
  const decide = (decision, label, className) => {
    const button = make("button", label, className);
    button.type = "button";
    button.addEventListener("click", () => tell(call("POST", `/approvals/${item.id}`, { decision }).finally(loadApprovals)));
    return button;
  };
  const row = make("div", undefined, "row");
  row.append(decide("approve", "Approve", "approve"), decide("deny", "Deny"));
  card.append(title, make("pre", JSON.stringify(item.arguments, null, 2)), make("p", `${item.effect}; denied by itself at ${time(item.deadline)}`, "small"), row);
  return card;
}

async function loadAttention() {
  const { items } = await call("GET", "/attention");
  const rows = items.map((item) => {
    const row = make("li");
    row.append(make("strong", item.kind.replace("_", " ")), make("div", item.summary, "small"));
    return row;
  });
  $("attention").replaceChildren(...(rows.length ? rows : [make("li", "Nothing needs you.", "small")]));
}

function tell(promise) {
  $("trouble").textContent = "";
  return promise.catch((error) => { $("trouble").textContent = error.message; });
}

// -- what a person does

$("say").addEventListener("submit", async (event) => {
  event.preventDefault();
  const message = $("message").value;
  if (!message.trim() || $("send").disabled) return;
  const body = { message, sender: $("sender").value || "user", channel: "direct", citizen: agent(), interactive: true };
  // The text stays until it is accepted, and the key lets it be sent again without being answered twice.
  const headers = { "Idempotency-Key": key() };
  $("send").disabled = true;
  await tell((async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await call("POST", "/start-epoch", body, headers);
        break;
      } catch (error) {
        if (error instanceof Refused || attempt === 10) throw error;
        $("trouble").textContent = "not sent yet; trying again…";
        await pause(RETRY_MS);
      }
    }
    if ($("message").value === message) $("message").value = "";
    $("trouble").textContent = "";
    localStorage.setItem("sender", body.sender);
  })());
  $("send").disabled = false;
  $("message").focus();
});

$("message").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("say").requestSubmit();
  }
});

$("agent").addEventListener("change", () => {
  localStorage.setItem("agent", agent());
  tell(Promise.all([loadEpochs(), refreshLane()]));
});

const theme = (name) => { if (name) document.documentElement.dataset.theme = name; };
theme(localStorage.getItem("theme"));
$("theme").addEventListener("click", () => {
  const now = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  theme(now === "dark" ? "light" : "dark");
  localStorage.setItem("theme", document.documentElement.dataset.theme);
});

$("sender").value = localStorage.getItem("sender") ?? "user";
if (location.hash === "#expired") {
  history.replaceState(null, "", "/");
  call("GET", "/session").then(begin, () => askForLogin("The link was used already or is older than five minutes."));
} else {
  begin();
}
