//! `rss.import_opml {opml}`: subscribes to all feeds of an OPML document. Staged; asks no server. A person is asked where the
//! document names hosts that no list names.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use abide_domain::{
    AgentId,
    limits::KEPT_VALUES_MAX,
    tool::{EffectClass, ToolSpec},
    visible_line,
};
use abide_tools::{Call, Output, Permission, Tool, ToolError, ToolErrorKind, parse_arguments};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{
    opml::{OpmlFeed, parse_opml},
    subscription::{Subscription, feed_url},
};
use crate::{
    allow_list::AllowedHosts,
    foreign_text::short,
    limits::FEEDS_PREVIEWED_MAX,
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

    fn preview<'a>(
        &'a self,
        _: &'a AgentId,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        Box::pin(ready(describe(arguments, &self.allowed).map(Some)))
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(ready(import(&call)))
    }
}

/// What a document would add, for the person who is asked: how many feeds, the first of them, and the hosts that no list names.
fn describe(arguments: &Value, allowed: &AllowedHosts) -> Result<String, ToolError> {
    let Arguments { opml } = parse_arguments(arguments)?;
    let feeds: BTreeMap<String, (Url, String)> = feeds_of(&opml)?
        .into_iter()
        .filter_map(|feed| Some((feed_url(&feed.url).ok()?, feed.title)))
        .map(|(url, title)| (url.to_string(), (url, title)))
        .collect();
    // Those that a person has not allowed are what the question is about.
    let (listed, unlisted): (Vec<_>, Vec<_>) =
        feeds.into_values().partition(|(url, _)| allowed.permits(url));
    let hosts: BTreeSet<&str> = unlisted.iter().filter_map(|(url, _)| url.host_str()).collect();
    let mut text = format!("subscribes to {} feeds", listed.len() + unlisted.len());
    let mut say = |line: String| text.extend(["\n", &line]);
    if !hosts.is_empty() {
        let shown: Vec<_> = hosts.iter().copied().take(FEEDS_PREVIEWED_MAX).map(short).collect();
        let more = further(hosts.len());
        say(format!("of hosts that no list names ({}): {}{more}", hosts.len(), shown.join(", ")));
    }
    let count = listed.len() + unlisted.len();
    for (url, title) in unlisted.iter().chain(&listed).take(FEEDS_PREVIEWED_MAX) {
        say(format!("- {} ({})", visible_line(title), short(url.as_str())));
    }
    if count > FEEDS_PREVIEWED_MAX {
        say(format!("and {} more", count - FEEDS_PREVIEWED_MAX));
    }
    Ok(text)
}

/// What follows a list that was cut.
fn further(count: usize) -> String {
    match count.saturating_sub(FEEDS_PREVIEWED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
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
            Ok(url) if Subscription::of(&call.state.kept, &url).is_some() => known += 1,
            Ok(url) => {
                let OpmlFeed { title, site, .. } = feed;
                added.insert(url, Subscription { title, site, ..Subscription::default() });
            }
        }
    }
    let count = Subscription::all(&call.state.kept).len().saturating_add(added.len());
    if count > KEPT_VALUES_MAX {
        let message =
            format!("that would be {count} subscriptions; at most {KEPT_VALUES_MAX} are kept");
        return Err(ToolError::of(ToolErrorKind::Blocked, message));
    }
    let mut output =
        Output::json(&json!({"added": added.len(), "already": known, "no_urls": refused}));
    for (url, subscription) in added {
        output.staged.extend(subscription.changes(&call.state.kept, &url)?);
    }
    Ok(output)
}
