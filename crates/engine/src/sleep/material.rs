//! What a run reads: the exchanges of its epochs from the ledger, in parts that a model can take.
//!
//! What could not be read is never taken for nothing: then every step of the run fails with the reason.

use std::{collections::HashSet, sync::Arc};

use abide_domain::{AgentId, EpochId};
use abide_memory::{Distiller, EXCHANGE_OVERHEAD_TOKENS, Passage, estimate_tokens};

use crate::{
    agent_setup::AgentSetup,
    ledger_reads::read_epoch,
    services::Services,
    state::{EpochRecord, SleepRun},
};

/// Tokens of exchanges that one asking is given.
pub(super) const PART_TOKENS_MAX: u64 = 8_000;
/// Shortest piece of an exchange that a digest of many shows, in characters.
const PIECE_CHARS_MIN: usize = 40;
/// Characters that a token stands for, as [`estimate_tokens`] counts.
const TOKEN_CHARS: usize = 4;

/// The exchanges of a run that people took part in.
#[derive(Debug)]
pub(super) struct Exchanges {
    /// Epochs of the run that were taken back before it was read.
    bound: HashSet<EpochId>,
    parts: Result<Vec<Arc<[Passage]>>, String>,
}

/// Which epochs of a run were taken back: nothing of them is read, learnt or dreamt of again.
pub(super) fn bound(agent: &AgentSetup, run: &SleepRun) -> Result<HashSet<EpochId>, String> {
    let bound = agent.facts.bound_among(&run.started.epochs);
    bound.map_err(|error| format!("what was taken back could not be read: {error}"))
}

/// Reads the exchanges of a run that were not taken back, oldest first. The text says which could not be read.
pub(super) async fn read(
    services: &Services,
    agent: &AgentSetup,
    run: &SleepRun,
) -> Result<(Vec<Passage>, HashSet<EpochId>), String> {
    let mut passages = Vec::with_capacity(run.started.epochs.len());
    let bound = bound(agent, run)?;
    for epoch in run.started.epochs.iter().filter(|epoch| !bound.contains(epoch)) {
        let span = services.view.read().epochs.get(epoch);
        let span = span.filter(|span| span.agent == agent.id);
        let span = span.ok_or_else(|| format!("epoch {epoch} is not an epoch of this agent"))?;
        let record = read_epoch(&services.ledger, *epoch, &span);
        let record = record.map_err(|error| format!("epoch {epoch} could not be read: {error}"))?;
        let record = record.ok_or_else(|| format!("epoch {epoch} is not in the ledger"))?;
        passages.extend(passage(services, agent, &record));
        // A long run must not hold up the lanes of other agents.
        tokio::task::yield_now().await;
    }
    Ok((passages, bound))
}

/// The exchange of a committed epoch.
fn passage(services: &Services, agent: &AgentSetup, record: &EpochRecord) -> Option<Passage> {
    let stimulus = &record.stimulus;
    let from_agent =
        stimulus.sender.parse::<AgentId>().is_ok_and(|sender| services.has_agent(&sender));
    let untrusted = record.holds_untrusted() || agent.mind.works_elsewhere();
    Some(Passage {
        epoch: record.id,
        session: stimulus.session_id.as_str().into(),
        sender: stimulus.sender.clone(),
        channel: stimulus.channel,
        sent_at: stimulus.sent_at,
        stimulus: stimulus.content.clone(),
        reply: record.reply()?.into(),
        untrusted,
        from_agent,
    })
}

impl Exchanges {
    /// Keeps what people took part in, cut into parts for a model; rules take all at once.
    pub(super) fn new(
        read: Result<(Vec<Passage>, HashSet<EpochId>), String>,
        distiller: &dyn Distiller,
    ) -> Self {
        let (passages, bound) = match read {
            Ok((passages, bound)) => (Ok(passages), bound),
            Err(reason) => (Err(reason), HashSet::new()),
        };
        let people =
            passages.map(|all| all.into_iter().filter(Passage::is_of_person).collect::<Vec<_>>());
        let parts = people.map(
            |people| {
                if distiller.is_paid() { cut(people) } else { vec![people.into()] }
            },
        );
        Self { bound, parts }
    }

    /// Epochs of the run that were taken back before it was read.
    pub(super) fn bound(&self) -> &HashSet<EpochId> {
        &self.bound
    }

    /// How many parts there are; at least one.
    pub(super) fn parts(&self) -> u32 {
        let count = self.parts.as_ref().map_or(1, Vec::len).max(1);
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// A part, from 1; the text says why nothing could be read.
    pub(super) fn part(&self, part: u32) -> Result<Arc<[Passage]>, String> {
        let parts = self.parts.as_ref().map_err(Clone::clone)?;
        let index = usize::try_from(part.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok(parts.get(index).cloned().unwrap_or_default())
    }

    /// All of it in one part's length: each exchange shortened alike.
    pub(super) fn digest(&self) -> Result<Arc<[Passage]>, String> {
        let parts = self.parts.as_ref().map_err(Clone::clone)?;
        let all: Vec<Passage> = parts.iter().flat_map(|part| part.iter().cloned()).collect();
        if all.iter().map(tokens).sum::<u64>() <= PART_TOKENS_MAX || all.is_empty() {
            return Ok(all.into());
        }
        let chars =
            usize::try_from(PART_TOKENS_MAX).unwrap_or(usize::MAX).saturating_mul(TOKEN_CHARS);
        let each = (chars / all.len() / 2).max(PIECE_CHARS_MIN);
        let shorter = |passage: Passage| Passage {
            stimulus: clip(&passage.stimulus, each).into(),
            reply: clip(&passage.reply, each).into(),
            ..passage
        };
        Ok(all.into_iter().map(shorter).collect())
    }
}

/// Cuts a run's exchanges into parts of at most [`PART_TOKENS_MAX`]; a longer exchange is a part of its own. The same
/// exchanges always give the same parts.
fn cut(passages: Vec<Passage>) -> Vec<Arc<[Passage]>> {
    let mut parts: Vec<Vec<Passage>> = Vec::new();
    let mut tokens_used = PART_TOKENS_MAX;
    for passage in passages {
        let needed = tokens(&passage);
        if tokens_used.saturating_add(needed) > PART_TOKENS_MAX {
            parts.push(Vec::new());
            tokens_used = 0;
        }
        tokens_used = tokens_used.saturating_add(needed);
        if let Some(part) = parts.last_mut() {
            part.push(passage);
        }
    }
    parts.into_iter().map(Into::into).collect()
}

fn tokens(passage: &Passage) -> u64 {
    estimate_tokens(&passage.stimulus) + estimate_tokens(&passage.reply) + EXCHANGE_OVERHEAD_TOKENS
}

/// The beginning of a text, with a mark where it was cut.
pub(super) fn clip(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} […]", text.get(..end).unwrap_or_default()),
    }
}
