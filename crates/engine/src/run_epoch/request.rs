//! What a mind is asked: the context and the steps of the epoch so far, within the prompt's bounds.
//!
//! Results are shown in full while they fit; a long one is cut at `limits.tool_result_kb`, and when the whole exceeds
//! `context.tokens_max` the oldest results are shortened first.

use std::sync::Arc;

use abide_domain::{
    CallId,
    event::{ToolFinished, VoiceCall},
    turn::{ToolResult, TurnRequest, TurnStep},
    voice::{ToolCall, Voice, VoiceError, truncate_bytes},
};
use abide_memory::estimate_tokens;

use super::{error::EpochError, offer::ShownTools, walk::Walk};
use crate::{
    context::{self, Context},
    state::TurnRecord,
};

/// What is left of a result that was shortened because the whole prompt was too long.
const SHORTENED_BYTES: usize = 1024;

/// Puts together what the mind is asked.
pub(super) async fn turn_request(
    walk: &mut Walk<'_>,
    context: &Context,
    asked: (u32, u32),
    repair: Option<VoiceError>,
) -> Result<TurnRequest, EpochError> {
    load_blobs(walk).await;
    let (blobs, epoch) = (&walk.services.blobs, walk.record.id);
    walk.hand_back.read(blobs, epoch, &walk.record.turns).await;
    let (turn, attempt) = asked;
    let stimulus = walk.record.stimulus.clone();
    let last_driver_output = last_output(walk);
    let (limits, left) = (&walk.services.settings.limits, walk.time_left()?);
    let deadline = limits.turn.min(left);
    let deadline_streaming = limits.turn_streaming.max(limits.turn).min(left);
    let steps = steps(walk, context);
    let recent = context.history.last().map(|exchange| &*exchange.stimulus).unwrap_or_default();
    walk.follow_policy().await;
    let ShownTools { tools, names } = walk.offer.of_next_turn(&walk.record, recent);
    // Names stay the same from turn to turn and from epoch to epoch: they stand where a provider's cache holds them.
    let system = match &names {
        Some(names) => format!("{}\n\n{names}", context.system).into(),
        None => context.system.clone(),
    };
    walk.shown = match names {
        Some(_) => tools.iter().map(|tool| tool.name.clone()).collect(),
        None => [].into(),
    };
    Ok(TurnRequest {
        agent: walk.agent.id.clone(),
        epoch: walk.record.id,
        turn,
        attempt,
        repair,
        system,
        context: context.object.clone(),
        time_zone: context.time_zone.clone(),
        history: context.history.clone(),
        message: stimulus.content.clone(),
        sender: stimulus.sender.clone(),
        channel: stimulus.channel,
        session_id: stimulus.session_id.clone(),
        sent_at: stimulus.sent_at,
        last_driver_output,
        tools,
        steps,
        deadline,
        deadline_streaming,
    })
}

fn last_output(walk: &Walk<'_>) -> Option<abide_domain::envelope::DriverOutput> {
    let state = walk.services.view.read();
    let shown = (&*walk.record.stimulus, walk.services.settings.sharing);
    context::last_output(state.agents.get(&walk.agent.id), shown).map(|(_, output)| output)
}

/// Ethereal results of an epoch that was cut are still in their files.
async fn load_blobs(walk: &mut Walk<'_>) {
    let epoch = walk.record.id;
    let calls = walk.record.turns.iter().flat_map(|turn| &turn.calls);
    let missing: Vec<(CallId, String)> = calls
        .filter_map(|call| call.finished.as_ref())
        .filter_map(|finished| {
            Some((finished.call_id.clone(), finished.ethereal.as_ref()?.sha256.clone()))
        })
        .filter(|(call_id, _)| !walk.blobs.contains_key(call_id))
        .collect();
    for (call_id, sha256) in missing {
        if let Some(content) = walk.services.blobs.get(epoch, &call_id, &sha256).await {
            walk.blobs.insert(call_id, content);
        }
    }
}

/// Estimated tokens of a prompt.
pub(super) fn tokens(context: &Context, steps: &[TurnStep]) -> u64 {
    context.assembled.tokens.all() + steps.iter().map(tokens_of).sum::<u64>()
}

fn steps(walk: &Walk<'_>, context: &Context) -> Vec<TurnStep> {
    let settings = &walk.services.settings;
    let result_bytes_max = settings.limits.tool_result_kb * 1024;
    let mut steps: Vec<TurnStep> =
        walk.record.turns.iter().map(|turn| step(walk, turn, result_bytes_max)).collect();
    let tokens_max = settings.context_tokens_max.min(walk.tokens_cap.unwrap_or(u64::MAX));
    shorten(&mut steps, tokens_max.saturating_sub(tokens(context, &[])));
    steps
}

