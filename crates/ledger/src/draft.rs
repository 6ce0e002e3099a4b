//! What callers hand in: a [`Draft`], encoded by the caller's own task into the body of a line.
//!
//! The committer only stamps bodies; so the cost of encoding is never paid between two syncs. A body must never hold a
//! raw newline: the log is split on them.

use std::sync::Arc;

use abide_domain::{EntityName, EpochId, event::Event};

use crate::{
    append::AppendError,
    index::{Terms, term},
    line::{LINE_BYTES_MAX, STAMP_BYTES_MAX},
};

/// An event that is not yet in the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The agent that the event is about; `@keeper` for the keeper itself.
    pub entity: EntityName,
    /// Who caused it.
    pub author: EntityName,
    /// The epoch that it belongs to.
    pub epoch: Option<EpochId>,
    /// What happened.
    pub event: Event,
}

impl Draft {
    /// A draft about the keeper, by the keeper.
    pub fn of_keeper(event: impl Into<Event>) -> Self {
        let (entity, author) = (EntityName::keeper(), EntityName::keeper());
        Self { entity, author, epoch: None, event: event.into() }
    }
}

/// Encoded bodies of drafts, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    pub(crate) text: String,
    pub(crate) items: Vec<Body>,
}

/// One encoded body: `,"entity":…,"data":{…}`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// Where it ends in the text.
    pub(crate) end: usize,
    /// Its index terms.
    pub(crate) terms: Terms,
}

impl Bodies {
    /// Encodes drafts in their order.
    pub(crate) fn encode(drafts: &[Draft]) -> Result<Self, AppendError> {
        let mut bodies = Self::default();
        for draft in drafts {
            bodies.push(draft)?;
        }
        Ok(bodies)
    }

    fn push(&mut self, draft: &Draft) -> Result<(), AppendError> {
        let kind = draft.event.kind();
        let data = draft
            .event
            .encode_data()
            .map_err(|source| AppendError::Encode { kind: kind.name, source: Arc::new(source) })?;
        let epoch = draft.epoch.map(|epoch| epoch.to_string());
        let begin = self.text.len();
        self.text.reserve(data.get().len() + STAMP_BYTES_MAX);
        self.push_names(draft);
        match epoch.as_deref() {
            Some(epoch) => self.text.extend([",\"epoch\":\"", epoch, "\""]),
            None => self.text.push_str(",\"epoch\":null"),
        }
        self.text.extend([",\"kind\":\"", kind.name, "\",\"v\":"]);
        crate::line::push_number(&mut self.text, u64::from(kind.version));
        self.text.push_str(",\"data\":");
        self.push_object(data.get());
        let bytes = self.text.len() - begin;
        if bytes > LINE_BYTES_MAX - STAMP_BYTES_MAX {
            let max = LINE_BYTES_MAX - STAMP_BYTES_MAX;
            return Err(AppendError::LineTooLong { kind: kind.name, bytes, max });
        }
        let terms = [
            Some(term::entity(draft.entity.as_str().as_bytes())),
            Some(term::kind(kind.name.as_bytes())),
            epoch.map(|epoch| term::epoch(epoch.as_bytes())),
        ];
        self.items.push(Body { end: self.text.len(), terms });
        Ok(())
    }

    fn push_names(&mut self, draft: &Draft) {
        let (entity, author) = (draft.entity.as_str(), draft.author.as_str());
        self.text.extend([",\"entity\":\"", entity, "\",\"author\":\"", author, "\""]);
    }

    /// Raw JSON inside an event (arguments as a model wrote them) may hold newlines between its tokens. Inside strings
    /// they are always escaped, so every raw one is white space and a blank stands for it as well.
    fn push_object(&mut self, json: &str) {
        if memchr::memchr2(b'\n', b'\r', json.as_bytes()).is_none() {
            self.text.push_str(json);
        } else {
            self.text.extend(json.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
        }
    }

    /// The bodies as text, with their terms.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Terms)> {
        self.items.iter().scan(0, |from, body| {
            let text = self.text.get(*from..body.end).unwrap_or_default();
            *from = body.end;
            Some((text, body.terms))
        })
    }

    /// Bytes that these bodies will take in the log, at most.
    pub(crate) fn stamped_bytes_max(&self) -> usize {
        self.text.len() + self.items.len() * STAMP_BYTES_MAX
    }

    /// Appends the bodies of another.
    pub(crate) fn append(&mut self, other: &Self) {
        let before = self.text.len();
        self.text.push_str(&other.text);
        self.items.extend(other.items.iter().map(|body| Body { end: body.end + before, ..*body }));
    }

    /// Empties it; its memory is kept unless it is large.
    pub(crate) fn clear(&mut self) {
        const KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;
        self.text.clear();
        self.items.clear();
        self.text.shrink_to(KEPT_BYTES_MAX);
        self.items.shrink_to(KEPT_BYTES_MAX / 256);
    }
}

#[cfg(test)]
mod tests {
    use super::Bodies;

    #[test]
    fn raw_json_with_newlines_between_its_tokens_stays_on_one_line() {
        let mut bodies = Bodies::default();
        bodies.push_object("{\n  \"a\": \"x\\n\u{fc}\",\r\n  \"b\": 1\n}");
        assert_eq!(bodies.text, "{   \"a\": \"x\\n\u{fc}\",    \"b\": 1 }");
    }
}
