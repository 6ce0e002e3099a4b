//! `/attention`: what a person must see or decide, each with what can be done about it.

use std::time::Duration;

use abide_domain::{AgentId, Timestamp, text::shortened, visible_line};
use abide_engine::{
    Keeper,
    keeper::{Attention, AttentionKind, DECK_MATTER},
};
use abide_mcp::{McpState, McpStatus};
use abide_watchdog::{Episode, ObservedMatter, UNREACHABLE};
use axum::{Json, extract::State};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    app_state::AppState, error::ApiError, input::Params, list::List, process, watchdog::EpisodeView,
};
use crate::{
    mcp_servers::{McpQuestion, McpServerState, McpServers},
    self_watch::StandingPart,
    watch::{DISK, QUESTION, STATE_NOT_KEPT, disk_summary, question_summary, state_summary},
};

/// The kind of a matter about tools of servers.
const TOOLS: &str = "tools";
/// Longest piece of a server's words in a summary, in Unicode scalar values.
const SERVER_TEXT_CHARS_MAX: usize = 200;
/// How long the list waits for a look of the watchdog.
const LOOK_MAX: Duration = Duration::from_secs(2);

/// A matter.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct AttentionView {
    /// Stable for as long as the matter is open.
    id: String,
    /// `approval`, `epoch_failed`, `budget`, `sleep`, `identity`, `fact`, `evolution`, `memory`, `stall`, `process`, `disk`, `unreachable`, `ledger`, `clock`, `keeper`, `tools` or `question`.
    kind: &'static str,
    /// The agent that it is about; null for the keeper.
    citizen: Option<String>,
    /// Since when.
    since: String,
    /// One line.
    summary: String,
    /// Who has it in hand, of a stall; null where nobody has.
    acknowledged: Option<AcknowledgementView>,
    /// What can be done.
    actions: Vec<ActionView>,
}

/// Somebody has a stall in hand.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct AcknowledgementView {
    /// Who.
    by: String,
    /// Until when; then people are told of it again.
    until: String,
}

/// A request that does something about a matter.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ActionView {
    /// For people.
    label: &'static str,
    /// Its method.
    method: &'static str,
    /// Its path.
    path: String,
    /// Its body; null for none.
    body: Option<Value>,
}

impl ActionView {
    fn show(path: &str) -> Self {
        Self { label: "Show", method: "GET", path: path.to_owned(), body: None }
    }

    fn post(label: &'static str, path: String, body: Value) -> Self {
        Self { label, method: "POST", path, body: Some(body) }
    }
}

impl From<Attention> for AttentionView {
    fn from(attention: Attention) -> Self {
        let actions = actions(&attention);
        Self {
            id: attention.id,
            kind: attention.kind.as_str(),
            citizen: attention.citizen.map(|citizen| citizen.to_string()),
            since: attention.since.to_string(),
            summary: attention.summary,
            acknowledged: None,
            actions,
        }
    }
}

fn actions(attention: &Attention) -> Vec<ActionView> {
    let epoch = attention.epoch.map(|epoch| epoch.to_string()).unwrap_or_default();
    let agent = attention.citizen.as_ref().map(ToString::to_string).unwrap_or_default();
    match attention.kind {
        AttentionKind::Approval if attention.id.starts_with(DECK_MATTER) => deck_actions(attention),
        AttentionKind::Approval => {
            let path = format!("/approvals/{}", attention.id.trim_start_matches("approval:"));
            let decide = |label, decision| {
                ActionView::post(label, path.clone(), json!({"decision": decision}))
            };
            vec![decide("Approve", "approve"), decide("Deny", "deny")]
        }
        AttentionKind::EpochFailed => {
            let show = ActionView::show(&format!("/epochs/{epoch}"));
            let post = |label, action| {
                ActionView::post(label, format!("/epochs/{epoch}/{action}"), json!({}))
            };
            vec![post("Ask again", "fork"), show, post("Dismiss", "dismiss")]
        }
        AttentionKind::Budget => {
            vec![ActionView::post("Resume", format!("/agents/{agent}/resume"), json!({}))]
        }
        AttentionKind::Sleep => {
            let path = "/management/sleep".to_owned();
            let sleep = |label, rules| {
                ActionView::post(label, path.clone(), json!({"citizen": agent, "rules": rules}))
            };
            vec![sleep("Sleep again", false), sleep("Sleep by rules", true)]
        }
        AttentionKind::Identity => {
            let id = attention.id.trim_start_matches("identity:");
            proposal_actions("/identity/proposals", id, &agent)
        }
        AttentionKind::Fact => {
            let id = attention.id.trim_start_matches("fact:");
            proposal_actions("/knowledge/proposals", id, &agent)
        }
        AttentionKind::Evolution => {
            let id = attention.id.trim_start_matches("evolution:");
            let path = format!("/evolutions/{id}");
            let answer =
                |label, action| ActionView::post(label, format!("{path}/{action}"), json!({}));
            vec![answer("Approve", "approve"), answer("Reject", "reject"), ActionView::show(&path)]
        }
        AttentionKind::PrivateState => process_actions(&agent, "Start again"),
        AttentionKind::Memory | AttentionKind::Ledger | AttentionKind::Clock => {
            vec![ActionView::show("/health")]
        }
    }
}

