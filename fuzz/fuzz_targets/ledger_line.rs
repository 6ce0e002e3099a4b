//! Any bytes as a segment of the ledger: never a crash, never an invented event, and verifying and reading agree.
//!
//! An input that begins with `s` is stamped first, as the committer does (checksums, and a chain value on each line that
//! begins with `!`): random changes would otherwise never get past the checksums.
#![no_main]

use std::sync::Arc;

use abide_ledger::{
    Storage,
    folder::{self, Folder},
    storage::fault::FaultStorage,
};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest as _, Sha256};

const SEGMENT: &str = "0000000001.jsonl";

fn stamp(bodies: &[u8]) -> Vec<u8> {
    let mut log = Vec::new();
    let mut chain = [0; 32];
    let mut batch_begin = 0;
    for body in bodies.split(|byte| *byte == b'\n') {
        let (ends_batch, body) = match body.strip_prefix(b"!") {
            Some(body) => (true, body),
            None => (false, body),
        };
        let line_begin = log.len();
        log.extend_from_slice(body.strip_suffix(b"}").unwrap_or(body));
        if ends_batch {
            let mut hasher = Sha256::new();
            hasher.update(chain);
            hasher.update(&log[batch_begin..]);
            chain = hasher.finalize().into();
            log.extend_from_slice(format!(",\"chain\":\"{}\"", hex::encode(chain)).as_bytes());
        }
        let crc = crc32c::crc32c(&log[line_begin..]);
        log.extend_from_slice(format!(",\"crc\":\"{crc:08x}\"}}\n").as_bytes());
        if ends_batch {
            batch_begin = log.len();
        }
    }
    log
}

fuzz_target!(|input: &[u8]| {
    let log = input.strip_prefix(b"s").map_or_else(|| input.to_vec(), stamp);
    let disk = FaultStorage::new(1);
    disk.put(SEGMENT, &log);
    let storage: Arc<dyn Storage> = Arc::new(disk);
    let report = folder::verify(Arc::clone(&storage));
    let opened = Folder::open(storage);
    let is_whole = report.as_ref().is_ok_and(|report| report.ok);
    assert!(!is_whole || opened.is_ok(), "verified and not to be opened: {opened:?}");
    let Ok(folder) = opened else { return };
    let mut events = 0;
    for record in folder.records(1) {
        let Ok(record) = record else {
            assert!(!is_whole, "verified and not to be read: {record:?}");
            return;
        };
        events += 1;
        assert_eq!(record.seq(), events, "numbers are dense");
        let line = record.line().as_bytes();
        assert!(log.windows(line.len()).any(|window| window == line), "an invented line");
        // What a newer version wrote is an error; it must not be a crash.
        let _ = record.entry();
    }
    assert!(report.is_ok_and(|report| !report.ok || report.events == events));
});
