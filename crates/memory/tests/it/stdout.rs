//! The logs of stdout: written, mended, read and searched.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    fs::{self, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use abide_domain::{EntityName, Timestamp};
use abide_memory::stdout::{
    CacheBounds, ENTRIES_MAX, EntryFilter, EntrySource, LogFileError, LogLineError, Needle,
    NewestEntries, ReadResult, SearchError, StdoutEntry, StdoutError, StdoutFolder,
};
use proptest::prelude::*;
use tempfile::TempDir;

const START: i64 = 1_765_042_403_651_621;

fn name(name: &str) -> EntityName {
    name.parse().unwrap()
}

fn entry_of(entity: &str, tick: u64, micros: i64, content: &str) -> StdoutEntry {
    let timestamp = Timestamp::from_micros(START + micros);
    StdoutEntry { tick, entity: name(entity), content: content.into(), timestamp }
}

/// The entry of a tick, a second after the one of the tick before.
fn entry(tick: u64, content: &str) -> StdoutEntry {
    entry_of("@alice", tick, i64::try_from(tick).unwrap() * 1_000_000, content)
}

fn entries(count: u64) -> Vec<StdoutEntry> {
    (0..count).map(|tick| entry(tick, &format!("entry {tick}"))).collect()
}

fn file(folder: &Path, entity: &str) -> PathBuf {
    folder.join(format!("{entity}.jsonl"))
}

/// A folder after a start with a ledger of these entries.
fn started(folder: &Path, ledger: &[StdoutEntry]) -> StdoutFolder {
    let ledger_end = ledger.iter().map(|entry| entry.timestamp).max();
    let stdout = StdoutFolder::open(folder, ledger_end);
    for entry in ledger {
        stdout.replayed(entry).unwrap();
    }
    stdout.replay_done().unwrap();
    stdout
}

fn written(count: u64) -> (TempDir, StdoutFolder) {
    let folder = tempfile::tempdir().unwrap();
    let stdout = started(folder.path(), &entries(count));
    (folder, stdout)
}

fn ticks(found: &ReadResult) -> Vec<u64> {
    found.entries.iter().map(|entry| entry.tick).collect()
}

fn text_of(entries: &[StdoutEntry]) -> String {
    entries.iter().flat_map(|entry| [entry.line(), "\n".into()]).collect()
}

#[test]
fn the_file_is_the_one_of_the_specification() {
    let folder = tempfile::tempdir().unwrap();
    let stdout = started(&folder.path().join("memory/stdout"), &[]);
    let at = "2025-12-06T17:33:23.651621Z".parse().unwrap();
    let entry = StdoutEntry { timestamp: at, ..entry(42, "Your \"message\"\nü") };
    stdout.append(&entry).unwrap();
    let text = fs::read_to_string(folder.path().join("memory/stdout/@alice.jsonl")).unwrap();
    assert_eq!(
        text,
        "{\"tick\":42,\"entity\":\"@alice\",\"content\":\"Your \\\"message\\\"\\nü\",\
         \"timestamp\":\"2025-12-06T17:33:23.651621Z\"}\n"
    );
    assert_eq!(stdout.tail(&name("@alice"), 10).unwrap().entries, [entry]);
}

#[test]
fn an_empty_log_is_empty_and_a_folder_that_cannot_be_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let stdout = started(folder.path(), &[]);
    let alice = name("@alice");
    let nothing = ReadResult { matched: Some(0), ..ReadResult::default() };
    let filter = EntryFilter { needle: Some(Needle::new("x").unwrap()), ..EntryFilter::default() };
    assert_eq!(stdout.recent(&alice).unwrap(), nothing);
    assert_eq!(stdout.tail(&alice, 1_000).unwrap(), nothing);
    assert_eq!(stdout.between(&alice, 0..=9, 10).unwrap(), nothing);
    assert_eq!(stdout.search(&alice, &filter, 10).unwrap(), nothing);
    assert!(!folder.path().join("@alice.jsonl").exists(), "a read makes no file");
    fs::create_dir(file(folder.path(), "@bob")).unwrap();
    assert_eq!(stdout.recent(&name("@bob")).unwrap(), nothing, "what is no file is set aside");
    let no_folder = folder.path().join("file");
    fs::write(&no_folder, "").unwrap();
    let stdout = StdoutFolder::open(no_folder, None);
    assert!(matches!(stdout.recent(&alice), Err(StdoutError::Io { .. })));
}

