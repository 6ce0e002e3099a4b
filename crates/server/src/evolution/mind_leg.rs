//! One mind asked one epoch of the record, turn after turn.
//!
//! A call of a tool is answered from the record and never run. A trial shows nothing to people, asks them nothing and reports nothing.

use std::sync::Arc;

use abide_domain::{
    CallId, Clock,
    event::{ComparedLeg, EvidenceReported},
    text::shortened,
    tool::Outcome,
    turn::{MindError, Thought, ToolResult, TurnRequest, TurnStep, Usage},
    voice::{ToolCall, truncate_bytes},
};
use abide_engine::{
    keeper::RecordedEpoch,
    mind::{Mind, MindDelta, MindHost, PermissionRequest},
};
use futures_util::future::BoxFuture;

use super::{
    mind_change::MindBounds,
    recorded_calls::{RecordedCalls, key},
};

/// Longest answer that stands beside a pair, in Unicode scalar values.
const ANSWER_CHARS_MAX: usize = 2_000;
/// Turns that a mind is asked at most for one epoch of the record, whatever the configuration says.
const TURNS_MAX: u32 = 64;
/// The result of a call that the record has no answer to.
const NOT_RECORDED: &str =
    "not_recorded: this is a trial on recorded conversations, and this call was not made then";

/// What one mind did with an epoch.
#[derive(Clone, Debug, Default)]
pub(super) struct MindLeg {
    pub(super) leg: ComparedLeg,
    /// Its calls, each by its tool and its arguments in one form.
    pub(super) calls: Vec<(String, String)>,
    pub(super) reply: String,
    pub(super) usage: Usage,
}

/// Asks a mind an epoch of the record, whose calls gave `calls`.
pub(super) async fn ask(
    (mind, bounds): (&dyn Mind, MindBounds),
    recorded: &RecordedEpoch,
    calls: RecordedCalls,
    clock: &dyn Clock,
) -> MindLeg {
    let begun = clock.monotonic();
    let mut leg = MindLeg::default();
    if let Err(error) = converse((mind, bounds), &recorded.request, calls, &mut leg).await {
        leg.leg.error = Some(shortened(&error, 200));
    }
    let took = clock.monotonic().saturating_sub(begun);
    leg.leg.wall_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
    leg.leg.tokens = Some(leg.usage.input_tokens + leg.usage.output_tokens);
    leg.leg.cost_microusd = leg.usage.cost_microusd;
    leg.leg.calls = leg.calls.iter().map(|(tool, _)| tool.clone()).collect();
    leg.leg.answer =
        Some(shortened(&leg.reply, ANSWER_CHARS_MAX)).filter(|reply| !reply.is_empty());
    leg
}

/// Asks turn after turn until there is a reply.
async fn converse(
    (mind, bounds): (&dyn Mind, MindBounds),
    first: &TurnRequest,
    mut calls: RecordedCalls,
    leg: &mut MindLeg,
) -> Result<(), String> {
    let mut request = first.clone();
    let turns = bounds.turns.min(TURNS_MAX);
    while request.turn <= turns {
        let thought = think(mind, &request, leg).await?;
        let Thought { voice, usage, provider_state } = thought;
        add(&mut leg.usage, &usage);
        if voice.tool_calls.is_empty() {
            leg.reply = voice.final_response.unwrap_or_default();
            return Ok(());
        }
        let answer = |(place, call): (usize, &ToolCall)| {
            leg.calls.push(key(&call.name, &call.arguments));
            let found = calls.take(&call.name, &call.arguments);
            ToolResult {
                call_id: CallId::new(request.turn, place + 1),
                name: call.name.clone(),
                outcome: found.as_ref().map_or(Outcome::Error, |found| found.outcome),
                content: found.map_or_else(
                    || NOT_RECORDED.into(),
                    |found| cut(found.content, bounds.result_bytes),
                ),
            }
        };
        let results = voice.tool_calls.iter().enumerate().map(answer).collect();
        request.steps.push(TurnStep { turn: request.turn, voice, results, provider_state });
        request.turn += 1;
    }
    Err(format!("no reply after {turns} turns"))
}

/// A result as a prompt shows it: cut where it is longer than the limit.
fn cut(content: Arc<str>, bytes_max: usize) -> Arc<str> {
    if content.len() <= bytes_max {
        return content;
    }
    let (mut text, all) = (content.to_string(), content.len());
    truncate_bytes(&mut text, bytes_max);
    let shown = text.len();
    format!("{text}\n[cut here: {shown} of {all} bytes are shown]").into()
}

/// Asks one turn; an answer that does not fit the voice may be repaired once, as in life.
pub(super) async fn think(
    mind: &dyn Mind,
    request: &TurnRequest,
    leg: &mut MindLeg,
) -> Result<Thought, String> {
    let mut request = request.clone();
    for attempt in 1..=2 {
        request.attempt = attempt;
        let asked =
            tokio::time::timeout(request.deadline_streaming, mind.think(&request, &NobodyThere));
        match asked.await {
            Ok(Ok(thought)) => return Ok(thought),
            Ok(Err(MindError::BadVoice { problem, usage })) if attempt == 1 => {
                add(&mut leg.usage, &usage);
                request.repair = Some(problem);
            }
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => return Err("the model did not answer in time".to_owned()),
        }
    }
    Err("the answer did not fit, and its repair neither".to_owned())
}

pub(super) fn add(sum: &mut Usage, more: &Usage) {
    let is_first = sum.model.is_empty() && sum.input_tokens == 0 && sum.output_tokens == 0;
    sum.cost_microusd = match (sum.cost_microusd, more.cost_microusd) {
        (None, cost) if is_first => cost,
        (Some(sum), Some(more)) => Some(sum + more),
        // A price that is not known is not zero.
        _ => None,
    };
    sum.input_tokens += more.input_tokens;
    sum.output_tokens += more.output_tokens;
    sum.model.clone_from(&more.model);
}

/// The host of a mind in a trial: nothing of it reaches anybody.
struct NobodyThere;

impl MindHost for NobodyThere {
    fn delta(&self, _: MindDelta) {}

    fn report(&self, _: EvidenceReported) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn ask(&self, _: PermissionRequest) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(std::future::ready(Err("nobody is asked in a trial".to_owned())))
    }
}