fn step(walk: &Walk<'_>, turn: &TurnRecord, result_bytes_max: usize) -> TurnStep {
    let voice = Voice {
        thought: turn.voice.thought.clone(),
        emotive_state: turn.voice.emotive_state.clone(),
        tool_calls: turn.voice.tool_calls.iter().map(tool_call).collect(),
        final_response: turn.voice.final_response.clone(),
    };
    let calls = turn.voice.tool_calls.iter().zip(&turn.calls);
    let results = calls.filter_map(|(call, record)| {
        let finished = record.finished.as_ref()?;
        let content = cut(content(walk, finished), result_bytes_max);
        let (call_id, name) = (call.call_id.clone(), call.name.clone());
        Some(ToolResult { call_id, name, outcome: finished.outcome, content })
    });
    TurnStep {
        turn: turn.turn,
        voice,
        results: results.collect(),
        provider_state: walk.hand_back.of(turn.turn),
    }
}

fn tool_call(call: &VoiceCall) -> ToolCall {
    ToolCall { name: call.name.clone(), arguments: call.arguments.clone() }
}

fn content(walk: &Walk<'_>, finished: &ToolFinished) -> Arc<str> {
    match &finished.ethereal {
        None => finished.content.as_str().into(),
        Some(ethereal) => walk
            .blobs
            .get(&finished.call_id)
            .cloned()
            .unwrap_or_else(|| ethereal.note.as_str().into()),
    }
}

fn cut(content: Arc<str>, bytes_max: usize) -> Arc<str> {
    if content.len() <= bytes_max {
        return content;
    }
    let mut text = content.to_string();
    truncate_bytes(&mut text, bytes_max);
    let (shown, all) = (text.len(), content.len());
    let note = format!("\n[cut here: {shown} of {all} bytes are shown]");
    text.push_str(&note);
    text.into()
}

/// Shortens the oldest results until the steps fit, or all are short.
fn shorten(steps: &mut [TurnStep], tokens_max: u64) {
    let mut tokens: u64 = steps.iter().map(tokens_of).sum();
    for result in steps.iter_mut().flat_map(|step| &mut step.results) {
        if tokens <= tokens_max {
            return;
        }
        let before = estimate_tokens(&result.content);
        result.content = cut(result.content.clone(), SHORTENED_BYTES);
        tokens = tokens.saturating_sub(before.saturating_sub(estimate_tokens(&result.content)));
    }
}

fn tokens_of(step: &TurnStep) -> u64 {
    let calls = step.voice.tool_calls.iter();
    let asked: u64 = calls.map(|call| estimate_tokens(&call.arguments.to_string())).sum();
    let given: u64 = step.results.iter().map(|result| estimate_tokens(&result.content)).sum();
    let said = step.voice.final_response.as_deref().map_or(0, estimate_tokens);
    // Four bytes a token, as for all that is not read here.
    let handed_back = step.provider_state.as_ref().map_or(0, |state| state.bytes() as u64 / 4);
    asked + given + said + handed_back
}

#[cfg(test)]
mod tests {
    use abide_domain::{
        CallId,
        tool::Outcome,
        turn::{ToolResult, TurnStep},
        voice::Voice,
    };

    use super::{cut, shorten};

    #[test]
    fn the_oldest_results_are_shortened_first_and_say_so() {
        let step = |turn: u32, bytes: usize| TurnStep {
            turn,
            voice: Voice::native(String::new(), "interim".into(), vec![]),
            results: vec![ToolResult {
                call_id: CallId::new(turn, 1),
                name: "probe".into(),
                outcome: Outcome::Ok,
                content: "x".repeat(bytes).into(),
            }],
            provider_state: None,
        };
        let mut steps = vec![step(1, 8000), step(2, 8000), step(3, 8000)];
        shorten(&mut steps, 4500);
        let lengths: Vec<_> = steps.iter().map(|s| s.results[0].content.len()).collect();
        assert!(lengths[0] < 1200 && lengths[1] == 8000 && lengths[2] == 8000, "{lengths:?}");
        assert!(steps[0].results[0].content.ends_with("[cut here: 1024 of 8000 bytes are shown]"));
    }

    #[test]
    fn a_cut_falls_on_a_character() {
        let text = "é".repeat(10);
        assert!(cut(text.as_str().into(), 5).starts_with("éé\n"));
    }
}
