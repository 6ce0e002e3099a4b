//! `edhrec.get_recommendations {commander, partner?, theme?, limit?}`: what others play with a commander.
//!
//! Returns `{"source": "data: EDHREC", "notice", "commander", "lists", "themes", "mana_curve", "similar"}`. Ethereal.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, ToolErrorKind, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::{
    deck_page::{CREDIT, recommendations},
    page_service::PageService,
    slug::{slug_of, slug_of_pair},
};
use crate::{
    foreign_text::short,
    limits::{LIST_CARDS_DEFAULT, LIST_CARDS_MAX, QUERY_CHARS_MAX},
    tool_spec::{bounded, filled, object_schema, optional_number, optional_text, tool_spec},
};

/// What a person has to do first.
pub(super) const NOT_ENABLED: &str = "EDHREC is off: it publishes no terms for this use; set `enabled = true` in [tools.edhrec] to turn it on";

/// The tool `edhrec.get_recommendations`.
#[derive(Clone, Debug)]
pub struct GetRecommendations {
    spec: ToolSpec,
    service: Option<Arc<PageService>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    commander: String,
    partner: Option<String>,
    theme: Option<String>,
    limit: Option<u64>,
}

impl GetRecommendations {
    pub(super) fn new(service: Option<Arc<PageService>>) -> Self {
        let properties = json!({
            "commander": {"type": "string", "description": "the commander's name"},
            "partner": optional_text("the name of its partner"),
            "theme": optional_text("a theme or a budget, such as goblins, budget or cedh"),
            "limit": optional_number(&format!("cards of each list, up to {LIST_CARDS_MAX}; {LIST_CARDS_DEFAULT} unless given"))
        });
        let parameters = object_schema(&["commander"], properties);
        let description = "Says what others play with a Magic commander: cards by how often and how specially they are played.";
        let name = "edhrec.get_recommendations";
        Self { spec: tool_spec(name, EffectClass::Read, description, parameters), service }
    }

    async fn recommend(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { commander, partner, theme, limit } = parse_arguments(call.arguments)?;
        let Some(service) = &self.service else {
            return Err(ToolError::of(ToolErrorKind::Blocked, NOT_ENABLED));
        };
        let partner = filled(partner);
        let slug = match &partner {
            Some(partner) => slug_of_pair(&commander, partner),
            None => slug_of(&commander),
        };
        if slug.is_empty() || commander.chars().count() > QUERY_CHARS_MAX {
            return Err(ToolError::new("commander: is no name of a card"));
        }
        let theme = filled(theme).map(|theme| slug_of(&theme)).filter(|theme| !theme.is_empty());
        let path = match &theme {
            Some(theme) => format!("commanders/{slug}/{theme}"),
            None => format!("commanders/{slug}"),
        };
        let page = service.page(&path).await.map_err(|error| match error.kind {
            ToolErrorKind::NotFound => ToolError::of(
                ToolErrorKind::NotFound,
                format!("EDHREC has no page `{path}`: check the names, or leave out the theme"),
            ),
            _ => error,
        })?;
        let content = recommendations(&page, bounded(limit, LIST_CARDS_DEFAULT, LIST_CARDS_MAX));
        let note = format!(
            "what others play with “{}” ({CREDIT}); not kept, ask again if it is needed",
            short(&commander)
        );
        Ok(Output { ethereal: Some(note), ..Output::json(&content) })
    }
}

impl Tool for GetRecommendations {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.recommend(call))
    }
}
