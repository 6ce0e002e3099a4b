//! `rss.check {feed?, limit?}`: what is new in all subscribed feeds, or in one, since the last check.
//!
//! Returns `{"notice", "feeds": [{url, title, new, entries, note?}], "problems": [{url, problem}], "unchecked"}`. What it gives counts
//! as seen once the epoch commits; what did not fit stays new. Feeds that were not asked for for longest come first, whether
//! they came then or not.

use abide_domain::{
    Timestamp,
    event::Event,
    tool::{EffectClass, ToolSpec},
};
use abide_tools::{Call, Output, Tool, ToolError, ToolErrorKind, parse_arguments};
use futures_util::{StreamExt as _, future::BoxFuture, stream};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

use super::{
    feed::{FeedEntry, ParsedFeed},
    identity::KnownEntries,
    polled::{PollError, Polled},
    poller::FeedPoller,
    subscription::{Subscription, feed_url},
};
use crate::{
    foreign_text::NOTICE,
    limits::{CHECKED_FEEDS_MAX, ENTRIES_DEFAULT, ENTRIES_MAX, FEEDS_AT_ONCE, FIRST_CHECK_ENTRIES},
    tool_spec::{bounded, filled, object_schema, optional_number, optional_text, tool_spec},
};

/// Time for all feeds of one check: less than a call of a tool has, so that what was found is not lost.
const CHECK_TIME_MAX: Duration = Duration::from_secs(40);

/// The tool `rss.check`.
#[derive(Clone, Debug)]
pub struct CheckFeeds {
    spec: ToolSpec,
    poller: FeedPoller,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    feed: Option<String>,
    limit: Option<u64>,
}

/// What a check has found so far.
#[derive(Debug, Default)]
struct Findings {
    feeds: Vec<Value>,
    problems: Vec<Value>,
    staged: Vec<Event>,
    shown: usize,
}

impl CheckFeeds {
    pub(super) fn new(poller: FeedPoller) -> Self {
        let properties = json!({
            "feed": optional_text("the URL, site or title of one feed; all unless given"),
            "limit": optional_number(&format!("entries in all, up to {ENTRIES_MAX}; {ENTRIES_DEFAULT} unless given"))
        });
        let parameters = object_schema(&[], properties);
        let description =
            "Gives the entries of your feeds that are new since the last check, each once.";
        Self { spec: tool_spec("rss.check", EffectClass::State, description, parameters), poller }
    }

    async fn check(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let arguments: Arguments = parse_arguments(call.arguments)?;
        let limit = bounded(arguments.limit, ENTRIES_DEFAULT, ENTRIES_MAX);
        let due = match filled(arguments.feed) {
            Some(feed) => vec![Subscription::find(&call, &feed)?],
            None => due(&call),
        };
        let count = due.len();
        let asked = due.into_iter().take(CHECKED_FEEDS_MAX).map(|(url, subscription)| async {
            let polled = match feed_url(&url) {
                Ok(at) => self.poller.poll(&at, Some(&subscription)).await,
                Err(error) => Err(PollError { error, wait_until: None, is_dead: false }),
            };
            (url, subscription, polled)
        });
        let mut answers = stream::iter(asked).buffer_unordered(FEEDS_AT_ONCE);
        let deadline = Instant::now() + CHECK_TIME_MAX;
        let (mut findings, mut checked) = (Findings::default(), 0);
        while let Ok(Some((url, subscription, polled))) = timeout_at(deadline, answers.next()).await
        {
            let left = limit.saturating_sub(findings.shown);
            // All that a feed holds at its first check counts as seen: without room for any of it, it waits for the next check.
            if left == 0 && subscription.checked_at.is_none() && polled.is_ok() {
                continue;
            }
            checked += 1;
            match polled {
                Ok(polled) => findings.take(&call, &url, subscription, (&polled, left))?,
                Err(failure) => findings.take_failure(&call, &url, subscription, &failure)?,
            }
        }
        Ok(findings.into_output(count.saturating_sub(checked)))
    }
}

impl Tool for CheckFeeds {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.check(call))
    }
}

/// The subscriptions that can be checked, those that were not asked for for longest first; those that are gone last.
fn due(call: &Call<'_>) -> Vec<(String, Subscription)> {
    let mut all = Subscription::all(&call.state.kept);
    all.sort_by_key(|(_, subscription)| {
        (subscription.is_dead, subscription.tried_at.max(subscription.checked_at))
    });
    all
}

