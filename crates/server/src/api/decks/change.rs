//! Routes that change a deck: each is one line of the ledger, durable when it answers.

use abide_deck::{
    CardLookup, CardRef, Currency, Deck, DeckCommand, DeckError, DeckOp, DeckZone, LineChoice,
    ListError, UnknownPrinting, limits::DECK_NAME_CHARS_MAX, parse_list, resolve,
};
use abide_engine::{Keeper, keeper::DeckOrderError, state::DeckRecord};
use axum::{Json, extract::State};
use http::StatusCode;

use super::{
    body::{
        DeckApproveBody, DeckBracketBody, DeckCreateBody, DeckEditBody, DeckForkBody, DeckLoadBody,
        DeckRejectBody, DeckReopenBody, DeckRewriteBody, DeckUndoBody,
    },
    refusal::answered,
    shown::{DeckLens, FORMAT},
    view::DeckStateView,
};
use crate::{
    api::{
        app_state::AppState,
        error::ApiError,
        input::{Body, bounded_reason},
    },
    auth::Caller,
};

/// What a refusal says where a person gives no reason.
const NO_REASON: &str = "not wanted";

async fn shown(app: &AppState, record: &DeckRecord) -> Json<DeckStateView> {
    Json(DeckLens::of(app, Currency::Usd).await.state(record))
}

/// A deck's name within its bounds.
fn deck_name(name: &str) -> Result<String, ApiError> {
    let name = name.trim();
    let chars = name.chars().count();
    if !(1..=DECK_NAME_CHARS_MAX).contains(&chars) || name.contains(char::is_control) {
        let rule = format!("must have 1 to {DECK_NAME_CHARS_MAX} characters, on one line");
        return Err(ApiError::invalid_at("name", "length", &rule));
    }
    Ok(name.to_owned())
}

/// Lines from 1 as lines from 0.
pub(super) fn indexes(ops: &[u32]) -> Result<Vec<u32>, ApiError> {
    let index = |id: &u32| {
        let from_one = || ApiError::invalid_at("ops", "line", "lines are counted from 1");
        id.checked_sub(1).ok_or_else(from_one)
    };
    ops.iter().map(index).collect()
}

fn choice(ops: Option<&[u32]>) -> Result<LineChoice, ApiError> {
    Ok(match ops {
        None => LineChoice::AllOpen,
        Some(ops) => LineChoice::Lines(indexes(ops)?),
    })
}

/// Makes a deck: empty, or out of a list in any known form. What cannot be read is kept and shown.
#[utoipa::path(post, path = "/deck/create", tag = "decks", request_body = DeckCreateBody,
    responses((status = 201, body = DeckStateView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<(StatusCode, Json<DeckStateView>), ApiError> {
    let keeper = app.keeper()?;
    let body: DeckCreateBody = body.parse()?;
    let citizen = body.citizen.as_deref().map(|name| app.citizen(Some(name))).transpose()?;
    if body.format.as_deref().is_some_and(|format| format != FORMAT) {
        return Err(ApiError::invalid_at(
            "format",
            "rule",
            "must be commander: there is no other yet",
        ));
    }
    let lens = DeckLens::of(&app, Currency::Usd).await;
    let name = deck_name(&body.name)?;
    let (mut deck, notes) = read_list(&body.cards.unwrap_or_default(), &lens)?;
    deck.name = name;
    if let Some(commander) = &body.commander {
        lead(&mut deck, commander, &lens)?;
    }
    let record = keeper.create_deck(deck, citizen.as_ref(), caller.author()).await?;
    let mut view = lens.state(&record);
    view.import_notes = notes;
    Ok((StatusCode::CREATED, Json(view)))
}

/// The deck of a list, and what in it does not hold.
fn read_list(list: &str, lens: &DeckLens) -> Result<(Deck, Vec<String>), ApiError> {
    let parsed = parse_list(list, &*lens.cards).map_err(|error| match error {
        ListError::TooLarge | ListError::NoMtgoId(_) => {
            ApiError::invalid_at("cards", "list", &error.to_string())
        }
    })?;
    let resolved = resolve(&parsed, &lens.cards);
    let note = |unknown: &UnknownPrinting| {
        let number = unknown.printing.number.as_deref().unwrap_or_default();
        let (line, set, name) = (unknown.line, &unknown.printing.set, &unknown.name);
        format!("line {line}: {name} has no printing {set} {number}; any is taken")
    };
    Ok((resolved.deck, resolved.unknown_printings.iter().map(note).collect()))
}

/// Lets cards lead a deck that is made: one, or two whose names are joined.
fn lead(deck: &mut Deck, names: &str, lens: &DeckLens) -> Result<(), ApiError> {
    let found = |name: &str| match lens.cards.find(name, None) {
        CardLookup::Found(found) => {
            Ok(CardRef { id: found.card.id.clone(), name: found.card.name.clone() })
        }
        CardLookup::Ambiguous(_) => Err("is the name of several cards"),
        CardLookup::Unknown => Err("is no card's name"),
    };
    let whole = found(names).map(|card| vec![card]);
    let parts =
        || names.split(" // ").map(|name| found(name.trim())).collect::<Result<Vec<_>, _>>();
    let cards = whole.or_else(|_| parts());
    let cards = cards.map_err(|why| {
        let none = lens.cards.cards().is_empty();
        let more = if none { "; there is no card table: `abide cards pull` gets one" } else { "" };
        ApiError::invalid_at("commander", "card", &format!("{names:?} {why}{more}"))
    })?;
    let leads = |card: &CardRef| deck.in_zone(DeckZone::Commander).any(|at| at.key.card == card.id);
    if cards.iter().all(leads) {
        return Ok(());
    }
    let done = DeckOp::SetCommanders { cards }.apply_to(deck);
    done.map_err(|error| ApiError::invalid_at("commander", "card", &error.to_string()))
}

/// Loads a deck for an agent: its tools are about that one from then on.
#[utoipa::path(post, path = "/deck/load", tag = "decks", request_body = DeckLoadBody,
    responses((status = 200, body = DeckStateView), (status = 404)))]
