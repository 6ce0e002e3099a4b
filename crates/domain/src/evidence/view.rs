//! Reads evidence out of the ledger's lines. The match over the groups is closed on purpose: a new kind of event makes
//! whoever adds it say whether it is evidence.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    ClaimType, EVIDENCE_BODY_BYTES_MAX, EvidenceEntry, EvidenceId, EvidenceType, Subject, WATCHDOG,
};
use crate::{
    EntityName, EpochId, Timestamp,
    event::{
        AgentEvent, EpochEvent, Event, EvidenceEvent, EvolutionEvent, MemoryEvent, SleepEvent,
        SpaceEvent, ToolEvent, TurnEvent, WakeEvent, WatchdogEvent,
    },
};

/// A line of the ledger, as far as evidence is concerned.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its sequence number.
    pub seq: u64,
    /// Its time.
    pub at: Timestamp,
    /// The entity that it is about.
    pub entity: &'a EntityName,
    /// The entity that caused it.
    pub author: &'a EntityName,
    /// The epoch that it belongs to.
    pub epoch: Option<EpochId>,
    /// The event.
    pub event: &'a Event,
}

/// How an agent says that it is doing, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Signals {
    /// How tired it is.
    pub fatigue: Option<f64>,
    /// How sure it is.
    pub confidence: Option<f64>,
}

/// Whether a line shows that the agent `entity` moves: the only thing that keeps it from counting as silent.
pub fn is_sign_of_life(entity: &EntityName, author: &EntityName, event: &Event) -> bool {
    author == entity && *entity != EntityName::keeper() && classify_event(event).is_some()
}

/// The entry that peers see in a line, if it is evidence.
pub fn entry_from_line(line: &Line<'_>) -> Option<EvidenceEntry> {
    match line.event {
        Event::Evidence(EvidenceEvent::Recorded(recorded)) => {
            return Some(recorded.entry(line.author, line.at));
        }
        Event::Watchdog(event) => return Some(watchdog(line, event)),
        Event::Evidence(EvidenceEvent::ParWritten(_)) => {
            let mut entry = entry(line, EvidenceType::Reflection, ClaimType::Observation);
            entry.tags = vec!["par".into()];
            if line.author.bare() == WATCHDOG {
                entry.tags.push("tickle".into());
            }
            return Some(entry);
        }
        _ => {}
    }
    if line.author != line.entity || *line.entity == EntityName::keeper() {
        return None;
    }
    let (kind, claim_type) = classify_event(line.event)?;
    let mut entry = entry(line, kind, claim_type);
    match line.event {
        Event::Agent(AgentEvent::EvidenceReported(reported)) => {
            entry.tags.clone_from(&reported.tags);
            entry.body = reported.body.clone();
        }
        Event::Evolution(EvolutionEvent::Proposed(_)) => entry.conjecture = true,
        _ => {}
    }
    Some(entry)
}

/// What an entry's body says of how its author is doing.
pub fn signals(body: &Value) -> Signals {
    let share = |key| body.get(key).and_then(Value::as_f64).filter(|x| (0.0..=1.0).contains(x));
    Signals { fatigue: share("fatigue"), confidence: share("confidence") }
}

