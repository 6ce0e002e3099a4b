//! `/memory/forget`: takes a matter back, wherever it was said.

use abide_domain::{EpochId, FactId, limits::FORGET_WORDS_CHARS_MAX};
use abide_engine::keeper::{ForgetMode, Forgotten, IdentityForgets};
use abide_memory::{ForgetAuthority, ForgetTarget};
use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    api::{
        app_state::AppState,
        error::ApiError,
        input::{Body, bounded_reason},
    },
    auth::Caller,
};

/// What is to be forgotten: one of `words`, `fact_id`, `epoch` and `person`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForgetBody {
    /// The matter as somebody would say it: `that I live in Lyon`, `my phone number`.
    words: Option<String>,
    /// A fact.
    fact_id: Option<String>,
    /// The exchange of one epoch.
    epoch: Option<String>,
    /// Everything that somebody said and told.
    person: Option<String>,
    /// Whose words are meant where an administrator forgets for somebody: `I` and `my` are theirs. Default: anybody's.
    of: Option<String>,
    /// Why, if said.
    reason: Option<String>,
    /// Whether it is only found and nothing is written.
    #[serde(default)]
    look: bool,
    /// Default: the only agent.
    citizen: Option<String>,
}

/// What was taken back, or would be.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ForgottenView {
    /// Whether anything was found.
    found: bool,
    /// What the facts in force say that are forgotten.
    facts: Vec<String>,
    /// How many facts are forgotten that held no longer.
    older_facts: usize,
    /// Nodes of the graph that are closed.
    nodes: Vec<String>,
    /// The epochs whose exchanges are recalled no more.
    epochs: Vec<String>,
    /// Facts that say it and stay, because somebody else told them.
    told_by_others: usize,
    /// `silent` where the identity does not say it, `changed` where it has a new version without it, `still_says` where a
    /// person must edit it.
    identity: &'static str,
}

impl From<Forgotten> for ForgottenView {
    fn from(forgotten: Forgotten) -> Self {
        let Forgotten { plan, identity, .. } = forgotten;
        Self {
            found: !plan.is_empty() || identity != IdentityForgets::Silent,
            facts: plan.contents,
            older_facts: plan.closed_facts.len(),
            nodes: plan.nodes.iter().map(ToString::to_string).collect(),
            epochs: plan.epochs.iter().map(ToString::to_string).collect(),
            told_by_others: plan.of_others,
            identity: match identity {
                IdentityForgets::Silent => "silent",
                IdentityForgets::Changed => "changed",
                IdentityForgets::StillSays => "still_says",
            },
        }
    }
}

/// Takes a matter back: facts, graph, recall, prompts, sleep and dreams know it no more. The lines stay in the ledger; `abide
/// memory erase` removes them. An administrator forgets for anybody, everybody else what they said themselves.
#[utoipa::path(post, path = "/memory/forget", tag = "memory", request_body = ForgetBody,
    responses((status = 200, body = ForgottenView), (status = 404), (status = 422)))]
pub(crate) async fn forget(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<ForgottenView>, ApiError> {
    let ForgetBody { words, fact_id, epoch, person, of, reason, look, citizen } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    let target = match (&words, &fact_id, &epoch, &person) {
        (Some(words), None, None, None) if words.chars().count() > FORGET_WORDS_CHARS_MAX => {
            let message = format!("words: at most {FORGET_WORDS_CHARS_MAX} characters are allowed");
            return Err(ApiError::invalid(message));
        }
        (Some(words), None, None, None) => ForgetTarget::Words(words),
        (None, Some(id), None, None) => {
            let known = id.parse::<FactId>();
            ForgetTarget::Fact(known.map_err(|_| ApiError::not_found("fact", id))?)
        }
        (None, None, Some(id), None) => {
            let known = id.parse::<EpochId>();
            ForgetTarget::Epoch(known.map_err(|_| ApiError::not_found("epoch", id))?)
        }
        (None, None, None, Some(person)) => ForgetTarget::Person(person),
        _ => return Err(ApiError::malformed("send one of words, fact_id, epoch and person")),
    };
    let authority = match (&of, caller.scopes().is_admin()) {
        (Some(of), true) => ForgetAuthority::Owner(of),
        (None, true) => ForgetAuthority::Administrator,
        (_, false) => ForgetAuthority::Owner(caller.name()),
    };
    let reason = bounded_reason(reason)?;
    let mode = if look { ForgetMode::Look } else { ForgetMode::Write };
    let how = (mode, reason.as_deref());
    let done = app.keeper()?.forget(&citizen, (target, authority), how, caller.author()).await?;
    Ok(Json(done.into()))
}
