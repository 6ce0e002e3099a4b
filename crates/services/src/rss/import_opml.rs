//! `rss.import_opml {opml}`: subscribes to all feeds of an OPML document. Staged; asks no server. A person is asked where the
//! document names hosts that no list names.

use std::sync::Arc;

use abide_domain::{
    AgentId,
    limits::KEPT_VALUES_MAX,
    tool::{EffectClass, ToolSpec},
};
use abide_tools::{Call, Output, Permission, Tool, ToolError, ToolErrorKind, parse_arguments};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::{
    opml::{OpmlFeed, parse_opml},
    subscription::{Subscription, feed_url},
};
use crate::{
    allow_list::AllowedHosts,
    foreign_text::short,
    tool_spec::{object_schema, tool_spec},
};

/// The tool `rss.import_opml`.
#[derive(Clone, Debug)]
pub struct ImportOpml {
    spec: ToolSpec,
    allowed: Arc<AllowedHosts>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    opml: String,
}

impl ImportOpml {
    pub(super) fn new(allowed: Arc<AllowedHosts>) -> Self {
        let properties = json!({
            "opml": {"type": "string", "description": "the whole OPML document"}
        });
        let parameters = object_schema(&["opml"], properties);
        let description =
            "Subscribes to all feeds of an OPML document, as other readers export it.";
        let spec = tool_spec("rss.import_opml", EffectClass::State, description, parameters);
        Self { spec, allowed }
    }
}

impl Tool for ImportOpml {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn judge(&self, _: &AgentId, arguments: &Value) -> Option<Permission> {
        let opml = arguments.get("opml").and_then(Value::as_str)?;
        let feeds = feeds_of(opml).ok()?;
        let is_listed =
            |feed: &OpmlFeed| feed_url(&feed.url).map_or(true, |url| self.allowed.permits(&url));
        (!feeds.iter().all(is_listed)).then_some(Permission::Ask)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(ready(import(&call)))
    }
}

fn feeds_of(opml: &str) -> Result<Vec<OpmlFeed>, ToolError> {
    parse_opml(opml).map_err(|problem| ToolError::new(format!("opml: {problem}")))
}

fn import(call: &Call<'_>) -> Result<Output, ToolError> {
    let Arguments { opml } = parse_arguments(call.arguments)?;
    let mut added = BTreeMap::new();
    let (mut known, mut refused) = (0_usize, Vec::new());
    for feed in feeds_of(&opml)? {
        match feed_url(&feed.url).map(String::from) {
            Err(_) => refused.push(short(&feed.url)),
            Ok(url) if Subscription::of(call.kept, &url).is_some() => known += 1,
            Ok(url) => {
                let OpmlFeed { title, site, .. } = feed;
                added.insert(url, Subscription { title, site, ..Subscription::default() });
            }
        }
    }
    let count = Subscription::all(call.kept).len().saturating_add(added.len());
    if count > KEPT_VALUES_MAX {
        let message =
            format!("that would be {count} subscriptions; at most {KEPT_VALUES_MAX} are kept");
        return Err(ToolError::of(ToolErrorKind::Blocked, message));
    }
    let mut output =
        Output::json(&json!({"added": added.len(), "already": known, "no_urls": refused}));
    for (url, subscription) in added {
        output.staged.extend(subscription.changes(call.kept, &url)?);
    }
    Ok(output)
}
