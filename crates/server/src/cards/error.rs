//! Why cards were not pulled, and what a person can do.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use abide_deck::CardFileError;

/// Why cards were not pulled. Those of before are still there, unless it says otherwise.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CardPullError {
    /// Another pull fills the folder.
    #[error("another pull is at work in {}", folder.display())]
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
    /// No whole answer came.
    #[error(transparent)]
    Http(#[from] abide_http::Error),
    /// The answer is a refusal.
    #[error("{url} answered {status}")]
    Status {
        /// What was asked for.
        url: String,
        /// The status.
        status: u16,
    },
    /// Scryfall wants fewer requests.
    #[error("{url} was asked too often and answers again in {} s", wait.as_secs())]
    RateLimited {
        /// What was asked for.
        url: String,
        /// How long it wants to be left alone.
        wait: Duration,
    },
    /// An address leads elsewhere.
    #[error("{url} is not asked for: cards come from {hosts} only")]
    Host {
        /// The address, shortened.
        url: String,
        /// The hosts.
        hosts: String,
    },
    /// Redirects do not end.
    #[error("{url} redirects too often")]
    Redirects {
        /// Where it began.
        url: String,
    },
    /// The list of bulk data is none, or lacks what is needed.
    #[error("the list of bulk data at {url} cannot be used: {problem}")]
    Index {
        /// Where the list is.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A download took too long, all tries together.
    #[error("the download did not end within {} min", after.as_secs() / 60)]
    TooSlow {
        /// The limit.
        after: Duration,
    },
    /// The file changed on the server while it was being fetched.
    #[error("{url} changed while it was being fetched")]
    Changed {
        /// The file.
        url: String,
    },
    /// The file has another length than was said.
    #[error("{url} has {found} bytes and should have {wanted}")]
    Size {
        /// The file.
        url: String,
        /// The length that was said.
        wanted: u64,
        /// The bytes that came.
        found: u64,
    },
    /// The file is not what it should be.
    #[error("the file from {origin} cannot be used")]
    Cards {
        /// Where it came from.
        origin: String,
        /// What is wrong with it.
        source: CardFileError,
    },
    /// Too many lines are no cards.
    #[error(
        "{unread} of {lines} lines from {origin} are no cards, the first is line {line}: {reason}"
    )]
    Unread {
        /// Where they came from.
        origin: String,
        /// Lines that are no cards.
        unread: usize,
        /// All lines.
        lines: usize,
        /// The first that is none.
        line: usize,
        /// Why.
        reason: String,
    },
    /// The new table would be much smaller than the old one.
    #[error("the new table has {found} cards and the present one {present}")]
    Fewer {
        /// Cards of the new one.
        found: usize,
        /// Cards of the present one.
        present: usize,
    },
}

impl CardPullError {
    /// A path that cannot be read or written.
    pub(super) fn disk(path: &Path, source: io::Error) -> Self {
        Self::Disk { path: path.to_owned(), source }
    }

    /// Whether the same request may go well a moment later.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Http(error) => error.kind() == abide_http::ErrorKind::Unavailable,
            Self::Status { status, .. } => matches!(status, 408 | 500 | 502 | 503 | 504),
            Self::RateLimited { .. } | Self::Changed { .. } => true,
            Self::Size { wanted, found, .. } => found < wanted,
            _ => false,
        }
    }

    /// What a person can do.
    pub(crate) const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Busy { .. } => {
                Some("wait until it ends; `abide cards status` says what is there")
            }
            Self::Http(_) | Self::Status { .. } | Self::TooSlow { .. } | Self::Changed { .. } => {
                Some(
                    "run it again, it goes on where it was; without a network, fetch Scryfall's bulk data elsewhere and use --file PATH",
                )
            }
            Self::RateLimited { .. } => Some("run it again later, it goes on where it was"),
            Self::Host { .. } | Self::Redirects { .. } | Self::Index { .. } => Some(
                "Scryfall may have moved it: fetch `default_cards` as JSONL in gzip yourself and use --file PATH",
            ),
            Self::Size { .. } | Self::Cards { .. } | Self::Unread { .. } => {
                Some("it was thrown away and the cards of before are kept; run it again")
            }
            Self::Fewer { .. } => {
                Some("the cards of before are kept; --accept-fewer takes the new ones all the same")
            }
            Self::Disk { .. } => None,
        }
    }
}
