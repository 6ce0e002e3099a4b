//! How a command ends: an exit code, and for a failure what failed, why, and what to do next.

use std::{fmt, process::ExitCode};

/// The five exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Ok,
    /// Not done.
    Failed,
    /// Asked wrongly.
    Usage,
    /// No keeper runs.
    NotRunning,
    /// A keeper runs and cannot do all of its work.
    Degraded,
}

impl Exit {
    /// The number.
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

/// A command that did not do what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    /// What failed and why; none where nobody is left to read it.
    message: Option<String>,
    hint: Option<String>,
}

impl Failure {
    /// Something failed.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: Some(message.into()), hint: None }
    }

    /// It was asked wrongly.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    /// No keeper runs.
    pub(crate) fn not_running(home: &std::path::Path) -> Self {
        let message = format!("no keeper runs for {}", home.display());
        Self { exit: Exit::NotRunning, ..Self::new(message) }.hint("start it with `abide up`")
    }

    /// Adds an error and all its causes.
    #[must_use]
    pub(crate) fn because(mut self, error: &dyn std::error::Error) -> Self {
        let mut message = self.message.take().unwrap_or_default();
        let mut cause = Some(error);
        while let Some(error) = cause {
            message.push_str(": ");
            message.push_str(&error.to_string());
            cause = error.source();
        }
        Self { message: Some(message), ..self }
    }

    /// Adds what to do next.
    #[must_use]
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Sets the exit code.
    #[must_use]
    pub(crate) fn exiting(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// The exit code.
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

    /// An error with all its causes, after what it kept from being done.
    pub(crate) fn from_error(error: &dyn std::error::Error) -> Self {
        let failure = Self::new(error.to_string());
        match error.source() {
            Some(source) => failure.because(source),
            None => failure,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message.as_deref().unwrap_or("the reader of the output is gone"))
    }
}

/// Writing to stdout failed. A reader that went away (`| head`) is no failure worth words.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self { exit: Exit::Ok, message: None, hint: None };
        }
        Self::new("the output cannot be written").because(&error)
    }
}
