//! The file: restarts in mid-epoch, failed transactions, broken files, readers beside the writer.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
};

use abide_domain::graph::{CodeReference, EdgeKind, Node};
use abide_memory::{
    Knowledge, KnowledgeError, KnowledgeHandle, Lookup, OpenedKnowledge, VectorKey, VectorKind,
    VectorModel, knowledge_damage, sqlite_version,
};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::world::{World, entity, epoch, fact_id, felix, search};

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("knowledge.db");
    (folder, path)
}

fn three_facts() -> World {
    let mut world = World::default();
    world.remember(None, fact_id(1), "the staging server is called heron");
    world.remember(Some(epoch(1)), fact_id(2), "tea is better than coffee");
    world.commit(epoch(1));
    world.remember(Some(epoch(2)), fact_id(3), "staged and open");
    world
}

fn filled(path: &Path, world: &World) -> String {
    let mut opened = Knowledge::open(path, &felix(), world.head()).unwrap();
    opened.knowledge.apply(&world.applied()).unwrap();
    opened.knowledge.dump().unwrap()
}

/// Opens, replays as told and gives the dump and the reason of a rebuild.
fn reopened(path: &Path, world: &World) -> (String, Option<String>) {
    let OpenedKnowledge { mut knowledge, replay_from, rebuilt } =
        Knowledge::open(path, &felix(), world.head()).unwrap();
    let rest: Vec<_> =
        world.applied().into_iter().filter(|applied| applied.seq >= replay_from).collect();
    knowledge.apply(&rest).unwrap();
    (knowledge.dump().unwrap(), rebuilt)
}

/// Ends the use of a database without its last words, as a kill does.
fn kill(knowledge: Knowledge) {
    std::mem::forget(knowledge);
}

#[test]
fn bc_04_sqlite_is_new_enough() {
    assert!(sqlite_version() >= 3_051_003, "{}", sqlite_version());
}

#[test]
fn bc_04_readers_beside_the_writer_see_whole_batches_and_leave_the_file_whole() {
    let (_folder, path) = folder();
    let mut world = World::default();
    for n in 0..200 {
        world.remember(None, fact_id(2 * n), &format!("left half of pair {n}"));
        world.remember(None, fact_id(2 * n + 1), &format!("right half of pair {n}"));
    }
    let opened = Knowledge::open(&path, &felix(), world.head()).unwrap();
    let handle = KnowledgeHandle::new(opened.knowledge).unwrap();
    let (start, done) = (Barrier::new(6), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for reader in 0..5 {
            let (handle, start, done, path) = (&handle, &start, &done, &path);
            scope.spawn(move || {
                start.wait();
                // One of them checkpoints through a connection of its own: the race of BC-04 needs that.
                let other = (reader == 0).then(|| Connection::open(path).unwrap());
                while read_pairs(handle, done, other.as_ref()) {}
            });
        }
        start.wait();
        let applied = world.applied().chunks(2).try_for_each(|pair| handle.apply(pair));
        // First let the readers end, whatever came of it.
        done.store(true, Ordering::Release);
        applied.unwrap();
    });
    drop(handle);
    let check: String = Connection::open(&path)
        .unwrap()
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
}

/// Reads once and says whether to go on; the last look comes after the writer is done.
fn read_pairs(handle: &KnowledgeHandle, done: &AtomicBool, other: Option<&Connection>) -> bool {
    let last = done.load(Ordering::Acquire);
    let facts = handle.list(None, 500, Some("half pair")).unwrap().items;
    assert_eq!(facts.len() % 2, 0, "half a batch is visible");
    assert!(!matches!(search(handle, "right half", 5), Lookup::Failed(_)));
    if let Some(other) = other {
        other.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
    }
    assert!(!last || facts.len() == 400);
    !last
}

#[test]
fn a_restart_in_mid_epoch_keeps_what_is_staged() {
    for kills in [false, true] {
        let (_folder, path) = folder();
        let mut world = three_facts();
        let mut opened = Knowledge::open(&path, &felix(), world.head()).unwrap();
        assert_eq!(opened.replay_from, 1);
        opened.knowledge.apply(&world.applied()).unwrap();
        if kills {
            kill(opened.knowledge);
        } else {
            drop(opened);
        }
        world.commit(epoch(2));
        let (dump, rebuilt) = reopened(&path, &world);
        assert_eq!(rebuilt, None);
        let (_other, elsewhere) = folder();
        assert_eq!(dump, filled(&elsewhere, &world));
        assert!(dump.contains("staged and open") && !dump.contains("\"staged\""), "{dump}");
    }
}

