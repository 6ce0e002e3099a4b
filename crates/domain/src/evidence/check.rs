//! Checks an explicit entry: every rule is applied, and all violations are reported at once, each with its path.
//!
//! Fields are read by the specification's names (`claim-type`, `ref/type`, `conjecture?`) and by ours (`claim_type`,
//! `ref_type`, `conjecture`); a field given in both ways, or an unknown one, is refused.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    ClaimType, EVIDENCE_BODY_BYTES_MAX, EvidenceEntry, EvidenceId, EvidenceType,
    REFERENCE_CHARS_MAX, SUBJECT_TYPE_BYTES_MAX, Subject, TAG_CHARS_MAX, TAGS_MAX,
    is_reserved_name,
};
use crate::{
    EntityName, Timestamp,
    envelope::{Violation, format_violations},
    event::EvidenceRecorded,
    limits::{CLOCK_SKEW_MAX, VIOLATIONS_MAX},
    text::excerpt,
};

/// The fields of an entry, by our names.
const FIELDS: [&str; 14] = [
    "id",
    "subject",
    "type",
    "claim_type",
    "author",
    "at",
    "body",
    "tags",
    "pattern_id",
    "session_id",
    "in_reply_to",
    "fork_of",
    "conjecture",
    "ephemeral",
];
/// The fields of a subject, by our names.
const SUBJECT_FIELDS: [&str; 2] = ["ref_type", "ref_id"];

/// All the rules that an entry breaks; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Invalid evidence entry: {}", format_violations(.violations))]
pub struct EvidenceError {
    /// In the order of the entry's fields.
    pub violations: Vec<Violation>,
}

/// What an entry is checked against.
#[derive(Clone, Copy)]
pub struct EvidenceRules<'a> {
    /// The present time.
    pub now: Timestamp,
    /// Whose it is where it does not say.
    pub author: Option<&'a EntityName>,
    /// Says whether an entry of that id is there, explicit or read out of a line.
    pub exists: &'a dyn Fn(&EvidenceId) -> bool,
}

impl std::fmt::Debug for EvidenceRules<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EvidenceRules").field("now", &self.now).finish_non_exhaustive()
    }
}

/// A checked entry from outside; it gets its time, and its id where it has none, when it is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceDraft {
    /// Its id, if the caller chose one.
    pub id: Option<EvidenceId>,
    /// Whose it is.
    pub author: EntityName,
    recorded: EvidenceRecorded,
}

impl EvidenceDraft {
    /// Reads and checks an entry. Every violation is in the error.
    pub fn from_json(value: &Value, rules: EvidenceRules<'_>) -> Result<Self, EvidenceError> {
        let mut reader = Reader { violations: Vec::new() };
        match reader.entry(value, rules) {
            Some(draft) if reader.violations.is_empty() => Ok(draft),
            _ => Err(EvidenceError { violations: reader.violations }),
        }
    }

    /// The event that records it; `id` is used where the caller chose none.
    pub fn into_event(mut self, id: EvidenceId) -> EvidenceRecorded {
        self.recorded.evidence_id = self.id.take().unwrap_or(id);
        self.recorded
    }
}

impl EvidenceRecorded {
    /// The entry as peers see it; `author` and `at` are the line's.
    pub fn entry(&self, author: &EntityName, at: Timestamp) -> EvidenceEntry {
        EvidenceEntry {
            id: self.evidence_id.clone(),
            subject: self.subject.clone(),
            kind: self.kind,
            claim_type: self.claim_type,
            author: author.clone(),
            at: self.at.unwrap_or(at),
            body: self.body.clone(),
            tags: self.tags.clone(),
            pattern_id: self.pattern_id.clone(),
            session_id: self.session_id.clone(),
            in_reply_to: self.in_reply_to.clone(),
            fork_of: self.fork_of.clone(),
            conjecture: self.conjecture,
            ephemeral: self.ephemeral,
        }
    }
}

/// The fields of an object, by our names. `null` counts as absent.
type Fields<'v> = BTreeMap<String, &'v Value>;

/// Collects violations while reading.
struct Reader {
    violations: Vec<Violation>,
}

impl Reader {
    fn reject(&mut self, path: &str, code: &'static str, message: impl Into<String>) {
        if self.violations.len() < VIOLATIONS_MAX {
            self.violations.push(Violation { path: path.into(), code, message: message.into() });
        }
    }

