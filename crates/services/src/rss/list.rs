//! `rss.list {}`: the subscriptions. Asks no server.

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError};
use futures_util::future::{BoxFuture, ready};
use serde_json::{Value, json};

use super::subscription::Subscription;
use crate::{
    foreign_text::NOTICE,
    tool_spec::{object_schema, tool_spec},
};

/// The tool `rss.list`.
#[derive(Clone, Debug)]
pub struct ListFeeds {
    spec: ToolSpec,
}

impl ListFeeds {
    pub(super) fn new() -> Self {
        let parameters = object_schema(&[], json!({}));
        let description = "Lists the feeds that you subscribed to.";
        Self { spec: tool_spec("rss.list", EffectClass::Read, description, parameters) }
    }
}

impl Tool for ListFeeds {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        let feeds: Vec<Value> = Subscription::all(&call.state.kept)
            .into_iter()
            .map(|(url, subscription)| item(&call, &url, &subscription))
            .collect();
        let content = json!({"notice": NOTICE, "feeds": feeds});
        Box::pin(ready(Ok(Output::json(&content))))
    }
}

fn item(call: &Call<'_>, url: &str, subscription: &Subscription) -> Value {
    let mut item = json!({
        "url": url,
        "title": subscription.title,
        "site": subscription.site,
        "checked_at": subscription.checked_at,
    });
    let waits = subscription.wait_until.filter(|until| *until > call.now);
    if let Some(fields) = item.as_object_mut() {
        if subscription.is_dead {
            fields.insert("gone".into(), true.into());
        }
        fields.extend(waits.map(|until| ("waits_until".to_owned(), until.to_string().into())));
    }
    item
}
