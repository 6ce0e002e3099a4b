//! What is wrong with a frame, and where: the path of the field, a code for programs, a sentence for people.

use std::fmt;

use serde_json::{Value, json};

use crate::{
    from_agent::{AgentError, AgentErrorBody, FromAgent},
    limits::PROBLEMS_MAX,
    to_agent::{KeeperError, KeeperErrorBody, ToAgent},
};

/// Which kind of rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemCode {
    /// The field must be there.
    Required,
    /// The value is of another kind.
    Type,
    /// The value is of the right kind and not allowed.
    Value,
    /// A text that is no UTF-8.
    Utf8,
    /// A key of a message that is no text.
    Key,
    /// A key that stands twice.
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
    /// Bytes stand after the message.
    Trailing,
    /// No such message type.
    UnknownType,
    /// A type that goes the other way.
    Direction,
    /// A version that is not spoken here, or not on this link.
    Version,
    /// A text that is no base64.
    Base64,
    /// Bytes that are no zstd.
    Zstd,
    /// A run that is over.
    Run,
    /// A message at the wrong moment.
    Order,
    /// A number that does not follow the one before.
    Sequence,
}

impl ProblemCode {
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

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The field, such as `data[2].sequence`; empty for the whole frame.
    pub path: String,
    /// Which kind of rule.
    pub code: ProblemCode,
    /// What is wrong and what would be right.
    pub message: String,
}

impl Problem {
    /// Names a problem.
    pub fn new(path: impl Into<String>, code: ProblemCode, message: impl Into<String>) -> Self {
        Self { path: path.into(), code, message: message.into() }
    }

    fn to_json(&self) -> Value {
        json!({"path": self.path, "code": self.code.as_str(), "message": self.message})
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// A body that is no value of the format, or none that is taken. Known before any field is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) code: ProblemCode,
    pub(crate) message: String,
}

impl Malformed {
    pub(crate) fn new(code: ProblemCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The problem at a place.
    pub(crate) fn at(self, path: impl Into<String>) -> Problem {
        Problem::new(path, self.code, self.message)
    }
}

/// Which error goes back to the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalCode {
    /// Not a message, or one that breaks a rule.
    InvalidMessage,
    /// A version that is not spoken.
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

/// Why a frame was not taken. The link itself is sound: the next frame can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", .code.as_str(), words(.problems))]
pub struct RefusalError {
    /// Which error goes back.
    pub code: RefusalCode,
    /// All broken rules, at most [`PROBLEMS_MAX`]; never empty.
    pub problems: Vec<Problem>,
    /// The request that the frame belonged to, where it said so.
    pub request_id: Option<String>,
}

fn words(problems: &[Problem]) -> String {
    let words: Vec<_> = problems.iter().map(ToString::to_string).collect();
    words.join("; ")
}

impl RefusalError {
    /// Refuses for one reason.
    pub fn new(code: RefusalCode, problem: Problem) -> Self {
        Self { code, problems: vec![problem], request_id: None }
    }

    pub(crate) fn malformed(malformed: Malformed) -> Self {
        let code = match malformed.code {
            ProblemCode::TooLarge => RefusalCode::TooLarge,
            _ => RefusalCode::InvalidMessage,
        };
        Self::new(code, malformed.at(""))
    }

    /// The first broken rule's path; empty for the whole frame.
    pub fn path(&self) -> &str {
        self.problems.first().map_or("", |problem| &problem.path)
    }

    /// The error frame that the keeper answers with; `details` holds the first path and all problems.
    pub fn to_keeper_error(&self) -> ToAgent {
        ToAgent::Error(KeeperError {
            error: KeeperErrorBody {
                code: self.code.as_str().into(),
                message: words(&self.problems),
                details: Some(self.details()),
            },
            request_id: self.request_id.clone(),
        })
    }

    /// The error frame that an agent answers with; `context` holds the first path and all problems.
    pub fn to_agent_error(&self) -> FromAgent {
        FromAgent::Error(AgentError {
            error: AgentErrorBody {
                code: self.code.as_str().into(),
                message: words(&self.problems),
                stack_trace: None,
                context: Some(self.details()),
                retry_after_ms: None,
            },
            request_id: self.request_id.clone(),
            fatal: None,
            usage: None,
        })
    }

    fn details(&self) -> Value {
        let problems: Vec<_> = self.problems.iter().map(Problem::to_json).collect();
        json!({"path": self.path(), "problems": problems})
    }
}

/// Where a value stands in its message. Text is made of it only when something is wrong there.
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

/// Problems as they are found, no more than are worth reporting.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<Problem>,
}

impl Problems {
    pub(crate) fn push(&mut self, problem: Problem) {
        if !self.is_full() {
            self.found.push(problem);
        }
    }

    pub(crate) fn add(&mut self, path: &Path<'_>, code: ProblemCode, message: impl Into<String>) {
        if !self.is_full() {
            self.found.push(Problem::new(path.to_string(), code, message));
        }
    }

    /// Whether looking on is pointless.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= PROBLEMS_MAX
    }

    pub(crate) fn into_vec(self) -> Vec<Problem> {
        self.found
    }
}
