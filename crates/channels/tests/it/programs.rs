//! Programs that tests start: whether they are there, where they live, and that they end with their test.

use std::{ffi::OsString, path::PathBuf, process::Stdio};

use tokio::process::{Child, Command};

/// The program of this name. Where it is missing the test has nothing to do; with `CI=true` it must be there.
pub(crate) fn there(name: &str) -> Option<PathBuf> {
    let path = variable("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let found = folders.map(|folder| folder.join(name)).find(|path| path.exists());
    if found.is_none() {
        assert_ne!(variable("CI"), Some("true".into()), "{name} is not there");
        say(&format!("skipped: {name} is not there"));
    }
    found
}

/// Starts a program that is killed when the test lets go of it.
pub(crate) fn start(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    command.spawn().unwrap()
}

#[expect(
    clippy::print_stderr,
    reason = "a test that did nothing must not look like one that passed"
)]
fn say(line: &str) {
    eprintln!("{line}");
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