    fn entry(&mut self, value: &Value, rules: EvidenceRules<'_>) -> Option<EvidenceDraft> {
        let Some(root) = value.as_object() else {
            self.reject("(entry)", "type", "must be a JSON object");
            return None;
        };
        let fields = self.fields(root, "", &FIELDS);
        let id = self.id(&fields, rules);
        let subject = self.subject(&fields);
        let kind = self.name(&fields, "type", EvidenceType::from_name, EvidenceType::ALL);
        let claim_type = self.name(&fields, "claim_type", ClaimType::from_name, ClaimType::ALL);
        let author = self.author(&fields, rules);
        let at = self.at(&fields, rules.now);
        let body = self.body(&fields);
        let tags = self.tags(&fields);
        let pattern_id = self.reference(&fields, "pattern_id");
        let session_id = self.reference(&fields, "session_id");
        let in_reply_to = self.link(&fields, "in_reply_to", rules);
        let fork_of = self.link(&fields, "fork_of", rules);
        let conjecture = self.flag(&fields, "conjecture");
        let ephemeral = self.flag(&fields, "ephemeral");
        let recorded = EvidenceRecorded {
            evidence_id: id.clone().unwrap_or_else(|| EvidenceId::of_line(0)),
            subject: subject?,
            kind: kind?,
            claim_type: claim_type?,
            at,
            body: body?,
            tags,
            pattern_id,
            session_id,
            in_reply_to,
            fork_of,
            conjecture,
            ephemeral,
        };
        Some(EvidenceDraft { id, author: author?, recorded })
    }

