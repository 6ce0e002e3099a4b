//! What the measured logs hold: whole epochs as the engine writes them, with about 0.6 KB of words each.

use std::sync::Arc;

use abide_domain::{
    CallId, EntityName, EpochId, IdSource as _, Timestamp,
    envelope::Channel,
    event::{
        ContextAssembled, ContextTokens, EpochCommitted, EpochOpened, Event, HistoryWindow,
        StimulusAccepted, ToolFinished, ToolRequested, TurnCompleted, TurnStarted, UsageRecord,
        VoiceCall, VoiceRecord,
    },
    tool::{EffectClass, Outcome},
};
use abide_ledger::Draft;
use serde_json::{Value, json};

use crate::system::SystemIds;

/// What a person says.
pub(crate) const QUESTION: &str = "Please note in the log that the staging server was moved to the \
    new rack this morning, and tell me what is left to do before the release on Friday.";
/// What a mind says in the end.
pub(crate) const ANSWER: &str = "I have noted it: the staging server stands in the new rack since \
    this morning. Before the release on Friday three things are left: the backup of the old disk \
    must be checked, the certificate of the public address runs out on Thursday, and the second \
    reviewer has not yet looked at the change of the billing module. I will remind you tomorrow.";
/// The tool that it calls.
pub(crate) const TOOL: &str = "bench.note";
/// What that tool gives back.
pub(crate) const RESULT: &str = r#"{"noted":true}"#;

/// The arguments of the call.
pub(crate) fn arguments() -> Value {
    json!({"line": "staging server moved to the new rack; see the list of what is left"})
}

/// An event of about 300 bytes in the log, the size that the reference measurements use.
pub(super) fn lone(agent: &EntityName) -> Draft {
    let epoch = EpochId::from_uuid(SystemIds.uuid(Timestamp::default()));
    draft(agent, agent, epoch, finished(&CallId::new(1, 1)))
}

fn draft(
    agent: &EntityName,
    author: &EntityName,
    epoch: EpochId,
    event: impl Into<Event>,
) -> Draft {
    let (entity, author) = (agent.clone(), author.clone());
    Draft { entity, author, epoch: Some(epoch), event: event.into() }
}

/// The ten events of one epoch: two turns with one call between them.
pub(super) fn epoch(agent: &EntityName, epoch: EpochId) -> Vec<Draft> {
    talk(agent, epoch, accepted(QUESTION), ANSWER)
}

/// The same about something else.
pub(crate) fn talk(
    agent: &EntityName,
    epoch: EpochId,
    stimulus: StimulusAccepted,
    answer: &str,
) -> Vec<Draft> {
    let keeper = EntityName::keeper();
    let by_keeper = |event: Event| draft(agent, &keeper, epoch, event);
    let by_agent = |event: Event| draft(agent, agent, epoch, event);
    let call_id = CallId::new(1, 1);
    vec![
        by_keeper(stimulus.into()),
        by_keeper(EpochOpened { last_output: Some(epoch) }.into()),
        by_keeper(assembled(epoch).into()),
        by_keeper(TurnStarted { turn: 1, attempt: 1, repair: false }.into()),
        by_agent(completed(1, &call_id, answer).into()),
        by_agent(requested(&call_id).into()),
        by_agent(finished(&call_id).into()),
        by_keeper(TurnStarted { turn: 2, attempt: 1, repair: false }.into()),
        by_agent(completed(2, &call_id, answer).into()),
        by_agent(EpochCommitted { turn: 2 }.into()),
    ]
}

/// What a person says.
pub(crate) fn accepted(words: &str) -> StimulusAccepted {
    StimulusAccepted {
        content: Arc::from(words),
        sender: "nicolas".into(),
        channel: Channel::Api,
        sent_at: Timestamp::default(),
        sender_zone: None,
        session_id: "release".into(),
        interactive: false,
        administrator: false,
        idempotency: None,
        claimed_output: None,
        cause: None,
    }
}

fn assembled(from: EpochId) -> ContextAssembled {
    ContextAssembled {
        renderer: 1,
        identity: 1,
        history: HistoryWindow { from: Some(from), epochs: 40, omitted: 3 },
        exploration: None,
        own: None,
        deck_notes: None,
        sharing: None,
        tokens: ContextTokens { system: 120, object: 600, history: 4_800, stimulus: 40 },
        time_zone: Some("UTC".into()),
        tools: None,
        sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into(),
    }
}

fn completed(turn: u32, call_id: &CallId, answer: &str) -> TurnCompleted {
    let call = VoiceCall { call_id: call_id.clone(), name: TOOL.into(), arguments: arguments() };
    let (tool_calls, final_response) =
        if turn == 1 { (vec![call], None) } else { (Vec::new(), Some(answer.to_owned())) };
    TurnCompleted {
        turn,
        attempt: 1,
        voice: VoiceRecord {
            thought: String::new(),
            emotive_state: "neutral".into(),
            tool_calls,
            final_response,
        },
        usage: UsageRecord {
            input_tokens: 4_960,
            output_tokens: 90,
            model: "canned".into(),
            ..UsageRecord::default()
        },
    }
}

fn requested(call_id: &CallId) -> ToolRequested {
    let (call_id, name) = (call_id.clone(), TOOL.to_owned());
    ToolRequested { call_id, name, effect: EffectClass::World, idempotent: false }
}

pub(super) fn finished(call_id: &CallId) -> ToolFinished {
    ToolFinished {
        call_id: call_id.clone(),
        outcome: Outcome::Ok,
        content: RESULT.into(),
        ethereal: None,
        duration_ms: 0,
    }
}