#[test]
fn the_last_few_are_the_same_from_memory_and_from_the_file() {
    let (folder, stdout) = written(2_500);
    let alice = name("@alice");
    for last in [0, 1, 10, 99, 100, 101, 999, 1_000, 5_000] {
        let shown = u64::try_from(last.min(ENTRIES_MAX)).unwrap();
        let expected: Vec<u64> = (2_500 - shown..2_500).collect();
        for stdout in [&stdout, &started(folder.path(), &entries(2_500))] {
            let found = stdout.tail(&alice, last).unwrap();
            assert_eq!((ticks(&found), found.has_more), (expected.clone(), true), "{last}");
        }
    }
    for tick in 2_500..2_750 {
        stdout.append(&entry(tick, "more")).unwrap();
        assert_eq!(ticks(&stdout.tail(&alice, 2).unwrap()), [tick - 1, tick]);
    }
    let recent = stdout.recent(&alice).unwrap();
    assert_eq!((ticks(&recent), recent.has_more), ((2_650..2_750).collect(), true));
}

#[test]
fn ticks_are_found_by_halving_the_file() {
    let (_folder, stdout) = written(3_000);
    let alice = name("@alice");
    for (range, last, expected, has_more) in [
        (10..=20, 100, 10..21, false),
        (10..=20, 3, 18..21, true),
        (0..=0, 5, 0..1, false),
        (2_990..=9_999, 100, 2_990..3_000, false),
        (5_000..=9_000, 100, 0..0, false),
    ] {
        let found = stdout.between(&alice, range, last).unwrap();
        let expected: Vec<u64> = expected.collect();
        assert_eq!((ticks(&found), found.has_more), (expected, has_more));
    }
    let filter = EntryFilter { ticks: Some(100..=2_000), ..EntryFilter::default() };
    let all = EntryFilter { counts_all: true, ..filter.clone() };
    assert_eq!(stdout.search(&alice, &all, 2).unwrap().matched, Some(1_901));
    assert_eq!(ticks(&stdout.search(&alice, &filter, 2).unwrap()), [1_999, 2_000]);
}

#[test]
fn a_text_is_found_in_any_case_and_a_mention_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let contents = ["An Error", "all well", "asked @bob, no error", "@bobby knows", "ERROR @bob."];
    let ledger: Vec<_> = (0..).zip(contents).map(|(tick, text)| entry(tick, text)).collect();
    let stdout = started(folder.path(), &ledger);
    let find = |needle: Needle, last| {
        let filter = EntryFilter { needle: Some(needle), ..EntryFilter::default() };
        let found = stdout.search(&name("@alice"), &filter, last).unwrap();
        (ticks(&found), found.has_more)
    };
    assert_eq!(find(Needle::new("error").unwrap(), 10), (vec![0, 2, 4], false));
    assert_eq!(find(Needle::new("error").unwrap(), 2), (vec![2, 4], true));
    assert_eq!(find(Needle::mention(&name("@bob")).unwrap(), 10), (vec![2, 4], false));
    assert_eq!(find(Needle::new("@alice").unwrap(), 10), (vec![], false), "a name is no content");
    assert_eq!(find(Needle::new("tick").unwrap(), 10), (vec![], false));
}

#[test]
fn a_condition_that_fails_ends_the_search_and_is_not_false() {
    let (_folder, stdout) = written(500);
    let alice = name("@alice");
    let filter = EntryFilter::default();
    let even = |entry: &StdoutEntry| Ok::<_, Infallible>(entry.tick.is_multiple_of(2));
    let found = stdout.search_by(&alice, &filter, 3, &even).unwrap();
    assert_eq!((ticks(&found), found.has_more), (vec![494, 496, 498], true));
    let bad = |entry: &StdoutEntry| if entry.tick == 250 { Err("no number") } else { Ok(false) };
    let error = stdout.search_by(&alice, &filter, 3, &bad).unwrap_err();
    assert!(matches!(error, SearchError::Condition { tick: 250, source: "no number" }));
    assert_eq!(error.to_string(), "the condition fails on the entry of tick 250: no number");
    let spared =
        EntryFilter { needle: Some(Needle::new("entry 49").unwrap()), ..EntryFilter::default() };
    let found = stdout.search_by(&alice, &spared, 9, &even).unwrap();
    assert_eq!(ticks(&found), [490, 492, 494, 496, 498]);
}

