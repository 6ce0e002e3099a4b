//! What was tried with an agent, as evidence that its peers and people read: one report for each change that was put in force and
//! kept, or taken back.

use abide_domain::{Timestamp, event::ParWritten, text::shortened};
use abide_engine::state::EvolutionRecord;

/// Longest reason of a proposal in a report, in Unicode scalar values.
const REASON_CHARS_MAX: usize = 300;

/// A change that was kept.
pub(super) fn kept(record: &EvolutionRecord, why: &str, now: Timestamp) -> ParWritten {
    let tried = tried(record);
    ParWritten {
        worked: vec![why.to_owned()],
        failed: Vec::new(),
        suggestions: vec![format!(
            "`abide evolve rollback {}` brings the code from before back, should it be needed",
            record.id
        )],
        ..written(record, tried, now)
    }
}

/// A change that was taken back.
pub(super) fn rolled_back(record: &EvolutionRecord, why: &str, now: Timestamp) -> ParWritten {
    let tried = tried(record);
    ParWritten {
        worked: vec!["the code from before answers again".to_owned()],
        failed: vec![why.to_owned()],
        suggestions: vec!["propose it again once what failed is understood".to_owned()],
        ..written(record, tried, now)
    }
}

fn tried(record: &EvolutionRecord) -> Vec<String> {
    let mut tried = vec![format!(
        "{} proposed a change of {}: {}",
        record.by.bare(),
        record.target,
        shortened(&record.reason, REASON_CHARS_MAX)
    )];
    tried.push(format!("it answered {} requests of the record", record.trial_pairs));
    tried.extend(record.why.clone());
    tried
}

fn written(record: &EvolutionRecord, tried: Vec<String>, now: Timestamp) -> ParWritten {
    ParWritten {
        episode: None,
        problem: format!("whether a change of {} is better than what is in force", record.target),
        tried,
        worked: Vec::new(),
        failed: Vec::new(),
        took_ms: u64::try_from(now.since(record.at).as_millis()).unwrap_or(u64::MAX),
        suggestions: Vec::new(),
    }
}
