//! A page of EDHREC for a mind. Its shape shifts: what is not as expected is left out, and nothing of it is an error.

use serde_json::{Map, Value, json};

use crate::{
    foreign_text::{NOTICE, short},
    limits::CARD_LISTS_MAX,
};

/// What is said wherever its numbers are shown.
pub(super) const CREDIT: &str = "data: EDHREC";
/// Similar commanders that are named.
const SIMILAR_MAX: usize = 10;

/// The page of a commander, with `limit` cards of each list.
pub(super) fn recommendations(page: &Value, limit: usize) -> Value {
    let tree = page.pointer("/container/json_dict").unwrap_or(&Value::Null);
    json!({
        "source": CREDIT,
        "notice": NOTICE,
        "commander": commander(tree.get("card")),
        "lists": lists(tree.get("cardlists"), limit),
        "themes": themes(page.pointer("/panels/taglinks")),
        "mana_curve": page.pointer("/panels/mana_curve").filter(|curve| is_curve(curve)),
        "similar": similar(page.get("similar")),
    })
}

fn commander(card: Option<&Value>) -> Value {
    let Some(card) = card.filter(|card| card.is_object()) else { return Value::Null };
    let mut shown = Map::new();
    shown.extend(text(card, "name").map(|name| ("name".to_owned(), name.into())));
    for (field, name) in [("num_decks", "decks"), ("rank", "rank"), ("salt", "salt")] {
        let number = card.get(field).filter(|value| value.is_number());
        shown.extend(number.map(|number| (name.to_owned(), number.clone())));
    }
    let colors = card.get("color_identity").and_then(Value::as_array);
    let colors = colors
        .map(|colors| colors.iter().filter(|color| color.is_string()).take(5).cloned().collect());
    shown.extend(colors.map(|colors: Vec<Value>| ("color_identity".to_owned(), colors.into())));
    shown.into()
}

fn lists(cardlists: Option<&Value>, limit: usize) -> Vec<Value> {
    let lists = cardlists.and_then(Value::as_array).into_iter().flatten();
    let lists = lists.filter_map(|list| {
        let cards = list.get("cardviews").and_then(Value::as_array)?;
        let cards: Vec<Value> = cards.iter().filter_map(card).take(limit).collect();
        (!cards.is_empty()).then(
            || json!({"header": text(list, "header"), "tag": text(list, "tag"), "cards": cards}),
        )
    });
    lists.take(CARD_LISTS_MAX).collect()
}

fn card(view: &Value) -> Option<Value> {
    let mut shown = Map::new();
    shown.insert("name".into(), text(view, "name")?.into());
    let number = |name: &str| view.get(name).and_then(Value::as_f64);
    if let (Some(decks), Some(potential)) = (number("num_decks"), number("potential_decks"))
        && potential > 0.0
    {
        shown.insert("inclusion_percent".into(), tenth(decks * 100.0 / potential));
    }
    shown.extend(
        number("synergy").map(|synergy| ("synergy_percent".to_owned(), tenth(synergy * 100.0))),
    );
    Some(shown.into())
}

/// A number with one digit behind the point.
fn tenth(number: f64) -> Value {
    ((number * 10.0).round() / 10.0).into()
}

fn themes(taglinks: Option<&Value>) -> Vec<Value> {
    let links = taglinks.and_then(Value::as_array).into_iter().flatten();
    let themes = links.filter_map(|link| {
        let slug = text(link, "slug")?;
        Some(json!({"theme": slug, "decks": link.get("count").filter(|count| count.is_number())}))
    });
    themes.take(CARD_LISTS_MAX).collect()
}

/// Names; EDHREC gave objects until 2026 and texts since.
fn similar(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    let names = list.filter_map(|item| match item {
        Value::String(name) => Some(short(name)),
        other => text(other, "name"),
    });
    names.take(SIMILAR_MAX).collect()
}

fn is_curve(curve: &Value) -> bool {
    curve.as_object().is_some_and(|curve| curve.len() <= 30 && curve.values().all(Value::is_number))
}

fn text(object: &Value, name: &str) -> Option<String> {
    object.get(name).and_then(Value::as_str).map(short).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::recommendations;

    #[test]
    fn numbers_are_shown_as_percent_with_their_source() {
        let page = json!({
            "container": {"json_dict": {
                "card": {"name": "Ash Warden", "num_decks": 1200, "rank": 40, "color_identity": ["R"]},
                "cardlists": [
                    {"tag": "topcards", "header": "Top Cards", "cardviews": [
                        {"name": "Spark Ring", "synergy": 0.123, "num_decks": 900, "potential_decks": 1200},
                        {"name": "Ember Stone", "num_decks": 1, "potential_decks": 0}, {"nameless": true}
                    ]},
                    {"tag": "empty", "cardviews": []}
                ]
            }},
            "panels": {"mana_curve": {"1": 10, "2": 12}, "taglinks": [{"slug": "goblins", "value": "Goblins", "count": 30}]},
            "similar": ["Coal Lord", {"id": 1, "name": "Iron Duke"}]
        });
        let shown = recommendations(&page, 10);
        assert_eq!(shown["source"], "data: EDHREC");
        assert_eq!(shown["commander"]["decks"], 1200);
        let cards = json!([
            {"name": "Spark Ring", "inclusion_percent": 75.0, "synergy_percent": 12.3}, {"name": "Ember Stone"}
        ]);
        assert_eq!(
            shown["lists"],
            json!([{"header": "Top Cards", "tag": "topcards", "cards": cards}])
        );
        assert_eq!(shown["similar"], json!(["Coal Lord", "Iron Duke"]));
        assert_eq!(recommendations(&page, 1)["lists"][0]["cards"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn odd_shapes_are_empty_lists() {
        let shapes = [
            json!(null),
            json!([]),
            json!("text"),
            json!({"container": {"json_dict": {"cardlists": {}}}, "similar": {}}),
            json!({"container": {"json_dict": {"cardlists": [[{"cardviews": []}], 7], "card": []}}}),
            json!({"container": 1, "panels": {"taglinks": "x", "mana_curve": {"1": "y"}}}),
        ];
        for shape in shapes {
            let shown = recommendations(&shape, 10);
            assert_eq!(shown["lists"], json!([]), "{shape}");
            assert_eq!(shown["mana_curve"], Value::Null, "{shape}");
        }
    }
}