#[test]
fn a_corrupt_line_hurts_itself_only_and_is_said_by_every_read() {
    let (folder, stdout) = written(300);
    drop(stdout);
    let path = file(folder.path(), "@alice");
    let mut bytes = fs::read(&path).unwrap();
    let damages: [(u64, &[u8]); 4] =
        [(40, b"\xff\xfe"), (150, b"\"\""), (250, b"\x00\x00"), (299, b"\"}")];
    let mut places = Vec::new();
    for (tick, damage) in damages {
        let content = format!("\"entry {tick}\"");
        let at = bytes.windows(content.len()).position(|w| w == content.as_bytes()).unwrap() + 1;
        bytes[at..at + damage.len()].copy_from_slice(damage);
        places.push(bytes[..at].iter().rposition(|b| *b == b'\n').unwrap() as u64 + 1);
    }
    fs::write(&path, &bytes).unwrap();
    // A start that replays nothing of it keeps the file as it is, so that reads meet the damage.
    let stdout = StdoutFolder::open(folder.path(), Some(Timestamp::from_micros(i64::MAX)));
    stdout.replayed(&entry(0, "entry 0")).unwrap();
    stdout.replay_done().unwrap();
    let alice = name("@alice");
    let cut = stdout.notices();
    assert!(
        matches!(cut[..], [LogFileError::Cut { .. }, ..]),
        "the unreadable end is cut: {cut:?}"
    );
    let lacking =
        |found: &ReadResult| found.corrupt.lines.iter().map(|line| line.offset).collect::<Vec<_>>();

    let found = stdout.tail(&alice, 1_000).unwrap();
    assert_eq!((found.entries.len(), lacking(&found)), (296, places[..3].to_vec()));
    assert_eq!(found.corrupt.lines[0].why, LogLineError::Utf8);
    assert!(matches!(found.corrupt.lines[1].why, LogLineError::Form(_)));
    let found = stdout.tail(&alice, 60).unwrap();
    assert_eq!((ticks(&found)[0], lacking(&found)), (238, vec![places[2]]));
    assert_eq!(lacking(&stdout.tail(&alice, 20).unwrap()), Vec::<u64>::new());
    let found = stdout.between(&alice, 145..=155, 100).unwrap();
    assert_eq!((found.entries.len(), lacking(&found)), (10, vec![places[1]]));
    let always = |_: &StdoutEntry| Ok::<_, Infallible>(true);
    let found = stdout.search_by(&alice, &EntryFilter::default(), 1_000, &always).unwrap();
    assert_eq!((found.entries.len(), lacking(&found)), (296, places[..3].to_vec()));
    // A scan for a text that stands in none of them says so too, the first time and ever after.
    let filter =
        EntryFilter { needle: Some(Needle::new("entry 7").unwrap()), ..EntryFilter::default() };
    for _ in 0..3 {
        let found = stdout.search(&alice, &filter, 100).unwrap();
        assert_eq!((found.matched, lacking(&found)), (Some(11), places[..3].to_vec()));
    }
    stdout.append(&entry(300, "entry 7")).unwrap();
    let found = stdout.search(&alice, &filter, 100).unwrap();
    assert_eq!((found.matched, found.corrupt.total), (Some(12), 3));
}

#[test]
fn a_log_of_another_ledger_is_set_aside_and_never_lost() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = entries(10);
    let theirs = |entries: &[StdoutEntry]| {
        fs::write(file(folder.path(), "@alice"), text_of(entries)).unwrap();
        let stdout = started(folder.path(), &ledger);
        let notices = stdout.notices();
        assert_eq!(fs::read_to_string(file(folder.path(), "@alice")).unwrap(), text_of(&ledger));
        match &notices[..] {
            [LogFileError::SetAside { to, why, .. }] => {
                assert_eq!(fs::read_to_string(to).unwrap(), text_of(entries));
                (to.file_name().unwrap().to_str().unwrap().to_owned(), *why)
            }
            other => panic!("{other:?}"),
        }
    };
    let further = theirs(&entries(11));
    assert_eq!(further, ("@alice.jsonl.foreign-1".into(), "goes further than the ledger"));
    let other: Vec<_> = (0..5).map(|tick| entry(tick, "another life")).collect();
    let begins = theirs(&other);
    assert_eq!(begins.0, "@alice.jsonl.foreign-2");
    assert_eq!(begins.1, "begins with another entry than the ledger");
    fs::write(file(folder.path(), "@alice"), "no log\n").unwrap();
    fs::write(file(folder.path(), "@zoe"), text_of(&[entry_of("@zoe", 1, 1, "hello")])).unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    let stdout = started(folder.path(), &ledger);
    let mut why: Vec<_> = stdout
        .notices()
        .into_iter()
        .map(|notice| match notice {
            LogFileError::SetAside { entity, why, .. } => (entity.to_string(), why),
            other => panic!("{other:?}"),
        })
        .collect();
    why.sort();
    assert_eq!(
        why,
        [
            ("@alice".into(), "holds nothing that this program wrote"),
            ("@zoe".into(), "belongs to no entity in the ledger")
        ]
    );
    assert_eq!(fs::read_to_string(file(folder.path(), "@alice")).unwrap(), text_of(&ledger));
    assert!(folder.path().join("@zoe.jsonl.foreign-1").exists());
    assert!(folder.path().join("notes.txt").exists());
    assert_eq!(stdout.recent(&name("@zoe")).unwrap().entries, []);
}

