//! Why a measurement could not be made. A missed bar is no error: it is a result.

use std::{error::Error, io};

/// Says why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The system did not do what was asked.
    #[error("cannot {action}")]
    Io {
        /// What could not be done.
        action: &'static str,
        /// Why.
        source: io::Error,
    },
    /// A part of Abide did not do what was asked.
    #[error("cannot {action}")]
    Failed {
        /// What could not be done.
        action: &'static str,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// What was measured did not do what it must; a figure about it would be a lie.
    #[error("{0}")]
    Wrong(String),
}

impl BenchError {
    /// Turns an error of the system into ours.
    pub(crate) fn io(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, source }
    }

    /// Turns any other error into ours.
    pub(crate) fn of<E>(action: &'static str) -> impl FnOnce(E) -> Self
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        move |source| Self::Failed { action, source: source.into() }
    }
}
