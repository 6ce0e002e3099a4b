//! Copies of erased words in the files of a home: projections are removed, and what else holds them is named.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_domain::EntityName;
use abide_engine::snapshot::Snapshots;
use abide_ledger::FileStorage;

use crate::cli::{context::Context, error::CliError};

/// What nobody here can erase.
pub(super) const OUT_OF_REACH: &[&str] = &[
    "copies, exports and backups of the home folder",
    "what providers of models were sent, and what they keep",
    "what people got on channels: Telegram, IRC, mail, pages of the watchdog",
    "what agents keep in their own processes and work folders, where no file named above holds it",
    "blocks of the disk that hold the old files until they are written over",
];
/// Longest file that is searched, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Most files that are searched.
const FILES_MAX: usize = 20_000;
/// The suffixes of a database's files.
const DATABASE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Removes what the next start makes again from the ledger: what is known, with its vectors, and the logs of `\stdout`.
pub(super) fn drop_projections(context: &Context) -> Result<(), CliError> {
    for folder in context.home.agent_folders() {
        for suffix in DATABASE {
            remove(&folder.join(format!("knowledge.db{suffix}")))?;
        }
    }
    let logs = context.home.logs_folder();
    for entry in fs::read_dir(&logs).into_iter().flatten().filter_map(Result::ok) {
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes what a start would read instead of the ledger.
pub(super) fn drop_snapshots(context: &Context) -> Result<(), CliError> {
    let folder = context.home.snapshots_folder();
    let snapshots = Snapshots::new(Arc::new(FileStorage::at(&folder)));
    snapshots.remove_all().map_err(|error| {
        CliError::new(format!("{} cannot be emptied", folder.display())).caused_by(&error)
    })
}

/// Removes the files of dreams that were erased.
pub(super) fn drop_dreams(
    context: &Context,
    dreams: &[(EntityName, String)],
) -> Result<(), CliError> {
    for (entity, filename) in dreams {
        let is_plain = !filename.contains(['/', '\\']) && !filename.starts_with('.');
        let agent = entity.bare().parse().ok().filter(|_| is_plain);
        if let Some(agent) = agent {
            remove(&context.home.agent_folder(&agent).join("dreams").join(filename))?;
        }
    }
    Ok(())
}

/// Files of the home in which one of the texts stands still.
pub(super) fn still_holding(context: &Context, needles: &[String]) -> Vec<String> {
    let mut files = Vec::new();
    let root = context.home.root();
    for folder in ["agents", "memory", "blobs"] {
        walk(&root.join(folder), &mut files);
    }
    let holds = |path: &PathBuf| {
        let Ok(bytes) = fs::read(path) else { return false };
        let text = String::from_utf8_lossy(&bytes);
        needles.iter().any(|needle| text.contains(needle.trim()))
    };
    files.into_iter().filter(holds).map(|path| path.display().to_string()).collect()
}

/// The regular files below a folder, through no link.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        if files.len() >= FILES_MAX {
            return;
        }
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            walk(&entry.path(), files);
        } else if kind.is_file()
            && entry.metadata().is_ok_and(|found| found.len() <= FILE_BYTES_MAX)
        {
            files.push(entry.path());
        }
    }
}

fn remove(path: &Path) -> Result<(), CliError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(CliError::new(format!("{} cannot be removed", path.display())).caused_by(&error))
        }
        _ => Ok(()),
    }
}
