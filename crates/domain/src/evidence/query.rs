//! Queries for evidence: newest first, all conditions together, ephemeral entries only on request.

use super::{ClaimType, EvidenceEntry, EvidenceError, EvidenceType};
use crate::{EntityName, Timestamp, envelope::Violation};

/// Entries of an answer where the question does not say.
pub const EVIDENCE_LIMIT_DEFAULT: usize = 50;
/// Most entries of an answer.
pub const EVIDENCE_LIMIT_MAX: usize = 500;

/// The names that [`EvidenceQuery::from_params`] knows.
const NAMES: [&str; 11] = [
    "author",
    "subject_type",
    "subject_id",
    "type",
    "claim_type",
    "tag",
    "session_id",
    "since",
    "until",
    "limit",
    "ephemeral",
];

/// A question about evidence. The default asks for the newest 50 of everything that is not ephemeral.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceQuery {
    /// Only entries of this author.
    pub author: Option<EntityName>,
    /// Only entries about this type of subject.
    pub subject_type: Option<String>,
    /// Only entries about the subject of this id.
    pub subject_id: Option<String>,
    /// Only entries of this type.
    pub kind: Option<EvidenceType>,
    /// Only entries with this type of claim.
    pub claim_type: Option<ClaimType>,
    /// Only entries with all of these tags.
    pub tags: Vec<String>,
    /// Only entries of this session.
    pub session_id: Option<String>,
    /// Only entries at or after this time.
    pub since: Option<Timestamp>,
    /// Only entries before this time.
    pub until: Option<Timestamp>,
    /// The largest number of entries, newest first.
    pub limit: usize,
    /// Whether ephemeral entries are included.
    pub with_ephemeral: bool,
}

impl Default for EvidenceQuery {
    fn default() -> Self {
        Self {
            author: None,
            subject_type: None,
            subject_id: None,
            kind: None,
            claim_type: None,
            tags: Vec::new(),
            session_id: None,
            since: None,
            until: None,
            limit: EVIDENCE_LIMIT_DEFAULT,
            with_ephemeral: false,
        }
    }
}

impl EvidenceQuery {
    /// Reads a question from names and values, as a URL or a command line gives them. `tag` may come more than once, and
    /// with commas; `subject` is `<type>:<id>` or a bare id. All problems are in the error.
    pub fn from_params<'a>(
        params: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, EvidenceError> {
        let mut query = Self::default();
        let mut violations = Vec::new();
        for (name, value) in params {
            if let Err((code, message)) = query.set(&name.replace('-', "_"), value) {
                violations.push(Violation { path: name.chars().take(64).collect(), code, message });
            }
        }
        if violations.is_empty() { Ok(query) } else { Err(EvidenceError { violations }) }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), (&'static str, String)> {
        let text = || Some(value.to_owned());
        match name {
            "author" => self.author = Some(author(value)?),
            "subject" => match value.split_once(':') {
                Some((kind, id)) => {
                    self.subject_type = Some(kind.into());
                    self.subject_id = Some(id.into());
                }
                None => self.subject_id = text(),
            },
            "subject_type" => self.subject_type = text(),
            "subject_id" => self.subject_id = text(),
            "type" => self.kind = Some(known(EvidenceType::from_name(value), EvidenceType::ALL)?),
            "claim_type" => {
                self.claim_type = Some(known(ClaimType::from_name(value), ClaimType::ALL)?);
            }
            "tag" | "tags" => {
                let tags = value.split(',').map(|tag| tag.trim_start_matches(':').to_owned());
                self.tags.extend(tags.filter(|tag| !tag.is_empty()));
            }
            "session_id" | "session" => self.session_id = text(),
            "since" => self.since = Some(time(value)?),
            "until" => self.until = Some(time(value)?),
            "limit" => {
                let limit = value.parse().ok().filter(|n| (1..=EVIDENCE_LIMIT_MAX).contains(n));
                let message = || format!("must be a number from 1 to {EVIDENCE_LIMIT_MAX}");
                self.limit = limit.ok_or_else(|| ("value", message()))?;
            }
            "ephemeral" => {
                self.with_ephemeral = match value {
                    "1" | "true" | "" => true,
                    "0" | "false" => false,
                    _ => return Err(("value", "must be 1 or 0".into())),
                };
            }
            _ => {
                let message =
                    format!("is an unknown parameter; the parameters are {}", NAMES.join(", "));
                return Err(("unknown_field", message));
            }
        }
        Ok(())
    }

    /// Whether an entry is asked for; the limit is the caller's to keep.
    pub fn matches(&self, entry: &EvidenceEntry) -> bool {
        let is = |wanted: Option<&String>, found: &str| wanted.is_none_or(|text| text == found);
        (self.with_ephemeral || !entry.ephemeral)
            && self.author.as_ref().is_none_or(|author| *author == entry.author)
            && is(self.subject_type.as_ref(), &entry.subject.ref_type)
            && is(self.subject_id.as_ref(), &entry.subject.ref_id)
            && self.kind.is_none_or(|kind| kind == entry.kind)
            && self.claim_type.is_none_or(|claim| claim == entry.claim_type)
            && self.tags.iter().all(|tag| entry.tags.contains(tag))
            && self.session_id.as_ref().is_none_or(|id| entry.session_id.as_ref() == Some(id))
            && self.since.is_none_or(|since| entry.at >= since)
            && self.until.is_none_or(|until| entry.at < until)
    }
}

fn author(value: &str) -> Result<EntityName, (&'static str, String)> {
    let name = value.strip_prefix('@').unwrap_or(value);
    EntityName::sender(name).map_err(|error| ("format", error.to_string()))
}

fn time(value: &str) -> Result<Timestamp, (&'static str, String)> {
    value.parse().map_err(|error: crate::TimestampError| ("format", error.to_string()))
}

fn known<T: Copy + std::fmt::Display>(
    found: Option<T>,
    all: &[T],
) -> Result<T, (&'static str, String)> {
    let names = || all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| ("value", format!("must be one of {}", names())))
}
