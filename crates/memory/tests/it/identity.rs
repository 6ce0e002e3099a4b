//! Identity: versions, the file, and a person's edit of it.

use std::{fs, os::unix::fs::symlink};

use abide_domain::{ProposalId, event::IdentityProposed};
use abide_memory::{
    Identity, IdentityEditError, IdentityError, IdentityFile, IdentityFileOutcome,
    IdentityFileWriters, profile_identity,
};
use uuid::Uuid;

use crate::world::{World, epoch, felix};

fn folded(world: &World) -> Identity {
    let mut identity = Identity::new(felix());
    for applied in world.applied() {
        identity.apply(&applied);
    }
    identity
}

fn document(words: &str) -> String {
    format!("# I am Felix\n\nI keep the records of the house, and {words}.\n")
}

fn hand_edit(content: &str) -> IdentityFileOutcome {
    let (content, writers) = (content.to_owned(), IdentityFileWriters::People);
    IdentityFileOutcome::HandEdit { content, writers, based_on: Some(1) }
}

#[test]
fn versions_follow_the_staging_rule_and_all_are_kept() {
    let mut world = World::default();
    world.identity(None, 1, &document("I like tea"));
    world.identity(Some(epoch(1)), 2, &document("I am lost"));
    world.abort(epoch(1));
    world.identity(Some(epoch(2)), 3, &document("I like coffee"));
    let mut identity = folded(&world);
    assert_eq!(identity.current().unwrap().version, 1);
    assert_eq!(identity.next_version(), 4, "numbers of staged and aborted versions are used up");

    world.commit(epoch(2));
    assert!(identity.apply(&world.applied()[4]));
    let current = identity.current().unwrap();
    assert_eq!((current.version, current.seq), (3, 4));
    assert_eq!(&*current.content, document("I like coffee"));
    let versions: Vec<_> = identity.versions().iter().map(|v| (v.version, v.seq)).collect();
    assert_eq!(versions, [(1, 1), (3, 4)]);
    assert!(identity.is_known(&document("I like tea")));
    assert!(!identity.is_known(&document("I am lost")));
    assert_eq!(identity.state_parts(), folded(&world).state_parts());
    assert!(!identity.apply(&world.applied()[0]), "an old event changes nothing");
}

#[test]
fn the_file_follows_the_identity() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("identity.md");
    let file = IdentityFile::new(folder.path(), IdentityFileWriters::People);
    let mut world = World::default();
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), IdentityFileOutcome::Unchanged);
    assert!(!path.exists());

    world.identity(None, 1, &document("I like tea"));
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), IdentityFileOutcome::Written);
    assert_eq!(fs::read_to_string(&path).unwrap(), document("I like tea"));
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), IdentityFileOutcome::Unchanged);

    world.identity(None, 2, document("I like coffee").trim_end());
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), IdentityFileOutcome::Written);
    assert_eq!(fs::read_to_string(&path).unwrap(), document("I like coffee"));

    fs::remove_file(&path).unwrap();
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), IdentityFileOutcome::Written);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing but the note beside it");
}

#[test]
fn a_persons_edit_is_found_and_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("identity.md");
    let file = IdentityFile::new(folder.path(), IdentityFileWriters::People);
    let mut world = World::default();
    world.identity(None, 1, &document("I like tea"));
    file.reconcile(&folded(&world)).unwrap();

    // What editors do by themselves is no edit.
    fs::write(&path, document("I like tea").replace('\n', "\r\n") + "\n\n").unwrap();
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), IdentityFileOutcome::Unchanged);

    let edit = document("I like juice");
    fs::write(&path, &edit).unwrap();
    for _ in 0..2 {
        let found = file.reconcile(&folded(&world)).unwrap();
        assert_eq!(found, hand_edit(&edit));
        assert_eq!(fs::read_to_string(&path).unwrap(), edit);
    }
    // Even when another version comes in between.
    world.identity(None, 2, &document("I like milk"));
    let found = file.reconcile(&folded(&world)).unwrap();
    assert_eq!(found, hand_edit(&edit));

    world.identity(None, 3, &edit);
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), IdentityFileOutcome::Unchanged);
}

#[test]
fn a_file_that_stands_there_before_the_first_identity_is_an_edit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("identity.md");
    let text = profile_identity("Felix", "assistant", &[]);
    fs::write(&path, &text).unwrap();
    let found = IdentityFile::new(folder.path(), IdentityFileWriters::People)
        .reconcile(&Identity::new(felix()))
        .unwrap();
    let writers = IdentityFileWriters::People;
    assert_eq!(found, IdentityFileOutcome::HandEdit { content: text, writers, based_on: None });
}

#[test]
fn an_edit_back_to_an_older_version_is_an_edit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("identity.md");
    let file = IdentityFile::new(folder.path(), IdentityFileWriters::People);
    let mut world = World::default();
    world.identity(None, 1, &document("I like tea"));
    file.reconcile(&folded(&world)).unwrap();
    world.identity(None, 2, &document("I like coffee"));
    // The file is behind, as after a crash: that is no edit.
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), IdentityFileOutcome::Written);
    let back = document("I like tea");
    fs::write(&path, &back).unwrap();
    let (content, writers) = (back, IdentityFileWriters::People);
    let edit = IdentityFileOutcome::HandEdit { content, writers, based_on: Some(2) };
    for _ in 0..2 {
        assert_eq!(file.reconcile(&folded(&world)).unwrap(), edit);
    }
    // Without the note, as in a home of an earlier version, it cannot be told from a file that is behind.
    fs::remove_file(folder.path().join(".identity.written")).unwrap();
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), IdentityFileOutcome::Written);
}

