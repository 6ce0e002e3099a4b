//! `/deck/…`: decks, what agents propose of them, and what people decide.
//!
//! A deck is a fold of its lines in the ledger; what is shown of its cards comes from the card table, and where there is none, decks are
//! shown by the names that they hold, and the first finding says what to do. Nothing here changes a deck but by a line.
//!
//! Reading order: the routes that read, `change` (those that change), `body` and `view` (what is asked and shown), `shown` (how it is
//! made), `refusal` (what changed meanwhile).

use abide_deck::{
    Currency, Deck, DeckZone, ListFormat, OracleId, compare_decks, judge_deck, list_of,
    playtest_hand, print_list, proposal_effect, search_cards,
};
use abide_engine::{Keeper, state::DeckRecord};
use axum::{Json, extract::State};

use super::{
    app_state::AppState,
    error::ApiError,
    input::{Body, Params},
    list::List,
};

pub(crate) mod body;
pub(crate) mod change;
mod refusal;
mod shown;
pub(crate) mod view;

use body::DeckEffectBody;
use shown::DeckLens;
use view::{
    CardFactsView, DeckEffectView, DeckExportView, DeckItemView, DeckPlaytestView,
    DeckRevisionView, DeckStateView,
};

/// Cards behind the hand that a playtest shows.
const NEXT_SHOWN: usize = 10;
/// Mulligans that are counted.
const MULLIGANS_MAX: u64 = 7;
/// Seeds are below: what every program can hold as a number.
const SEED_MAX: u64 = 1 << 53;

/// All decks, the newest change first.
#[utoipa::path(get, path = "/deck/list", tag = "decks", params(("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<DeckItemView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<DeckItemView>>, ApiError> {
    let keeper = app.keeper()?;
    let lens = DeckLens::of(&app, Currency::Usd).await;
    let mut records: Vec<DeckRecord> = keeper.state().decks.all().cloned().collect();
    records.sort_by_key(|record| std::cmp::Reverse(record.seq));
    let page = List::page(records, params.cursor()?, params.limit()?);
    let items = page.items.iter().map(|record| lens.item(record)).collect();
    Ok(Json(List { items, next: page.next }))
}

/// A deck, whole; without `deck_id` the one that the agent works with. `currency` is `usd`, `eur` or `tix`.
#[utoipa::path(get, path = "/deck/state", tag = "decks",
    params(("deck_id" = Option<String>, Query), ("citizen" = Option<String>, Query), ("currency" = Option<String>, Query)),
    responses((status = 200, body = DeckStateView), (status = 404)))]
pub(crate) async fn state(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<DeckStateView>, ApiError> {
    let keeper = app.keeper()?;
    let currency = match params.get("currency") {
        None | Some("usd") => Currency::Usd,
        Some("eur") => Currency::Eur,
        Some("tix") => Currency::Tix,
        Some(_) => return Err(ApiError::malformed("currency must be usd, eur or tix")),
    };
    let record = match params.get("deck_id") {
        Some(id) => keeper.deck(id)?,
        None => loaded(&app, keeper, &params)?,
    };
    Ok(Json(DeckLens::of(&app, currency).await.state(&record)))
}

fn loaded(app: &AppState, keeper: &Keeper, params: &Params) -> Result<DeckRecord, ApiError> {
    let citizen = app.citizen(params.get("citizen"))?;
    keeper.loaded_deck(&citizen).ok_or_else(|| {
        ApiError::missing(format!(
            "no deck is loaded for {citizen}: POST /deck/load with a deck_id of /deck/list, or make one with POST /deck/create"
        ))
    })
}

/// The deck that a request must name.
fn named(keeper: &Keeper, params: &Params) -> Result<DeckRecord, ApiError> {
    let id = params.get("deck_id").ok_or_else(|| ApiError::malformed("deck_id is missing"))?;
    Ok(keeper.deck(id)?)
}

/// What exactly these lines of a proposal would do, in their order. Lines that cannot be done together are refused with why.
#[utoipa::path(post, path = "/deck/effect", tag = "decks", request_body = DeckEffectBody,
    responses((status = 200, body = DeckEffectView), (status = 404), (status = 422)))]