/// What a person can do with a proposal for a deck: all of it at once; line by line it is done where decks are shown.
fn deck_actions(attention: &Attention) -> Vec<ActionView> {
    let matter = attention.id.trim_start_matches(DECK_MATTER);
    let (deck, id) = matter.split_once(':').unwrap_or((matter, ""));
    let answer =
        |label, path: &str| ActionView::post(label, path.to_owned(), json!({"proposal_id": id}));
    let show = ActionView::show(&format!("/deck/state?deck_id={deck}"));
    vec![answer("Approve", "/deck/approve"), answer("Deny", "/deck/reject"), show]
}

/// What a person can do with a proposal of an agent's among others below a path.
fn proposal_actions(path: &str, id: &str, agent: &str) -> Vec<ActionView> {
    let decide = |label, decision| {
        let body = json!({"citizen": agent, "decision": decision});
        ActionView::post(label, format!("{path}/{id}"), body)
    };
    let show = ActionView::show(&format!("{path}?citizen={agent}"));
    vec![decide("Approve", "approve"), decide("Deny", "deny"), show]
}

/// Everything that waits for a person, the oldest first.
pub(crate) fn all_matters(app: &AppState, keeper: &Keeper) -> Vec<AttentionView> {
    let mut matters: Vec<_> = keeper.attention().into_iter().map(AttentionView::from).collect();
    let ids: Vec<_> = keeper.agents().iter().map(|agent| agent.id.clone()).collect();
    matters.extend(ids.iter().filter_map(|id| restarts(app, id)));
    matters.extend(ids.iter().filter_map(|id| over_disk_limit(app, id)));
    matters.extend(ids.iter().filter_map(|id| not_kept(app, id)));
    matters.extend(stalls(app, keeper));
    matters.extend(unreachable_hosts(app));
    matters.extend(server_matters(app));
    matters.extend(questions(app));
    matters.extend(app.standing_parts().iter().map(|standing| standing_part(app, standing)));
    // Times are of one form, so their order is that of their texts.
    matters.sort_by(|a, b| (&a.since, &a.id).cmp(&(&b.since, &b.id)));
    matters
}

/// A part of the keeper that stands still.
fn standing_part(app: &AppState, standing: &StandingPart) -> AttentionView {
    AttentionView {
        id: format!("keeper:{}", standing.part),
        kind: "keeper",
        citizen: None,
        since: app.now().before(standing.time).to_string(),
        summary: standing.sentence(),
        acknowledged: None,
        actions: vec![ActionView::show("/health")],
    }
}

/// What a person can do with an agent's process, with the word for a start.
fn process_actions(id: &str, start: &'static str) -> Vec<ActionView> {
    let post = |label, action| ActionView::post(label, format!("/agents/{id}/{action}"), json!({}));
    vec![post(start, "restart"), post("Park", "park")]
}

