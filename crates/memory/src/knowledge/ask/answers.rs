//! What answers a question in other words than its own: "where do I live?" by "we have settled in Nantes".
//!
//! Only where the question is about something that people or projects have one of; the rules of `timeline` say what gives its
//! value, and whose it is.

use super::{QueryExecution, SearchRequest, exchange_rows};
use crate::{
    RecalledPassage,
    search::{Hit, STRENGTH_MIN},
    timeline::AttributeQuestion,
};

/// Most of them that are added to what a question finds.
const ANSWERS_MAX: usize = 3;

impl QueryExecution<'_> {
    /// The newest passages that give what is asked for, newest first.
    pub(super) fn answering_passages(&self, text: &str) -> rusqlite::Result<Vec<Hit>> {
        let asker = self.lead.listener.origin().map_or("", |here| here.person());
        let Some(question) = AttributeQuestion::read(text, asker) else {
            return Ok(Vec::new());
        };
        let rewordings = question.rewordings();
        let request = SearchRequest { vector: None, asker: None, ..self.request(&rewordings) };
        let mut answers = Vec::new();
        for hit in self.indexes.nearest_passages(request, &|row| self.told.has_passage(row)) {
            let (seq, part) = exchange_rows::seq_and_part(hit.id);
            let Some(stamps) = exchange_rows::stamps(self.connection, seq)? else { continue };
            let passage = exchange_rows::passage(self.connection, self.agent, &stamps, part)?;
            let gives = |one: &RecalledPassage| {
                !one.by_agent && question.is_given_in(&self.read_passage(one))
            };
            if passage.as_ref().is_some_and(gives) {
                answers.push(Hit { strength: hit.strength.max(STRENGTH_MIN), ..hit });
            }
        }
        answers.sort_by_key(|hit| std::cmp::Reverse(hit.id));
        answers.truncate(ANSWERS_MAX);
        Ok(answers)
    }
}
