//! MM-21 to MM-27 at the whole program: a start from a snapshot shows what a start from the ledger shows, and no snapshot outlives the
//! words that are erased.

use std::{fs, path::PathBuf};

use serde_json::Value;

use super::past::write_past;
use crate::{client::Client, home::Home};

const REFLEX: &str = "[[agent]]\nid = \"felix\"\nmind = \"reflex\"\n";
/// Epochs of six lines each: more lines than a start reads without making a snapshot.
const EPOCHS: u32 = 5_600;

/// The files of a home's snapshots, the newest last.
fn files(home: &Home) -> Vec<PathBuf> {
    let found = fs::read_dir(home.path().join("snapshots")).unwrap();
    let mut files: Vec<_> = found.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// What is shown of the past.
fn shown(client: &Client, epoch: &str) -> [Value; 4] {
    [
        client.read("/snapshot")["state_digest"].clone(),
        client.read("/epochs?limit=500"),
        client.read(&format!("/epochs/{epoch}?thoughts=1")),
        client.read("/knowledge?q=heron"),
    ]
}

#[test]
fn a_start_from_a_snapshot_shows_what_a_start_from_the_ledger_shows() {
    let home = Home::new(REFLEX);
    let epoch = write_past(&home, "felix", EPOCHS);
    let keeper = home.up();
    assert_eq!(files(&home).len(), 1, "so long a start makes one");
    keeper.client.say("remember that the heron is grey");
    let lived = shown(&keeper.client, &epoch);
    keeper.kill();
    let keeper = home.up();
    assert_eq!(shown(&keeper.client, &epoch), lived, "after a death");
    keeper.kill();
    // What a disk may do to it.
    let [snapshot] = files(&home).try_into().unwrap();
    let bytes = fs::read(&snapshot).unwrap();
    fs::write(&snapshot, &bytes[..bytes.len() / 2]).unwrap();
    let keeper = home.up();
    assert_eq!(shown(&keeper.client, &epoch), lived, "one that was cut is not believed");
    assert!(files(&home).iter().any(|file| file.ends_with("state.set-aside")));
    assert_eq!(files(&home).len(), 2, "and another one was made");
    keeper.kill();
    fs::remove_dir_all(home.path().join("snapshots")).unwrap();
    // The databases of facts go too: then all comes out of the ledger, while the state does not.
    let keeper = home.up();
    keeper.kill();
    for file in fs::read_dir(home.path().join("agents/felix")).unwrap().map(Result::unwrap) {
        if file.file_name().to_string_lossy().starts_with("knowledge.db") {
            fs::remove_file(file.path()).unwrap();
        }
    }
    let keeper = home.up();
    assert_eq!(shown(&keeper.client, &epoch), lived, "facts that the snapshot is ahead of");
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn words_that_are_erased_are_in_no_snapshot() {
    let home = Home::new(REFLEX);
    write_past(&home, "felix", EPOCHS);
    let keeper = home.up();
    let answer = keeper.client.say("remember that the vault code is 47114711");
    let epoch = answer["epoch_id"].as_str().unwrap().to_owned();
    assert_eq!(keeper.stop(), Some(0));
    fs::write(home.path().join("snapshots/state.set-aside"), "47114711").unwrap();
    assert!(!files(&home).is_empty());
    let erased = home.run(["memory", "erase", "--epoch", &epoch, "--yes"]);
    assert!(erased.status.success(), "{erased:?}");
    assert_eq!(files(&home), Vec::<PathBuf>::new());
    let keeper = home.up();
    assert_eq!(keeper.client.read(&format!("/epochs/{epoch}"))["state"], "committed");
    assert_eq!(keeper.stop(), Some(0));
}
