//! What Telegram knows of one bot, and how it answers: shared by all connections.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};

/// Longest text of a message, in UTF-16 units.
const TEXT_UNITS_MAX: usize = 4096;
/// Most that a button carries.
const BUTTON_BYTES_MAX: usize = 64;
/// When everything here happens, in seconds since 1970.
const DATE: i64 = 1_764_000_000;

/// What goes wrong with one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BotFault {
    /// 429: too many, come back after so many seconds.
    TooMany(u64),
    /// 502 with a page that is no JSON, as a proxy answers.
    BadGateway,
    /// The connection ends before anything was done.
    CutBefore,
    /// It was done, and the connection ends before the answer.
    CutAfter,
    /// Refused with a status and Telegram's words.
    Refuse(u16, &'static str),
    /// Refused, because the group has this number now.
    Migrated(i64),
}

/// An answer on the wire.
#[derive(Debug)]
pub(super) struct BotReply {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) text: String,
}

#[derive(Debug)]
pub(super) struct BotCalls {
    token: &'static str,
    state: Mutex<BotState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct BotState {
    is_closed: bool,
    /// Updates that no poll has confirmed.
    waiting: VecDeque<Value>,
    /// All that ever came.
    all: Vec<Value>,
    last_update: i64,
    last_message: i64,
    chats: BTreeSet<i64>,
    polls: u64,
    polled_by: usize,
    faults: HashMap<String, VecDeque<BotFault>>,
    done: Vec<(String, Value)>,
    arrived: HashMap<String, usize>,
}

impl BotCalls {
    pub(super) fn new(token: &'static str) -> Self {
        // Numbers of updates begin anywhere.
        let state = BotState { last_update: 815_000_000, last_message: 100, ..BotState::default() };
        Self { token, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, BotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something, and lets everybody who waits look.
    fn change<T>(&self, change: impl FnOnce(&mut BotState) -> T) -> T {
        let changed = change(&mut self.state());
        self.changed.notify_all();
        changed
    }

    /// Waits until something holds; false where it does not in time.
    fn wait(&self, patience: Duration, mut holds: impl FnMut(&BotState) -> bool) -> bool {
        let waiting = |state: &mut BotState| !holds(state);
        let waited = self.changed.wait_timeout_while(self.state(), patience, waiting);
        let (_state, timed_out) = waited.unwrap_or_else(PoisonError::into_inner);
        !timed_out.timed_out()
    }

    pub(super) fn close(&self) {
        self.change(|state| state.is_closed = true);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    pub(super) fn message(&self, mut fields: Value) -> i64 {
        self.change(|state| {
            state.last_message += 1;
            let message = state.last_message;
            put(&mut fields, "message_id", message);
            put(&mut fields, "date", DATE);
            state.chats.extend(fields.pointer("/chat/id").and_then(Value::as_i64));
            state.push(json!({"message": fields}));
            message
        })
    }

    pub(super) fn update(&self, fields: Value) {
        self.change(|state| state.push(fields));
    }

    pub(super) fn repeat(&self) {
        self.change(|state| state.waiting = state.all.clone().into());
    }

    pub(super) fn fault(&self, method: &str, fault: BotFault) {
        self.change(|state| state.faults.entry(method.to_owned()).or_default().push_back(fault));
    }

    pub(super) fn steal(&self) {
        self.change(|state| state.polls += 1);
    }

    pub(super) fn is_polled(&self) -> bool {
        self.state().polled_by > 0
    }

    pub(super) fn calls(&self, method: &str) -> Vec<Value> {
        let state = self.state();
        let of_method = state.done.iter().filter(|(called, _)| called == method);
        of_method.map(|(_, body)| body.clone()).collect()
    }

    pub(super) fn wait_for(&self, method: &str, count: usize, patience: Duration) -> Vec<Value> {
        let done = |state: &BotState| {
            state.done.iter().filter(|(called, _)| called == method).count() >= count
        };
        let is_done = self.wait(patience, done);
        let calls = self.calls(method);
        assert!(is_done, "{method} was called {} times of {count}: {calls:?}", calls.len());
        calls
    }

    pub(super) fn arrivals(&self, method: &str) -> usize {
        self.state().arrived.get(method).copied().unwrap_or(0)
    }

    pub(super) fn wait_for_arrivals(&self, method: &str, count: usize, patience: Duration) {
        let came = |state: &BotState| state.arrived.get(method).is_some_and(|came| *came >= count);
        assert!(self.wait(patience, came), "{method} did not come {count} times");
    }

    pub(super) fn wait_until_confirmed(&self, patience: Duration) {
        let is_confirmed = self.wait(patience, |state| state.waiting.is_empty());
        assert!(is_confirmed, "not every update was confirmed");
    }

    /// Carries a call out; none where the connection is to end without a word.
    pub(super) fn take(&self, target: &str, body: Value) -> Option<BotReply> {
        let Some(method) = target
            .strip_prefix("/bot")
            .and_then(|rest| rest.strip_prefix(self.token))
            .and_then(|rest| rest.strip_prefix('/'))
        else {
            return Some(refusal(401, "Unauthorized"));
        };
        let fault = self.change(|state| {
            *state.arrived.entry(method.to_owned()).or_default() += 1;
            state.faults.get_mut(method).and_then(VecDeque::pop_front)
        });
        match fault {
            Some(BotFault::CutBefore) => None,
            Some(BotFault::CutAfter) => {
                drop(self.carry_out(method, body));
                None
            }
            Some(BotFault::TooMany(seconds)) => Some(too_many(seconds)),
            Some(BotFault::BadGateway) => Some(BotReply {
                status: 502,
                content_type: "text/html",
                text: "<html><body><h1>502 Bad Gateway</h1></body></html>".to_owned(),
            }),
            Some(BotFault::Refuse(status, words)) => Some(refusal(status, words)),
            Some(BotFault::Migrated(to)) => {
                self.change(|state| state.chats.insert(to));
                Some(migrated(to))
            }
            None => Some(self.carry_out(method, body)),
        }
    }

    fn carry_out(&self, method: &str, body: Value) -> BotReply {
        let answer = match method {
            "getUpdates" => self.poll(&body),
            "sendMessage" => self.send(&body),
            "getMe" => Ok(json!({
                "id": 777_000_111, "is_bot": true, "first_name": "Abide", "username": "abide_test_bot",
            })),
            "sendChatAction"
            | "answerCallbackQuery"
            | "editMessageReplyMarkup"
            | "editMessageText" => Ok(true.into()),
            _ => Err(refusal(404, "Not Found")),
        };
        match answer {
            Ok(result) => {
                self.change(|state| state.done.push((method.to_owned(), body)));
                json_reply(200, &json!({"ok": true, "result": result}))
            }
            Err(refusal) => refusal,
        }
    }

    fn poll(&self, body: &Value) -> Result<Value, BotReply> {
        let limit = body["limit"].as_u64().and_then(|limit| usize::try_from(limit).ok());
        let patience = Duration::from_secs(body["timeout"].as_u64().unwrap_or(0));
        let mine = self.change(|state| {
            if let Some(offset) = body["offset"].as_i64() {
                state.waiting.retain(|update| update["update_id"].as_i64() >= Some(offset));
            }
            state.polls += 1;
            state.polled_by += 1;
            state.polls
        });
        self.wait(patience, |state| {
            state.is_closed || state.polls != mine || !state.waiting.is_empty()
        });
        let mut state = self.state();
        state.polled_by -= 1;
        if state.polls != mine {
            let words = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
            return Err(refusal(409, words));
        }
        Ok(state.waiting.iter().take(limit.unwrap_or(100)).cloned().collect())
    }

    fn send(&self, body: &Value) -> Result<Value, BotReply> {
        let bad = |words| refusal(400, words);
        let chat = body["chat_id"].as_i64().unwrap_or_default();
        let text = body["text"].as_str().unwrap_or_default();
        let rows = body.pointer("/reply_markup/inline_keyboard").and_then(Value::as_array);
        let mut buttons = rows.into_iter().flatten().filter_map(Value::as_array).flatten();
        let carries_too_much = buttons.any(|button| {
            let carried = button.get("callback_data").and_then(Value::as_str);
            carried.is_none_or(|data| data.len() > BUTTON_BYTES_MAX)
        });
        if text.trim().is_empty() {
            return Err(bad("Bad Request: message text is empty"));
        }
        if text.encode_utf16().count() > TEXT_UNITS_MAX {
            return Err(bad("Bad Request: message is too long"));
        }
        if carries_too_much {
            return Err(bad("Bad Request: BUTTON_DATA_INVALID"));
        }
        self.change(|state| {
            if !state.chats.contains(&chat) {
                return Err(bad("Bad Request: chat not found"));
            }
            state.last_message += 1;
            Ok(json!({
                "message_id": state.last_message, "date": DATE, "chat": {"id": chat}, "text": text,
            }))
        })
    }
}

impl BotState {
    fn push(&mut self, mut update: Value) {
        self.last_update += 1;
        put(&mut update, "update_id", self.last_update);
        self.waiting.push_back(update.clone());
        self.all.push(update);
    }
}

fn put(object: &mut Value, field: &str, number: i64) {
    if let Some(object) = object.as_object_mut() {
        object.insert(field.to_owned(), number.into());
    }
}

fn json_reply(status: u16, body: &Value) -> BotReply {
    BotReply { status, content_type: "application/json", text: body.to_string() }
}

fn refusal(status: u16, words: &str) -> BotReply {
    json_reply(status, &json!({"ok": false, "error_code": status, "description": words}))
}

fn migrated(to: i64) -> BotReply {
    let words = "Bad Request: group chat was upgraded to a supergroup chat";
    let parameters = json!({"migrate_to_chat_id": to});
    json_reply(
        400,
        &json!({"ok": false, "error_code": 400, "description": words, "parameters": parameters}),
    )
}

fn too_many(seconds: u64) -> BotReply {
    let words = format!("Too Many Requests: retry after {seconds}");
    let parameters = json!({"retry_after": seconds});
    json_reply(
        429,
        &json!({"ok": false, "error_code": 429, "description": words, "parameters": parameters}),
    )
}
