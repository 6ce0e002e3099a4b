//! Which entries of a feed are new to an agent.
//!
//! An entry is known by what the feed calls it, by its link, or, where it has neither, by its title and date. It is new where
//! none of these was seen: a new title, a changed guid or a feed that is written anew brings nothing twice.

use std::collections::{HashMap, HashSet};

use sha2::{Digest as _, Sha256};

use super::feed::{FeedEntry, ParsedFeed};
use crate::limits::SEEN_HASHES_MAX;

/// Bytes of a hash that are kept.
const HASH_BYTES: usize = 8;

/// The entries of a feed with the hashes that they are known by.
#[derive(Debug)]
pub(super) struct KnownEntries<'a> {
    entries: Vec<(&'a FeedEntry, Vec<String>)>,
}

impl<'a> KnownEntries<'a> {
    pub(super) fn new(feed: &'a ParsedFeed) -> Self {
        let mut links: HashMap<&str, usize> = HashMap::new();
        for link in feed.entries.iter().filter_map(|entry| entry.link.as_deref()) {
            *links.entry(link).or_default() += 1;
        }
        // A link that several entries share, or that is the site itself, says nothing about one of them.
        let says_something =
            |link: &str| links.get(link) == Some(&1) && feed.site.as_deref() != Some(link);
        let entries = feed.entries.iter().map(|entry| {
            let link = entry.link.as_deref().filter(|link| says_something(link));
            (entry, hashes(entry, link))
        });
        Self { entries: entries.collect() }
    }

    /// The entries that were not seen, newest first where they have dates, as the feed orders them.
    pub(super) fn unseen(&self, seen: &[String]) -> Vec<&'a FeedEntry> {
        let seen: HashSet<&str> = seen.iter().map(String::as_str).collect();
        let mut taken: HashSet<&str> = HashSet::new();
        let mut unseen = Vec::new();
        for (entry, hashes) in &self.entries {
            let is_known =
                |hash: &String| seen.contains(hash.as_str()) || taken.contains(hash.as_str());
            if !hashes.iter().any(is_known) {
                unseen.push(*entry);
            }
            taken.extend(hashes.iter().map(String::as_str));
        }
        unseen
    }

    /// What is seen once `shown` has been given: all hashes of the feed's seen entries first, then older ones, bounded.
    pub(super) fn seen_with(&self, seen: &[String], shown: &[&FeedEntry]) -> Vec<String> {
        let unseen = self.unseen(seen);
        let is_left = |entry: &FeedEntry| {
            let is = |other: &&FeedEntry| std::ptr::eq(*other, entry);
            unseen.iter().any(is) && !shown.iter().any(is)
        };
        let of_feed = self.entries.iter().filter(|(entry, _)| !is_left(entry));
        let all = of_feed.flat_map(|(_, hashes)| hashes).chain(seen);
        let mut known = HashSet::new();
        all.filter(|hash| known.insert(hash.as_str())).take(SEEN_HASHES_MAX).cloned().collect()
    }
}

fn hashes(entry: &FeedEntry, link: Option<&str>) -> Vec<String> {
    let guid = entry.guid.as_deref().map(|guid| hash("guid", guid));
    // A guid that is the link is one name, not two.
    let link =
        link.filter(|link| entry.guid.as_deref() != Some(link)).map(|link| hash("guid", link));
    let mut hashes: Vec<String> = guid.into_iter().chain(link).collect();
    if hashes.is_empty() {
        let date = entry.published.map(|at| at.to_string()).unwrap_or_default();
        hashes.push(hash(
            "title",
            &format!("{}\n{date}\n{}", entry.title, entry.link.as_deref().unwrap_or_default()),
        ));
    }
    hashes
}

fn hash(kind: &str, text: &str) -> String {
    let digest = Sha256::digest(format!("{kind}\n{text}").as_bytes());
    hex::encode(digest.get(..HASH_BYTES).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{FeedEntry, KnownEntries, ParsedFeed};
    use crate::limits::SEEN_HASHES_MAX;

    fn entry(guid: &str, title: &str, link: &str) -> FeedEntry {
        let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        FeedEntry {
            guid: filled(guid),
            title: title.into(),
            link: filled(link),
            ..FeedEntry::default()
        }
    }

    fn feed(entries: Vec<FeedEntry>) -> ParsedFeed {
        ParsedFeed { site: Some("https://s.test/".into()), entries, ..ParsedFeed::default() }
    }

    /// The titles that are new in `now`, after all of `before` was shown.
    fn new_titles(before: Vec<FeedEntry>, now: Vec<FeedEntry>) -> Vec<String> {
        let (before, now) = (feed(before), feed(now));
        let known = KnownEntries::new(&before);
        let seen = known.seen_with(&[], &known.unseen(&[]));
        KnownEntries::new(&now).unseen(&seen).iter().map(|entry| entry.title.clone()).collect()
    }

    /// HB-43.
    #[test]
    fn nothing_new_comes_twice_whatever_a_feed_changes() {
        let none: [&str; 0] = [];
        let cases = [
            (entry("1", "A", "https://s.test/1"), entry("1", "A, corrected", "https://s.test/1")),
            (entry("1", "A", "https://s.test/1"), entry("other", "A", "https://s.test/1")),
            (entry("1", "A", "https://s.test/1"), entry("1", "A", "https://s.test/moved")),
            (entry("", "A", "https://s.test/1"), entry("", "A again", "https://s.test/1")),
            (entry("", "A", ""), entry("", "A", "")),
            (
                entry("https://s.test/1", "A", "https://s.test/1"),
                entry("", "A", "https://s.test/1"),
            ),
        ];
        for (before, now) in cases {
            assert_eq!(
                new_titles(vec![before.clone()], vec![now.clone()]),
                none,
                "{before:?} {now:?}"
            );
        }
    }

    #[test]
    fn entries_that_share_a_link_are_still_told_apart() {
        let home = "https://s.test/";
        let before = vec![entry("1", "A", home)];
        assert_eq!(new_titles(before, vec![entry("2", "B", home), entry("1", "A", home)]), ["B"]);
        let shared = "https://s.test/day";
        let now = vec![entry("3", "C", shared), entry("2", "B", shared)];
        assert_eq!(new_titles(vec![entry("2", "B", shared), entry("1", "A", shared)], now), ["C"]);
        assert_eq!(new_titles(vec![], vec![entry("1", "A", ""), entry("1", "A twice", "")]), ["A"]);
    }

    #[test]
    fn what_was_not_shown_stays_new_and_what_is_kept_is_bounded() {
        let entries: Vec<_> = (0..10).map(|n| entry(&n.to_string(), &n.to_string(), "")).collect();
        let feed = feed(entries);
        let known = KnownEntries::new(&feed);
        let unseen = known.unseen(&[]);
        let seen = known.seen_with(&[], &unseen[..3]);
        assert_eq!(seen.len(), 3);
        assert_eq!(known.unseen(&seen).len(), 7);
        let many: Vec<String> = (0..5_000).map(|n| format!("{n:016x}")).collect();
        assert_eq!(known.seen_with(&many, &unseen).len(), SEEN_HASHES_MAX);
        assert!(known.unseen(&known.seen_with(&many, &unseen)).is_empty());
    }
}