pub(crate) async fn effect(
    State(app): State<AppState>,
    body: Body,
) -> Result<Json<DeckEffectView>, ApiError> {
    let keeper = app.keeper()?;
    let DeckEffectBody { proposal_id, ops } = body.parse()?;
    let lines = change::indexes(&ops)?;
    let record = keeper.deck_of_proposal(&proposal_id)?;
    let lens = DeckLens::of(&app, Currency::Usd).await;
    let state = &record.state;
    let effect =
        proposal_effect(state, (&proposal_id, &lines), lens.cards_and_tags(), Currency::Usd);
    let effect = effect.map_err(|error| ApiError::invalid_at("ops", "line", &error.to_string()))?;
    let before = lens.summary(&state.deck, &effect.before, state.bracket);
    let mut after = lens.summary(&state.deck, &effect.after, state.bracket);
    after.count = effect.after.legality.size;
    Ok(Json(DeckEffectView { before, after, differences: effect.differences }))
}

/// The revisions of a deck that are remembered, the newest first.
#[utoipa::path(get, path = "/deck/history", tag = "decks",
    params(("deck_id" = String, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = List<DeckRevisionView>), (status = 404)))]
pub(crate) async fn history(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<DeckRevisionView>>, ApiError> {
    let record = named(app.keeper()?, &params)?;
    Ok(Json(List::page(DeckLens::history(&record), params.cursor()?, params.limit()?)))
}

/// What two decks differ in. `left` and `right` are ids; behind an `@` stands a revision.
#[utoipa::path(get, path = "/deck/compare", tag = "decks", params(("left" = String, Query), ("right" = String, Query)),
    responses((status = 200, body = List<abide_deck::CardDifference>), (status = 404)))]
pub(crate) async fn compare(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<abide_deck::CardDifference>>, ApiError> {
    let keeper = app.keeper()?;
    let side = |name: &str| -> Result<Deck, ApiError> {
        let said =
            params.get(name).ok_or_else(|| ApiError::malformed(format!("{name} is missing")))?;
        let (id, rev) = said.split_once('@').unwrap_or((said, ""));
        let state = keeper.deck(id)?.state;
        if rev.is_empty() {
            return Ok(state.deck.clone());
        }
        let at = rev.parse().ok().and_then(|rev| state.deck_at(rev));
        at.ok_or_else(|| ApiError::not_found("revision", said))
    };
    Ok(Json(List::whole(compare_decks(&side("left")?, &side("right")?))))
}

/// A deck as text, in the form of another program: `arena`, `moxfield`, `mtgo`, `dek` or `archidekt`.
#[utoipa::path(get, path = "/deck/export", tag = "decks", params(("deck_id" = String, Query), ("format" = Option<String>, Query)),
    responses((status = 200, body = DeckExportView), (status = 404), (status = 422)))]
pub(crate) async fn export(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<DeckExportView>, ApiError> {
    let word = params.get("format").unwrap_or("moxfield");
    let format = match word {
        "arena" => ListFormat::Arena,
        "moxfield" => ListFormat::Moxfield,
        "mtgo" => ListFormat::MtgoText,
        "dek" => ListFormat::MtgoDek,
        "archidekt" => ListFormat::Archidekt,
        _ => {
            return Err(ApiError::malformed(
                "format must be arena, moxfield, mtgo, dek or archidekt",
            ));
        }
    };
    let record = named(app.keeper()?, &params)?;
    let deck = &record.state.deck;
    let lens = DeckLens::of(&app, Currency::Usd).await;
    let printed = print_list(&list_of(deck, &lens.cards, format), format);
    let printed = printed.map_err(|error| ApiError::invalid(error.to_string()))?;
    let moved = |(from, to, cards): &(DeckZone, DeckZone, u32)| {
        format!(
            "{cards} cards of {} stand in {}, for the form has no such place",
            from.title(),
            to.title()
        )
    };
    let mut lost: Vec<String> = printed.moved.iter().map(moved).collect();
    if !deck.unread.is_empty() {
        lost.push(format!("{} lines that were never read are not in it", deck.unread.len()));
    }
    Ok(Json(DeckExportView { format: word.to_owned(), text: printed.text, lost }))
}

/// A shuffled hand. The same `seed` gives the same cards; without one, one is chosen and told.
#[utoipa::path(get, path = "/deck/playtest", tag = "decks",
    params(("deck_id" = String, Query), ("seed" = Option<u64>, Query), ("mulligans" = Option<u64>, Query)),
    responses((status = 200, body = DeckPlaytestView), (status = 404)))]