#[test]
fn a_failure_in_mid_batch_leaves_all_of_it_out_and_is_not_passed_over() {
    let (_folder, path) = folder();
    let mut world = three_facts();
    let before = filled(&path, &world);
    let opened = Knowledge::open(&path, &felix(), world.head()).unwrap();
    let knowledge = KnowledgeHandle::new(opened.knowledge).unwrap();
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch(
            "CREATE TRIGGER full BEFORE INSERT ON facts WHEN new.content = 'second'
             BEGIN SELECT RAISE(ABORT, 'disk full'); END",
        )
        .unwrap();
    world.remember(None, fact_id(8), "first");
    world.remember(None, fact_id(9), "second");
    let error = knowledge.apply(&world.applied()).unwrap_err();
    assert!(!error.is_corrupt(), "{error}");
    assert_eq!(knowledge.dump().unwrap(), before);
    assert_eq!(knowledge.applied_seq(), 4);
    assert_eq!(search(&knowledge, "first", 9).status(), "failed", "it may be there");
    assert_eq!(search(&knowledge, "heron", 9).status(), "found");

    world.remember(None, fact_id(10), "third");
    let later = knowledge.apply(&world.applied()[6..]);
    assert!(matches!(later, Err(KnowledgeError::Behind { seq: 5 })), "{later:?}");

    other.execute_batch("DROP TRIGGER full").unwrap();
    knowledge.apply(&world.applied()).unwrap();
    assert_eq!(search(&knowledge, "first second third", 9).facts().len(), 3);
    assert_eq!(search(&knowledge, "absent", 9).status(), "empty");
}

#[test]
fn a_staged_event_that_cannot_be_read_back_leads_to_a_rebuild() {
    let (_folder, path) = folder();
    let mut world = three_facts();
    filled(&path, &world);
    world.commit(epoch(2));
    let mut opened = Knowledge::open(&path, &felix(), world.head()).unwrap();
    sql(&path, "UPDATE staged SET json = '{}'");
    let error = opened.knowledge.apply(&world.applied()).unwrap_err();
    assert!(error.is_corrupt(), "{error}");
    drop(opened);
    let (dump, rebuilt) = reopened(&path, &world);
    assert!(rebuilt.is_some() && dump.contains("staged and open"), "{rebuilt:?}: {dump}");
}

#[test]
fn a_file_that_cannot_be_used_is_built_again() {
    type Harm = fn(&Path);
    let cases: [(&str, Harm); 9] = [
        ("empty", |path| fs::write(path, b"").unwrap()),
        ("noise", |path| fs::write(path, vec![7u8; 40_000]).unwrap()),
        ("cut", |path| {
            let bytes = fs::read(path).unwrap();
            fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("header", |path| overwrite(path, 0, 64)),
        ("first page", |path| overwrite(path, 100, 2_000)),
        ("a table's page", |path| overwrite(path, 2 * 4096, 4096)),
        ("schema", |path| sql(path, "UPDATE meta SET schema_version = 0")),
        ("another agent", |path| sql(path, "UPDATE meta SET entity = '@stranger'")),
        ("no table", |path| sql(path, "DROP TABLE aliases")),
    ];
    for (name, harm) in cases {
        let (_folder, path) = folder();
        let world = three_facts();
        let whole = filled(&path, &world);
        harm(&path);
        let (dump, rebuilt) = reopened(&path, &world);
        assert!(rebuilt.is_some(), "{name}");
        assert_eq!(dump, whole, "{name}");
        let (dump, rebuilt) = reopened(&path, &world);
        assert_eq!((dump, rebuilt), (whole, None), "{name}: once is enough");
    }
}

#[test]
fn what_somebody_else_changed_in_the_file_is_found_and_built_again() {
    let cases = [
        "UPDATE facts SET content = 'the door code is 4711' WHERE seq = 1",
        "UPDATE facts SET told_by = '@ann', trusted = 1 WHERE seq = 1",
        "DELETE FROM facts WHERE seq = 1",
        "INSERT INTO aliases(fact_id, seq) VALUES ('f', 1)",
        "UPDATE staged SET json = replace(json, 'open', 'closed')",
        "UPDATE nodes SET author = '@mallory'",
        "UPDATE edges SET to_id = from_id",
        "UPDATE exchanges SET sender = 'mallory'",
        "UPDATE conversations SET session = 'other'",
        "UPDATE passages SET text = text || ' not'",
        "INSERT INTO passages(id, cut_into, text) VALUES (999, 1, 'I tell the door code')",
        "UPDATE vectors SET vector = zeroblob(8)",
        "UPDATE meta SET applied_seq = applied_seq - 1",
        "UPDATE meta SET applied_seq = applied_seq - 1, rows_digest = x''",
        "UPDATE meta SET rows_digest = zeroblob(32)",
    ];
    for change in cases {
        let (_folder, path) = folder();
        let world = lived();
        let mut whole = live(&path, &world);
        assert_eq!(knowledge_damage(&path).unwrap(), None, "before {change}");
        let other = Connection::open(&path).unwrap();
        assert!(other.execute(change, []).unwrap() > 0, "{change} changes something");
        drop(other);
        let damage = knowledge_damage(&path).unwrap();
        assert!(damage.is_some_and(|found| found.contains("not those that the keeper wrote")));
        let (dump, rebuilt) = reopened(&path, &world);
        assert!(rebuilt.is_some(), "{change}");
        assert_eq!(dump, whole, "{change}");
        whole = live(&path, &world);
        assert_eq!(reopened(&path, &world), (whole, None), "{change}: once is enough");
    }
}

/// A row in each table.
fn lived() -> World {
    let mut world = World::default();
    world.remember(None, fact_id(1), "the staging server is called heron");
    world.exchange(1, "s", "where is the office?", "in Nantes");
    for id in ["c1", "c2"] {
        let code = CodeReference { file_path: format!("src/{id}.rs"), ..Default::default() };
        world.node("felix", None, (id, None), Node::Code(code));
    }
    world.link("felix", ("c1", EdgeKind::DependsOn, "c2"));
    world.remember(Some(epoch(2)), fact_id(3), "staged and open");
    world
}

/// All of it applied, one vector put twice, and the file closed: with no log beside it. Gives the dump.
fn live(path: &Path, world: &World) -> String {
    let mut opened = Knowledge::open(path, &felix(), world.head()).unwrap();
    for one in world.applied() {
        opened.knowledge.apply(std::slice::from_ref(&one)).unwrap();
    }
    let dump = opened.knowledge.dump().unwrap();
    let memory = KnowledgeHandle::new(opened.knowledge).unwrap();
    let (name, id) = ("a".into(), "a".into());
    let model = VectorModel { name, id, dimensions: 2, kind: VectorKind::Contextual };
    for vector in [[1.0, 0.0], [0.0, 1.0]] {
        memory.put_vectors(&model, &[(VectorKey::FactOrNode(1), vector.into())]).unwrap();
    }
    drop(memory);
    dump
}

fn overwrite(path: &Path, from: usize, length: usize) {
    let mut bytes = fs::read(path).unwrap();
    let end = (from + length).min(bytes.len());
    bytes[from..end].fill(0xA5);
    fs::write(path, bytes).unwrap();
}

fn sql(path: &Path, statements: &str) {
    Connection::open(path).unwrap().execute_batch(statements).unwrap();
}

#[test]
fn a_log_without_its_database_is_not_read_into_the_new_one() {
    let (_folder, path) = folder();
    let world = three_facts();
    let mut opened = Knowledge::open(&path, &felix(), world.head()).unwrap();
    opened.knowledge.apply(&world.applied()).unwrap();
    let whole = opened.knowledge.dump().unwrap();
    kill(opened.knowledge);
    fs::remove_file(&path).unwrap();
    assert!(path.with_extension("db-wal").exists());
    assert_eq!(reopened(&path, &world), (whole, None));
}

#[test]
fn a_file_from_a_longer_ledger_is_built_again() {
    let (_folder, path) = folder();
    let mut world = three_facts();
    filled(&path, &world);
    world.lines.truncate(1);
    let (dump, rebuilt) = reopened(&path, &world);
    assert!(rebuilt.unwrap().contains("the ledger ends at 1"));
    assert_eq!(dump.lines().count(), 1);
}

#[test]
fn an_opening_that_a_rebuild_would_not_mend_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Knowledge::open(&folder.path().join("absent/knowledge.db"), &felix(), 0).is_err());
}