#[test]
fn what_was_edited_while_no_keeper_ran_is_said_and_made_again_with_its_next_use() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = entries(8);
    let path = file(folder.path(), "@alice");
    let edit = |at: usize, content: &str| {
        let mut edited = entries(5);
        edited[at].content = content.into();
        text_of(&edited)
    };
    for edited in [
        edit(4, "edited by a person"),
        edit(2, "edited by a person"),
        // As long as before, so that only its words tell.
        edit(2, "entry 7"),
        text_of(&[entries(5), entries(5)].concat()),
        text_of(&[entries(2), entries(5).split_off(3)].concat()),
    ] {
        fs::write(&path, &edited).unwrap();
        let source = Arc::new(Entries(Mutex::new(ledger.clone())));
        let stdout = started(folder.path(), &ledger).with_source(source);
        assert!(!stdout.notices().is_empty(), "{edited}");
        assert_eq!(stdout.tail(&name("@alice"), 500).unwrap().entries, ledger, "{edited}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text_of(&ledger), "{edited}");
    }
}

#[test]
fn a_file_that_another_program_touches_is_an_error_until_the_next_start() {
    let (folder, stdout) = written(5);
    let alice = name("@alice");
    let path = file(folder.path(), "@alice");
    fs::remove_file(&path).unwrap();
    assert!(matches!(stdout.append(&entry(5, "five")), Err(StdoutError::Changed { .. })));
    assert!(matches!(stdout.tail(&alice, 500), Err(StdoutError::Changed { .. })));
    let ledger = [entries(5), vec![entry(5, "five")]].concat();
    assert_eq!(started(folder.path(), &ledger).recent(&alice).unwrap().entries, ledger);
    OpenOptions::new().append(true).open(&path).unwrap().write_all(b"more\n").unwrap();
    let again = started(folder.path(), &ledger);
    assert_eq!(again.recent(&alice).unwrap().entries, ledger);
    assert!(matches!(again.notices()[..], [LogFileError::Cut { bytes: 5, .. }]));
}

/// A ledger that holds these entries.
#[derive(Debug, Default)]
struct Entries(Mutex<Vec<StdoutEntry>>);

impl Entries {
    fn add(&self, entry: &StdoutEntry) {
        self.0.lock().unwrap().push(entry.clone());
    }

    fn all(&self) -> Vec<StdoutEntry> {
        self.0.lock().unwrap().clone()
    }
}

impl EntrySource for Entries {
    fn each(
        &self,
        entity: &EntityName,
        visit: &mut dyn FnMut(StdoutEntry) -> Result<(), StdoutError>,
    ) -> Result<(), StdoutError> {
        self.all().into_iter().filter(|entry| entry.entity == *entity).try_for_each(visit)
    }
}

#[test]
fn a_file_that_another_program_touches_is_made_again_and_no_entry_stands_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (alice, path) = (name("@alice"), file(folder.path(), "@alice"));
    let ledger = Arc::new(Entries(Mutex::new(entries(150))));
    let source = Arc::clone(&ledger);
    let stdout = started(folder.path(), &ledger.all()).with_source(source);
    let add = |text: String| {
        let mut open = OpenOptions::new().append(true).open(&path).unwrap();
        open.write_all(text.as_bytes()).unwrap();
    };
    let is_whole = || {
        assert_eq!(stdout.tail(&alice, 1_000).unwrap().entries, ledger.all());
        assert_eq!(fs::read_to_string(&path).unwrap(), text_of(&ledger.all()));
    };
    let foreign = format!("{}\n", entry(3, "theirs, in our form").line());
    add(foreign.clone());
    assert_eq!(stdout.recent(&alice).unwrap().entries, ledger.all()[50..]);
    is_whole();
    let aside = fs::read_to_string(folder.path().join("@alice.jsonl.foreign-1")).unwrap();
    assert!(aside.ends_with(&foreign), "what was there is not lost");
    // The ledger is a step further than what was handed in.
    add("more\n".into());
    let (next, after) = (entry(150, "next"), entry(151, "after"));
    ledger.add(&next);
    ledger.add(&after);
    stdout.append(&next).unwrap();
    stdout.append(&after).unwrap();
    is_whole();
    fs::remove_file(&path).unwrap();
    is_whole();
    fs::remove_file(&path).unwrap();
    let last = entry(152, "last");
    ledger.add(&last);
    stdout.append(&last).unwrap();
    is_whole();
    fs::write(&path, "").unwrap();
    is_whole();
}

#[test]
fn lines_of_another_program_at_the_end_double_nothing_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = entries(20);
    for foreign in [entry(3, "old"), entry(3, "entry 3")] {
        let theirs = [ledger.clone(), vec![foreign]].concat();
        fs::write(file(folder.path(), "@alice"), text_of(&theirs)).unwrap();
        let stdout = started(folder.path(), &ledger);
        assert_eq!(fs::read_to_string(file(folder.path(), "@alice")).unwrap(), text_of(&ledger));
        assert!(matches!(stdout.notices()[..], [LogFileError::SetAside { .. }]));
    }
}

