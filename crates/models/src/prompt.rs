//! The prompt of one turn, in an order that is the same for all providers.
//!
//! What seldom changes comes first (tools, identity, rules, wishes, history), what changes each time last (the context
//! object and the stimulus, the steps, the repair note): providers cache by prefix. Nothing here is specific to a provider,
//! and whatever came from outside is only ever the content of a message.

use std::{borrow::Cow, fmt::Write as _};

use abide_domain::{
    CallId,
    text::without_labels,
    tool::Outcome,
    turn::{ToolResult, TurnRequest, TurnStep, message_label},
    voice::{self, ToolCall, Voice},
};
use serde_json::{Value, json};

use crate::{
    RequestForm,
    provider_state::{call_ids, state_for},
    tool_name,
};

const JSON_RULES: &str = "Answer with one JSON object of the schema below and with nothing else. To use tools, list \
them in tool_calls (arguments as a JSON object written in a string) and set final_response to null; their results \
come with the next message. When you are done, give final_response and leave tool_calls empty.";

#[derive(Debug)]
pub(crate) struct Prompt<'a> {
    /// How to answer, where the form of the request does not say it: the same for every agent with the same tools.
    pub(crate) rules: String,
    /// What stays from message to message: identity, rules, wishes.
    pub(crate) system: &'a str,
    /// The conversation, history first.
    pub(crate) messages: Vec<Message<'a>>,
    /// How many of the messages are history.
    pub(crate) history_len: usize,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Message<'a> {
    /// From a person or the keeper.
    Person(String),
    /// From the agent: text and calls.
    Agent {
        /// Its text, where there was any.
        text: Option<Cow<'a, str>>,
        calls: Vec<Call<'a>>,
        /// What its provider sent with it and wants back.
        state: Option<&'a Value>,
    },
    /// The results of the calls in the message before: exactly one a call, in their order.
    Results(Vec<CallResult<'a>>),
}

/// A call of an earlier turn.
#[derive(Debug, PartialEq)]
pub(crate) struct Call<'a> {
    /// The provider's own id where it gave one, else the engine's.
    pub(crate) id: String,
    /// The name as providers take it.
    pub(crate) name: String,
    /// The arguments, an object.
    pub(crate) arguments: &'a Value,
    /// What the provider said of it beside that.
    pub(crate) state: Option<&'a Value>,
}

/// The result of a call.
#[derive(Debug, PartialEq)]
pub(crate) struct CallResult<'a> {
    /// The id of its call.
    pub(crate) id: String,
    /// The name as providers take it.
    pub(crate) name: String,
    /// Whether it failed, was denied or has an unknown outcome.
    pub(crate) is_error: bool,
    /// The result; begins with a plain note about the outcome where that is not `ok`.
    pub(crate) content: Cow<'a, str>,
}

impl<'a> Prompt<'a> {
    /// Makes the prompt of a turn. What a provider sent is for the provider at `source` alone.
    pub(crate) fn new(request: &'a TurnRequest, form: RequestForm, source: &str) -> Self {
        let mut messages =
            Vec::with_capacity(request.history.len() * 2 + request.steps.len() * 2 + 2);
        for exchange in request.history.iter() {
            let label = exchange.label(&request.time_zone);
            push_person(&mut messages, &format!("{label}\n{}", without_labels(&exchange.stimulus)));
            push_agent(&mut messages, Some(Cow::Borrowed(&*exchange.reply)), Vec::new(), None);
        }
        let history_len = messages.len();
        if !request.context.trim().is_empty() {
            push_person(&mut messages, request.context.trim_end());
        }
        push_person(&mut messages, &stimulus(request));
        for step in &request.steps {
            match form {
                RequestForm::Native => push_native_step(&mut messages, step, source),
                RequestForm::Json => push_json_step(&mut messages, step),
            }
        }
        if let Some(problem) = &request.repair {
            push_person(
                &mut messages,
                &format!(
                    "[keeper] Your last answer could not be used: {problem}. Correct this and answer the turn again."
                ),
            );
        }
        Self { rules: rules(request, form), system: &request.system, messages, history_len }
    }