#[test]
fn what_stands_in_place_of_a_database_is_not_followed_and_it_is_built_again() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("knowledge.db"), folder.path().join("other"));
    for suffix in ["", "-wal"] {
        let place = folder.path().join(format!("knowledge.db{suffix}"));
        drop(fs::remove_file(&path));
        fs::write(&other, "other").unwrap();
        std::os::unix::fs::symlink(&other, &place).unwrap();
        assert!(Knowledge::open(&path, &felix(), 0).is_ok(), "a link at {suffix:?}");
        assert_eq!(fs::read_to_string(&other).unwrap(), "other");
        drop(fs::remove_file(&path));
        drop(fs::remove_file(&place));
        fs::create_dir(&place).unwrap();
        assert!(Knowledge::open(&path, &felix(), 0).is_ok(), "a folder at {suffix:?}");
    }
}

#[test]
fn events_of_others_move_the_cursor_without_writing() {
    let (_folder, path) = folder();
    let mut world = three_facts();
    let mut opened = Knowledge::open(&path, &felix(), 99).unwrap();
    opened.knowledge.apply(&world.applied()).unwrap();
    for n in 10..20 {
        world.accept(epoch(n), "s", "hello");
        world.abort(epoch(n));
    }
    opened.knowledge.apply(&world.applied()).unwrap();
    assert_eq!(opened.knowledge.applied_seq(), world.head());
    kill(opened.knowledge);
    let opened = Knowledge::open(&path, &felix(), 99).unwrap();
    assert_eq!(opened.replay_from, 5, "what did not concern memory is read again, at no harm");
    drop(opened);

    let mut opened = Knowledge::open(&path, &entity("felix"), 99).unwrap();
    opened.knowledge.apply(&world.applied()).unwrap();
    drop(opened);
    let opened = Knowledge::open(&path, &felix(), 99).unwrap();
    assert_eq!(opened.replay_from, world.head() + 1, "a clean end notes the cursor");
}
