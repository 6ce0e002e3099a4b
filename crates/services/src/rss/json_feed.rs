//! JSON Feed, read loosely: what has another shape than it should is left out.

use serde_json::Value;

use super::raw_feed::{RawEntry, RawFeed};
use crate::limits::FEED_ENTRIES_MAX;

/// Reads a JSON Feed.
pub(super) fn parse_json(text: &str) -> Result<RawFeed, String> {
    let root: Value =
        serde_json::from_str(text).map_err(|error| format!("it is not valid JSON: {error}"))?;
    let items = root.get("items").and_then(Value::as_array);
    let items = items.ok_or("it is JSON, but not a JSON Feed: it has no items")?;
    let entries = items.iter().filter(|item| item.is_object()).take(FEED_ENTRIES_MAX).map(|item| {
        let first = |names: &[&str]| {
            names
                .iter()
                .map(|name| field(item, name))
                .find(|text| !text.is_empty())
                .unwrap_or_default()
        };
        RawEntry {
            guid: field(item, "id"),
            title: field(item, "title"),
            link: first(&["url", "external_url"]),
            summary: first(&["summary", "content_text"]),
            content: field(item, "content_html"),
            published: field(item, "date_published"),
            updated: field(item, "date_modified"),
        }
    });
    Ok(RawFeed {
        title: field(&root, "title"),
        site: field(&root, "home_page_url"),
        entries: entries.collect(),
        problem: None,
    })
}

fn field(object: &Value, name: &str) -> String {
    match object.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}