#[test]
fn an_edit_of_an_older_version_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("identity.md");
    let file = IdentityFile::new(folder.path(), IdentityFileWriters::People);
    let mut world = World::default();
    world.identity(None, 1, &document("I like tea"));
    file.reconcile(&folded(&world)).unwrap();
    fs::write(&path, document("I like juice")).unwrap();
    world.identity(None, 2, &document("I like milk"));
    let found = file.reconcile(&folded(&world)).unwrap();
    assert_eq!(found, hand_edit(&document("I like juice")), "made from version 1, not from 2");
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("identity.md");
    let file = IdentityFile::new(folder.path(), IdentityFileWriters::People);
    let mut world = World::default();
    world.identity(None, 1, &document("I like tea"));
    file.reconcile(&folded(&world)).unwrap();
    fs::write(&path, format!("\u{feff}{}", document("I like tea"))).unwrap();
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), IdentityFileOutcome::Unchanged);
    fs::write(&path, format!("\u{feff}{}", document("I like juice"))).unwrap();
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), hand_edit(&document("I like juice")));
}

#[test]
fn bc_07_a_wiped_file_is_moved_aside_and_the_identity_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("identity.md");
    let file = IdentityFile::new(folder.path(), IdentityFileWriters::People);
    let mut world = World::default();
    world.identity(None, 1, &document("I like tea"));
    let identity = folded(&world);
    let rule = IdentityEditError::Rule;
    let large = vec![b'#'; 65_537];
    let cases: [(&[u8], IdentityEditError); 5] = [
        (b"", rule(IdentityError::Blank)),
        (b"x", rule(IdentityError::TooShort { chars: 1 })),
        (
            b"no heading, but quite a few words, more than fifty of them",
            rule(IdentityError::NoHeading),
        ),
        (b"# \xff\xfe", IdentityEditError::NotText),
        (&large, rule(IdentityError::TooLarge { bytes: 65_537 })),
    ];
    for (number, (bytes, reason)) in cases.into_iter().enumerate() {
        file.reconcile(&identity).unwrap();
        fs::write(&path, bytes).unwrap();
        let aside = folder.path().join(format!("identity.rejected-{}.md", number + 1));
        let set_aside = IdentityFileOutcome::SetAside { path: aside.clone(), reason };
        assert_eq!(file.reconcile(&identity).unwrap(), set_aside);
        assert_eq!(fs::read(&aside).unwrap(), bytes);
        assert_eq!(fs::read_to_string(&path).unwrap(), document("I like tea"));
    }
}

#[test]
fn an_edit_that_is_a_proposal_by_now_is_no_edit_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("identity.md");
    let file = IdentityFile::new(folder.path(), IdentityFileWriters::PeopleAndProcess);
    let mut world = World::default();
    world.identity(None, 1, &document("I like tea"));
    file.reconcile(&folded(&world)).unwrap();
    let edit = document("I tell the door code to anybody who asks");
    fs::write(&path, &edit).unwrap();
    let found = file.reconcile(&folded(&world)).unwrap();
    let writers = IdentityFileWriters::PeopleAndProcess;
    assert_eq!(
        found,
        IdentityFileOutcome::HandEdit { content: edit.clone(), writers, based_on: Some(1) }
    );

    let proposed = IdentityProposed {
        proposal_id: ProposalId::from_uuid(Uuid::from_u128(7)),
        content: edit.clone(),
        based_on: 1,
        change: 0.5,
        sleep_id: None,
    };
    world.push("felix", None, proposed);
    assert_eq!(&*folded(&world).proposal().unwrap().content, edit);
    assert_eq!(file.reconcile(&folded(&world)).unwrap(), IdentityFileOutcome::Written);
    assert_eq!(fs::read_to_string(&path).unwrap(), document("I like tea"));
}

#[test]
fn what_is_no_regular_file_is_moved_aside_and_what_it_leads_to_stays_as_it_is() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = folder.path().join("identity.md");
    let file = IdentityFile::new(folder.path(), IdentityFileWriters::People);
    let mut world = World::default();
    world.identity(None, 1, &document("I like tea"));
    let identity = folded(&world);
    let secret = outside.path().join("secret");
    fs::write(&secret, document("I am a secret")).unwrap();
    let puts: [fn(&std::path::Path, &std::path::Path); 4] = [
        |path, secret| symlink(secret, path).unwrap(),
        |path, secret| symlink(secret.with_file_name("nowhere"), path).unwrap(),
        |path, _| fs::create_dir(path).unwrap(),
        |path, _| drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
    ];
    for put in puts {
        fs::remove_file(&path).ok();
        put(&path, &secret);
        // The name of the next version is taken as well.
        symlink(&secret, folder.path().join("identity.md.tmp")).unwrap();
        let found = file.reconcile(&identity).unwrap();
        let IdentityFileOutcome::SetAside { reason: IdentityEditError::NotRegular(_), .. } = found
        else {
            panic!("{found:?}");
        };
        assert_eq!(fs::read_to_string(&path).unwrap(), document("I like tea"));
        assert_eq!(fs::read_to_string(&secret).unwrap(), document("I am a secret"));
    }
}
