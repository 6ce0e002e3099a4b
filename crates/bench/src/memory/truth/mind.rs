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
const FORGETTING: &str = "memory.forget_fact";

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
        Ok(Thought::new(voice(request), Usage::default()))
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
    match call_for(&request.message).filter(|_| request.steps.is_empty()) {
        Some(call) => Voice::native(String::new(), String::new(), vec![call]),
        None => Voice::native(String::new(), "Noted.".to_owned(), Vec::new()),
    }
}

/// What is remembered or forgotten of a message, if anything.
fn call_for(message: &str) -> Option<ToolCall> {
    if let Some(fact) = after(message, &REMEMBER) {
        return Some(call(REMEMBERING, json!({"content": fact, "category": "user"})));
    }
    let what = after(message, &FORGET)?;
    Some(call(FORGETTING, json!({"about": what.trim_end_matches('.')})))
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
