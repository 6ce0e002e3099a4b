//! Query 4: how something like it felt. Recorded states, and the states that committed epochs ended in.

use std::{collections::BTreeSet, sync::Arc};

use abide_domain::graph::{EmotionalState, Node, NodeKind};

use super::{
    QueryAnswer, QueryExecution,
    conversations::excerpt,
    exchange_rows, merge_by_strength,
    nodes::{is_same, pick_best},
};
use crate::{
    ExchangeStamps, ItemBody, QueryItem,
    search::{Hit, STRENGTH_MIN},
};

/// How strong a state counts that an epoch ended in: minds name it, they do not measure it.
const FELT_INTENSITY: f64 = 0.5;

impl QueryExecution<'_> {
    pub(super) fn emotions(
        &self,
        context: &str,
        emotion: Option<&str>,
        limit: usize,
    ) -> rusqlite::Result<QueryAnswer> {
        let (found, coverage) = self.matches(NodeKind::Emotion, context, |node| match node {
            Node::Emotion(state) => emotion.is_none_or(|asked| is_same(asked, &state.emotion)),
            _ => false,
        });
        let intensity = |node: &Node| match node {
            Node::Emotion(state) => state.intensity,
            _ => 0.0,
        };
        let recorded = pick_best(found, limit, |a, b| {
            intensity(&b.version.node).total_cmp(&intensity(&a.version.node))
        });
        if self.indexes.felt.is_empty() {
            return Ok(QueryAnswer::of(recorded, coverage));
        }
        let (hits, other_coverage) = self.search_passages(context);
        let felt = self.felt(&hits, emotion, limit)?;
        Ok(QueryAnswer::of(merge_by_strength(recorded, felt, limit), coverage.and(other_coverage)))
    }

    /// One item an epoch, in the order of the passages that fit.
    fn felt(
        &self,
        hits: &[Hit],
        emotion: Option<&str>,
        limit: usize,
    ) -> rusqlite::Result<Vec<QueryItem>> {
        let (mut seen, mut items) = (BTreeSet::new(), Vec::new());
        for hit in hits.iter().filter(|hit| hit.strength >= STRENGTH_MIN) {
            let (seq, part) = exchange_rows::seq_and_part(hit.id);
            if items.len() == limit {
                break;
            }
            let is_told = self.indexes.felt.contains(&seq) && self.told.has_exchange(seq);
            if !is_told || !seen.insert(seq) {
                continue;
            }
            let Some(stamps) = exchange_rows::stamps(self.connection, seq)? else { continue };
            if emotion.is_none_or(|asked| is_same(asked, &stamps.emotive_state)) {
                items.extend(self.item_of_felt(&stamps, part, hit.strength.into())?);
            }
        }
        Ok(items)
    }

    fn item_of_felt(
        &self,
        stamps: &Arc<ExchangeStamps>,
        part: u32,
        strength: f64,
    ) -> rusqlite::Result<Option<QueryItem>> {
        let Some(found) = exchange_rows::passage(self.connection, self.agent, stamps, part)? else {
            return Ok(None);
        };
        let stimulus = exchange_rows::passage(self.connection, self.agent, stamps, 0)?;
        let state = EmotionalState {
            emotion: stamps.emotive_state.clone(),
            intensity: FELT_INTENSITY,
            context: stimulus.map(|passage| excerpt(&passage.text)).unwrap_or_default(),
            counterbalance: String::new(),
            trigger_pattern: String::new(),
        };
        Ok(Some(QueryItem {
            id: format!("emotion:{}", stamps.seq),
            body: ItemBody::EpochEmotion(state),
            valid_from: stamps.replied_at,
            valid_to: None,
            sources: vec![stamps.epoch],
            strength,
            reference: found.reference,
        }))
    }
}
