//! `scryfall.get_card_details {name?, exact?, set?, collector_number?, id?}`: one card with everything that it says.
//!
//! A name that is several cards is an error that names them.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, ToolErrorKind, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    card::card_details,
    card_service::{CardAnswer, CardRefusal, CardService},
};
use crate::{
    foreign_text::{NOTICE, short},
    limits::{QUERY_CHARS_MAX, SUGGESTIONS_MAX},
    tool_spec::{filled, object_schema, optional_text, tool_spec},
};

/// The tool `scryfall.get_card_details`.
#[derive(Clone, Debug)]
pub struct GetCardDetails {
    spec: ToolSpec,
    service: Arc<CardService>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: Option<String>,
    exact: Option<bool>,
    set: Option<String>,
    collector_number: Option<String>,
    id: Option<String>,
}

impl GetCardDetails {
    pub(super) fn new(service: Arc<CardService>) -> Self {
        let properties = json!({
            "name": optional_text("the card's name, or nearly"),
            "exact": {"type": ["boolean", "null"], "description": "whether the name must be the card's own; false unless given"},
            "set": optional_text("the code of a set, such as cmr"),
            "collector_number": optional_text("the number in that set, instead of a name"),
            "id": optional_text("the card's id at Scryfall, instead of a name")
        });
        let parameters = object_schema(&[], properties);
        let description = "Looks up one Magic card: its text, cost, legality and prices. A name may be written nearly.";
        let name = "scryfall.get_card_details";
        Self { spec: tool_spec(name, EffectClass::Read, description, parameters), service }
    }

    async fn look_up(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let arguments: Arguments = parse_arguments(call.arguments)?;
        let is_exact = arguments.exact.unwrap_or(false);
        let (name, set) = (filled(arguments.name), filled(arguments.set));
        let number = filled(arguments.collector_number);
        let answer = match (filled(arguments.id), &set, &number, &name) {
            (Some(id), ..) => self.service.get(&path(&[&id])?, &[]).await?,
            (None, Some(set), Some(number), None) => {
                self.service.get(&path(&[set, number])?, &[]).await?
            }
            (None, set, None, Some(name)) => self.named(name, is_exact, set.as_deref()).await?,
            _ => {
                let message = "give a name, or a set and a collector_number, or an id";
                return Err(ToolError::new(message));
            }
        };
        match answer {
            CardAnswer::Found(card) => {
                Ok(Output::json(&json!({"notice": NOTICE, "card": card_details(&card)})))
            }
            CardAnswer::Refused(refusal) => Err(self.refused(&refusal, name.as_deref()).await),
        }
    }

    async fn named(
        &self,
        name: &str,
        is_exact: bool,
        set: Option<&str>,
    ) -> Result<CardAnswer, ToolError> {
        if name.chars().count() > QUERY_CHARS_MAX {
            return Err(ToolError::new(format!(
                "name: has more than {QUERY_CHARS_MAX} characters"
            )));
        }
        let mut query = vec![(if is_exact { "exact" } else { "fuzzy" }, name)];
        query.extend(set.map(|set| ("set", set)));
        self.service.get("cards/named", &query).await
    }

    /// The error; where a name is several cards, with their names.
    async fn refused(&self, refusal: &CardRefusal, name: Option<&str>) -> ToolError {
        let mut error = refusal.to_error();
        let Some(name) = name.filter(|_| error.kind == ToolErrorKind::Ambiguous) else {
            return error;
        };
        // Without suggestions the error still says what is wrong.
        let names = match self.service.get("cards/autocomplete", &[("q", name)]).await {
            Ok(CardAnswer::Found(found)) => suggestions(&found),
            _ => Vec::new(),
        };
        error.message = format!("name: `{}` is several cards", short(name));
        if !names.is_empty() {
            error.message.push_str(": ");
            error.message.push_str(&names.join("; "));
        }
        error
    }
}

impl Tool for GetCardDetails {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.look_up(call))
    }
}

/// The path of a card by its id, or by its set and number: each one word.
fn path(parts: &[&str]) -> Result<String, ToolError> {
    let is_word = |part: &&str| {
        part.len() <= 40
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '★' | '†'))
    };
    if !parts.iter().all(is_word) {
        return Err(ToolError::new("set, collector_number and id consist of letters and digits"));
    }
    Ok(format!("cards/{}", parts.join("/").to_lowercase()))
}

fn suggestions(found: &Value) -> Vec<String> {
    let names = found.get("data").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).take(SUGGESTIONS_MAX).map(short).collect()
}
