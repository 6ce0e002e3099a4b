//! The store: reads once, notices a newer table, lets go, and survives damage.

use std::{
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use abide_deck::CardTable;
use abide_domain::{Clock, Timestamp};
use tokio_util::sync::CancellationToken;

use super::{CardStore, CardsMissingError, IDLE_MAX};
use crate::cards::manifest::{CardManifest, StoredFile};

#[derive(Debug, Default)]
struct HandClock(Mutex<Duration>);

impl HandClock {
    fn forward(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::default().plus(self.monotonic())
    }

    fn monotonic(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

struct Fixture {
    home: tempfile::TempDir,
    clock: Arc<HandClock>,
    store: CardStore,
}

fn fixture() -> Fixture {
    let home = tempfile::tempdir().unwrap();
    let clock = Arc::new(HandClock::default());
    let store = CardStore::new(home.path().join("cards"), clock.clone());
    Fixture { home, clock, store }
}

fn card(name: &str) -> String {
    format!(
        r#"{{"oracle_id":"id-{name}","name":"{name}","layout":"normal","set":"x","collector_number":"1"}}"#
    )
}

/// Makes cards of some names the present ones. Gives their table's file.
fn put(store: &CardStore, names: &[&str]) -> StoredFile {
    let lines: Vec<String> = names.iter().map(|name| card(name)).collect();
    let table = CardTable::from_lines(lines.iter().map(String::as_str)).unwrap();
    let folder = store.folder();
    folder.create().unwrap();
    let _lock = folder.lock().unwrap().unwrap();
    let stored = folder.write_table(&table, "d").unwrap();
    let tags = r#"{"id":"1","slug":"mass-land-denial","taggings":[{"oracle_id":"id-Ruin"}]}"#;
    let manifest = CardManifest::new(stored.clone(), Some(folder.write_tags(tags).unwrap()));
    folder.publish(&manifest).unwrap();
    stored
}

async fn names(store: &CardStore) -> Vec<String> {
    let table = store.table().await.unwrap();
    table.cards().iter().map(|card| card.name.clone()).collect()
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn is_kept(store: &CardStore) -> bool {
    store.inner.kept().cards.is_some()
}

#[tokio::test]
async fn without_cards_it_says_what_to_do_and_makes_nothing() {
    let Fixture { home, store, .. } = fixture();
    let error = store.table().await.unwrap_err();
    assert_eq!(error, CardsMissingError::Absent);
    assert!(error.to_string().contains("`abide cards pull`"), "{error}");
    assert!(files(home.path()).is_empty());
}

#[tokio::test]
async fn cards_are_read_once_and_a_newer_table_is_noticed() {
    let Fixture { store, .. } = fixture();
    put(&store, &["Ruin", "Sol Ring"]);
    assert!(!is_kept(&store), "nothing is read before somebody asks");
    let cards = store.cards().await.unwrap();
    assert!(cards.tags.unwrap().has("mass-land-denial", &cards.table.cards()[0].id));
    let (one, other) = tokio::join!(store.table(), store.table());
    assert!(Arc::ptr_eq(&one.unwrap(), &other.unwrap()) && is_kept(&store));
    put(&store, &["Island"]);
    assert_eq!(names(&store).await, ["Island"]);
    let folder = store.folder().path();
    let left = files(folder);
    assert_eq!(left.iter().filter(|name| name.starts_with("table-")).count(), 1, "{left:?}");
    for name in left {
        let mode = folder.join(&name).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{name}");
    }
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn many_that_ask_at_once_share_one_table() {
    let Fixture { store, .. } = fixture();
    put(&store, &["Forest"]);
    let asked = futures_util::future::join_all((0..16).map(|_| store.table())).await;
    let tables: Vec<_> = asked.into_iter().map(Result::unwrap).collect();
    assert!(tables.iter().all(|table| Arc::ptr_eq(table, &tables[0])));
    // Whoever leaves while it is read does not lose it for the others.
    put(&store, &["Swamp"]);
    drop(tokio::time::timeout(Duration::ZERO, store.table()).await);
    assert_eq!(names(&store).await, ["Swamp"]);
}

#[tokio::test(start_paused = true)]
async fn cards_that_nobody_asks_for_leave_the_memory() {
    let Fixture { store, clock, .. } = fixture();
    put(&store, &["Mountain"]);
    let stop = CancellationToken::new();
    let task = store.clone().let_go_when_idle(stop.clone());
    let use_it = async {
        let held = store.table().await.unwrap();
        clock.forward(IDLE_MAX / 2);
        drop(store.table().await.unwrap());
        clock.forward(IDLE_MAX / 2);
        tokio::time::sleep(IDLE_MAX).await;
        assert!(is_kept(&store), "the last use was not long ago");
        clock.forward(IDLE_MAX / 2);
        tokio::time::sleep(IDLE_MAX).await;
        assert!(!is_kept(&store));
        assert_eq!(Arc::strong_count(&held), 1, "only who still uses them holds them");
        assert_eq!(names(&store).await, ["Mountain"], "they are read anew");
        stop.cancel();
    };
    tokio::join!(task, use_it);
}

#[tokio::test]
async fn damaged_cards_are_set_aside_and_a_pull_replaces_them() {
    let damages: [fn(&Path); 4] = [
        |table| std::fs::write(table, b"no gzip").unwrap(),
        |table| {
            let bytes = std::fs::read(table).unwrap();
            std::fs::write(table, &bytes[..bytes.len() - 9]).unwrap();
        },
        |table| std::fs::remove_file(table).unwrap(),
        |table| std::fs::write(table.with_file_name("cards.json"), b"{\"version\":").unwrap(),
    ];
    for (index, damage) in damages.into_iter().enumerate() {
        let Fixture { store, .. } = fixture();
        let stored = put(&store, &["Wastes"]);
        damage(&store.folder().path().join(&stored.file));
        let error = store.table().await.unwrap_err();
        let CardsMissingError::Damaged { aside, .. } = &error else { panic!("{index}: {error}") };
        assert!(aside.exists() && error.to_string().contains("`abide cards pull`"), "{index}");
        let again = store.table().await.unwrap_err();
        assert!(matches!(again, CardsMissingError::Damaged { .. }), "{index}: {again}");
        put(&store, &["Wastes"]);
        assert_eq!(names(&store).await, ["Wastes"], "{index}");
        assert_eq!(store.folder().damaged(), None, "{index}");
    }
}

#[tokio::test]
async fn a_pull_that_is_under_way_keeps_damaged_cards_where_they_are() {
    let Fixture { store, .. } = fixture();
    let stored = put(&store, &["Plains"]);
    let table = store.folder().path().join(stored.file);
    std::fs::write(&table, b"no gzip").unwrap();
    let lock = store.folder().lock().unwrap();
    assert!(lock.is_some() && store.folder().lock().unwrap().is_none());
    let error = store.table().await.unwrap_err();
    assert!(matches!(error, CardsMissingError::Unreadable { .. }), "{error}");
    assert!(table.exists());
}

#[test]
fn a_manifest_names_no_file_elsewhere() {
    let stored = |file: &str| StoredFile { file: file.to_owned(), digest: "d".into() };
    for file in ["../token", "/etc/passwd", "", ".lock", "a/b", "a\0b"] {
        let text = CardManifest::new(stored(file), None).print().unwrap();
        assert!(CardManifest::parse(&text).is_err(), "{file:?}");
    }
    let good = CardManifest::new(stored("table-1.jsonl.gz"), None);
    assert_eq!(CardManifest::parse(&good.print().unwrap()).unwrap(), good);
    let newer = good.print().unwrap().replace("\"version\": 1", "\"version\": 2");
    assert!(CardManifest::parse(&newer).unwrap_err().to_string().contains("version 2"));
}
