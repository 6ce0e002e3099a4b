//! The calls of the Bot API that we make: one method each, one attempt each.

use std::time::Duration;

use abide_domain::text::shortened;
use abide_http::{Client, Error, Request, RequestLimits, Response, Secret, retry_after};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};

use super::{API, ButtonChoice, CallError, Update};

/// How long a poll waits at Telegram's side for something to come.
pub const POLL_WAIT: Duration = Duration::from_secs(50);
/// How much longer than that an answer may take.
const POLL_SLACK: Duration = Duration::from_secs(15);
/// How long any other call may take.
const CALL_MAX: Duration = Duration::from_secs(15);
/// Updates of one poll.
pub const UPDATES_MAX: u64 = 50;
/// Longest answer to a poll: so many updates of the largest messages.
const POLL_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Longest answer to any other call.
const ANSWER_BYTES_MAX: u64 = 256 * 1024;
/// Longest description of a failure that is kept, in Unicode scalar values.
const DESCRIPTION_CHARS_MAX: usize = 300;
/// What we want to be told of.
const WANTED: [&str; 3] = ["message", "edited_message", "callback_query"];
/// Buttons that stand beside each other.
const ROW_BUTTONS_MAX: usize = 2;
/// The pause where Telegram asks for one and does not say how long.
const UNNAMED_PAUSE: Duration = Duration::from_secs(5);

/// A bot, as its owner sees it. Cheap to clone. Its `Debug` output shows no token.
#[derive(Clone, Debug)]
pub struct Bot {
    client: Client,
    base: String,
    token: Secret,
    call_timeout: Duration,
}

/// Who the bot is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct BotProfile {
    /// Its number.
    pub id: i64,
    /// Its name, without `@`.
    #[serde(default)]
    pub username: String,
}

/// A message to be sent.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingMessage<'a> {
    /// To which chat.
    pub chat: i64,
    /// In which topic of it, where it is a forum.
    pub topic: Option<i64>,
    /// Plain text, at most [`super::MESSAGE_UNITS_MAX`] UTF-16 units.
    pub text: &'a str,
    /// The message that it answers. Where that is gone, it is sent all the same.
    pub reply_to: Option<i64>,
    /// Buttons below it: two in one row, more of them one below the other.
    pub buttons: &'a [Button],
}

impl<'a> OutgoingMessage<'a> {
    /// A plain message.
    pub const fn new(chat: i64, text: &'a str) -> Self {
        Self { chat, topic: None, text, reply_to: None, buttons: &[] }
    }
}

/// A button below a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    /// What stands on it.
    pub label: String,
    /// What pressing it says.
    pub choice: ButtonChoice,
}

/// Every answer of the Bot API.
#[derive(Deserialize)]
struct ApiAnswer<'a> {
    ok: bool,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error_code: Option<u16>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parameters: Option<AnswerParameters>,
}

#[derive(Deserialize)]
struct AnswerParameters {
    #[serde(default)]
    retry_after: Option<u64>,
    #[serde(default)]
    migrate_to_chat_id: Option<i64>,
}

#[derive(Deserialize)]
struct SentMessage {
    message_id: i64,
}

impl Bot {
    /// The bot of a token. An empty `base_url` is Telegram's own address.
    pub fn new(client: Client, base_url: &str, token: Secret) -> Self {
        let base = if base_url.is_empty() { API } else { base_url.trim_end_matches('/') };
        Self { client, base: base.to_owned(), token, call_timeout: CALL_MAX }
    }

    /// The same with another bound of the time that one call takes; polls are not bound by it.
    #[must_use]
    pub fn with_call_timeout(mut self, call_timeout: Duration) -> Self {
        self.call_timeout = call_timeout;
        self
    }

    /// `getMe`: who this is.
    pub async fn profile(&self) -> Result<BotProfile, CallError> {
        self.call("getMe", json!({})).await
    }

