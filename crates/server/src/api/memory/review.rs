//! `/knowledge/proposals`: facts that sleep found and that wait for a person, with what was said beside each.

use abide_domain::{ProposalId, event::Decision};
use abide_engine::state::{FactProposals, WaitingFact};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    api::{
        app_state::AppState,
        error::ApiError,
        input::{Body, Params, bounded_reason},
        list::List,
    },
    auth::Caller,
};

/// A fact that waits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WaitingFactView {
    proposal_id: String,
    /// The fact as it would be remembered.
    content: String,
    /// `user`, `project` or `world`.
    category: String,
    /// Who would have told it.
    told_by: Option<String>,
    /// Why it waits, in words for people.
    doubt: String,
    /// What was said in the exchanges that it rests on.
    said: String,
    /// The epochs of those exchanges.
    sources: Vec<String>,
    /// Since when it waits.
    since: String,
}

impl From<&WaitingFact> for WaitingFactView {
    fn from(waiting: &WaitingFact) -> Self {
        let (proposed, fact) = (&waiting.proposed, &waiting.proposed.fact);
        Self {
            proposal_id: proposed.proposal_id.to_string(),
            content: fact.content.clone(),
            category: fact.category.clone(),
            told_by: fact.told_by.as_ref().map(ToString::to_string),
            doubt: proposed.doubt.clone(),
            said: proposed.said.clone(),
            sources: fact.sources.iter().map(ToString::to_string).collect(),
            since: waiting.since.to_string(),
        }
    }
}

/// A decision on a fact that waits.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FactReviewBody {
    #[schema(value_type = String)]
    decision: Decision,
    /// Why, if said.
    reason: Option<String>,
    /// Default: the only agent.
    citizen: Option<String>,
}

/// What a decision came to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReviewedFactView {
    proposal_id: String,
    #[schema(value_type = String)]
    decision: Decision,
    /// The fact that is remembered now, where it was approved.
    fact_id: Option<String>,
}

/// Facts that wait for a person, the oldest first.
#[utoipa::path(get, path = "/knowledge/proposals", tag = "memory", params(("citizen" = Option<String>, Query)),
    responses((status = 200, body = List<WaitingFactView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<WaitingFactView>>, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    let state = app.keeper()?.state();
    let proposals = state.agents.get(&citizen).map(|agent| &agent.fact_proposals);
    let views = proposals.into_iter().flat_map(FactProposals::waiting);
    Ok(Json(List::whole(views.map(WaitingFactView::from).collect())))
}

/// Decides on a fact that waits. An approved one is remembered when this answers, and a person vouches for it.
#[utoipa::path(post, path = "/knowledge/proposals/{id}", tag = "memory", request_body = FactReviewBody,
    params(("id" = String, Path)), responses((status = 200, body = ReviewedFactView), (status = 404)))]
pub(crate) async fn decide(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    body: Body,
) -> Result<Json<ReviewedFactView>, ApiError> {
    let proposal: ProposalId = id.parse().map_err(|_| ApiError::not_found("proposal", &id))?;
    let FactReviewBody { decision, reason, citizen } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    let decided = (decision, bounded_reason(reason)?);
    let fact = app.keeper()?.decide_fact(&citizen, proposal, decided, caller.author()).await?;
    let fact_id = fact.map(|fact| fact.to_string());
    Ok(Json(ReviewedFactView { proposal_id: proposal.to_string(), decision, fact_id }))
}