/// What an event is as evidence of the agent that caused it. None: it is nobody's.
fn classify_event(event: &Event) -> Option<(EvidenceType, ClaimType)> {
    use {ClaimType as Claim, EvidenceType as Type};
    Some(match event {
        Event::Stimulus(_)
        | Event::Context(_)
        | Event::Approval(_)
        | Event::Keeper(_)
        | Event::Watchdog(_)
        | Event::Channel(_)
        | Event::Mcp(_)
        | Event::Media(_)
        | Event::ToolPolicy(_)
        | Event::Turn(TurnEvent::Started(_) | TurnEvent::Failed(_))
        | Event::Epoch(
            EpochEvent::Opened(_)
            | EpochEvent::StoodStill(_)
            | EpochEvent::Aborted(_)
            | EpochEvent::Dismissed(_),
        )
        | Event::Wake(WakeEvent::Fired(_) | WakeEvent::Ran(_)) => return None,
        Event::Epoch(EpochEvent::Committed(_)) => (Type::Coordination, Claim::Conclusion),
        Event::Turn(TurnEvent::Completed(_))
        | Event::Tool(
            ToolEvent::Requested(_)
            | ToolEvent::Kept(_)
            | ToolEvent::InnerRequested(_)
            | ToolEvent::InnerFinished(_),
        )
        | Event::Space(SpaceEvent::Named(_))
        | Event::Deck(_)
        | Event::Wake(_) => (Type::Coordination, Claim::Step),
        Event::Tool(ToolEvent::Finished(_)) => (Type::Coordination, Claim::Observation),
        Event::Memory(
            MemoryEvent::FactForgotten(_)
            | MemoryEvent::Forgotten(_)
            | MemoryEvent::DreamForgotten(_),
        ) => (Type::Memory, Claim::Correction),
        Event::Memory(_) => (Type::Memory, Claim::Observation),
        Event::Sleep(SleepEvent::StepFinished(_))
        | Event::Stdout(_)
        | Event::Evidence(EvidenceEvent::ParWritten(_)) => (Type::Reflection, Claim::Observation),
        Event::Sleep(SleepEvent::Started(_)) => (Type::ModeTransition, Claim::Step),
        Event::Sleep(SleepEvent::Ended(_)) => (Type::ModeTransition, Claim::Conclusion),
        Event::Space(SpaceEvent::Said(_)) => (Type::ForumPost, Claim::Observation),
        Event::Agent(AgentEvent::EvidenceReported(reported)) => {
            let name = reported.claim_type.as_str();
            let kind = EvidenceType::from_name(name).unwrap_or(Type::Coordination);
            (kind, ClaimType::from_name(name).unwrap_or(Claim::Observation))
        }
        Event::Evolution(EvolutionEvent::Proposed(_)) => (Type::Conjecture, Claim::Conjecture),
        Event::Agent(_) | Event::Evolution(_) => return None,
        Event::Evidence(EvidenceEvent::Recorded(recorded)) => (recorded.kind, recorded.claim_type),
    })
}

/// The watchdog's own evidence, and what people told it: one entry a scan, tagged `tickle` and `scan` (decision 41).
fn watchdog(line: &Line<'_>, event: &WatchdogEvent) -> EvidenceEntry {
    let claim_type = match event {
        WatchdogEvent::BellRung(_)
        | WatchdogEvent::Paged(_)
        | WatchdogEvent::Escalated(_)
        | WatchdogEvent::Stepped(_)
        | WatchdogEvent::Acknowledged(_)
        | WatchdogEvent::Silenced(_)
        | WatchdogEvent::Paused(_) => ClaimType::Step,
        WatchdogEvent::StallOpened(_) | WatchdogEvent::Blinded(_) => ClaimType::Tension,
        WatchdogEvent::Resolved(_) => ClaimType::Conclusion,
        _ => ClaimType::Observation,
    };
    let mut entry = entry(line, EvidenceType::Coordination, claim_type);
    let word = match event {
        WatchdogEvent::Scanned(_) => "scan".to_owned(),
        WatchdogEvent::Paged(_) => "page".to_owned(),
        WatchdogEvent::Escalated(_) | WatchdogEvent::Stepped(_) => "escalation".to_owned(),
        _ => entry.tags.pop().unwrap_or_default(),
    };
    entry.tags = vec!["tickle".into(), word];
    entry.session_id = Some("tickle-watchdog".into());
    entry
}

fn entry(line: &Line<'_>, kind: EvidenceType, claim_type: ClaimType) -> EvidenceEntry {
    let subject = match line.epoch {
        Some(epoch) => Subject::new("epoch", epoch.to_string()),
        None if *line.entity == EntityName::keeper() => Subject::new("session", "tickle/watchdog"),
        None => Subject::new("agent", line.entity.bare()),
    };
    EvidenceEntry {
        id: EvidenceId::of_line(line.seq),
        subject,
        kind,
        claim_type,
        author: line.author.clone(),
        at: line.at,
        body: body(line.event),
        tags: line.event.kind().name.split('.').map(|word| word.replace('_', "-")).collect(),
        pattern_id: None,
        session_id: None,
        in_reply_to: None,
        fork_of: None,
        conjecture: false,
        ephemeral: false,
    }
}

/// The data of a line without the thought in it, which is nobody else's (decision 16); of a long one, its size.
fn body(event: &Event) -> Value {
    let Ok(data) = event.encode_data() else { return Value::Null };
    let mut value: Value = serde_json::from_str(data.get()).unwrap_or_default();
    if let Some(voice) = value.get_mut("voice").and_then(Value::as_object_mut) {
        voice.shift_remove("thought");
    }
    let bytes = value.to_string().len();
    if bytes > EVIDENCE_BODY_BYTES_MAX { json!({ "omitted_bytes": bytes }) } else { value }
}
