//! `scryfall.search {query, order?, offset?, limit?}`: cards by Scryfall's search language.
//!
//! Returns `{"query", "notice", "total", "cards", "warnings", "next_offset"}`; nothing found is an empty list. Ethereal.

use std::sync::Arc;

use abide_domain::{
    is_blank,
    tool::{EffectClass, ToolSpec},
};
use abide_tools::{Call, Output, Tool, ToolError, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    card::card_summary,
    card_service::{CardAnswer, CardService},
};
use crate::{
    foreign_text::{NOTICE, short},
    limits::{CARDS_DEFAULT, CARDS_MAX, QUERY_CHARS_MAX},
    tool_spec::{bounded, filled, object_schema, optional_number, optional_text, tool_spec},
};

const ORDERS: [&str; 9] =
    ["name", "released", "rarity", "color", "usd", "eur", "cmc", "power", "edhrec"];
/// Cards on one page of Scryfall.
const PAGE_CARDS: usize = 175;

/// The tool `scryfall.search`.
#[derive(Clone, Debug)]
pub struct SearchCards {
    spec: ToolSpec,
    service: Arc<CardService>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    order: Option<String>,
    offset: Option<u64>,
    limit: Option<u64>,
}

impl SearchCards {
    pub(super) fn new(service: Arc<CardService>) -> Self {
        let orders = ORDERS.join(", ");
        let properties = json!({
            "query": {"type": "string", "description": "as on Scryfall, such as: t:goblin cmc<=2 id<=r"},
            "order": optional_text(&format!("one of {orders}; name unless given")),
            "offset": {"type": ["integer", "null"], "minimum": 0, "description": "where to go on: next_offset of the call before"},
            "limit": optional_number(&format!("cards, up to {CARDS_MAX}; {CARDS_DEFAULT} unless given"))
        });
        let parameters = object_schema(&["query"], properties);
        let description = "Finds Magic cards by Scryfall's search language.";
        let spec = tool_spec("scryfall.search", EffectClass::Read, description, parameters);
        Self { spec, service }
    }

    async fn search(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { query, order, offset, limit } = parse_arguments(call.arguments)?;
        let query = query.trim();
        if is_blank(query) || query.chars().count() > QUERY_CHARS_MAX {
            let message = format!("query: must have 1 to {QUERY_CHARS_MAX} characters");
            return Err(ToolError::new(message));
        }
        let order = filled(order).unwrap_or_else(|| "name".into());
        if !ORDERS.contains(&order.as_str()) {
            return Err(ToolError::new(format!("order: must be one of {}", ORDERS.join(", "))));
        }
        let offset = usize::try_from(offset.unwrap_or(0)).unwrap_or(usize::MAX);
        let limit = bounded(limit, CARDS_DEFAULT, CARDS_MAX);
        let page = (offset / PAGE_CARDS).saturating_add(1).to_string();
        let pairs = [("q", query), ("unique", "cards"), ("order", &order), ("page", &page)];
        match self.service.get("cards/search", &pairs).await? {
            CardAnswer::Found(found) => Ok(output(query, &found, offset, limit)),
            // Scryfall calls nothing found an error; it is an answer.
            CardAnswer::Refused(refusal) if refusal.status == 404 => {
                Ok(output(query, &json!({"total_cards": 0}), offset, limit))
            }
            CardAnswer::Refused(refusal) => Err(refusal.to_error()),
        }
    }
}

impl Tool for SearchCards {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.search(call))
    }
}

fn output(query: &str, found: &Value, offset: usize, limit: usize) -> Output {
    let cards = found.get("data").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let shown: Vec<Value> =
        cards.iter().skip(offset % PAGE_CARDS).take(limit).map(card_summary).collect();
    let total = found.get("total_cards").and_then(Value::as_u64).unwrap_or(cards.len() as u64);
    let warnings = found.get("warnings").and_then(Value::as_array);
    let warnings: Vec<String> =
        warnings.into_iter().flatten().filter_map(Value::as_str).take(5).map(short).collect();
    let end = offset.saturating_add(shown.len());
    let has_more = !shown.is_empty() && (end as u64) < total;
    let note = format!(
        "{} of {total} cards for “{}” at Scryfall; not kept, search again if they are needed",
        shown.len(),
        short(query)
    );
    let content = json!({
        "query": query,
        "notice": NOTICE,
        "total": total,
        "cards": shown,
        "warnings": warnings,
        "next_offset": has_more.then_some(end),
    });
    Output { ethereal: Some(note), ..Output::json(&content) }
}
