//! What is wrong with a frame, and where: the path of the field, a code for programs, a message for people.

use std::fmt;

use serde_json::{Value, json};

use crate::limits::PROBLEMS_MAX;

/// The kind of rule that a field breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldErrorCode {
    /// A required field is missing.
    Required,
    /// The value has the wrong type.
    Type,
    /// The value has the right type and is not allowed.
    Value,
    /// A text that is not valid UTF-8.
    Utf8,
    /// A key of a message that is not text.
    Key,
    /// A key that is given twice.
    Duplicate,
    /// Longer than its limit.
    TooLarge,
    /// More items than their limit.
    TooMany,
    /// Maps and lists nested too deeply.
    Depth,
    /// Not MessagePack.
    Malformed,
    /// The frame ends inside a value.
    Truncated,
    /// Bytes follow the message.
    Trailing,
    /// No such message type.
    UnknownType,
    /// A type that goes the other way.
    Direction,
    /// A version that is not supported here, or not on this link.
    Version,
    /// A text that is not base64.
    Base64,
    /// Bytes that are not zstd.
    Zstd,
    /// A run that is over.
    Run,
    /// A message at the wrong moment.
    Order,
    /// A sequence number that is out of order.
    Sequence,
}

impl FieldErrorCode {
    /// The code on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Type => "type",
            Self::Value => "value",
            Self::Utf8 => "utf8",
            Self::Key => "key",
            Self::Duplicate => "duplicate",
            Self::TooLarge => "too_large",
            Self::TooMany => "too_many",
            Self::Depth => "depth",
            Self::Malformed => "malformed",
            Self::Truncated => "truncated",
            Self::Trailing => "trailing",
            Self::UnknownType => "unknown_type",
            Self::Direction => "direction",
            Self::Version => "version",
            Self::Base64 => "base64",
            Self::Zstd => "zstd",
            Self::Run => "run",
            Self::Order => "order",
            Self::Sequence => "sequence",
        }
    }
}

impl fmt::Display for FieldErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field, such as `data[2].sequence`; empty for the whole frame.
    pub path: String,
    /// The kind of rule.
    pub code: FieldErrorCode,
    /// What is wrong and what would be right.
    pub message: String,
}

impl FieldError {
    /// An error at a path.
    pub fn new(path: impl Into<String>, code: FieldErrorCode, message: impl Into<String>) -> Self {
        Self { path: path.into(), code, message: message.into() }
    }

    fn to_json(&self) -> Value {
        json!({"path": self.path, "code": self.code.as_str(), "message": self.message})
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for FieldError {}

/// A body that is not valid MessagePack, or exceeds a limit; found before any field is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MalformedError {
    pub(crate) code: FieldErrorCode,
    pub(crate) message: String,
}

impl MalformedError {
    pub(crate) fn new(code: FieldErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The error at a path.
    pub(crate) fn at(self, path: impl Into<String>) -> FieldError {
        FieldError::new(path, self.code, self.message)
    }
}

/// The code of the error frame that goes back to the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalCode {
    /// Not a message, or one that breaks a rule.
    InvalidMessage,
    /// A version that is not supported.
    UnsupportedVersion,
    /// Longer than its limit.
    TooLarge,
    /// The sender belongs to a run that is over; its link is to be closed.
    StaleRun,
    /// The message comes too early.
    NotReady,
    /// A sequence does not follow the one before.
    SequenceGap,
}

impl RefusalCode {
    /// The code of the error frame.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidMessage => "INVALID_MESSAGE",
            Self::UnsupportedVersion => "UNSUPPORTED_VERSION",
            Self::TooLarge => "TOO_LARGE",
            Self::StaleRun => "STALE_RUN",
            Self::NotReady => "NOT_READY",
            Self::SequenceGap => "SEQUENCE_GAP",
        }
    }
}

/// Why a frame was refused. The link itself is fine: the next frame can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", .code.as_str(), format_errors(.problems))]
pub struct RefusalError {
    /// The code of the error frame.
    pub code: RefusalCode,
    /// All broken rules, at most [`PROBLEMS_MAX`]; never empty.
    pub problems: Vec<FieldError>,
    /// The request that the frame belonged to, where it said so.
    pub request_id: Option<String>,
}

pub(crate) fn format_errors(problems: &[FieldError]) -> String {
    let format_errors: Vec<_> = problems.iter().map(ToString::to_string).collect();
    format_errors.join("; ")
}

impl RefusalError {
    /// Refuses for one reason.
    pub fn new(code: RefusalCode, problem: FieldError) -> Self {
        Self { code, problems: vec![problem], request_id: None }
    }

    pub(crate) fn malformed(malformed: MalformedError) -> Self {
        let code = match malformed.code {
            FieldErrorCode::TooLarge => RefusalCode::TooLarge,
            _ => RefusalCode::InvalidMessage,
        };
        Self::new(code, malformed.at(""))
    }

    /// The first broken rule's path; empty for the whole frame.
    pub fn path(&self) -> &str {
        self.problems.first().map_or("", |problem| &problem.path)
    }

    /// The first path and all errors, as error frames carry them.
    pub(crate) fn details(&self) -> Value {
        let problems: Vec<_> = self.problems.iter().map(FieldError::to_json).collect();
        json!({"path": self.path(), "problems": problems})
    }
}

/// The place of a value in its message. It becomes text only where there is an error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'a> {
    Root,
    Key(&'a Self, &'a str),
    Index(&'a Self, usize),
}

impl<'a> Path<'a> {
    pub(crate) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    pub(crate) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(Self::Root, key) => f.write_str(key),
            Self::Key(parent, key) => write!(f, "{parent}.{key}"),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// The errors of one message, up to [`PROBLEMS_MAX`].
#[derive(Debug, Default)]
pub(crate) struct FieldErrors {
    found: Vec<FieldError>,
}

impl FieldErrors {
    pub(crate) fn push(&mut self, problem: FieldError) {
        if !self.is_full() {
            self.found.push(problem);
        }
    }

    pub(crate) fn add(
        &mut self,
        path: &Path<'_>,
        code: FieldErrorCode,
        message: impl Into<String>,
    ) {
        if !self.is_full() {
            self.found.push(FieldError::new(path.to_string(), code, message));
        }
    }

    /// Whether further errors are dropped.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= PROBLEMS_MAX
    }

    pub(crate) fn into_vec(self) -> Vec<FieldError> {
        self.found
    }
}
