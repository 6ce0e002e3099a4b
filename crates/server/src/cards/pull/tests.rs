//! Pulls against a server with faults: the cards of before stay until the new ones are whole, and what was fetched is gone on with.

use std::{io::Write as _, path::PathBuf, time::Duration};

use abide_deck::{CardTable, OracleId};
use flate2::{Compression, write::GzEncoder};
use serde_json::json;

use super::{CardFolder, CardManifest, CardPull, CardPullError, DownloadLimits, PullOutcome};
use crate::cards::test_server::{Fault, FileServer, ServedFile};

const INDEX: &str = "/bulk-data";
const CARDS: &str = "/default-cards.jsonl.gz";
const TAGS: &str = "/oracle-tags.jsonl.gz";
const DAY_1: &str = "2026-11-28T09:00:00Z";
const DAY_2: &str = "2026-11-29T09:00:00Z";

struct Scene {
    server: FileServer,
    home: tempfile::TempDir,
    limits: DownloadLimits,
    accepts_fewer: bool,
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

fn line(number: usize) -> String {
    json!({
        "object": "card", "oracle_id": format!("oracle-{number}"), "name": format!("Card {number}"), "layout": "normal",
        "set": "tst", "collector_number": number.to_string(), "type_line": "Artifact", "legalities": {"commander": "legal"},
    })
    .to_string()
        + "\n"
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn cards(count: usize) -> String {
    (0..count).map(line).collect()
}

fn tags() -> String {
    let tag = |id: &str, slug: &str, children: &[&str], card: &str| {
        json!({"object": "tag", "id": id, "slug": slug, "child_ids": children, "description": "x",
            "taggings": [{"oracle_id": card, "weight": "strong"}]})
        .to_string()
            + "\n"
    };
    [
        tag("1", "ramp", &["2"], "oracle-1"),
        tag("2", "mana-rock", &[], "oracle-2"),
        tag("3", "mass-land-denial", &["4"], "oracle-3"),
        tag("4", "armageddon-effect", &[], "oracle-4"),
        "no tag\n".to_owned(),
    ]
    .concat()
}

impl Scene {
    /// A server with three hundred cards of a day.
    async fn start() -> Self {
        let scene = Self {
            server: FileServer::start().await,
            home: tempfile::tempdir().unwrap(),
            limits: DownloadLimits {
                pause: Duration::from_millis(1),
                tries: 4,
                ..DownloadLimits::default()
            },
            accepts_fewer: false,
        };
        scene.publish(DAY_1, gzip(&cards(300)), Some("\"one\""));
        let tags = ServedFile {
            bytes: gzip(&tags()),
            etag: Some("\"t\"".into()),
            ..ServedFile::default()
        };
        scene.server.serve(TAGS, tags);
        scene
    }

    /// What the server has from now on.
    fn publish(&self, day: &str, bytes: Vec<u8>, etag: Option<&str>) {
        let size = bytes.len();
        let file = ServedFile { bytes, etag: etag.map(str::to_owned), ..ServedFile::default() };
        self.server.serve(CARDS, file);
        self.list(day, size, &self.server.url(CARDS));
    }

    fn list(&self, day: &str, size: usize, url: &str) {
        let list = json!({"object": "list", "data": [
            {"type": "default_cards", "updated_at": day, "jsonl_download_uri": url, "compressed_size": size},
            {"type": "oracle_tags", "updated_at": day, "jsonl_download_uri": self.server.url(TAGS)},
        ]});
        let bytes = list.to_string().into_bytes();
        self.server.serve(
            INDEX,
            ServedFile { bytes, media_type: "application/json", ..ServedFile::default() },
        );
    }

    fn folder(&self) -> CardFolder {
        CardFolder::new(self.home.path().join("cards"))
    }

    async fn pull_if(&self, if_older: Option<Duration>) -> Result<PullOutcome, CardPullError> {
        let mut progress = |_: &str, _: u64, _: u64| {};
        let mut pull = CardPull {
            folder: self.folder(),
            source: self.server.source(),
            bulk: "default_cards".to_owned(),
            accepts_fewer: self.accepts_fewer,
            limits: self.limits.clone(),
            progress: &mut progress,
        };
        pull.run(if_older).await
    }

    async fn pull(&self) -> Result<CardManifest, CardPullError> {
        match self.pull_if(None).await? {
            PullOutcome::Pulled { manifest, .. } => Ok(manifest),
            other => panic!("{other:?}"),
        }
    }

    fn take(&self, cards: &str, tags: Option<&str>) -> Result<PullOutcome, CardPullError> {
        let mut progress = |_: &str, _: u64, _: u64| {};
        let mut pull = CardPull {
            folder: self.folder(),
            source: self.server.source(),
            bulk: "default_cards".to_owned(),
            accepts_fewer: self.accepts_fewer,
            limits: self.limits.clone(),
            progress: &mut progress,
        };
        let place = |name: &str| self.home.path().join(name);
        let tags: Option<PathBuf> = tags.map(place);
        pull.take_files(&place(cards), tags.as_deref())
    }

    fn table(&self) -> CardTable {
        let folder = self.folder();
        let manifest = folder.manifest().unwrap().unwrap();
        (*folder.read(&manifest).unwrap().table).clone()
    }

    /// The ranges that were asked for, in order; `-` for a whole file.
    fn ranges(&self) -> Vec<String> {
        let asked = self.server.asked(CARDS);
        asked.iter().map(|asked| asked.header("range").unwrap_or("-").to_owned()).collect()
    }

    fn unfinished(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.home.path().join("cards")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains(".part")).collect()
    }
}

#[tokio::test]
async fn a_pull_makes_a_table_with_the_tags_that_are_used() {
    let scene = Scene::start().await;
    let manifest = scene.pull().await.unwrap();
    assert_eq!((manifest.cards, manifest.printings, manifest.unread), (300, 300, 0));
    assert_eq!(manifest.updated_at.unwrap().to_string(), "2026-11-28T09:00:00.000000Z");
    assert_eq!(scene.unfinished(), [""; 0]);
    let asked = scene.server.asked(INDEX);
    assert!(asked[0].header("user-agent").unwrap().starts_with("abide/"));
    assert!(asked[0].header("accept").unwrap().starts_with("application/json"));
    let folder = scene.folder();
    let read = folder.read(&folder.manifest().unwrap().unwrap()).unwrap();
    let tags = read.tags.unwrap();
    assert!(
        ["oracle-3", "oracle-4"].iter().all(|id| tags.has("mass-land-denial", &OracleId::new(id)))
    );
    assert!(!tags.knows("ramp"), "nobody asks for it");
}

#[tokio::test]
async fn nothing_is_fetched_twice() {
    let scene = Scene::start().await;
    scene.pull().await.unwrap();
    assert_eq!(scene.ranges(), ["-"]);
    drop(scene.server.asked(INDEX));
    let young = scene.pull_if(Some(Duration::from_hours(24))).await.unwrap();
    assert!(matches!(young, PullOutcome::Young(_)) && scene.server.asked(INDEX).is_empty());
    let same = scene.pull_if(Some(Duration::ZERO)).await.unwrap();
    assert!(matches!(same, PullOutcome::Unchanged(_)), "{same:?}");
    assert_eq!((scene.server.asked(INDEX).len(), scene.ranges().len()), (1, 0));
    // A table that is not what was written is made anew from the same file.
    let table = scene.folder().path().join(scene.folder().manifest().unwrap().unwrap().table.file);
    std::fs::write(table, b"damaged").unwrap();
    scene.pull().await.unwrap();
    assert_eq!(scene.table().cards().len(), 300);
}

#[tokio::test]
async fn a_connection_that_breaks_is_gone_on_with_at_that_byte() {
    let scene = Scene::start().await;
    scene.server.spoil(CARDS, [Fault::Cut(1), Fault::Cut(700), Fault::Cut(0)]);
    scene.pull().await.unwrap();
    assert_eq!(scene.ranges(), ["-", "bytes=1-", "bytes=701-", "bytes=701-"]);
    assert_eq!(scene.table().cards().len(), 300);
}

#[tokio::test]
async fn a_pull_that_was_ended_is_gone_on_with_by_the_next_one() {
    let mut scene = Scene::start().await;
    scene.pull().await.unwrap();
    scene.publish(DAY_2, gzip(&cards(310)), Some("\"two\""));
    drop(scene.ranges());
    scene.limits.tries = 1;
    scene.server.spoil(CARDS, [Fault::Cut(900)]);
    let error = scene.pull().await.unwrap_err();
    assert!(error.hint().unwrap().contains("goes on where it was"), "{error}");
    assert_eq!(scene.table().cards().len(), 300, "the cards of before are there");
    scene.pull().await.unwrap();
    let asked = scene.server.asked(CARDS);
    assert_eq!(asked[1].header("range"), Some("bytes=900-"));
    assert_eq!(asked[1].header("if-range"), Some("\"two\""));
    assert_eq!(scene.table().cards().len(), 310);
}

#[tokio::test]
async fn a_whole_file_that_was_not_used_yet_is_not_fetched_again() {
    let scene = Scene::start().await;
    scene.pull().await.unwrap();
    scene.publish(DAY_2, gzip(&cards(301)), Some("\"two\""));
    drop(scene.ranges());
    // The pull was ended between the last byte and the table.
    let folder = scene.folder();
    let note = json!({"url": scene.server.url(CARDS), "updated_at": DAY_2, "validator": "\"two\"",
        "total": gzip(&cards(301)).len()});
    std::fs::write(folder.path().join(".default_cards.part"), gzip(&cards(301))).unwrap();
    std::fs::write(folder.path().join(".default_cards.part.json"), note.to_string()).unwrap();
    scene.pull().await.unwrap();
    assert_eq!((scene.ranges().len(), scene.table().cards().len()), (0, 301));
}

#[tokio::test]
async fn what_is_no_longer_the_same_file_is_fetched_anew() {
    let begin = async |etag: Option<&str>| {
        let mut scene = Scene::start().await;
        scene.publish(DAY_1, gzip(&cards(300)), etag);
        scene.limits.tries = 1;
        scene.server.spoil(CARDS, [Fault::Cut(500)]);
        scene.pull().await.unwrap_err();
        drop(scene.ranges());
        scene.limits.tries = 4;
        scene
    };
    // The server ignores ranges.
    let scene = begin(Some("\"one\"")).await;
    scene.server.spoil(CARDS, [Fault::IgnoresRange]);
    scene.pull().await.unwrap();
    assert_eq!((scene.ranges(), scene.table().cards().len()), (vec!["bytes=500-".into()], 300));
    // The file changed under the same address.
    let scene = begin(Some("\"one\"")).await;
    scene.publish(DAY_1, gzip(&cards(333)), Some("\"other\""));
    scene.pull().await.unwrap();
    assert_eq!((scene.ranges().len(), scene.table().cards().len()), (1, 333));
    // The list names a newer one.
    let scene = begin(Some("\"one\"")).await;
    scene.publish(DAY_2, gzip(&cards(333)), Some("\"one\""));
    scene.pull().await.unwrap();
    assert_eq!((scene.ranges(), scene.table().cards().len()), (vec!["-".into()], 333));
    // The rest is of a file of another length; there is no such range any more.
    let refused = Fault::Refusal(416, Vec::new());
    for fault in [Fault::OtherTotal, refused] {
        let scene = begin(Some("\"one\"")).await;
        scene.server.spoil(CARDS, [fault]);
        scene.pull().await.unwrap();
        assert_eq!(scene.ranges(), ["bytes=500-", "-"]);
        assert_eq!(scene.table().cards().len(), 300);
    }
    // Nothing says whether it is the same.
    for etag in [None, Some("W/\"weak\"")] {
        let scene = begin(etag).await;
        scene.pull().await.unwrap();
        assert_eq!(scene.ranges(), ["-"], "{etag:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_all_cards_is_refused_and_those_of_before_stay() {
    let good = gzip(&cards(300));
    let mut altered = good.clone();
    let middle = altered.len() / 2;
    altered[middle] ^= 0x55;
    let long_line = gzip(&format!("{}{}", cards(300), "x".repeat(300 << 10)));
    let odd = format!("{}{}", cards(300), "{\"object\":\"set\"}\n".repeat(4));
    let cases: [(&str, Vec<u8>, &str); 8] = [
        ("cut short before it was sent", good[..good.len() - 20].to_vec(), "cannot be used"),
        ("altered", altered, "cannot be used"),
        ("no gzip", cards(300).into_bytes(), "cannot be used"),
        ("more lines than there are cards", gzip(&"\n".repeat(1_100_000)), "a million lines"),
        ("an endless line", long_line, "256 KiB in one line"),
        ("other lines", gzip(&odd), "4 of 304 lines"),
        ("few cards", gzip(&cards(200)), "has 200 cards and the present one 300"),
        ("nothing", gzip(""), "has 0 cards"),
    ];
    let scene = Scene::start().await;
    scene.pull().await.unwrap();
    let before = scene.folder().manifest().unwrap();
    for (index, (name, bytes, said)) in cases.into_iter().enumerate() {
        scene.publish(DAY_2, bytes, Some(&format!("\"{index}\"")));
        let error = scene.pull().await.unwrap_err();
        let words = with_causes(&error);
        assert!(words.contains(said), "{name}: {words}");
        assert!(error.hint().unwrap().contains("cards of before are kept"), "{name}");
        assert_eq!(scene.folder().manifest().unwrap(), before, "{name}");
        assert_eq!((scene.table().cards().len(), scene.unfinished().len()), (300, 0), "{name}");
    }
    let few = Scene { accepts_fewer: true, ..scene };
    few.publish(DAY_2, gzip(&cards(200)), Some("\"few\""));
    few.pull().await.unwrap();
    assert_eq!(few.table().cards().len(), 200, "a person said so");
}

#[tokio::test]
async fn one_odd_line_among_many_cards_is_counted() {
    let scene = Scene::start().await;
    scene.publish(DAY_2, gzip(&format!("{}no card\n\n", cards(300))), Some("\"odd\""));
    let manifest = scene.pull().await.unwrap();
    assert_eq!((manifest.cards, manifest.unread), (300, 1));
}

#[tokio::test]
async fn no_address_leads_to_another_host() {
    let scene = Scene::start().await;
    let elsewhere = FileServer::start().await;
    elsewhere.serve("/x", ServedFile { bytes: gzip(&cards(300)), ..ServedFile::default() });
    let moved = |to: &str| Fault::Refusal(302, vec![("location", to.to_owned())]);
    scene.server.spoil(CARDS, [moved(&elsewhere.url("/x"))]);
    let error = scene.pull().await.unwrap_err();
    assert!(matches!(error, CardPullError::Host { .. }), "{error}");
    scene.list(DAY_1, 1, &elsewhere.url("/x"));
    let error = scene.pull().await.unwrap_err();
    assert!(matches!(error, CardPullError::Host { .. }), "{error}");
    scene.list(DAY_1, 1, "file:///etc/passwd");
    assert!(matches!(scene.pull().await.unwrap_err(), CardPullError::Host { .. }));
    assert!(elsewhere.asked("/x").is_empty());
    scene.list(DAY_1, 1, &scene.server.url(CARDS));
    scene.server.spoil(CARDS, (0..9).map(|_| moved(CARDS)));
    assert!(matches!(scene.pull().await.unwrap_err(), CardPullError::Redirects { .. }));
    let scene = Scene::start().await;
    scene.server.spoil(CARDS, [moved("/there")]);
    scene.server.serve("/there", ServedFile { bytes: gzip(&cards(300)), ..ServedFile::default() });
    scene.pull().await.unwrap();
    assert_eq!(scene.table().cards().len(), 300, "on the same host it does");
}

#[tokio::test]
async fn refusals_are_waited_for_or_told() {
    let scene = Scene::start().await;
    let many = |seconds: &str| Fault::Refusal(429, vec![("retry-after", seconds.to_owned())]);
    scene.server.spoil(CARDS, [many("1"), Fault::Refusal(503, Vec::new())]);
    scene.pull().await.unwrap();
    assert_eq!(scene.ranges().len(), 3);
    scene.publish(DAY_2, gzip(&cards(300)), Some("\"two\""));
    scene.server.spoil(CARDS, [many("3600")]);
    let error = scene.pull().await.unwrap_err();
    assert!(error.to_string().contains("answers again in 3600 s"), "{error}");
    scene.server.spoil(INDEX, [many("30")]);
    assert!(matches!(scene.pull().await.unwrap_err(), CardPullError::RateLimited { .. }));
    scene.server.spoil(CARDS, [Fault::Refusal(404, Vec::new())]);
    let error = scene.pull().await.unwrap_err();
    assert!(matches!(error, CardPullError::Status { status: 404, .. }), "{error}");
    scene.server.spoil(CARDS, (0..4).map(|_| Fault::Refusal(500, Vec::new())));
    let error = scene.pull().await.unwrap_err();
    assert!(matches!(error, CardPullError::Status { status: 500, .. }), "{error}");
}

#[tokio::test]
async fn a_download_has_bounds() {
    let mut scene = Scene::start().await;
    let bytes = gzip(&cards(300)).len();
    scene.limits.bytes_max = bytes as u64 - 1;
    let error = scene.pull().await.unwrap_err();
    assert!(error.to_string().contains("is longer than"), "{error}");
    scene.server.spoil(CARDS, [Fault::NoLength]);
    let error = scene.pull().await.unwrap_err();
    assert!(error.to_string().contains("is longer than"), "{error}");
    scene.limits.bytes_max = 1 << 20;
    // Its head has no length, and the list says another one than what comes.
    scene.list(DAY_1, bytes - 5, &scene.server.url(CARDS));
    scene.server.spoil(CARDS, [Fault::NoLength]);
    let error = scene.pull().await.unwrap_err();
    assert!(matches!(error, CardPullError::Size { .. }), "{error}");
    scene.limits.idle = Duration::from_millis(200);
    scene.server.spoil(CARDS, (0..4).map(|_| Fault::Silent));
    let error = scene.pull().await.unwrap_err();
    assert!(error.to_string().contains("did not begin to answer"), "{error}");
    scene.limits.total = Duration::from_millis(400);
    scene.server.spoil(CARDS, [Fault::Drip(Duration::from_millis(50))]);
    let error = scene.pull().await.unwrap_err();
    assert!(matches!(error, CardPullError::TooSlow { .. } | CardPullError::Http(_)), "{error}");
    scene.limits = DownloadLimits::default();
    scene.pull().await.unwrap();
    assert_eq!(scene.table().cards().len(), 300);
}

#[tokio::test]
async fn a_list_that_lacks_the_cards_is_told() {
    let scene = Scene::start().await;
    for (list, said) in [("<html>", "no JSON"), ("{\"data\":[]}", "of `default_cards`")] {
        scene.server.serve(INDEX, ServedFile { bytes: list.into(), ..ServedFile::default() });
        let error = scene.pull().await.unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[tokio::test]
async fn cards_without_new_tags_are_better_than_none() {
    let scene = Scene::start().await;
    scene.pull().await.unwrap();
    let before = scene.folder().manifest().unwrap().unwrap().tags;
    assert!(before.is_some());
    scene.publish(DAY_2, gzip(&cards(301)), Some("\"two\""));
    scene.server.serve(TAGS, ServedFile { bytes: gzip("no tags\n"), ..ServedFile::default() });
    let outcome = scene.pull_if(None).await.unwrap();
    let PullOutcome::Pulled { manifest, notes } = outcome else { panic!("{outcome:?}") };
    assert_eq!((manifest.cards, &manifest.tags), (301, &before));
    assert!(notes[0].contains("those of before are kept"), "{notes:?}");
}

#[tokio::test]
async fn a_machine_without_a_network_takes_files() {
    let scene = Scene::start().await;
    let place = |name: &str| scene.home.path().join(name);
    std::fs::write(place("c.gz"), gzip(&cards(20))).unwrap();
    std::fs::write(place("t.gz"), gzip(&tags())).unwrap();
    let outcome = scene.take("c.gz", None).unwrap();
    let PullOutcome::Pulled { manifest, notes } = outcome else { panic!("{outcome:?}") };
    assert_eq!((manifest.cards, manifest.source.as_str()), (20, "file c.gz"));
    assert!(manifest.tags.is_none() && notes[0].contains("without them"), "{notes:?}");
    let outcome = scene.take("c.gz", Some("t.gz")).unwrap();
    let PullOutcome::Pulled { manifest, .. } = outcome else { panic!("{outcome:?}") };
    assert!(manifest.tags.is_some());
    assert!(matches!(scene.take("nothing.gz", None).unwrap_err(), CardPullError::Disk { .. }));
    std::fs::write(place("bad.gz"), b"no gzip at all").unwrap();
    assert!(matches!(scene.take("bad.gz", None).unwrap_err(), CardPullError::Cards { .. }));
    assert!(place("bad.gz").exists() && scene.server.asked(INDEX).is_empty());
    assert_eq!(scene.table().cards().len(), 20);
}

#[tokio::test]
async fn two_pulls_do_not_meet() {
    let scene = Scene::start().await;
    scene.folder().create().unwrap();
    assert!(!scene.folder().is_locked().unwrap());
    let lock = scene.folder().lock().unwrap();
    assert!(lock.is_some() && scene.folder().is_locked().unwrap());
    assert!(matches!(scene.pull().await.unwrap_err(), CardPullError::Busy { .. }));
    drop(lock);
    scene.pull().await.unwrap();
}
