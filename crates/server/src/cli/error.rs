//! How a command ends: an exit code, and for an error what failed, why, and what to do next.

use std::{fmt, process::ExitCode};

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

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub(crate) struct CliError {
    exit: Exit,
    /// What failed and why; none where nobody is left to read it.
    message: Option<String>,
    hint: Option<String>,
}

impl CliError {
    /// Exit code 1.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: Some(message.into()), hint: None }
    }

    /// Exit code 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    /// Exit code 3.
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

    /// Adds what to do next.
    #[must_use]
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Sets the exit code.
    #[must_use]
    pub(crate) fn with_exit(self, exit: Exit) -> Self {
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

/// Writing to stdout failed. A reader that went away (`| head`) needs no message.
impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self { exit: Exit::Ok, message: None, hint: None };
        }
        Self::new("the output cannot be written").caused_by(&error)
    }
}
