//! What is wrong with a configuration, and where. All problems are reported at once.

use std::{fmt, path::PathBuf};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// In the compiled-in defaults.
    Default,
    /// In a file.
    File {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
    },
    /// In an environment variable.
    Variable(String),
    /// On the command line.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line, column } => write!(f, "{}:{line}:{column}", path.display()),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) origin: Origin,
    /// What is wrong, and what would be right.
    pub(crate) message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.message)
    }
}

/// A configuration that cannot be used; one problem a line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// Something in it is wrong.
    #[error("the configuration has {}:{}", count(.0), list(.0))]
    Problems(Vec<Problem>),
    /// A file could not be read or written.
    #[error("{} cannot be {action}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        action: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// The values have passed every check and still do not fit the program's types: a defect of the sections.
    #[error("the configuration passed its checks and does not fit the program: {0}")]
    Mismatch(#[from] toml::de::Error),
}

fn count(problems: &[Problem]) -> String {
    if problems.len() == 1 { "1 problem".into() } else { format!("{} problems", problems.len()) }
}

fn list(problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |lines, problem| lines + "\n  " + &problem.to_string())
}
