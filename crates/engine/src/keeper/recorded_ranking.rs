//! A question of the record as a rule of an agent's own would have had to rank it: what could be found then, and what the reply
//! rests on.
//!
//! It must never show what was said later, nor what whoever asked might not be told.

use std::sync::Arc;

use abide_domain::{AgentId, EpochId, Timestamp};
use abide_memory::{Lead, Listener, Origin, RankablePassage, reply_sources};

use super::{Keeper, OrderError};
use crate::{agent_setup::AgentSetup, memory_access::MemoryAccess, state::EpochEnd};

/// A question of the record, to be ranked again.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRanking {
    /// The epoch whose stimulus asked.
    pub epoch: EpochId,
    /// The question.
    pub question: String,
    /// Who asked.
    pub asker: String,
    /// When, in conversational time.
    pub now: Timestamp,
    /// What could be found then, in the order in which it is found.
    pub passages: Vec<RankablePassage>,
    /// The rows of those that the reply rests on, by its words; none where they do not tell.
    pub needed: Vec<u64>,
}

impl Keeper {
    /// The newest epochs of an agent that ended with a reply, up to a place in the ledger, newest first.
    pub fn committed_epochs(&self, agent: &AgentId, up_to: u64, count: usize) -> Vec<EpochId> {
        let state = self.state();
        let is_meant = |id: &EpochId| {
            state.epochs.get(id).is_some_and(|span| {
                span.agent == *agent
                    && span.last_seq <= up_to
                    && span.end == Some(EpochEnd::Committed)
            })
        };
        state.epochs.ids().rev().filter(is_meant).take(count).collect()
    }

    /// The question of an epoch that ended with a reply; none where there is no such epoch, or where it found nothing that could be
    /// ranked.
    pub async fn recorded_ranking(
        &self,
        epoch: EpochId,
    ) -> Result<Option<RecordedRanking>, OrderError> {
        let record = self.epoch(epoch).await;
        let record = record.map_err(|error| OrderError::Unreadable(error.to_string()))?;
        let Some(record) = record else { return Ok(None) };
        let before = self.state().epochs.get(&epoch).map(|span| span.first_seq);
        let agent = self.agent_or_error(&record.agent)?;
        let reply = record.reply().map(str::to_owned);
        let (Some(before), Some(reply)) = (before, reply) else { return Ok(None) };
        let memory = MemoryAccess::new(agent.facts.clone(), agent.dreamer.embedder.clone());
        let embedded = memory.embed(&record.stimulus.content).await;
        let sharing = self.services().settings.sharing;
        let work = move || -> Result<Option<RecordedRanking>, OrderError> {
            let stimulus = &record.stimulus;
            let lead = Lead {
                now: stimulus.sent_at,
                said: &stimulus.content,
                asker: Some(&stimulus.sender),
                listener: Listener::of(
                    sharing,
                    Origin {
                        channel: stimulus.channel,
                        session: &stimulus.session_id,
                        sender: &stimulus.sender,
                    },
                ),
                meaning: embedded.as_ref().map(|embedded| embedded.meaning()),
                order: None,
            };
            rank_again(&agent, (epoch, &lead, &reply), before)
        };
        let worked = tokio::task::spawn_blocking(work).await;
        worked.unwrap_or_else(|_| Err(OrderError::Unreadable("the search ended".into())))
    }
}

fn rank_again(
    agent: &Arc<AgentSetup>,
    (epoch, lead, reply): (EpochId, &Lead<'_>, &str),
    before: u64,
) -> Result<Option<RecordedRanking>, OrderError> {
    let passages = agent.facts.rankable_passages(lead.said, lead, Some(before));
    let passages = passages.map_err(|error| OrderError::Unreadable(error.with_cause()))?;
    if passages.is_empty() {
        return Ok(None);
    }
    let texts: Vec<&str> = passages.iter().map(|found| found.passage.text.as_str()).collect();
    let sources = reply_sources(lead.said, reply, &texts);
    let needed = sources.into_iter().filter_map(|place| passages.get(place)).map(|found| found.row);
    Ok(Some(RecordedRanking {
        epoch,
        question: lead.said.to_owned(),
        asker: lead.asker.unwrap_or_default().to_owned(),
        now: lead.now,
        needed: needed.collect(),
        passages,
    }))
}
