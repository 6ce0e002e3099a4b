//! A question about something that a person or a project has one of, and the statements that give it.

use std::collections::BTreeSet;

use abide_domain::{Timestamp, Zone};

use super::{
    claim::{Claim, claims_of},
    lexicon::Attribute,
    read_statement::ReadStatement,
    statement::Statement,
};

/// A question about one or several attributes.
#[derive(Debug)]
pub(crate) struct AttributeQuestion {
    claims: Vec<Claim>,
    asker: String,
}

impl AttributeQuestion {
    /// Reads what somebody asks for; none where it is no attribute.
    pub(crate) fn read(text: &str, asker: &str) -> Option<Self> {
        let mut claims = read(asker, text);
        claims.retain(|claim| !claim.attributes.is_empty());
        (!claims.is_empty()).then(|| Self { claims, asker: asker.to_lowercase() })
    }

    /// All words in which what is asked for can be spoken of, and whose it is.
    pub(crate) fn rewordings(&self) -> String {
        let mut words = BTreeSet::new();
        for claim in &self.claims {
            for attribute in &claim.attributes {
                words.extend(attribute.all_words().map(str::to_owned));
                words.extend(claim.words_beside(attribute));
            }
        }
        Vec::from_iter(words).join(" ")
    }

    /// Whether the words of somebody give what is asked for.
    pub(crate) fn is_given_by(&self, by: &str, text: &str) -> bool {
        self.is_among(by, &read(by, text))
    }

    /// Whether a statement gives what is asked for.
    pub(crate) fn is_given_in(&self, statement: &ReadStatement<'_>) -> bool {
        self.is_among(statement.by(), statement.claims())
    }

    fn is_among(&self, by: &str, said: &[Claim]) -> bool {
        self.claims.iter().any(|asked| said.iter().any(|said| self.is_given(asked, by, said)))
    }

    fn is_given(&self, asked: &Claim, by: &str, said: &Claim) -> bool {
        said.is_asserted()
            && asked.attributes.iter().any(|attribute| {
                said.attributes.iter().any(|one| std::ptr::eq(*one, *attribute))
                    && attribute.kinds.iter().any(|kind| said.has_kind(*kind))
                    && self.is_of(asked, by, said, attribute)
            })
    }

    /// Whether it is that of whom is asked about.
    fn is_of(&self, asked: &Claim, by: &str, said: &Claim, attribute: &Attribute) -> bool {
        let (of_asked, of_said) = (asked.words_beside(attribute), said.words_beside(attribute));
        if !attribute.is_personal {
            return !of_asked.is_disjoint(&of_said);
        }
        let (is_own, by) = (said.is_own || said.is_ours, by.to_lowercase());
        let is_of_asker = (asked.is_own || asked.is_ours) && by == self.asker;
        is_own && asked.others == said.others && (is_of_asker || of_asked.contains(&by))
    }
}

/// What a text says. When it was said makes no difference to whether it gives a value.
fn read(by: &str, text: &str) -> Vec<Claim> {
    let at = Timestamp::from_micros(0);
    claims_of(&Statement { by, at, seq: 0, previous: None, by_agent: false, text }, &Zone::utc())
}
