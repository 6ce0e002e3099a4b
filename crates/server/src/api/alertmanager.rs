//! `/alertmanager`: takes alerts of a Prometheus Alertmanager (its webhook, version 4). Each is recorded once, and sent to an
//! agent as a stimulus where one is configured for it.
//!
//! The text of an alert is data: it has the channel `system`, which no memory takes for a person. An alert that comes again
//! (Alertmanager repeats itself while it fires) is neither recorded nor sent again. This keeper's own alerts that come back
//! are recorded and wake nobody: a stalled agent is not woken by the alert that it is stalled.

use abide_domain::{
    AgentId, EntityName,
    event::Idempotency,
    evidence::{EvidenceDraft, EvidenceId, EvidenceRules},
};
use abide_engine::{
    Keeper,
    keeper::{AcceptError, AcceptOptions, OrderError},
};
use abide_ledger::Draft;
use axum::{Json, extract::State};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::{app_state::AppState, error::ApiError, input::Body, stimulus};
use crate::system::SystemIds;

mod alert;
mod known_alerts;

use alert::{Alert, Message};
use known_alerts::KnownAlerts;
pub(super) use known_alerts::KnownAlertsCache;

/// Alerts of one message at most.
const ALERTS_MAX: usize = 1_000;
/// The version of the webhook that is understood.
const VERSION: &str = "4";
/// Who alerts are from, in the ledger and to agents.
const AUTHOR: &str = "alertmanager";

/// What was done with the alerts of a message.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TakenView {
    /// How many are new, and are recorded now.
    recorded: usize,
    /// How many were recorded before.
    known: usize,
    /// The agent that got them as stimuli, if one is configured.
    woken: Option<String>,
    /// The epochs that answer, of new and of known alerts.
    epochs: Vec<String>,
}

/// Records alerts. Send Alertmanager's webhook here, with the keeper's token as bearer.
#[utoipa::path(post, path = "/alertmanager", tag = "alertmanager", request_body = Message,
    responses((status = 200, body = TakenView), (status = 422), (status = 503)))]
pub(crate) async fn take(
    State(app): State<AppState>,
    body: Body,
) -> Result<Json<TakenView>, ApiError> {
    let keeper = app.keeper()?;
    let message: Message = body.parse()?;
    if message.version != VERSION {
        return Err(ApiError::invalid("version must be \"4\", the only one that is supported"));
    }
    if message.alerts.len() > ALERTS_MAX {
        let message = format!(
            "the message has more than {ALERTS_MAX} alerts; set max_alerts at the receiver"
        );
        return Err(ApiError::invalid(message));
    }
    let alerts = message.alerts()?;
    let recorded = record(&app, keeper, &message, &alerts).await?;
    let mut epochs = Vec::new();
    if let Some(agent) = app.alert_wake() {
        for alert in alerts.iter().filter(|alert| !alert.is_own()) {
            epochs.push(wake(&app, keeper, agent, alert).await?);
        }
    }
    Ok(Json(TakenView {
        recorded,
        known: alerts.len() - recorded,
        woken: app.alert_wake().map(ToString::to_string),
        epochs,
    }))
}

/// Records those that are not recorded yet, as one batch; gives how many.
async fn record(
    app: &AppState,
    keeper: &Keeper,
    message: &Message,
    alerts: &[Alert],
) -> Result<usize, ApiError> {
    let author = EntityName::sender(AUTHOR).unwrap_or_else(|_| EntityName::keeper());
    // Held until the entries are durable: no two get one id.
    let _permit = app.fold_permit().await;
    let known = app.known_alerts().take();
    let mut known = if let Some(known) = known {
        known
    } else {
        let (ledger, of) = (keeper.ledger().clone(), author.clone());
        let read = tokio::task::spawn_blocking(move || KnownAlerts::read(&ledger, of));
        read.await.unwrap_or_else(|error| Err(ApiError::internal(&error)))?
    };
    let now = app.now();
    let mut lines = Vec::new();
    for alert in alerts {
        let id = alert.id();
        if known.has(&id) {
            known.note(&id);
            continue;
        }
        let entry = alert.entry(message, &id, alert.beginning(&known).as_deref());
        let exists = |id: &EvidenceId| known.has(id.as_str());
        let rules = EvidenceRules { now, author: Some(&author), exists: &exists };
        let event = EvidenceDraft::from_json(&entry, rules)?;
        let event = event.into_event(EvidenceId::new(&SystemIds, now));
        let (entity, author) = (EntityName::keeper(), author.clone());
        lines.push(Draft { entity, author, epoch: None, event: event.into() });
        known.note(&id);
    }
    let count = lines.len();
    let mut last_seq = None;
    if count > 0 {
        let appended = keeper.ledger().append(lines).await.map_err(OrderError::from)?;
        last_seq = Some(appended.last_seq);
    }
    app.known_alerts().put_back(known);
    if let Some(seq) = last_seq {
        keeper.services().view.applied(seq).await;
    }
    Ok(count)
}

/// Sends an alert to an agent as a stimulus, once; gives the epoch that answers.
async fn wake(
    app: &AppState,
    keeper: &Keeper,
    agent: &AgentId,
    alert: &Alert,
) -> Result<String, ApiError> {
    let envelope = json!({
        "stimulus": {
            "content": alert.text(),
            "sender": AUTHOR,
            "channel": "system",
            "timestamp": app.now(),
        },
        "last_driver_output": null,
        "citizen": agent,
        "session_id": null,
    });
    let envelope = stimulus::check_envelope(app, keeper, &envelope)?;
    let key = format!("{AUTHOR}:{}", alert.id());
    // The same alert may come with another text (a measured value).
    let body_sha256 = hex::encode(Sha256::digest(&key));
    let idempotency = Some(Idempotency { key, body_sha256 });
    let how = AcceptOptions { idempotency, ..AcceptOptions::default() };
    match keeper.accept(envelope, how).await {
        Ok(accepted) => Ok(accepted.epoch.to_string()),
        // Alertmanager tries again on 5xx alone.
        Err(error @ AcceptError::QueueFull { .. }) => {
            Err(ApiError::unavailable("queue_full", error.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}
