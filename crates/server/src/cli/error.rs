//! How a command ends: an exit code, and for an error what failed, why, and what to do next.

use std::{fmt, io, process::ExitCode};

/// The five exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Ok,
    /// Not done.
    Failed,
    /// Wrong usage.
    Usage,
    /// No keeper is running.
    NotRunning,
    /// A keeper is running and cannot do all of its work.
    Degraded,
}

impl Exit {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotRunning => 3,
            Self::Degraded => 4,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub(crate) struct CliError {
    exit: Exit,
    /// What failed and why; none where the reader of the output has gone away.
    message: Option<String>,
    hint: Option<String>,
}

impl CliError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: Some(message.into()), hint: None }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    pub(crate) fn not_running(home: &std::path::Path) -> Self {
        let message = format!("no keeper is running for {}", home.display());
        Self { exit: Exit::NotRunning, ..Self::new(message) }.hint("start one with `abide up`")
    }

    /// Adds an error and all its causes.
    #[must_use]
    pub(crate) fn caused_by(mut self, error: &dyn std::error::Error) -> Self {
        let mut message = self.message.take().unwrap_or_default();
        let mut cause = Some(error);
        while let Some(error) = cause {
            message.push_str(": ");
            message.push_str(&error.to_string());
            cause = error.source();
        }
        Self { message: Some(message), ..self }
    }

    #[must_use]
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    #[must_use]
    pub(crate) fn with_exit(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// What to print, if anything.
    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// What to do next, if known.
    pub(crate) fn next_step(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Something else stands in the place of a folder of the home.
    pub(crate) fn folder(error: &io::Error) -> Self {
        Self::new("a folder of the home cannot be used").caused_by(error)
    }

    /// An error with all its causes.
    pub(crate) fn from_error(error: &dyn std::error::Error) -> Self {
        let this = Self::new(error.to_string());
        match error.source() {
            Some(source) => this.caused_by(source),
            None => this,
        }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message.as_deref().unwrap_or("the reader of the output has gone away"))
    }
}

/// Any error with its causes. An I/O error is one of stdout; where its reader went away (`| head`) it needs no message.
impl<E: std::error::Error + 'static> From<E> for CliError {
    fn from(error: E) -> Self {
        let any: &(dyn std::error::Error + 'static) = &error;
        match any.downcast_ref::<io::Error>() {
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                Self { exit: Exit::Ok, message: None, hint: None }
            }
            Some(error) => Self::new("the output cannot be written").caused_by(error),
            None => Self::from_error(&error),
        }
    }
}
