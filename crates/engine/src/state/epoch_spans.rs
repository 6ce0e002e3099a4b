//! Where each epoch that was ever accepted stands in the ledger: one row an epoch, for as long as the ledger lives, so a row is small
//! and a snapshot holds rows as columns.

use std::collections::HashMap;

use abide_domain::{AgentId, EpochId};
use serde::{Deserialize, Serialize, Serializer};
use uuid::Uuid;

use super::EpochEnd;

/// Where an epoch stands in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochSpan {
    /// The agent it belongs to.
    pub agent: AgentId,
    /// The sequence of its `stimulus.accepted`.
    pub first_seq: u64,
    /// The sequence of its last event so far.
    pub last_seq: u64,
    /// How it ended, if it has.
    pub end: Option<EpochEnd>,
}

/// All epochs, in the order of their acceptance.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "SpanColumns")]
pub struct EpochSpans {
    rows: Vec<SpanRow>,
    by_id: HashMap<EpochId, usize>,
    /// Agents, each once; rows have their places.
    agents: Vec<AgentId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SpanRow {
    id: EpochId,
    first_seq: u64,
    last_seq: u64,
    agent: u32,
    end: Option<EpochEnd>,
}

impl EpochSpans {
    /// Where an epoch stands.
    pub fn get(&self, epoch: &EpochId) -> Option<EpochSpan> {
        self.span(self.rows.get(*self.by_id.get(epoch)?)?)
    }

    /// All of them, in the order of their acceptance.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (EpochId, EpochSpan)> {
        self.rows.iter().filter_map(|row| Some((row.id, self.span(row)?)))
    }

    fn span(&self, row: &SpanRow) -> Option<EpochSpan> {
        let agent = self.agents.get(row.agent as usize)?.clone();
        let SpanRow { first_seq, last_seq, end, .. } = *row;
        Some(EpochSpan { agent, first_seq, last_seq, end })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Their ids, in the order of their acceptance.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = EpochId> + ExactSizeIterator {
        self.rows.iter().map(|row| row.id)
    }

    /// Adds one that was accepted with the event of a sequence.
    pub(super) fn accept(&mut self, id: EpochId, agent: &AgentId, seq: u64) {
        let agent = self.place_of(agent);
        let row = SpanRow { id, first_seq: seq, last_seq: seq, agent, end: None };
        self.push(row);
    }

    /// Notes an event of an epoch.
    pub(super) fn extend(&mut self, epoch: &EpochId, seq: u64) {
        if let Some(row) = self.row_mut(epoch) {
            row.last_seq = seq;
        }
    }

    /// Notes how an epoch ended.
    pub(super) fn end(&mut self, epoch: &EpochId, end: EpochEnd) {
        if let Some(row) = self.row_mut(epoch) {
            row.end = Some(end);
        }
    }

    fn row_mut(&mut self, epoch: &EpochId) -> Option<&mut SpanRow> {
        self.rows.get_mut(*self.by_id.get(epoch)?)
    }

    fn push(&mut self, row: SpanRow) {
        self.by_id.insert(row.id, self.rows.len());
        self.rows.push(row);
    }

    /// The place of an agent. The newest rows are mostly of the agents of the rows before them, and homes have few agents.
    fn place_of(&mut self, agent: &AgentId) -> u32 {
        let known = self.agents.iter().position(|known| known == agent);
        let place = known.unwrap_or_else(|| {
            self.agents.push(agent.clone());
            self.agents.len() - 1
        });
        u32::try_from(place).unwrap_or(u32::MAX)
    }
}

/// The rows of a snapshot, a column each. Sequences are written as their distance from the row before, which packs well.
#[derive(Serialize, Deserialize)]
struct SpanColumns {
    agents: Vec<AgentId>,
    ids: Vec<(u64, u64)>,
    first_steps: Vec<u64>,
    lengths: Vec<u64>,
    agent: Vec<u32>,
    ends: Vec<Option<EpochEnd>>,
}

/// The columns of a snapshot do not fit one another.
#[derive(Debug, thiserror::Error)]
#[error("the columns of the epochs have different lengths, or name an agent that is not there")]
struct SpanColumnsError;

impl Serialize for EpochSpans {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = &self.rows;
        let mut before = 0;
        let first_steps = rows.iter().map(|row| {
            let step = row.first_seq.wrapping_sub(before);
            before = row.first_seq;
            step
        });
        let columns = SpanColumns {
            agents: self.agents.clone(),
            first_steps: first_steps.collect(),
            ids: rows.iter().map(|row| row.id.uuid().as_u64_pair()).collect(),
            lengths: rows.iter().map(|row| row.last_seq.wrapping_sub(row.first_seq)).collect(),
            agent: rows.iter().map(|row| row.agent).collect(),
            ends: rows.iter().map(|row| row.end).collect(),
        };
        columns.serialize(serializer)
    }
}

impl TryFrom<SpanColumns> for EpochSpans {
    type Error = SpanColumnsError;

    fn try_from(columns: SpanColumns) -> Result<Self, SpanColumnsError> {
        let SpanColumns { agents, ids, first_steps, lengths, agent, ends } = columns;
        let rows = ids.len();
        let fits = [first_steps.len(), lengths.len(), agent.len(), ends.len()] == [rows; 4]
            && agent.iter().all(|place| agents.get(*place as usize).is_some());
        if !fits {
            return Err(SpanColumnsError);
        }
        let mut spans =
            Self { rows: Vec::with_capacity(rows), by_id: HashMap::with_capacity(rows), agents };
        let columns = ids.into_iter().zip(first_steps).zip(lengths).zip(agent).zip(ends);
        let mut first_seq = 0_u64;
        for (((((high, low), step), length), agent), end) in columns {
            first_seq = first_seq.wrapping_add(step);
            let id = EpochId::from_uuid(Uuid::from_u64_pair(high, low));
            let last_seq = first_seq.wrapping_add(length);
            spans.push(SpanRow { id, first_seq, last_seq, agent, end });
        }
        Ok(spans)
    }
}
