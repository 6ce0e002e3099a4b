//! `rss.unsubscribe {feed}`: ends a subscription. Staged: it counts when the epoch commits.

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, parse_arguments};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::json;

use super::subscription::Subscription;
use crate::tool_spec::{object_schema, tool_spec};

/// The tool `rss.unsubscribe`.
#[derive(Clone, Debug)]
pub struct UnsubscribeFeed {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    feed: String,
}

impl UnsubscribeFeed {
    pub(super) fn new() -> Self {
        let properties = json!({
            "feed": {"type": "string", "description": "the feed's URL, site or title"}
        });
        let parameters = object_schema(&["feed"], properties);
        let description = "Ends a subscription.";
        Self { spec: tool_spec("rss.unsubscribe", EffectClass::State, description, parameters) }
    }
}

impl Tool for UnsubscribeFeed {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(ready(unsubscribe(&call)))
    }
}

fn unsubscribe(call: &Call<'_>) -> Result<Output, ToolError> {
    let Arguments { feed } = parse_arguments(call.arguments)?;
    let (url, subscription) = Subscription::find(call, &feed)?;
    let mut output =
        Output::json(&json!({"url": url, "title": subscription.title, "unsubscribed": true}));
    output.staged.extend(Subscription::drop_of(&call.state.kept, &url));
    Ok(output)
}