    /// `getUpdates`: what came, from the update `offset` on; those before it are confirmed by this and never come again.
    /// Waits so long at Telegram's side. One that cannot be read is passed over; it has no place in the answer.
    pub async fn updates(
        &self,
        offset: Option<i64>,
        wait: Duration,
    ) -> Result<Vec<Update>, CallError> {
        let mut body = json!({
            "timeout": wait.as_secs(),
            "limit": UPDATES_MAX,
            "allowed_updates": WANTED,
        });
        if let (Some(offset), Some(object)) = (offset, body.as_object_mut()) {
            object.insert("offset".to_owned(), offset.into());
        }
        let limits = limits(wait.saturating_add(POLL_SLACK), POLL_BYTES_MAX);
        let updates: Vec<Value> = self.call_within("getUpdates", &body, limits).await?;
        Ok(updates.into_iter().filter_map(Update::parse).collect())
    }

    /// `sendMessage`: gives the new message's number. A link in it shows no preview, for Telegram would open it, and a
    /// model that was tricked could tell the world what it knows by an address.
    pub async fn send(&self, message: &OutgoingMessage<'_>) -> Result<i64, CallError> {
        let mut body = json!({
            "chat_id": message.chat,
            "text": message.text,
            "link_preview_options": {"is_disabled": true},
        });
        if let Some(object) = body.as_object_mut() {
            if let Some(topic) = message.topic {
                object.insert("message_thread_id".to_owned(), topic.into());
            }
            if let Some(message) = message.reply_to {
                let reply_to = json!({"message_id": message, "allow_sending_without_reply": true});
                object.insert("reply_parameters".to_owned(), reply_to);
            }
            if !message.buttons.is_empty() {
                object.insert("reply_markup".to_owned(), keyboard(message.buttons));
            }
        }
        let sent: SentMessage = self.call("sendMessage", body).await?;
        Ok(sent.message_id)
    }

    /// `sendChatAction`: "… is typing", for five seconds or until a message comes.
    pub async fn typing(&self, chat: i64, topic: Option<i64>) -> Result<(), CallError> {
        let mut body = json!({"chat_id": chat, "action": "typing"});
        if let (Some(topic), Some(object)) = (topic, body.as_object_mut()) {
            object.insert("message_thread_id".to_owned(), topic.into());
        }
        self.call::<Value>("sendChatAction", body).await.map(drop)
    }

    /// `answerCallbackQuery`: ends the waiting of whoever pressed a button, with a few words.
    pub async fn answer_button_press(&self, query: &str, text: &str) -> Result<(), CallError> {
        let body = json!({"callback_query_id": query, "text": text});
        self.call::<Value>("answerCallbackQuery", body).await.map(drop)
    }

    /// `editMessageReplyMarkup`: takes the buttons off a message.
    pub async fn remove_buttons(&self, chat: i64, message: i64) -> Result<(), CallError> {
        let body = json!({"chat_id": chat, "message_id": message});
        self.call::<Value>("editMessageReplyMarkup", body).await.map(drop)
    }

    /// `editMessageText`: a message says something else from now on, and has no buttons.
    pub async fn replace_text(
        &self,
        (chat, message): (i64, i64),
        text: &str,
    ) -> Result<(), CallError> {
        let body = json!({
            "chat_id": chat,
            "message_id": message,
            "text": text,
            "link_preview_options": {"is_disabled": true},
        });
        self.call::<Value>("editMessageText", body).await.map(drop)
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: &'static str,
        body: Value,
    ) -> Result<T, CallError> {
        self.call_within(method, &body, limits(self.call_timeout, ANSWER_BYTES_MAX)).await
    }

    async fn call_within<T: DeserializeOwned>(
        &self,
        method: &'static str,
        body: &Value,
        limits: RequestLimits,
    ) -> Result<T, CallError> {
        let url = format!("{}/bot{}/{method}", self.base, self.token.expose());
        let request = Request::post_json(url, body.to_string()).limits(limits);
        let failed = |error: &Error| self.no_answer(method, error);
        let response = self.client.send(request).await.map_err(|error| failed(&error))?;
        let head = ResponseHead::of(&response, &self.client);
        let bytes = response.bytes().await.map_err(|error| failed(&error))?;
        self.parse_answer(method, head, &bytes)
    }