pub(crate) async fn playtest(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<DeckPlaytestView>, ApiError> {
    let record = named(app.keeper()?, &params)?;
    let seed = match params.number("seed")? {
        Some(seed) if seed < SEED_MAX => seed,
        Some(_) => return Err(ApiError::malformed("seed must be below 9007199254740992")),
        None => chosen_seed()?,
    };
    let mulligans = params.number("mulligans")?.unwrap_or(0);
    if mulligans > MULLIGANS_MAX {
        return Err(ApiError::malformed(format!("mulligans must be 0 to {MULLIGANS_MAX}")));
    }
    let deck = &record.state.deck;
    let lens = DeckLens::of(&app, Currency::Usd).await;
    let hand = playtest_hand(deck, seed, u32::try_from(mulligans).unwrap_or(u32::MAX));
    let facts = |id: &OracleId| {
        let held = deck.entries().iter().find(|entry| entry.key.card == *id);
        lens.facts(id, held.map_or("", |entry| &entry.content.name))
    };
    Ok(Json(DeckPlaytestView {
        seed,
        hand: hand.hand.iter().map(facts).collect(),
        to_bottom: hand.to_bottom,
        library: hand.library.len(),
        next: hand.library.iter().take(NEXT_SHOWN).map(facts).collect(),
    }))
}

fn chosen_seed() -> Result<u64, ApiError> {
    let mut bytes = [0; 8];
    let failed = |_| ApiError::unavailable("no_chance", "this machine gives no random numbers now");
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(u64::from_le_bytes(bytes) % SEED_MAX)
}

/// Cards by words of their names, types and texts; `t:elf`, `o:draw`, `c:g` and `mv:2` narrow it. With `deck_id` only those that the
/// deck's commanders allow, unless `any=1`.
#[utoipa::path(get, path = "/deck/cards", tag = "decks",
    params(("q" = String, Query), ("deck_id" = Option<String>, Query), ("any" = Option<String>, Query), ("limit" = Option<u64>, Query)),
    responses((status = 200, body = List<CardFactsView>), (status = 404), (status = 503)))]
pub(crate) async fn cards(
    State(app): State<AppState>,
    params: Params,
) -> Result<Json<List<CardFactsView>>, ApiError> {
    let keeper = app.keeper()?;
    let (limit, any) = (params.limit()?, params.is_set("any")?);
    let query = params.get("q").unwrap_or_default().to_owned();
    let deck = params.get("deck_id").map(|id| keeper.deck(id)).transpose()?;
    let missing = |error: crate::cards::CardsMissingError| {
        ApiError::unavailable("cards_missing", error.to_string())
    };
    app.cards().table().await.map_err(missing)?;
    let lens = DeckLens::of(&app, Currency::Usd).await;
    let search = move || {
        let leads = deck.filter(|deck| !any && deck.state.deck.count_in(DeckZone::Commander) > 0);
        let within = leads.map(|deck| judge_deck(&deck.state.deck, &lens.cards).identity);
        let found = search_cards(&lens.cards, &query, within, limit);
        found.into_iter().map(|card| lens.known(card)).collect()
    };
    let found = tokio::task::spawn_blocking(search).await;
    Ok(Json(List::whole(found.map_err(|error| ApiError::internal(&error))?)))
}