    fn fields<'v>(
        &mut self,
        object: &'v Map<String, Value>,
        prefix: &str,
        known: &[&str],
    ) -> Fields<'v> {
        let mut fields = Fields::new();
        for (key, value) in object {
            let name = our_name(key);
            let path = format!("{prefix}{}", excerpt(key));
            if !known.contains(&name.as_str()) {
                let message = format!("is an unknown field; the fields are {}", known.join(", "));
                self.reject(&path, "unknown_field", message);
            } else if !value.is_null() && fields.insert(name, value).is_some() {
                self.reject(&path, "value", "is given twice, under two names");
            }
        }
        fields
    }

    fn id(&mut self, fields: &Fields<'_>, rules: EvidenceRules<'_>) -> Option<EvidenceId> {
        let id: EvidenceId = match self.text(fields, "id")?.parse() {
            Ok(id) => id,
            Err(error) => {
                self.reject("id", "format", format!("{error}"));
                return None;
            }
        };
        if id.is_reserved() {
            self.reject("id", "value", "ids that begin with `seq-` name lines of the ledger");
        } else if (rules.exists)(&id) {
            self.reject("id", "duplicate", format!("there is already an entry `{id}`"));
        }
        Some(id)
    }

    fn subject(&mut self, fields: &Fields<'_>) -> Option<Subject> {
        let object = match fields.get("subject") {
            Some(Value::Object(object)) => object,
            Some(_) => {
                self.reject("subject", "type", "must be an object");
                return None;
            }
            None => {
                self.reject("subject", "required", "is missing");
                return None;
            }
        };
        let fields = self.fields(object, "subject.", &SUBJECT_FIELDS);
        let ref_type = self.required(&fields, "ref_type", "subject.ref_type");
        let ref_type = ref_type.map(|text| text.trim_start_matches(':').to_owned());
        let fits = |b: u8| b.is_ascii_alphanumeric() || b"._/-".contains(&b);
        let ref_type = ref_type.filter(|text| {
            let is_sound =
                (1..=SUBJECT_TYPE_BYTES_MAX).contains(&text.len()) && text.bytes().all(fits);
            if !is_sound {
                let message = "must be 1 to 64 characters of letters, digits, `.`, `_`, `/` or `-`";
                self.reject("subject.ref_type", "format", message);
            }
            is_sound
        });
        let ref_id = self.required(&fields, "ref_id", "subject.ref_id");
        let ref_id = ref_id.filter(|text| self.bounded(text, "subject.ref_id"));
        Some(Subject { ref_type: ref_type?, ref_id: ref_id? })
    }

    fn name<T: Copy + std::fmt::Display>(
        &mut self,
        fields: &Fields<'_>,
        key: &str,
        from_name: impl Fn(&str) -> Option<T>,
        all: &[T],
    ) -> Option<T> {
        let text = self.required(fields, key, key)?;
        let name = from_name(text.trim_start_matches(':'));
        if name.is_none() {
            let names: Vec<_> = all.iter().map(ToString::to_string).collect();
            self.reject(
                key,
                "value",
                format!("`{}` is not one of {}", excerpt(&text), names.join(", ")),
            );
        }
        name
    }

    fn author(&mut self, fields: &Fields<'_>, rules: EvidenceRules<'_>) -> Option<EntityName> {
        let Some(text) = self.text(fields, "author") else {
            if rules.author.is_none() && !fields.contains_key("author") {
                self.reject("author", "required", "is missing");
            }
            return rules.author.cloned();
        };
        let author = match EntityName::sender(text.strip_prefix('@').unwrap_or(&text)) {
            Ok(author) => author,
            Err(error) => {
                self.reject("author", "format", error.to_string());
                return None;
            }
        };
        if is_reserved_name(author.bare()) {
            self.reject(
                "author",
                "value",
                format!("`{}` is a reserved name; give your own", author.bare()),
            );
        }
        Some(author)
    }

    fn at(&mut self, fields: &Fields<'_>, now: Timestamp) -> Option<Timestamp> {
        match self.text(fields, "at")?.parse::<Timestamp>() {
            Ok(at) if at > now.plus(CLOCK_SKEW_MAX) => {
                let seconds = CLOCK_SKEW_MAX.as_secs();
                self.reject("at", "future", format!("is more than {seconds} s in the future"));
                None
            }
            Ok(at) => Some(at),
            Err(error) => {
                self.reject("at", "format", error.to_string());
                None
            }
        }
    }

    fn body(&mut self, fields: &Fields<'_>) -> Option<Value> {
        let Some(body) = fields.get("body") else {
            self.reject("body", "required", "is missing");
            return None;
        };
        let bytes = body.to_string().len();
        if bytes > EVIDENCE_BODY_BYTES_MAX {
            let message = format!("takes {bytes} bytes as JSON; at most {EVIDENCE_BODY_BYTES_MAX}");
            self.reject("body", "too_long", message);
            return None;
        }
        Some((*body).clone())
    }

    fn tags(&mut self, fields: &Fields<'_>) -> Vec<String> {
        let items = match fields.get("tags") {
            None => return Vec::new(),
            Some(Value::Array(items)) => items,
            Some(_) => {
                self.reject("tags", "type", "must be a list of strings");
                return Vec::new();
            }
        };
        if items.len() > TAGS_MAX {
            self.reject(
                "tags",
                "too_long",
                format!("has {} tags; at most {TAGS_MAX}", items.len()),
            );
            return Vec::new();
        }
        let mut tags: Vec<String> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let tag = item.as_str().map(|tag| tag.trim_start_matches(':'));
            let is_sound = |tag: &str| {
                (1..=TAG_CHARS_MAX).contains(&tag.chars().count())
                    && !tag.chars().any(|c| c.is_whitespace() || c.is_control() || c == ',')
            };
            match tag.filter(|tag| is_sound(tag)) {
                Some(tag) if !tags.iter().any(|known| known == tag) => tags.push(tag.to_owned()),
                Some(_) => {}
                None => {
                    let message =
                        "must be a word of at most 64 characters, without spaces or commas";
                    self.reject(&format!("tags[{index}]"), "format", message);
                }
            }
        }
        tags
    }

    fn reference(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        let text = self.text(fields, key)?;
        self.bounded(&text, key).then_some(text)
    }

    fn link(
        &mut self,
        fields: &Fields<'_>,
        key: &str,
        rules: EvidenceRules<'_>,
    ) -> Option<EvidenceId> {
        let text = self.text(fields, key)?;
        let id: Option<EvidenceId> = text.parse().ok();
        let id = id.filter(|id| (rules.exists)(id));
        if id.is_none() {
            self.reject(key, "unknown", format!("there is no entry `{}`", excerpt(&text)));
        }
        id
    }

    fn flag(&mut self, fields: &Fields<'_>, key: &str) -> bool {
        match fields.get(key) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                self.reject(key, "type", "must be true or false");
                false
            }
        }
    }

    fn required(&mut self, fields: &Fields<'_>, key: &str, path: &str) -> Option<String> {
        match fields.get(key) {
            Some(Value::String(text)) => return Some(text.clone()),
            Some(_) => self.reject(path, "type", "must be a string"),
            None => self.reject(path, "required", "is missing"),
        }
        None
    }

    fn text(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        if fields.contains_key(key) { self.required(fields, key, key) } else { None }
    }

    fn bounded(&mut self, text: &str, path: &str) -> bool {
        let chars = text.chars().count();
        if text.trim().is_empty() {
            self.reject(path, "empty", "must not be empty or blank");
        } else if chars > REFERENCE_CHARS_MAX {
            let message = format!("has {chars} characters; at most {REFERENCE_CHARS_MAX}");
            self.reject(path, "too_long", message);
        } else {
            return true;
        }
        false
    }
}

/// A field's name as we write it: `claim-type` is `claim_type`, `ref/id` is `ref_id`, `conjecture?` is `conjecture`.
fn our_name(key: &str) -> String {
    let key = key.strip_prefix("evidence/").unwrap_or(key);
    key.trim_start_matches(':').trim_end_matches('?').replace(['-', '/'], "_")
}
