//! A subscription as it is kept for an agent, and how an argument finds one.

use std::collections::BTreeSet;

use abide_domain::{
    Timestamp,
    event::{Event, ToolEvent, ToolKept},
};
use abide_tools::{Call, KeptValues, ToolError, ToolErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::{foreign_text::short, limits::URL_BYTES_MAX};

/// The namespace of the values; the key is the feed's URL.
const NAMESPACE: &str = "rss";
/// The namespace of what was seen of them, under the same keys: it is long, and most checks change nothing in it.
const SEEN_NAMESPACE: &str = "rss.seen";

/// What is kept of a subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Subscription {
    #[serde(default)]
    pub(super) title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) site: Option<String>,
    /// When it was last checked; none: never, as after an import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) checked_at: Option<Timestamp>,
    /// When a check last asked for it, whether it came or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tried_at: Option<Timestamp>,
    /// Until when its server asked to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) wait_until: Option<Timestamp>,
    /// Whether its server said that it is gone for ever.
    #[serde(default)]
    pub(super) is_dead: bool,
    /// Hashes of the entries that were seen, the newest first. Read from here as well: older ones are kept with the rest.
    #[serde(default, skip_serializing)]
    pub(super) seen: Vec<String>,
}

impl Subscription {
    /// All subscriptions, in the order of their URLs.
    pub(super) fn all(kept: &KeptValues) -> Vec<(String, Self)> {
        kept.all(NAMESPACE)
            .filter_map(|(url, _)| Some((url.to_owned(), Self::of(kept, url)?)))
            .collect()
    }

    /// The subscription of a feed.
    pub(super) fn of(kept: &KeptValues, url: &str) -> Option<Self> {
        let mut subscription = Self::deserialize(kept.get(NAMESPACE, url)?).ok()?;
        if let Some(seen) = kept.get(SEEN_NAMESPACE, url) {
            subscription.seen = Vec::deserialize(seen).ok()?;
        }
        Some(subscription)
    }

    /// The events that keep it, as far as it is not kept already.
    pub(super) fn changes(&self, kept: &KeptValues, url: &str) -> Result<Vec<Event>, ToolError> {
        let failed = |error| ToolError::new(format!("the subscription cannot be kept: {error}"));
        let own = serde_json::to_value(self).map_err(failed)?;
        let seen = serde_json::to_value(&self.seen).map_err(failed)?;
        let before = kept.get(SEEN_NAMESPACE, url);
        let is_seen_new =
            before.map_or(!self.seen.is_empty(), |before| !is_same_set(before, &seen));
        let own = Some(own).filter(|own| kept.get(NAMESPACE, url) != Some(own));
        let seen = Some(seen).filter(|_| is_seen_new);
        let own = own.map(|own| kept_event(NAMESPACE, url, Some(own)));
        Ok(own
            .into_iter()
            .chain(seen.map(|seen| kept_event(SEEN_NAMESPACE, url, Some(seen))))
            .collect())
    }

    /// The events that drop it.
    pub(super) fn drop_of(kept: &KeptValues, url: &str) -> Vec<Event> {
        let is_kept = |namespace: &&str| kept.get(namespace, url).is_some();
        let namespaces = [NAMESPACE, SEEN_NAMESPACE].into_iter().filter(is_kept);
        namespaces.map(|namespace| kept_event(namespace, url, None)).collect()
    }

    /// Finds the one that an argument means: its URL, its site, or its title.
    pub(super) fn find(call: &Call<'_>, feed: &str) -> Result<(String, Self), ToolError> {
        let wanted = feed.trim();
        let all = Self::all(&call.state.kept);
        let url = feed_url(wanted).ok().map(String::from);
        let means = |(own, subscription): &&(String, Self)| {
            Some(own) == url.as_ref()
                || subscription.title.to_lowercase() == wanted.to_lowercase()
                || (url.is_some() && subscription.site == url)
        };
        let mut found = all.iter().filter(means);
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one.clone()),
            (Some((first, _)), Some((second, _))) => Err(ToolError::of(
                ToolErrorKind::Ambiguous,
                format!("feed: `{}` is several feeds: {first}, {second}", short(wanted)),
            )),
            _ => Err(ToolError::of(
                ToolErrorKind::NotFound,
                format!(
                    "feed: there is no subscription `{}`; rss.list lists them, rss.subscribe adds one",
                    short(wanted)
                ),
            )),
        }
    }
}

/// Whether two lists of hashes hold the same, in whatever order: a feed may be sorted anew.
fn is_same_set(one: &Value, other: &Value) -> bool {
    let set = |list: &Value| -> Option<BTreeSet<String>> {
        list.as_array()?.iter().map(|hash| hash.as_str().map(str::to_owned)).collect()
    };
    set(one) == set(other)
}

fn kept_event(namespace: &str, url: &str, value: Option<Value>) -> Event {
    let (namespace, key) = (namespace.to_owned(), url.to_owned());
    Event::Tool(ToolEvent::Kept(ToolKept { namespace, key, value }))
}

/// Reads the URL of a feed or a site, with or without its scheme.
pub(super) fn feed_url(text: &str) -> Result<Url, ToolError> {
    let text = text.trim();
    let text = text.strip_prefix("feed:").unwrap_or(text).trim_start_matches('/');
    let whole = if text.starts_with("http://") || text.starts_with("https://") {
        text.to_owned()
    } else {
        format!("https://{text}")
    };
    let problem = |what: &str| ToolError::new(format!("url: {what}"));
    if whole.len() > URL_BYTES_MAX || text.is_empty() {
        return Err(problem("is empty or too long"));
    }
    let url = Url::parse(&whole).map_err(|_| problem("is not a URL of a feed or a site"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(problem("must not contain a user name or a password"));
    }
    Ok(url)
}