#[test]
fn what_the_disk_does_not_take_is_written_with_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("stdout");
    let stdout = started(&inner, &[]);
    // A file where the folder should be: nothing can be written.
    fs::write(&inner, "in the way").unwrap();
    for tick in 0..3 {
        assert!(matches!(
            stdout.append(&entries(3)[usize::try_from(tick).unwrap()]),
            Err(StdoutError::Io { .. })
        ));
    }
    assert!(
        matches!(stdout.recent(&name("@alice")), Err(StdoutError::Io { .. })),
        "not an empty log"
    );
    fs::remove_file(&inner).unwrap();
    let stdout_entries = entries(4);
    stdout.append(&stdout_entries[3]).unwrap();
    assert_eq!(fs::read_to_string(file(&inner, "@alice")).unwrap(), text_of(&stdout_entries));
    assert_eq!(stdout.recent(&name("@alice")).unwrap().entries, stdout_entries);
}

#[test]
fn what_is_hot_is_bounded_and_the_rest_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let agents: Vec<_> = (0..40).map(|n| format!("@agent-{n}")).collect();
    let bounds = CacheBounds { entities_max: 8, bytes_max: 20_000 };
    let stdout = StdoutFolder::open(folder.path(), None).with_bounds(bounds);
    stdout.replay_done().unwrap();
    for tick in 0..30 {
        for agent in &agents {
            stdout.append(&entry_of(agent, tick, 0, &format!("{agent} at {tick}"))).unwrap();
        }
    }
    for round in 0..3 {
        for agent in &agents {
            let found = stdout.recent(&name(agent)).unwrap();
            assert_eq!(ticks(&found), (0..30 + round).collect::<Vec<_>>());
            assert!(found.entries.iter().all(|entry| entry.entity.as_str() == agent));
            stdout.append(&entry_of(agent, 30 + round, 0, "again")).unwrap();
        }
    }
}

#[test]
fn entries_of_many_entities_in_one_batch_go_to_their_files_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let stdout = started(folder.path(), &[]);
    let batch: Vec<_> =
        (0..30).map(|n| entry_of(if n % 3 == 0 { "@a" } else { "@b" }, n, 0, "x")).collect();
    stdout.append_all(&batch).unwrap();
    for entity in ["@a", "@b"] {
        let mine: Vec<_> =
            batch.iter().filter(|entry| entry.entity.as_str() == entity).cloned().collect();
        assert_eq!(stdout.recent(&name(entity)).unwrap().entries, mine);
        assert_eq!(fs::read_to_string(file(folder.path(), entity)).unwrap(), text_of(&mine));
    }
}

#[test]
fn readers_never_meet_half_an_entry_while_a_writer_writes() {
    let (_folder, stdout) = written(50);
    let alice = name("@alice");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for tick in 50..600 {
                stdout.append(&entry(tick, &format!("entry {tick}"))).unwrap();
            }
        });
        let filter = EntryFilter {
            needle: Some(Needle::new("entry").unwrap()),
            counts_all: true,
            ticks: None,
        };
        let mut seen = 0;
        while !writer.is_finished() {
            for found in [
                stdout.recent(&alice).unwrap(),
                stdout.tail(&alice, 1_000).unwrap(),
                stdout.search(&alice, &filter, 1_000).unwrap(),
            ] {
                assert!(found.corrupt.is_empty(), "{}", found.corrupt);
                let newest = found.entries.last().unwrap().tick;
                assert!(newest >= seen, "{newest} after {seen}");
                seen = newest;
            }
        }
    });
    assert_eq!(ticks(&stdout.tail(&alice, 1_000).unwrap()), (0..600).collect::<Vec<_>>());
}

#[test]
fn a_large_log_is_searched_on_all_cores_and_answers_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let filler = "lorem ipsum ".repeat(20);
    let ledger: Vec<_> = (0..12_000)
        .map(|tick| {
            let word = if tick % 700 == 3 { "The Needle" } else { "hay" };
            entry(tick, &format!("{word} {filler}"))
        })
        .collect();
    let stdout = started(folder.path(), &ledger);
    let expected: Vec<u64> = (0..12_000).filter(|tick| tick % 700 == 3).collect();
    let needle = Some(Needle::new("the needle").unwrap());
    let filter = EntryFilter { needle, ..EntryFilter::default() };
    let alice = name("@alice");
    for last in [1, 5, 17, 18, 1_000] {
        let found = stdout.search(&alice, &filter, last).unwrap();
        let shown = &expected[expected.len().saturating_sub(last)..];
        assert_eq!(ticks(&found), shown, "{last}");
        assert_eq!(found.has_more, last < expected.len());
    }
    let all = EntryFilter { counts_all: true, ..filter };
    let by_tick = |entry: &StdoutEntry| Ok::<_, Infallible>(entry.tick < 6_000);
    let found = stdout.search_by(&alice, &all, 3, &by_tick).unwrap();
    assert_eq!(found.matched, Some(expected.iter().filter(|tick| **tick < 6_000).count() as u64));
    let unspared = EntryFilter { needle: None, ..all };
    assert_eq!(stdout.search_by(&alice, &unspared, 3, &by_tick).unwrap().matched, Some(6_000));
}