    fn parse_answer<T: DeserializeOwned>(
        &self,
        method: &'static str,
        head: ResponseHead,
        bytes: &[u8],
    ) -> Result<T, CallError> {
        let failing = CallError::Failing { method, status: head.status };
        let answer = match serde_json::from_slice::<ApiAnswer<'_>>(bytes) {
            Ok(answer) => answer,
            Err(_) if head.status == 429 => {
                let after = head.retry_after.unwrap_or(UNNAMED_PAUSE);
                return Err(CallError::TooMany { method, after });
            }
            Err(_) => return Err(failing),
        };
        if !answer.ok {
            return Err(self.refusal(method, head, answer));
        }
        let result = answer.result.map_or("null", RawValue::get);
        serde_json::from_str(result).map_err(|_| failing)
    }

    fn refusal(
        &self,
        method: &'static str,
        head: ResponseHead,
        answer: ApiAnswer<'_>,
    ) -> CallError {
        let code = answer.error_code.unwrap_or(head.status);
        let description = self.redacted(&answer.description.unwrap_or_default());
        let migrated = answer.parameters.as_ref().and_then(|p| p.migrate_to_chat_id);
        if let Some(to) = migrated {
            return CallError::ChatMigrated { method, to };
        }
        match code {
            // An unknown token of the wrong form is not found rather than not authorized.
            401 | 404 => CallError::Unauthorized,
            409 => CallError::Conflict { description },
            429 => {
                let named = answer.parameters.and_then(|parameters| parameters.retry_after);
                let named = named.map(Duration::from_secs).or(head.retry_after);
                CallError::TooMany { method, after: named.unwrap_or(UNNAMED_PAUSE) }
            }
            400..=499 => CallError::Refused { method, code, description },
            _ => CallError::Failing { method, status: code },
        }
    }

    fn no_answer(&self, method: &'static str, error: &Error) -> CallError {
        // Its own text would name the path, which holds the token.
        let (reason, may_have_arrived) = match error {
            Error::InvalidRequest { problem, .. } => {
                (format!("the address is not valid: {problem}"), false)
            }
            Error::AddressRefused { .. } | Error::Setup { .. } => (error.chain(), false),
            error if error.is_connect_failure() => (error.chain(), false),
            _ => (error.chain(), true),
        };
        CallError::NoAnswer { method, reason: self.redacted(&reason), may_have_arrived }
    }

    fn redacted(&self, text: &str) -> String {
        let text: String = self.token.redact(text).chars().filter(|c| !c.is_control()).collect();
        shortened(&text, DESCRIPTION_CHARS_MAX)
    }
}

/// What an answer's head says.
#[derive(Clone, Copy)]
struct ResponseHead {
    status: u16,
    retry_after: Option<Duration>,
}

impl ResponseHead {
    fn of(response: &Response, client: &Client) -> Self {
        let now = client.clock().now();
        Self {
            status: response.status().as_u16(),
            retry_after: retry_after(response.headers(), now),
        }
    }
}

/// A poll is silent for as long as nothing comes: all of its time is that to the first byte.
fn limits(total: Duration, body_bytes_max: u64) -> RequestLimits {
    RequestLimits { total, first_byte: total, body_bytes_max, ..RequestLimits::default() }
}

fn keyboard(buttons: &[Button]) -> Value {
    let in_row = if buttons.len() > ROW_BUTTONS_MAX { 1 } else { ROW_BUTTONS_MAX };
    let shown =
        |button: &Button| json!({"text": button.label, "callback_data": button.choice.to_string()});
    let rows: Vec<Vec<_>> =
        buttons.chunks(in_row).map(|row| row.iter().map(shown).collect()).collect();
    json!({"inline_keyboard": rows})
}
