//! `/cards`: which cards of Magic this keeper knows, and their pictures. A browser gets both here and never asks Scryfall.

use abide_deck::{CardImageSize, OracleId};
use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse as _, Response},
};
use http::header;
use serde::Serialize;
use utoipa::ToSchema;

use super::{app_state::AppState, error::ApiError, input::Params};
use crate::cards::{CardImageError, CardPicture, CardsMissingError, status_of};

/// How long a browser keeps a picture: a new one has another URL at Scryfall, and decks change more often than that.
const CACHE_CONTROL: &str = "private, max-age=604800";

/// Which cards are there.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CardsView {
    /// `missing`, `pulling` (somebody fetches them at this moment), `loading` (they are being read into memory) or `ready`.
    state: &'static str,
    /// How many; 0 where there are none.
    cards: usize,
    /// Printings of all of them.
    printings: usize,
    /// When Scryfall made them, else when they were taken from a file; none where there are none.
    updated_at: Option<String>,
    /// When they were pulled.
    pulled_at: Option<String>,
    /// Where they came from, such as `scryfall default_cards`; none where there are none.
    source: Option<String>,
    /// Whether pictures are shown.
    images: bool,
    /// What a person should do, where something is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// Which cards are there. Reads none of them.
#[utoipa::path(get, path = "/cards", tag = "decks", responses((status = 200, body = CardsView)))]
pub(crate) async fn show(State(app): State<AppState>) -> Result<Json<CardsView>, ApiError> {
    let store = app.cards().clone();
    let is_reading = store.is_reading();
    let looked = tokio::task::spawn_blocking(move || status_of(store.folder())).await;
    let images = app.card_images().is_enabled();
    let none = |hint: String, state| CardsView {
        state,
        cards: 0,
        printings: 0,
        updated_at: None,
        pulled_at: None,
        source: None,
        images,
        hint: Some(hint),
    };
    let status = match looked {
        Err(error) => return Err(ApiError::internal(&error)),
        Ok(Err(error)) => {
            let hint = format!("the cards cannot be read: {error}; run `abide cards pull`");
            return Ok(Json(none(hint, "missing")));
        }
        Ok(Ok(status)) => status,
    };
    let Some(manifest) = status.manifest else {
        let missing = match status.damaged {
            Some(aside) => {
                CardsMissingError::Damaged { aside, reason: "as was found earlier".to_owned() }
            }
            None => CardsMissingError::Absent,
        };
        let state = if status.is_pulling { "pulling" } else { "missing" };
        return Ok(Json(none(missing.to_string(), state)));
    };
    let state = match (status.is_pulling, is_reading) {
        (true, _) => "pulling",
        (false, true) => "loading",
        (false, false) => "ready",
    };
    Ok(Json(CardsView {
        state,
        cards: manifest.cards,
        printings: manifest.printings,
        updated_at: Some(manifest.updated_at.unwrap_or(manifest.pulled_at).to_string()),
        pulled_at: Some(manifest.pulled_at.to_string()),
        source: Some(format!("{} {}", manifest.source, manifest.bulk)),
        images,
        hint: None,
    }))
}

/// A picture of a card: `size` is `small` (146 by 204) or `normal` (488 by 680, the default), `face` counts its sides from 0.
/// 404 where there is none, 503 where it cannot be fetched now; Retry-After says when.
#[utoipa::path(get, path = "/cards/{oracle_id}/image", tag = "decks",
    params(("oracle_id" = String, Path), ("size" = Option<String>, Query), ("face" = Option<u64>, Query)),
    responses((status = 200, content((Vec<u8> = "image/jpeg"), (Vec<u8> = "image/png"), (Vec<u8> = "image/webp"))),
        (status = 404), (status = 503)))]
pub(crate) async fn image(
    State(app): State<AppState>,
    Path(oracle_id): Path<String>,
    params: Params,
) -> Result<Response, ApiError> {
    let size = match params.get("size") {
        None | Some("normal") => CardImageSize::Normal,
        Some("small") => CardImageSize::Small,
        Some(_) => return Err(ApiError::malformed("size is \"small\" or \"normal\"")),
    };
    let face = params.get("face").map_or(Ok(0), str::parse::<usize>);
    let face = face.map_err(|_| ApiError::malformed("face is 0 for the front, 1 for the back"))?;
    let table = app.cards().table().await.map_err(|error| missing(&error))?;
    let card = table.card(&OracleId::new(&oracle_id));
    let card = card.ok_or_else(|| ApiError::not_found("card", &oracle_id))?;
    let image = card.images.get(face).ok_or_else(|| {
        ApiError::missing(format!("`{}` has no picture of side {face}", card.name))
    })?;
    let url = image.url(size).into_owned();
    drop(table);
    let picture = app.card_images().get(&url).await.map_err(|error| no_picture(&error))?;
    Ok(answer(picture))
}

/// The guard adds `nosniff`, as to every answer.
fn answer(picture: CardPicture) -> Response {
    let headers =
        [(header::CONTENT_TYPE, picture.media_type), (header::CACHE_CONTROL, CACHE_CONTROL)];
    (headers, picture.bytes).into_response()
}

/// Without cards there is no picture of one; waiting does not help, a pull does.
fn missing(error: &CardsMissingError) -> ApiError {
    ApiError::missing(error.to_string())
}

fn no_picture(error: &CardImageError) -> ApiError {
    match error {
        CardImageError::Off | CardImageError::Absent(_) => ApiError::missing(error.to_string()),
        CardImageError::Unavailable { retry_after, .. } => {
            ApiError::unavailable_for("image_unavailable", error.to_string(), *retry_after)
        }
    }
}