/// Ledgers with batches of one moment, some of the same words.
fn ledgers() -> impl Strategy<Value = Vec<StdoutEntry>> {
    prop::collection::vec((0_i64..3, "[a-c\"\\n]{0,6}"), 1..25).prop_map(|steps| {
        let mut micros = 0;
        let entries = steps.into_iter().map(|(step, content)| {
            micros += step;
            entry_of("@alice", u64::try_from(micros).unwrap() / 2, micros, &content)
        });
        entries.collect()
    })
}

/// What another program does to a file.
#[derive(Clone, Debug)]
enum Edit {
    Nothing,
    Remove,
    Append(Vec<u8>),
    Cut(prop::sample::Index),
    Replace(Vec<u8>),
    /// As many bytes as before, in place.
    Overwrite(prop::sample::Index, u8),
    /// A line of ours once more, after another line.
    Repeat(prop::sample::Index, prop::sample::Index),
    Drop(prop::sample::Index),
    /// The same bytes in another file.
    Copy,
}

impl Edit {
    fn make(&self, path: &Path, round: u64) {
        let before = fs::read(path).unwrap_or_default();
        let lines = || before.split_inclusive(|byte| *byte == b'\n').collect::<Vec<_>>();
        let after = match self {
            Self::Nothing => return,
            Self::Remove => return drop(fs::remove_file(path)),
            Self::Append(bytes) => [&before, &bytes[..]].concat(),
            Self::Cut(at) => before[..at.index(before.len() + 1)].to_vec(),
            Self::Replace(bytes) => bytes.clone(),
            Self::Overwrite(at, byte) if !before.is_empty() => {
                let mut bytes = before.clone();
                bytes[at.index(before.len())] = *byte;
                bytes
            }
            Self::Repeat(line, after) if !before.is_empty() => {
                let mut lines = lines();
                let line = lines[line.index(lines.len())];
                lines.insert(after.index(lines.len() + 1), line);
                lines.concat()
            }
            Self::Drop(line) if !before.is_empty() => {
                let mut lines = lines();
                lines.remove(line.index(lines.len()));
                lines.concat()
            }
            Self::Overwrite(..) | Self::Repeat(..) | Self::Drop(_) | Self::Copy => before.clone(),
        };
        if matches!(self, Self::Copy) {
            drop(fs::remove_file(path));
        }
        fs::write(path, after).unwrap();
        // An edit of a person does not fall within one tick of the file system's clock.
        let later = std::time::UNIX_EPOCH + std::time::Duration::from_secs(round + 1);
        fs::File::options().write(true).open(path).unwrap().set_modified(later).unwrap();
    }
}

fn edits() -> impl Strategy<Value = Edit> {
    let any_index = any::<prop::sample::Index>;
    let lines = prop_oneof![
        ledgers().prop_map(|entries| text_of(&entries).into_bytes()),
        prop::collection::vec(any::<u8>(), 0..40),
        Just(b"\n".to_vec()),
    ];
    prop_oneof![
        Just(Edit::Nothing),
        Just(Edit::Remove),
        lines.clone().prop_map(Edit::Append),
        any_index().prop_map(Edit::Cut),
        lines.prop_map(Edit::Replace),
        (any_index(), any::<u8>()).prop_map(|(at, byte)| Edit::Overwrite(at, byte)),
        (any_index(), any_index()).prop_map(|(line, after)| Edit::Repeat(line, after)),
        any_index().prop_map(Edit::Drop),
        Just(Edit::Copy),
    ]
}

