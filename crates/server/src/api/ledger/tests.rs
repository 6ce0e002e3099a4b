//! Pages over a real ledger of a few hundred lines, with a clock that tests move.

use std::{cell::Cell, collections::BTreeMap, sync::Arc, thread::JoinHandle, time::Duration};

use abide_domain::{EntityName, event::StdoutWritten};
use abide_ledger::{Draft, FileStorage, Ledger, LedgerOptions};
use serde_json::Value;

use super::{
    super::input::Params, LedgerPage, LedgerRequest, READ_TIME_MAX, WINDOW_LINES, expanded,
};
use crate::system::SystemClock;

/// A ledger in which ann writes every line but each tenth, which bob does.
struct Log {
    ledger: Ledger,
    committer: JoinHandle<()>,
    _folder: tempfile::TempDir,
}

impl Log {
    async fn of(lines: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let storage = Arc::new(FileStorage::create(&folder.path().join("ledger")).unwrap());
        let options = LedgerOptions::new(Arc::new(SystemClock::new()));
        let (ledger, committer) = Ledger::open(storage, options).unwrap();
        let committer = committer.spawn().unwrap();
        // The ledger's own first lines count.
        let written = ledger.append(vec![draft(0)]).await.unwrap().last_seq;
        let drafts: Vec<_> = (written + 1..=lines).map(draft).collect();
        for part in drafts.chunks(1_000) {
            ledger.append(part.to_vec()).await.unwrap();
        }
        Self { ledger, committer, _folder: folder }
    }

    fn page(&self, query: &[(&str, &str)]) -> LedgerPage {
        self.page_at(query, &|| Duration::ZERO)
    }

    fn page_at(&self, query: &[(&str, &str)], now: &dyn Fn() -> Duration) -> LedgerPage {
        let head = self.ledger.head().seq;
        let wanted = LedgerRequest::of(&params(query), head).unwrap();
        let reading = wanted.read(&self.ledger, now).unwrap();
        wanted.page(&reading, head).unwrap()
    }

    async fn end(self) {
        self.ledger.close().await;
        self.committer.join().unwrap();
    }
}

fn draft(seq: u64) -> Draft {
    let author: EntityName = if seq.is_multiple_of(10) { "@bob" } else { "@ann" }.parse().unwrap();
    let content = format!("line {seq} of Many").into();
    let event = StdoutWritten { content, call_id: None, nth: 0 };
    Draft { entity: author.clone(), author, epoch: None, event: event.into() }
}

fn params(query: &[(&str, &str)]) -> Params {
    let pairs = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Params::of(pairs.collect::<BTreeMap<_, _>>())
}

fn seqs(page: &LedgerPage) -> Vec<u64> {
    let seq = |line: &str| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap();
    page.items.iter().map(|line| seq(line.get())).collect()
}

/// Follows the cursor of one way to its end.
fn walk(log: &Log, way: &str, query: &[(&str, &str)], now: &dyn Fn() -> Duration) -> Vec<u64> {
    let mut all = Vec::new();
    let mut cursor = if way == "after" { "0".to_owned() } else { u64::MAX.to_string() };
    loop {
        let given = [query, &[(way, cursor.as_str())]].concat();
        let page = log.page_at(&given, now);
        all.extend(seqs(&page));
        match page.next {
            Some(next) => cursor = next,
            None => return all,
        }
    }
}

#[tokio::test]
async fn pages_of_both_ways_join_to_the_whole() {
    let log = Log::of(700).await;
    let all: Vec<u64> = (1..=700).collect();
    let back: Vec<u64> = all.iter().rev().copied().collect();
    let now = || Duration::ZERO;
    assert_eq!(walk(&log, "after", &[("limit", "64")], &now), all);
    assert_eq!(walk(&log, "before", &[("limit", "500")], &now), back);
    let bobs: Vec<u64> = (2..=70).map(|tenth| tenth * 10).collect();
    let found = walk(&log, "after", &[("citizen", "bob"), ("limit", "7")], &now);
    assert_eq!(&found[found.len() - bobs.len()..], bobs);
    let end: Vec<u64> = walk(&log, "before", &[("q", "LINE 69"), ("kinds", "stdout.*")], &now);
    assert_eq!(end, [699, 698, 697, 696, 695, 694, 693, 692, 691, 690, 69]);
    log.end().await;
}

#[tokio::test]
async fn a_place_in_the_middle_is_read_alone_and_says_how_to_go_both_ways() {
    let log = Log::of(400).await;
    let page = log.page(&[("after", "200"), ("before", "204"), ("limit", "128")]);
    assert_eq!(
        (seqs(&page), page.next, page.prev.as_deref()),
        (vec![201, 202, 203], None, Some("201"))
    );
    let page = log.page(&[("before", "204"), ("limit", "2")]);
    assert_eq!(seqs(&page), [203, 202]);
    assert_eq!(
        (page.next.as_deref(), page.prev.as_deref(), page.head),
        (Some("202"), Some("203"), 400)
    );
    let newest = log.page(&[("limit", "1")]);
    assert_eq!((seqs(&newest), newest.prev), (vec![400], None));
    let beyond = log.page(&[("after", "99999")]);
    assert_eq!((seqs(&beyond), beyond.next), (vec![], None));
    for nowhere in [&[("before", "0")][..], &[("after", "5"), ("before", "0")], &[("before", "1")]]
    {
        let page = log.page(nowhere);
        assert_eq!((seqs(&page), page.next), (vec![], None), "{nowhere:?}");
    }
    log.end().await;
}

#[tokio::test]
async fn a_request_that_took_long_enough_says_how_far_it_came() {
    let lines = WINDOW_LINES * 3;
    let log = Log::of(lines).await;
    let time = Cell::new(Duration::ZERO);
    let slow = || {
        time.set(time.get() + READ_TIME_MAX);
        time.get()
    };
    // Nothing fits; each request ends behind its first window.
    let query = [("kinds", "epoch.opened")];
    let page = log.page_at(&query, &slow);
    assert_eq!((page.items.len(), page.next), (0, Some((lines + 1 - WINDOW_LINES).to_string())));
    let page = log.page_at(&[("kinds", "epoch.opened"), ("after", "0")], &slow);
    assert_eq!(page.next, Some(WINDOW_LINES.to_string()));
    assert_eq!(walk(&log, "before", &query, &slow), Vec::<u64>::new());
    let rare = [("q", "line 17 of")];
    assert_eq!(walk(&log, "before", &rare, &slow), [17]);
    log.end().await;
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let refused = |query: &[(&str, &str)]| LedgerRequest::of(&params(query), 9).is_err();
    for wrong in [
        ("before", "x"),
        ("limit", "501"),
        ("kinds", "no.such"),
        ("epoch", "7"),
        ("citizen", "a b"),
        ("q", &"x".repeat(1_001)),
    ] {
        assert!(refused(&[wrong]), "{wrong:?}");
    }
    assert!(!refused(&[("citizen", "keeper"), ("q", "x"), ("kinds", "epoch.*,turn.started")]));
}

#[test]
fn groups_are_asked_of_the_index_as_their_kinds() {
    let kinds = expanded(vec!["epoch.*".into(), "epoch.opened".into()]);
    assert_eq!(
        kinds,
        [
            "epoch.aborted",
            "epoch.committed",
            "epoch.dismissed",
            "epoch.opened",
            "epoch.stood_still"
        ]
    );
    assert!(expanded(vec!["epoch.opened".into(), "*".into()]).is_empty());
}