impl Findings {
    fn take(
        &mut self,
        call: &Call<'_>,
        url: &str,
        mut subscription: Subscription,
        (polled, limit): (&Polled, usize),
    ) -> Result<(), ToolError> {
        let Some(feed) = &polled.feed else {
            let message = "there is a page at the feed's address now, and no feed";
            let error = ToolError::of(ToolErrorKind::Unreadable, message);
            let failure = PollError { error, wait_until: None, is_dead: false };
            return self.take_failure(call, url, subscription, &failure);
        };
        let known = KnownEntries::new(feed);
        let unseen = known.unseen(&subscription.seen);
        let shown = unseen.get(..limit.min(unseen.len())).unwrap_or_default();
        let is_first = subscription.checked_at.is_none();
        let shown = if is_first { first_of(shown) } else { shown };
        self.shown += shown.len();
        if !unseen.is_empty() || polled.note.is_some() || polled.url != url {
            self.feeds.push(found(polled, feed, (unseen.len(), shown), (url, call.now)));
        }
        // All that an imported feed holds at its first check counts as seen, as with a new subscription.
        let marked = if is_first { &unseen[..] } else { shown };
        subscription.seen = known.seen_with(&subscription.seen, marked);
        subscription.title.clone_from(&feed.title);
        subscription.site.clone_from(&feed.site);
        subscription.checked_at = Some(call.now);
        subscription.tried_at = Some(call.now);
        subscription.wait_until = subscription.wait_until.filter(|until| *until > call.now);
        self.stage_moved(call, url, &polled.url, &subscription)
    }

    fn take_failure(
        &mut self,
        call: &Call<'_>,
        url: &str,
        mut subscription: Subscription,
        failure: &PollError,
    ) -> Result<(), ToolError> {
        let was_dead = subscription.is_dead;
        self.problems.push(json!({
            "url": url,
            "title": subscription.title,
            "problem": failure.error.to_text(),
        }));
        subscription.is_dead |= failure.is_dead;
        subscription.wait_until = failure.wait_until;
        subscription.tried_at = Some(call.now);
        // An import that could not be read is still to be read for the first time.
        if subscription.checked_at.is_some() {
            subscription.checked_at = Some(call.now);
        }
        if !was_dead {
            self.staged.extend(subscription.changes(&call.state.kept, url)?);
        }
        Ok(())
    }

    /// Keeps a subscription under the address that its feed has from now on.
    fn stage_moved(
        &mut self,
        call: &Call<'_>,
        url: &str,
        moved: &str,
        subscription: &Subscription,
    ) -> Result<(), ToolError> {
        if moved != url {
            self.staged.extend(Subscription::drop_of(&call.state.kept, url));
            // Two subscriptions have become one; the other goes on as it is.
            if Subscription::of(&call.state.kept, moved).is_some() {
                return Ok(());
            }
        }
        self.staged.extend(subscription.changes(&call.state.kept, moved)?);
        Ok(())
    }

    fn into_output(self, unchecked: usize) -> Output {
        let note = format!(
            "{} of {}; not kept, and seen now: rss.fetch gives the newest again",
            counted(self.shown, "new entry", "new entries"),
            counted(self.feeds.len(), "feed", "feeds")
        );
        let content = json!({
            "notice": NOTICE,
            "new_entries": self.shown,
            "feeds": self.feeds,
            "problems": self.problems,
            "unchecked": unchecked,
        });
        let ethereal = (self.shown > 0).then_some(note);
        Output { ethereal, staged: self.staged, ..Output::json(&content) }
    }
}

fn first_of<'a, 'b>(shown: &'b [&'a FeedEntry]) -> &'b [&'a FeedEntry] {
    shown.get(..FIRST_CHECK_ENTRIES.min(shown.len())).unwrap_or_default()
}

fn found(
    polled: &Polled,
    feed: &ParsedFeed,
    (new, shown): (usize, &[&FeedEntry]),
    (url, now): (&str, Timestamp),
) -> Value {
    let entries: Vec<Value> = shown.iter().map(|entry| entry.to_json(Some(now))).collect();
    let mut found = json!({"url": polled.url, "title": feed.title, "new": new, "entries": entries});
    if let Some(fields) = found.as_object_mut() {
        fields.extend(polled.note.clone().map(|note| ("note".to_owned(), note.into())));
        fields.extend(feed.problem.clone().map(|text| ("problem".to_owned(), text.into())));
        let moved = (polled.url != url).then(|| format!("the feed moved here from {url}"));
        fields.extend(moved.map(|text| ("moved".to_owned(), text.into())));
    }
    found
}

fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}