/// A process that ends again and again. It is still started again.
fn restarts(app: &AppState, id: &AgentId) -> Option<AttentionView> {
    let status = process::failing_process(app, id)?;
    let count = status.failures;
    let reason = status.message.unwrap_or_default();
    Some(AttentionView {
        id: format!("process:{id}"),
        kind: "stall",
        citizen: Some(id.to_string()),
        since: status.started_at.unwrap_or_else(|| app.now()).to_string(),
        summary: format!("the process of {id} ended {count} times in a row: {reason}"),
        acknowledged: None,
        actions: process_actions(id.as_str(), "Start now"),
    })
}

/// A process that is not started until somebody makes room for it.
fn over_disk_limit(app: &AppState, id: &AgentId) -> Option<AttentionView> {
    let hold = process::disk_hold(app, id)?;
    let is_steered = app.processes().is_some_and(|all| all.supervisor_of(id).is_some());
    Some(AttentionView {
        id: format!("{DISK}:{id}"),
        kind: DISK,
        citizen: Some(id.to_string()),
        since: hold.since.to_string(),
        summary: disk_summary(id, &hold),
        acknowledged: None,
        // An agent of the Agent Client Protocol is neither started nor parked by hand.
        actions: if is_steered { process_actions(id.as_str(), "Start now") } else { Vec::new() },
    })
}

/// A private state that cannot be kept at this moment.
fn not_kept(app: &AppState, id: &AgentId) -> Option<AttentionView> {
    let problem = app.processes()?.state_problem(id)?;
    Some(AttentionView {
        id: format!("{STATE_NOT_KEPT}:{id}"),
        kind: AttentionKind::PrivateState.as_str(),
        citizen: Some(id.to_string()),
        since: problem.since.to_string(),
        summary: state_summary(id, &problem),
        acknowledged: None,
        actions: process_actions(id.as_str(), "Start again"),
    })
}

/// Agents that stall: what was tried, and what a person can do.
fn stalls(app: &AppState, keeper: &Keeper) -> Vec<AttentionView> {
    let Some(watchdog) = app.watchdog() else { return Vec::new() };
    let (episodes, now) = (watchdog.status().episodes, app.now());
    let stall = |episode: &Episode| {
        let EpisodeView { id, agent, opened_at, summary, .. } = EpisodeView::new(episode, now);
        let ack = json!({"episode": id, "for": "1h"});
        let silence = json!({"agent": agent, "for": "1h"});
        let ack = ActionView::post("Acknowledge", "/watchdog/ack".to_owned(), ack);
        // Who has it in hand is named beside it; there is nothing left to press.
        let acknowledged = episode.ack.as_ref().filter(|ack| ack.until > now);
        let mut actions = Vec::from_iter(acknowledged.is_none().then_some(ack));
        actions.push(ActionView::post("Silence for 1 h", "/watchdog/silence".to_owned(), silence));
        let open = keeper.state().open_epoch(&episode.agent).map(|record| record.id);
        actions.extend(open.map(|epoch| {
            ActionView::post("Abort its epoch", format!("/epochs/{epoch}/abort"), json!({}))
        }));
        let supervisor = app.processes().and_then(|all| all.supervisor_of(&episode.agent));
        actions.extend(supervisor.map(|_| {
            ActionView::post("Restart it", format!("/agents/{agent}/restart"), json!({}))
        }));
        AttentionView {
            id: format!("stall:{id}"),
            kind: "stall",
            citizen: Some(agent),
            since: opened_at,
            summary,
            acknowledged: acknowledged.map(|ack| AcknowledgementView {
                by: ack.by.bare().to_owned(),
                until: ack.until.to_string(),
            }),
            actions,
        }
    };
    episodes.iter().map(stall).collect()
}

/// Has the watchdog look again where something that an open stall rests on has changed since it looked: its agent has done
/// something, or has nothing to do any more. Else what was just ended would be shown until the next scan.
async fn look_again(app: &AppState, keeper: &Keeper) {
    let Some(watchdog) = app.watchdog() else { return };
    let is_changed = {
        let (episodes, state) = (watchdog.status().episodes, keeper.state());
        episodes.iter().any(|episode| {
            let Some(agent) = state.agents.get(&episode.agent) else { return true };
            let is_idle = agent.open.is_none() && agent.queue.is_empty();
            let given_up = agent.last_aborted.as_ref();
            let is_given_up = given_up.is_some_and(|ended| episode.is_ended_by(ended.at));
            agent.last_evidence_seq > episode.evidence_seq || is_idle || is_given_up
        })
    };
    if is_changed {
        // What the newest look knew is shown where this one takes too long.
        let _late = tokio::time::timeout(LOOK_MAX, watchdog.look()).await;
    }
}

