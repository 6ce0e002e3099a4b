//! A keeper that loses its log goes on: a pipe whose reader is gone or does not read, a full disk.

use std::{
    fs::{File, OpenOptions},
    io::Read as _,
    os::fd::OwnedFd,
    process::Stdio,
};

use crate::home::Home;

/// A keeper that logs much, to there.
fn lives_with_its_log_at(log: OwnedFd, after_start: impl FnOnce()) {
    let home = Home::new("");
    let mut keeper = home.begin_saying(&[("ABIDE_LOG", "trace")], Stdio::from(log));
    assert_eq!(keeper.news()["event"], "ready");
    after_start();
    for number in 0..5 {
        keeper.client.say(&format!("message {number}"));
    }
    assert!(!keeper.is_gone());
    assert_eq!(keeper.client.read("/health")["status"], "ok");
    assert_eq!(keeper.stop(), Some(0));
    let ends = home.ledger().iter().filter(|line| line["kind"] == "epoch.committed").count();
    assert_eq!(ends, 5);
}

#[test]
fn a_log_whose_reader_is_gone_costs_lines_only() {
    let (reader, writer) = std::io::pipe().unwrap();
    lives_with_its_log_at(writer.into(), || drop(reader));
}

#[test]
fn a_log_whose_reader_does_not_read_costs_lines_only() {
    let (mut reader, writer) = std::io::pipe().unwrap();
    lives_with_its_log_at(writer.into(), || ());
    let mut some = [0; 16];
    assert_eq!(reader.read(&mut some).unwrap(), some.len(), "it had logged something");
}

#[test]
fn a_log_on_a_full_disk_costs_lines_only() {
    let full: File = OpenOptions::new().write(true).open("/dev/full").unwrap();
    lives_with_its_log_at(full.into(), || ());
}