pub(crate) async fn load(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<DeckStateView>, ApiError> {
    let keeper = app.keeper()?;
    let DeckLoadBody { deck_id, citizen } = body.parse()?;
    let citizen = app.citizen(citizen.as_deref())?;
    let record = keeper.load_deck(&citizen, &deck_id, caller.author()).await?;
    Ok(shown(&app, &record).await)
}

/// Takes lines of a proposal, all that are named or none; without names all that are open and not stale.
///
/// Later revisions are no obstacle where they changed nothing that the lines are about. Stale or answered lines are a conflict, which
/// says what changed.
#[utoipa::path(post, path = "/deck/approve", tag = "decks", request_body = DeckApproveBody,
    responses((status = 200, body = DeckStateView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn approve(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<DeckStateView>, ApiError> {
    let keeper = app.keeper()?;
    let DeckApproveBody { proposal_id, ops, deck_rev, despite_conflict } = body.parse()?;
    let lines = choice(ops.as_deref())?;
    let deck = keeper.deck_of_proposal(&proposal_id)?.state;
    let deck_rev = deck_rev.unwrap_or(deck.rev);
    let command =
        DeckCommand::Take { proposal_id: proposal_id.clone(), deck_rev, lines, despite_conflict };
    let record = answer(keeper, (&deck.id, &command), &caller, (&proposal_id, ops)).await?;
    Ok(shown(&app, &record).await)
}

/// Refuses lines of a proposal. The proposer hears why, and is answered with it where it proposes the same again.
#[utoipa::path(post, path = "/deck/reject", tag = "decks", request_body = DeckRejectBody,
    responses((status = 200, body = DeckStateView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn reject(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<DeckStateView>, ApiError> {
    let keeper = app.keeper()?;
    let DeckRejectBody { proposal_id, ops, reason } = body.parse()?;
    let lines = choice(ops.as_deref())?;
    let reason = bounded_reason(reason)?.unwrap_or_else(|| NO_REASON.to_owned());
    let deck = keeper.deck_of_proposal(&proposal_id)?.state;
    let command = DeckCommand::Refuse { proposal_id: proposal_id.clone(), lines, reason };
    let record = answer(keeper, (&deck.id, &command), &caller, (&proposal_id, ops)).await?;
    Ok(shown(&app, &record).await)
}

/// Answers lines; where somebody else was faster, the refusal says what that one answered.
async fn answer(
    keeper: &Keeper,
    (deck_id, command): (&str, &DeckCommand),
    caller: &Caller,
    (proposal_id, ops): (&str, Option<Vec<u32>>),
) -> Result<DeckRecord, ApiError> {
    let done = keeper.change_deck(deck_id, command, caller.author()).await;
    done.map_err(|error| match &error {
        DeckOrderError::Refused { error: DeckError::LineAnswered(_), state: Some(state) } => {
            let conflicts = answered(state, proposal_id, &ops.unwrap_or_default());
            ApiError::deck_conflict("answered", "lines were answered already", conflicts)
        }
        _ => error.into(),
    })
}

/// Changes a deck at once. What changed since the revision that the person saw is merged, or a conflict where it is about the same.
#[utoipa::path(post, path = "/deck/edit", tag = "decks", request_body = DeckEditBody,
    responses((status = 200, body = DeckStateView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn edit(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<DeckStateView>, ApiError> {
    let DeckEditBody { deck_id, deck_rev, ops } = body.parse()?;
    change(&app, &caller, &deck_id, &DeckCommand::Edit { deck_rev, ops }).await
}

/// Takes a revision back, also one that took back another. Lines of a proposal that it took are open again.
#[utoipa::path(post, path = "/deck/undo", tag = "decks", request_body = DeckUndoBody,
    responses((status = 200, body = DeckStateView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn undo(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<DeckStateView>, ApiError> {
    let DeckUndoBody { deck_id, rev } = body.parse()?;
    change(&app, &caller, &deck_id, &DeckCommand::Undo { rev }).await
}

/// Rewrites an open line of a proposal; the proposer hears of it.
#[utoipa::path(post, path = "/deck/rewrite", tag = "decks", request_body = DeckRewriteBody,
    responses((status = 200, body = DeckStateView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn rewrite(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<DeckStateView>, ApiError> {
    let DeckRewriteBody { proposal_id, op, line } = body.parse()?;
    let index = indexes(&[op])?.first().copied().unwrap_or_default();
    let deck_id = app.keeper()?.deck_of_proposal(&proposal_id)?.state.id.clone();
    let command = DeckCommand::EditLine { proposal_id, line: index, op: line };
    change(&app, &caller, &deck_id, &command).await
}

/// Opens refused lines again.
#[utoipa::path(post, path = "/deck/reopen", tag = "decks", request_body = DeckReopenBody,
    responses((status = 200, body = DeckStateView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn reopen(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<DeckStateView>, ApiError> {
    let DeckReopenBody { proposal_id, ops } = body.parse()?;
    let lines = indexes(&ops)?;
    let deck_id = app.keeper()?.deck_of_proposal(&proposal_id)?.state.id.clone();
    change(&app, &caller, &deck_id, &DeckCommand::Reopen { proposal_id, lines }).await
}

/// Says which bracket a deck is of; null leaves it to the estimate.
#[utoipa::path(post, path = "/deck/bracket", tag = "decks", request_body = DeckBracketBody,
    responses((status = 200, body = DeckStateView), (status = 404), (status = 422)))]
pub(crate) async fn bracket(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<Json<DeckStateView>, ApiError> {
    let DeckBracketBody { deck_id, bracket } = body.parse()?;
    change(&app, &caller, &deck_id, &DeckCommand::SetBracket { bracket }).await
}

/// Makes a deck out of a revision of another one.
#[utoipa::path(post, path = "/deck/fork", tag = "decks", request_body = DeckForkBody,
    responses((status = 201, body = DeckStateView), (status = 404), (status = 409), (status = 422)))]
pub(crate) async fn fork(
    State(app): State<AppState>,
    caller: Caller,
    body: Body,
) -> Result<(StatusCode, Json<DeckStateView>), ApiError> {
    let keeper = app.keeper()?;
    let DeckForkBody { deck_id, rev, name } = body.parse()?;
    let name = deck_name(&name)?;
    let record = keeper.fork_deck((&deck_id, rev), &name, caller.author()).await?;
    Ok((StatusCode::CREATED, shown(&app, &record).await))
}

async fn change(
    app: &AppState,
    caller: &Caller,
    deck_id: &str,
    command: &DeckCommand,
) -> Result<Json<DeckStateView>, ApiError> {
    let record = app.keeper()?.change_deck(deck_id, command, caller.author()).await?;
    Ok(shown(app, &record).await)
}