/// Hosts of models that cannot be reached, as the watchdog found them at its newest look.
fn unreachable_hosts(app: &AppState) -> Vec<AttentionView> {
    let Some(watchdog) = app.watchdog() else { return Vec::new() };
    let host = |observed: ObservedMatter| AttentionView {
        id: observed.matter.id,
        kind: UNREACHABLE,
        citizen: None,
        since: observed.since.to_string(),
        summary: observed.matter.summary,
        acknowledged: None,
        actions: vec![ActionView::show("/watchdog")],
    };
    watchdog.status().unreachable.into_iter().map(host).collect()
}

/// Servers whose tools agents lack: those that do not work, and those whose tools nobody accepted as they are now.
fn server_matters(app: &AppState) -> Vec<AttentionView> {
    let all = app.servers().map(McpServers::all).unwrap_or_default();
    let matters = all.iter().flat_map(|state| [broken_server(state), waiting_tools(state)]);
    matters.flatten().collect()
}

fn broken_server(state: &McpServerState) -> Option<AttentionView> {
    let McpStatus { server, state: phase, broken_since, last_error, .. } = &state.status;
    let problem = match phase {
        McpState::LoginNeeded => format!("`abide mcp login {server}` is needed"),
        _ => last_error.clone().unwrap_or_else(|| "it ended".to_owned()),
    };
    let problem = shortened(&visible_line(&problem), SERVER_TEXT_CHARS_MAX);
    let summary =
        format!("the server {server} does not work, and agents lack its tools: {problem}");
    Some(server_matter(format!("{TOOLS}-broken:{server}"), (*broken_since)?, summary))
}

fn waiting_tools(state: &McpServerState) -> Option<AttentionView> {
    let server = &state.status.server;
    let names: Vec<_> = state.waiting.iter().map(|tool| visible_line(&tool.tool)).collect();
    let names = shortened(&names.join(", "), SERVER_TEXT_CHARS_MAX);
    let summary = format!(
        "the server {server} has tools that nobody accepted as they are now: {names}; `abide mcp accept {server}` shows them"
    );
    Some(server_matter(format!("{TOOLS}:{server}"), state.waiting_since?, summary))
}

/// What servers ask of people. What is to be filled in is no button.
fn questions(app: &AppState) -> Vec<AttentionView> {
    let waiting = app.servers().map(|servers| servers.questions().waiting()).unwrap_or_default();
    let matter = |question: McpQuestion| {
        let path = format!("/mcp/questions/{}/answer", question.id);
        AttentionView {
            id: format!("{QUESTION}:{}", question.id),
            kind: QUESTION,
            citizen: question.origin.as_ref().map(|call| call.agent.to_string()),
            since: question.since.to_string(),
            summary: question_summary(&question),
            acknowledged: None,
            actions: vec![
                ActionView::show("/mcp/questions"),
                ActionView::post("Decline", path, json!({"accept": false})),
            ],
        }
    };
    waiting.into_iter().map(matter).collect()
}

fn server_matter(id: String, since: Timestamp, summary: String) -> AttentionView {
    AttentionView {
        id,
        kind: TOOLS,
        citizen: None,
        since: since.to_string(),
        summary,
        acknowledged: None,
        actions: vec![ActionView::show("/mcp/servers")],
    }
}

/// Everything that waits for a person, the oldest first.
#[utoipa::path(get, path = "/attention", tag = "approvals",
    params(("citizen" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<AttentionView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<AttentionView>>, ApiError> {
    let citizen = params.get("citizen").map(|name| app.citizen(Some(name))).transpose()?;
    let citizen = citizen.map(|citizen| citizen.to_string());
    look_again(&app, app.keeper()?).await;
    let matters = all_matters(&app, app.keeper()?).into_iter();
    let items = matters.filter(|matter| citizen.is_none() || matter.citizen == citizen).collect();
    Ok(Json(List::page(items, params.cursor()?, params.limit()?)))
}
