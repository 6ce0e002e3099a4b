//! The model of a made life: it takes in what is said in few words, carries out "remember" and "forget" with the tools that
//! it is offered, and keeps what it was shown when it was asked. It must never answer a question: an answer would become
//! memory, and so would the question.

use std::sync::{Arc, Mutex, PoisonError};

use abide_domain::{
    turn::{MindError, Thought, TurnRequest, Usage},
    voice::{ToolCall, Voice},
};
use abide_engine::mind::{Mind, MindHost};
use futures_util::future::{BoxFuture, ready};
use serde_json::{Value, json};

/// What a person says to have something remembered.
const REMEMBER: [&str; 2] = ["please remember that ", "remember that "];
/// And forgotten.
const FORGET: [&str; 3] = ["please forget ", "forget that ", "forget "];
const REMEMBERING: &str = "memory.remember_fact";
const SEARCHING: &str = "memory.search_facts";
const FORGETTING: &str = "memory.forget_fact";
/// Offered where forgetting by what was said is built in.
const FORGETTING_SAID: &str = "memory.forget";

/// A mind that keeps what it was shown.
#[derive(Clone, Debug, Default)]
pub(super) struct TruthMind {
    asked: Arc<Mutex<Option<TurnRequest>>>,
    is_question: Arc<Mutex<bool>>,
}

impl TruthMind {
    /// What comes next is a question: it is kept and not answered.
    pub(super) fn expect_question(&self, is_question: bool) {
        *self.is_question.lock().unwrap_or_else(PoisonError::into_inner) = is_question;
    }

    /// What it was shown last.
    pub(super) fn take(&self) -> Option<TurnRequest> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn answer(&self, request: &TurnRequest) -> Result<Thought, MindError> {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.clone());
        if *self.is_question.lock().unwrap_or_else(PoisonError::into_inner) {
            let message = "the bench keeps the prompt and answers nothing".to_owned();
            return Err(MindError::Refused { message, usage: Usage::default() });
        }
        Ok(Thought { voice: voice(request), usage: Usage::default() })
    }
}

impl Mind for TruthMind {
    fn name(&self) -> String {
        "model truth".to_owned()
    }

    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        _: &'a dyn MindHost,
    ) -> BoxFuture<'a, Result<Thought, MindError>> {
        Box::pin(ready(self.answer(request)))
    }
}

fn voice(request: &TurnRequest) -> Voice {
    let calls = match request.steps.last() {
        None => first_calls(request),
        Some(step) => step
            .results
            .iter()
            .filter(|result| result.name == SEARCHING)
            .flat_map(|result| forgetting(&result.content))
            .collect(),
    };
    if calls.is_empty() {
        return Voice::native(String::new(), "Noted.".to_owned(), Vec::new());
    }
    Voice::native(String::new(), String::new(), calls)
}

fn first_calls(request: &TurnRequest) -> Vec<ToolCall> {
    let message = &*request.message;
    if let Some(fact) = after(message, &REMEMBER) {
        return vec![call(REMEMBERING, json!({"content": fact, "category": "user"}))];
    }
    let Some(what) = after(message, &FORGET) else { return Vec::new() };
    let what = what.trim_end_matches('.');
    let is_offered = request.tools.iter().any(|tool| tool.name == FORGETTING_SAID);
    if is_offered {
        return vec![call(FORGETTING_SAID, json!({"about": what}))];
    }
    vec![call(SEARCHING, json!({"query": what}))]
}

/// The facts that a search found, each to be forgotten.
fn forgetting(result: &str) -> Vec<ToolCall> {
    let found: Value = serde_json::from_str(result).unwrap_or_default();
    let items = found.get("items").and_then(Value::as_array);
    let ids = items.into_iter().flatten().filter_map(|item| item.get("fact_id")?.as_str());
    ids.take(1).map(|id| call(FORGETTING, json!({"fact_id": id}))).collect()
}

/// What stands behind the longest of these beginnings, whatever their case.
fn after<'a>(message: &'a str, beginnings: &[&str]) -> Option<&'a str> {
    let lower = message.to_lowercase();
    let begun = beginnings.iter().find(|beginning| lower.starts_with(**beginning))?;
    message.get(begun.len()..)
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { name: name.to_owned(), arguments }
}
