//! The tree that the chores look at: where it is, which files it has, and how a finding in it is said.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;

/// Folders that hold no source of ours.
const SKIPPED: [&str; 6] = ["target", "node_modules", "dist", "corpus", "artifacts", ".git"];

/// Something that does not belong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// File, and line from 1 where there is one.
    pub(crate) place: String,
    /// What is wrong and what would be right.
    pub(crate) message: String,
}

impl Finding {
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    /// A finding at a line, counted from 0.
    pub(crate) fn at(path: &str, index: usize, message: impl Into<String>) -> Self {
        Self::new(format!("{path}:{}", index + 1), message)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// A text file of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// From the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// The name without folders.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether it is part of a library or binary, and not a test, an example or a fuzz target.
    pub(crate) fn is_product(&self) -> bool {
        self.path.contains("/src/")
    }
}

/// The root of the workspace, above this crate.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// All text files of some extensions below a folder of the root, sorted by path; none where the folder is missing.
pub(crate) fn sources(
    root: &Path,
    folder: &str,
    extensions: &[&str],
) -> anyhow::Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut open = vec![root.join(folder)];
    while let Some(folder) = open.pop().filter(|folder| folder.is_dir()) {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !SKIPPED.contains(&name.as_str()) {
                open.push(path);
            } else if path.is_file() && extensions.contains(&extension.as_str()) {
                found.push(read(root, &path)?);
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// One file; none where it is not there.
pub(crate) fn source(root: &Path, path: &str) -> anyhow::Result<Option<Source>> {
    let full = root.join(path);
    if full.is_file() { read(root, &full).map(Some) } else { Ok(None) }
}

fn read(root: &Path, path: &Path) -> anyhow::Result<Source> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let path = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
    Ok(Source { path, text })
}