/// Whether all of these stand in the others, in their order.
fn is_part(part: &[StdoutEntry], whole: &[StdoutEntry]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|entry| whole.any(|other| other == entry))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Whatever another program does to a file, before or after a start, and whatever is asked next: the answer is what the
    /// ledger holds, each entry once, and so is the file.
    #[test]
    fn whatever_is_done_to_a_file_every_answer_is_the_ledgers(
        ledger in ledgers(), steps in prop::collection::vec((edits(), 0..5_u8), 1..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (alice, path) = (name("@alice"), file(folder.path(), "@alice"));
        let source = Arc::new(Entries(Mutex::new(ledger)));
        let start = || {
            let bounds = CacheBounds { entities_max: 1, ..CacheBounds::default() };
            started(folder.path(), &source.all()).with_bounds(bounds).with_source(Arc::clone(&source) as _)
        };
        let mut stdout = start();
        let always = |_: &StdoutEntry| Ok::<_, Infallible>(true);
        for (round, (edit, then)) in (0..).zip(steps) {
            if then == 4 {
                // Others are asked, so that this one is forgotten.
                for other in ["@bob", "@carol", "@dora"] {
                    stdout.recent(&name(other)).unwrap();
                }
            }
            edit.make(&path, round);
            match then {
                0 => {
                    let at = i64::try_from(round).unwrap() * 1_000_000 + 90_000_000;
                    let next = entry_of("@alice", 90 + round, at, "next");
                    source.add(&next);
                    stdout.append(&next).unwrap();
                }
                1 => drop(stdout.search_by(&alice, &EntryFilter::default(), 9, &always).unwrap()),
                2 => drop(stdout.between(&alice, 0..=9, 9).unwrap()),
                3 => {
                    drop(stdout);
                    stdout = start();
                }
                _ => {}
            }
            let all = source.all();
            let found = stdout.tail(&alice, 500).unwrap();
            if then == 3 && !found.corrupt.is_empty() {
                // A line that cannot be read hurts itself alone, and is told.
                prop_assert!(is_part(&found.entries, &all));
                prop_assert_eq!(found.entries.len() as u64 + found.corrupt.total, all.len() as u64);
                fs::remove_file(&path).unwrap();
            }
            prop_assert_eq!(&stdout.tail(&alice, 500).unwrap().entries, &all);
            prop_assert_eq!(&stdout.recent(&alice).unwrap().entries, &all);
            let found = stdout.search_by(&alice, &EntryFilter::default(), 500, &always).unwrap();
            prop_assert_eq!(&found.entries, &all);
            prop_assert_eq!(fs::read_to_string(&path).unwrap(), text_of(&all));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Wherever a crash cut the file, and whatever garbage it left there, the replay makes it whole.
    #[test]
    fn a_file_cut_at_any_byte_is_whole_after_the_replay(
        ledger in ledgers(), cut: prop::sample::Index, garbage in prop::collection::vec(any::<u8>(), 0..30), extra in ledgers(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let full = text_of(&ledger);
        let cut = cut.index(full.len() + 1);
        let left = [&full.as_bytes()[..cut], &garbage].concat();
        fs::write(file(folder.path(), "@alice"), left).unwrap();
        let stdout = started(folder.path(), &ledger);
        prop_assert_eq!(fs::read_to_string(file(folder.path(), "@alice")).unwrap(), full);
        let late: Vec<_> = extra.into_iter().map(|entry| {
            StdoutEntry { timestamp: entry.timestamp.plus(std::time::Duration::from_mins(1)), tick: 100, ..entry }
        }).collect();
        for entry in &late {
            stdout.append(entry).unwrap();
        }
        let all = [ledger, late].concat();
        prop_assert_eq!(fs::read_to_string(file(folder.path(), "@alice")).unwrap(), text_of(&all));
        prop_assert_eq!(stdout.recent(&name("@alice")).unwrap().entries, all);
    }

    #[test]
    fn a_deleted_file_is_made_again_and_a_whole_one_is_left_alone(ledger in ledgers()) {
        let folder = tempfile::tempdir().unwrap();
        drop(started(folder.path(), &ledger));
        let full = fs::read(file(folder.path(), "@alice")).unwrap();
        prop_assert_eq!(&full, &text_of(&ledger).into_bytes());
        drop(started(folder.path(), &ledger));
        prop_assert_eq!(&fs::read(file(folder.path(), "@alice")).unwrap(), &full);
        fs::remove_file(file(folder.path(), "@alice")).unwrap();
        let stdout = started(folder.path(), &ledger);
        prop_assert_eq!(&fs::read(file(folder.path(), "@alice")).unwrap(), &full);
        prop_assert_eq!(stdout.notices(), []);
    }

    #[test]
    fn searches_find_what_a_plain_look_finds(
        contents in prop::collection::vec("[abKks\u{212a}\u{17f}\"\\\\\n é]{0,12}", 0..40), needle in "[abks\"\\\\é]{1,2}",
        ticks_from in 0_u64..40, ticks_to in 0_u64..40, last in 0_usize..12,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let ledger: Vec<_> = (0..).zip(&contents).map(|(tick, text)| entry(tick, text)).collect();
        let stdout = started(folder.path(), &ledger);
        let needle = Needle::new(&needle).unwrap();
        let range = ticks_from..=ticks_to;
        let fits: Vec<u64> = ledger.iter()
            .filter(|entry| range.contains(&entry.tick) && needle.is_in(&entry.content))
            .map(|entry| entry.tick).collect();
        let filter = EntryFilter { needle: Some(needle), ticks: Some(range), counts_all: true };
        let found = stdout.search(&name("@alice"), &filter, last).unwrap();
        prop_assert_eq!(ticks(&found), &fits[fits.len().saturating_sub(last)..]);
        prop_assert_eq!(found.matched, Some(fits.len() as u64));
        prop_assert!(found.corrupt.is_empty());
    }
}

proptest! {
    /// `\stdout query: text` goes through the files with one matcher, `?(content contains "text")` evaluates with another.
    #[test]
    fn a_text_query_and_a_condition_agree_on_what_contains_what(
        haystack in "[a-cA-CkKsS\u{212a}\u{17f}äÄßſσςΣ @bob.-]{0,24}",
        needle in "[a-cA-CkKsS\u{212a}\u{17f}äÄσςΣ]{1,3}",
    ) {
        let by_query = Needle::new(&needle).unwrap().is_in(&haystack);
        prop_assert_eq!(by_query, abide_grammar::contains_fold(&haystack, &needle));
    }

    #[test]
    fn a_mention_is_the_same_whole_token_to_both(haystack in "[ @bobab2.,_-]{0,20}") {
        let by_query = Needle::mention(&name("@bob")).unwrap().is_in(&haystack);
        prop_assert_eq!(by_query, abide_grammar::mentions(&haystack, "@bob"), "{}", haystack);
    }
}

/// A folder after a start that knows the first entries of the ledger only by what is known of their newest.
fn resumed(folder: &Path, ledger: &[StdoutEntry], known: usize) -> StdoutFolder {
    let ledger_end = ledger.iter().map(|entry| entry.timestamp).max();
    let source = Arc::new(Entries(Mutex::new(ledger.to_vec())));
    let stdout = StdoutFolder::open(folder, ledger_end).with_source(source);
    let (before, after) = ledger.split_at(known);
    let mut newest: BTreeMap<EntityName, NewestEntries> = BTreeMap::new();
    for entry in before {
        let at = entry.timestamp;
        let known = newest.entry(entry.entity.clone());
        known.and_modify(|newest| newest.add(at)).or_insert_with(|| NewestEntries::first(at));
    }
    stdout.resume(newest.iter().map(|(entity, newest)| (entity, *newest))).unwrap();
    for entry in after {
        stdout.replayed(entry).unwrap();
    }
    stdout.replay_done().unwrap();
    stdout
}

#[test]
fn a_start_from_the_middle_of_the_ledger_gives_each_file_what_it_lacks() {
    let mut ledger = entries(6);
    // Two of one moment, of which a cut write may have left one.
    ledger[3].timestamp = ledger[2].timestamp;
    let whole = text_of(&ledger);
    for known in 0..=ledger.len() {
        for left in 0..=ledger.len() {
            let folder = tempfile::tempdir().unwrap();
            let path = file(folder.path(), "@alice");
            fs::create_dir_all(folder.path()).unwrap();
            let cut =
                if left == 0 { String::new() } else { format!("{}torn", text_of(&ledger[..left])) };
            fs::write(&path, cut).unwrap();
            let stdout = resumed(folder.path(), &ledger, known);
            let case = format!("{known} known, {left} in the file");
            assert_eq!(fs::read_to_string(&path).unwrap_or_default(), whole, "{case}");
            let next = entry(9, "next");
            stdout.append(&next).unwrap();
            let all = [ledger.clone(), vec![next]].concat();
            assert_eq!(stdout.tail(&name("@alice"), 500).unwrap().entries, all, "{case}");
        }
    }
}

#[test]
fn after_such_a_start_a_file_that_was_edited_is_found_at_its_next_use_and_a_strange_one_is_set_aside()
 {
    let folder = tempfile::tempdir().unwrap();
    let ledger = entries(5);
    drop(resumed(folder.path(), &ledger, 0));
    let mut edited = ledger.clone();
    edited[1].content = "entry 8".into();
    fs::write(file(folder.path(), "@alice"), text_of(&edited)).unwrap();
    fs::write(file(folder.path(), "@nobody"), text_of(&[entry_of("@nobody", 1, 1, "x")])).unwrap();
    let stdout = resumed(folder.path(), &ledger, 4);
    assert!(!file(folder.path(), "@nobody").exists(), "the ledger does not know it");
    assert_eq!(stdout.tail(&name("@alice"), 500).unwrap().entries, ledger);
    assert_eq!(fs::read_to_string(file(folder.path(), "@alice")).unwrap(), text_of(&ledger));
}
