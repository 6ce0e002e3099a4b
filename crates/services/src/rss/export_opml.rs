//! `rss.export_opml {}`: the subscriptions as an OPML document, for other readers.

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError};
use futures_util::future::{BoxFuture, ready};
use serde_json::json;

use super::{
    opml::{OpmlFeed, format_opml},
    subscription::Subscription,
};
use crate::tool_spec::{object_schema, tool_spec};

/// The tool `rss.export_opml`.
#[derive(Clone, Debug)]
pub struct ExportOpml {
    spec: ToolSpec,
}

impl ExportOpml {
    pub(super) fn new() -> Self {
        let parameters = object_schema(&[], json!({}));
        let description = "Gives your subscriptions as an OPML document for other readers.";
        Self { spec: tool_spec("rss.export_opml", EffectClass::Read, description, parameters) }
    }
}

impl Tool for ExportOpml {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        let feeds: Vec<OpmlFeed> = Subscription::all(&call.state.kept)
            .into_iter()
            .map(|(url, Subscription { title, site, .. })| OpmlFeed { url, title, site })
            .collect();
        let content = json!({"feeds": feeds.len(), "opml": format_opml(&feeds)});
        Box::pin(ready(Ok(Output::json(&content))))
    }
}
