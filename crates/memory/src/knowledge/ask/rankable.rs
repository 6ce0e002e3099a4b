//! What an agent's own rule ranks: the best passages that a question finds, with what they were ranked by; and its order, applied.
//!
//! The rule itself is not known here. It gets no passage that its listener may not be told.

use std::collections::HashMap;

use super::{QueryExecution, SearchRequest, exchange_rows};
use crate::{RankablePassage, RecalledPassage, search::Hit};

/// Passages that a rule ranks at most: the best, as they were found.
const RANKED_MAX: usize = 100;

impl QueryExecution<'_> {
    pub(in super::super) fn rankable(
        &self,
        question: &str,
        before: Option<u64>,
    ) -> rusqlite::Result<Vec<RankablePassage>> {
        let request = SearchRequest {
            before: before.map(exchange_rows::first_row),
            ..self.request(question)
        };
        let is_known = |row: u64| {
            let (seq, _) = exchange_rows::seq_and_part(row);
            self.told.has_passage(row) && before.is_none_or(|before| seq < before)
        };
        let (mut hits, _) = self.indexes.search_passages(request, &is_known);
        self.keep_fitting(&mut hits);
        hits.truncate(RANKED_MAX);
        let features = self.indexes.passage_features(request, &hits);
        let mut passages = Vec::with_capacity(hits.len());
        for (hit, features) in hits.into_iter().zip(features) {
            let (seq, part) = exchange_rows::seq_and_part(hit.id);
            let Some(stamps) = exchange_rows::stamps(self.connection, seq)? else { continue };
            let found = exchange_rows::passage(self.connection, self.agent, &stamps, part)?;
            passages.extend(found.map(|passage| RankablePassage {
                row: hit.id,
                passage: RecalledPassage { strength: hit.strength.into(), ..passage },
                features,
            }));
        }
        Ok(passages)
    }

    /// Puts what a question found into the order that the agent's own rule wants, where it wants one.
    pub(super) fn apply_own_order(&self, hits: &mut [Hit], question: &str) {
        if let Some(order) = self.lead.order.filter(|order| order.question == question) {
            reorder(hits, &order.rows);
        }
    }
}

/// Puts hits into the order of the rows; what it does not name stays behind, in its order.
fn reorder(hits: &mut [Hit], rows: &[u64]) {
    let places: HashMap<u64, usize> = rows.iter().copied().zip(0..).collect();
    hits.sort_by_key(|hit| places.get(&hit.id).copied().unwrap_or(usize::MAX));
}

#[cfg(test)]
mod tests {
    use super::reorder;
    use crate::search::Hit;

    fn hits(ids: &[u64]) -> Vec<Hit> {
        let hit =
            |id: &u64| Hit { id: *id, score: 1.0, strength: 1.0, lexical: true, dense: false };
        ids.iter().map(hit).collect()
    }

    #[test]
    fn what_an_order_names_comes_first_and_the_rest_stays_as_it_was() {
        let mut found = hits(&[5, 3, 9, 1]);
        reorder(&mut found, &[9, 77, 5]);
        assert_eq!(found.iter().map(|hit| hit.id).collect::<Vec<_>>(), [9, 5, 3, 1]);
    }
}
