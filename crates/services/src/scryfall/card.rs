//! A card for a mind: what it says and what it costs, without pictures and links. Read loosely: what is missing is left out.

use abide_domain::text::shortened;
use serde_json::{Map, Value};

use crate::foreign_text::without_hidden;

/// Longest text of one field, in Unicode scalar values.
const FIELD_CHARS_MAX: usize = 3_000;
/// Fields of a face, in their order.
const FACE_FIELDS: [&str; 10] = [
    "name",
    "mana_cost",
    "type_line",
    "oracle_text",
    "colors",
    "power",
    "toughness",
    "loyalty",
    "defense",
    "flavor_text",
];
/// Fields of a card beside those of its faces.
const CARD_FIELDS: [&str; 9] = [
    "cmc",
    "color_identity",
    "keywords",
    "layout",
    "rarity",
    "set",
    "set_name",
    "collector_number",
    "edhrec_rank",
];
/// What stands in a list of cards.
const LIST_FIELDS: [&str; 6] =
    ["name", "mana_cost", "type_line", "oracle_text", "power", "toughness"];

/// A card with everything.
pub(super) fn card_details(card: &Value) -> Value {
    let mut shown = faces_of(card, &FACE_FIELDS);
    shown.extend(picked(card, &CARD_FIELDS));
    shown.extend(picked(
        card,
        &["game_changer", "reserved", "released_at", "scryfall_uri", "id", "oracle_id"],
    ));
    if let Some(legalities) = card.get("legalities").and_then(Value::as_object) {
        let legal: Map<String, Value> = legalities
            .iter()
            .filter(|(_, value)| value.as_str().is_some_and(|text| text != "not_legal"))
            .map(|(format, value)| (cleaned_text(format), cleaned(value)))
            .collect();
        shown.insert("legalities".into(), legal.into());
    }
    shown.extend(prices(card));
    Value::Object(shown)
}

/// A card in a list.
pub(super) fn card_summary(card: &Value) -> Value {
    let mut shown = faces_of(card, &LIST_FIELDS);
    shown.extend(picked(card, &["color_identity", "rarity", "set", "game_changer"]));
    let commander = card.get("legalities").map(|legalities| picked(legalities, &["commander"]));
    shown.extend(commander.into_iter().flatten());
    shown.extend(prices(card));
    Value::Object(shown)
}

/// Fields of a card. Those of one with two faces stand in its faces, where the card itself has none.
fn faces_of(card: &Value, fields: &[&str]) -> Map<String, Value> {
    let mut shown = picked(card, fields);
    let faces = card.get("card_faces").and_then(Value::as_array);
    let faces: Vec<Value> = faces
        .into_iter()
        .flatten()
        .take(4)
        .map(|face| Value::Object(picked(face, fields)))
        .collect();
    if !faces.is_empty() {
        shown.insert("faces".into(), faces.into());
    }
    shown
}

fn picked(object: &Value, fields: &[&str]) -> Map<String, Value> {
    let found = fields.iter().filter_map(|field| {
        let value = object.get(*field).filter(|value| is_plain(value))?;
        Some(((*field).to_owned(), cleaned(value)))
    });
    found.collect()
}

/// A plain field with its texts cleaned and cut.
fn cleaned(value: &Value) -> Value {
    match value {
        Value::String(text) => cleaned_text(text).into(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(cleaned_text).collect(),
        other => other.clone(),
    }
}

fn cleaned_text(text: &str) -> String {
    shortened(&without_hidden(text), FIELD_CHARS_MAX)
}

/// Whether a field is what it should be: a text, a number, a yes or no, or a short list of texts.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Null | Value::Object(_) => false,
        Value::Array(items) => items.len() <= 50 && items.iter().all(Value::is_string),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => true,
    }
}

fn prices(card: &Value) -> Option<(String, Value)> {
    let prices = card.get("prices")?;
    let known = picked(prices, &["usd", "usd_foil", "eur", "tix"]);
    (!known.is_empty()).then(|| ("prices".to_owned(), known.into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{card_details, card_summary};

    #[test]
    fn both_faces_of_a_card_are_shown() {
        let card = json!({
            "object": "card", "name": "Dusk Keeper // Dawn Breaker", "layout": "transform", "cmc": 3.0,
            "type_line": "Creature — Elf // Creature — Elf", "color_identity": ["G"],
            "card_faces": [
                {"name": "Dusk Keeper", "mana_cost": "{2}{G}", "oracle_text": "Reach", "image_uris": {"png": "x"}},
                {"name": "Dawn Breaker", "mana_cost": "", "oracle_text": "Trample"}
            ],
            "legalities": {"commander": "legal", "standard": "not_legal", "vintage": "restricted"},
            "prices": {"usd": "1.50", "eur": null}, "image_uris": {"png": "https://x"}, "game_changer": null
        });
        let shown = card_details(&card);
        assert_eq!(shown["faces"][0]["oracle_text"], "Reach");
        assert_eq!(shown["faces"][1]["name"], "Dawn Breaker");
        assert_eq!(shown["legalities"], json!({"commander": "legal", "vintage": "restricted"}));
        assert_eq!(shown["prices"], json!({"usd": "1.50"}));
        assert!(!shown.to_string().contains("png"), "{shown}");
        assert_eq!(card_summary(&card)["commander"], "legal");
    }

    #[test]
    fn nothing_of_a_card_holds_what_is_not_seen() {
        let card = json!({
            "name": "A\u{202e}b", "keywords": ["Fly\u{e0041}ing"], "card_faces": [{"oracle_text": "x\u{200b}y"}],
            "legalities": {"com\u{200b}mander": "le\u{200b}gal", "commander": "le\u{200b}gal"},
            "prices": {"usd": "1\u{200b}.50"}
        });
        for shown in [card_details(&card), card_summary(&card)] {
            let text = shown.to_string();
            assert!(!text.contains(abide_domain::is_hidden), "{text:?}");
        }
        assert_eq!(card_details(&card)["keywords"], json!(["Flying"]));
        assert_eq!(card_summary(&card)["commander"], "legal");
    }

    #[test]
    fn odd_shapes_are_left_out() {
        let odd = json!({"name": 7, "oracle_text": {"a": 1}, "card_faces": "none", "legalities": [], "prices": "free",
            "keywords": [1, 2], "colors": null});
        assert_eq!(card_details(&odd), json!({"name": 7}));
        assert_eq!(card_summary(&json!("no card")), json!({}));
    }
}