    /// How to answer and what stays, in one text.
    pub(crate) fn system_text(&self) -> String {
        let texts = [self.rules.as_str(), self.system].into_iter();
        texts.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

fn rules(request: &TurnRequest, form: RequestForm) -> String {
    match form {
        RequestForm::Native => String::new(),
        RequestForm::Json => {
            let mut text = format!("{JSON_RULES}\nSchema: {}", voice::schema(true));
            text.push_str(if request.tools.is_empty() {
                "\nThere are no tools."
            } else {
                "\nTools:"
            });
            for tool in request.tools.iter() {
                let line = json!({
                    "name": tool.name, "description": tool.description, "arguments": tool.parameters
                });
                text.push('\n');
                text.push_str(&line.to_string());
            }
            text
        }
    }
}

fn stimulus(request: &TurnRequest) -> String {
    let zone = &request.time_zone;
    let label = message_label(&request.sender, request.channel, request.sent_at, zone);
    let mut text = String::new();
    if let Some(last) = &request.last_driver_output {
        let is_known = request.history.iter().any(|exchange| exchange.reply == last.content)
            || request.context.contains(&*last.content);
        if !is_known {
            let at = zone.format_absolute(last.timestamp);
            text = format!(
                "[keeper] Your last message in this conversation, at {at}:\n{}\n\n",
                without_labels(&last.content)
            );
        }
    }
    text.push_str(&label);
    text.push('\n');
    text.push_str(&without_labels(&request.message));
    text
}

/// Adds a person's message; one that follows another is joined to it, because some providers require that roles alternate.
fn push_person(messages: &mut Vec<Message<'_>>, text: &str) {
    if let Some(Message::Person(last)) = messages.last_mut() {
        last.push_str("\n\n");
        last.push_str(text);
    } else {
        messages.push(Message::Person(text.to_owned()));
    }
}

fn push_agent<'a>(
    messages: &mut Vec<Message<'a>>,
    text: Option<Cow<'a, str>>,
    calls: Vec<Call<'a>>,
    state: Option<&'a Value>,
) {
    let text = text.filter(|text| !text.trim().is_empty());
    if text.is_some() || !calls.is_empty() {
        messages.push(Message::Agent { text, calls, state });
    }
}

fn push_native_step<'a>(messages: &mut Vec<Message<'a>>, step: &'a TurnStep, source: &str) {
    let state = state_for(step.provider_state.as_ref(), source, &step.voice);
    let own_ids = state.and_then(call_ids);
    // Reasoning names calls by the ids that the provider gave them, and some take ids of their own form alone.
    let id_of = |index: usize, id: String| {
        let own = own_ids.as_ref().and_then(|ids| ids.get(index));
        own.map_or(id, |&own| own.to_owned())
    };
    let calls: Vec<Call<'a>> = calls_with_results(step)
        .enumerate()
        .map(|(index, (id, call, _))| Call {
            id: id_of(index, id),
            name: tool_name::to_provider(&call.name),
            arguments: &call.arguments,
            state: state.and_then(|state| state.pointer(&format!("/calls/{index}"))),
        })
        .collect();
    let results: Vec<CallResult<'a>> = calls_with_results(step)
        .enumerate()
        .map(|(index, (id, call, result))| CallResult {
            id: id_of(index, id),
            name: tool_name::to_provider(&call.name),
            is_error: result.is_none_or(|result| result.outcome != Outcome::Ok),
            content: result_text(result),
        })
        .collect();
    push_agent(messages, step.voice.final_response.as_deref().map(Cow::Borrowed), calls, state);
    if !results.is_empty() {
        messages.push(Message::Results(results));
    }
}

fn push_json_step<'a>(messages: &mut Vec<Message<'a>>, step: &'a TurnStep) {
    push_agent(messages, Some(Cow::Owned(voice_text(&step.voice))), Vec::new(), None);
    let mut text = String::from("[keeper] Results of your calls:");
    for (id, call, result) in calls_with_results(step) {
        // Writing into a String cannot fail.
        let result = result_text(result);
        let _ = write!(text, "\n{id} {}: {}", call.name, without_labels(&result));
    }
    if !step.voice.tool_calls.is_empty() {
        push_person(messages, &text);
    }
}

/// A voice as the model wrote it under the schema.
fn voice_text(voice: &Voice) -> String {
    let calls = voice
        .tool_calls
        .iter()
        .map(|call| json!({"name": call.name, "arguments": call.arguments.to_string()}));
    json!({
        "thought": voice.thought,
        "emotive_state": voice.emotive_state,
        "tool_calls": calls.collect::<Vec<_>>(),
        "final_response": voice.final_response,
    })
    .to_string()
}

/// The calls of a step, each with its id and its result, where it has one.
fn calls_with_results(
    step: &TurnStep,
) -> impl Iterator<Item = (String, &ToolCall, Option<&ToolResult>)> {
    step.voice.tool_calls.iter().enumerate().map(|(index, call)| {
        let result = step.results.get(index);
        let id = result.map_or_else(
            || CallId::new(step.turn, index + 1).to_string(),
            |result| result.call_id.to_string(),
        );
        (id, call, result)
    })
}

fn result_text(result: Option<&ToolResult>) -> Cow<'_, str> {
    let Some(result) = result else {
        return Cow::Borrowed("[error] no result of this call is recorded");
    };
    match result.outcome {
        Outcome::Ok if result.content.is_empty() => Cow::Borrowed("(no output)"),
        Outcome::Ok => Cow::Borrowed(&result.content),
        Outcome::Error => Cow::Owned(format!("[error] {}", result.content)),
        Outcome::Denied => Cow::Owned(format!("[denied: it did not run] {}", result.content)),
        Outcome::Unknown => Cow::Owned(format!(
            "[outcome unknown: it may or may not have run; do not simply repeat it] {}",
            result.content
        )),
    }
}
