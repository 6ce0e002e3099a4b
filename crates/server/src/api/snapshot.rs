//! `/snapshot`: everything that is live, with the sequence that it belongs to: what a client shows before it follows
//! `/events` from there.

use std::collections::BTreeMap;

use abide_domain::{AgentId, epoch::EpochState, visible_line};
use abide_engine::state::{self, DeckRecord, Media};
use abide_media::PlayIntent;
use axum::{Json, extract::State};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    agents::{UsageToday, state_of, usage_today},
    app_state::AppState,
    approvals, attention,
    error::ApiError,
    process::{self, ProcessView},
    watchdog,
};

/// The state at one sequence number.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct SnapshotView {
    /// The last event that is in it.
    pub(crate) seq: u64,
    /// Its tick.
    tick: u64,
    /// The chain value of the last durable batch.
    chain_head: String,
    /// Of projected state only: equal before and after a restart or a rebuild.
    state_digest: String,
    /// `ok`, `degraded` or `poisoned`.
    status: &'static str,
    /// The agents.
    agents: Vec<AgentLive>,
    /// Calls that wait for a person.
    approvals: usize,
    /// Matters that wait for a person.
    attention: usize,
    /// Decks by their ids: `name`, `rev` and `open_proposals`.
    decks: BTreeMap<String, DeckBrief>,
    /// What is played.
    media: MediaBrief,
    /// `stalled` (agents), `last_scan_at`, `scans_missed`, `paused`, `blind` (why); empty where it is off.
    watchdog: Map<String, Value>,
}

/// A deck in a snapshot.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct DeckBrief {
    /// Its name.
    name: String,
    /// Its newest revision.
    rev: u64,
    /// Proposals with lines that nobody has answered.
    open_proposals: usize,
}

impl DeckBrief {
    fn of(record: &DeckRecord) -> (String, Self) {
        let state = &record.state;
        let open_proposals = record.open_proposals().count();
        (state.id.clone(), Self { name: state.deck.name.clone(), rev: state.rev, open_proposals })
    }
}

/// The music in a snapshot.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct MediaBrief {
    /// Title of what is played; null where nothing is.
    title: Option<String>,
    /// Whether it is to play.
    playing: bool,
    /// Entries of the queue.
    queue: usize,
    /// Playlists.
    playlists: usize,
}

impl MediaBrief {
    fn of(media: &Media) -> Self {
        let queue = &media.queue;
        let current = queue.current().and_then(|entry| queue.entry(entry));
        let playing = current.is_some() && queue.intent() == PlayIntent::Play;
        let title = current.map(|entry| visible_line(&entry.track.title).into_owned());
        let playlists = media.playlists.iter().count();
        Self { title, playing, queue: queue.entries().len(), playlists }
    }
}

/// An agent's live state.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct AgentLive {
    id: String,
    /// As in `/agents`.
    state: &'static str,
    /// `IDLE`, `OPEN` or `EXECUTING`.
    lane: &'static str,
    /// The epoch in the lane.
    epoch_id: Option<String>,
    /// Its turn, from 1; 0 before the first.
    turn: Option<u32>,
    /// What the mind has said so far in the running attempt.
    partial: Option<String>,
    /// Stimuli that wait.
    queue: usize,
    last_evidence_at: Option<String>,
    usage_today: UsageToday,
    /// Null where the mind runs in the keeper.
    process: Option<ProcessView>,
}

/// The state at one sequence number.
#[utoipa::path(get, path = "/snapshot", tag = "keeper", responses((status = 200, body = SnapshotView)))]
pub(crate) async fn show(State(app): State<AppState>) -> Result<Json<SnapshotView>, ApiError> {
    Ok(Json(take(&app).await?))
}

/// Takes a snapshot: everything that is durable now is in it.
pub(crate) async fn take(app: &AppState) -> Result<SnapshotView, ApiError> {
    let keeper = app.keeper()?;
    let head = keeper.ledger().head();
    keeper.services().view.applied(head.seq).await;
    let state_digest = keeper.state_digest();
    let (approvals, attention) =
        (approvals::count_waiting(keeper), attention::all_matters(app, keeper).len());
    let ids: Vec<AgentId> = keeper.agents().iter().map(|agent| agent.id.clone()).collect();
    let (status, watchdog) = (app.health().status, watchdog::brief(app));
    // All of the above reads the state by itself.
    let state = keeper.state();
    Ok(SnapshotView {
        seq: state.seq,
        tick: state.tick,
        chain_head: head.chain,
        state_digest,
        status,
        agents: ids.iter().map(|id| live(app, &state, id)).collect(),
        approvals,
        attention,
        decks: state.decks.all().map(DeckBrief::of).collect(),
        media: MediaBrief::of(&state.media),
        watchdog,
    })
}

fn live(app: &AppState, state: &state::State, id: &AgentId) -> AgentLive {
    let agent = state.agents.get(id);
    let open = state.open_epoch(id);
    let (lane, turn) = match open.map(|record| &record.state) {
        None => ("IDLE", None),
        Some(EpochState::Acting { turn, .. }) => ("EXECUTING", Some(*turn)),
        Some(
            EpochState::Thinking { turn, .. }
            | EpochState::Answered { turn }
            | EpochState::Ready { turn, .. },
        ) => ("OPEN", Some(*turn)),
        Some(_) => ("OPEN", Some(0)),
    };
    AgentLive {
        id: id.to_string(),
        state: state_of(app, state, id),
        lane,
        epoch_id: open.map(|record| record.id.to_string()),
        turn,
        partial: app.partial_answers().of(state, id),
        queue: agent.map_or(0, |agent| agent.queue.len()),
        last_evidence_at: agent.and_then(|agent| agent.last_evidence_at).map(|at| at.to_string()),
        usage_today: usage_today(app, agent),
        process: process::view(app, id, agent),
    }
}
