//! A row of `abide doctor`: whether the folders of the home are folders, and their owner's alone.

use std::path::{Path, PathBuf};

use crate::{
    cli::{
        context::Context,
        finding::{Finding, Verdict},
    },
    home::{Home, is_private, mode_of, require_folder},
};

const NAME: &str = "folders";
/// Folders of an agent in which the keeper makes files. Its process's own, `work` and `tmp`, may be elsewhere.
const OF_AGENT: [&str; 3] = ["wal", "checkpoints", "dreams"];

/// Looks at all of them, whether or not a keeper runs.
pub(super) fn check(context: &Context) -> Finding {
    let replaced = replaced(&context.home);
    if !replaced.is_empty() {
        return Finding::new(NAME, Verdict::Fail, replaced.join("; "));
    }
    let folders = [context.home.root().to_owned(), context.home.ledger_folder()];
    let is_open = |path: &Path| mode_of(path).is_ok_and(|mode| !is_private(mode));
    // What lies in the home is behind its mode; one that is open itself must not be the only door.
    let open: Vec<_> = folders
        .into_iter()
        .chain(context.home.agent_folders())
        .filter(|path| is_open(path))
        .map(|path| path.display().to_string())
        .collect();
    if open.is_empty() {
        return Finding::new(NAME, Verdict::Ok, "the folders of the home are their owner's alone");
    }
    let detail = format!(
        "others may use {}; `abide up` makes the home private, `chmod 700` the rest",
        open.join(", ")
    );
    Finding::new(NAME, Verdict::Warn, detail)
}

/// What stands in the place of folders, each with what to do. No link is followed.
fn replaced(home: &Home) -> Vec<String> {
    let problem = |path: &PathBuf| require_folder(path).err().map(|error| error.to_string());
    let shared: Vec<_> = home.shared_folders().iter().filter_map(problem).collect();
    // Above them nothing else may be a link, or what is below would be somewhere else.
    if !shared.is_empty() {
        return shared;
    }
    let found = std::fs::read_dir(home.agents_folder()).into_iter().flatten().flatten();
    let links = found.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    let links = links.map(|entry| entry.path());
    let own =
        home.agent_folders().into_iter().flat_map(|agent| OF_AGENT.map(|name| agent.join(name)));
    links.chain(own).collect::<Vec<_>>().iter().filter_map(problem).collect()
}
