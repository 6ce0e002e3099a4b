//! What a line of a server means: a message for the session, the end of a call that cannot be read, or nothing.
//!
//! Answers to calls and listings stay as they came, as JSON, and are read by this crate: one tool with an odd schema must not make a
//! whole list unreadable. An answer that cannot be read ends its call instead of letting it wait; a request that cannot be read is
//! answered with an error, and no such request ever ends a call whose id it happens to share.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::{
    RoleClient,
    model::{
        ClientNotification, ClientRequest, CustomRequest, CustomResult, ErrorCode, ErrorData,
        JsonRpcMessage, NumberOrString, RequestId, ServerRequest, ServerResult,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};
use serde_json::{Map, Value, json};

use crate::{
    cut_json::read_cut_json,
    lines::{Line, LongLine},
    outline::Outline,
    status::Counts,
    unreadable::UnreadableMessage,
};

/// The code of an answer that this crate makes where a server's own cannot be read. Outside of the codes of JSON-RPC.
pub(crate) const UNREADABLE_ANSWER: i32 = -32_199;
/// The code of an answer that this crate makes where a request was sent and its answer is lost.
pub(crate) const LOST_ANSWER: i32 = -32_198;
/// The code of an answer that this crate makes where a request was not sent, or certainly not run.
pub(crate) const NOT_SENT: i32 = -32_197;
/// The key under which an answer says how many bytes it had before it was cut.
pub(crate) const CUT_BYTES_KEY: &str = "_abide_cut_bytes";
/// The method by which a server asks something of a person.
pub(crate) const ELICITATION: &str = "elicitation/create";
/// The mark of UTF-8 that some programs begin their output with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a request that is out waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// A result that this crate reads; it may be cut.
    Content,
    /// A list that this crate reads; half of one is none.
    List,
    /// A result that the session reads.
    Typed,
}

/// The requests that are out, by their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outstanding(Arc<Mutex<HashMap<i64, Awaited>>>);

impl Outstanding {
    /// Notes a message that goes out.
    pub(crate) fn note(&self, message: &TxJsonRpcMessage<RoleClient>) {
        match message {
            JsonRpcMessage::Request(request) => {
                if let Some(id) = number(&request.id) {
                    self.with(|map| map.insert(id, awaited(&request.request)));
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = cancelled.params.request_id.as_ref().and_then(number)
                {
                    self.take(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Notes that nobody waits for a request any more; none where nobody did.
    pub(crate) fn take(&self, id: i64) -> Option<Awaited> {
        self.with(|map| map.remove(&id))
    }

    /// Whether a request has no answer yet.
    pub(crate) fn waits_for(&self, id: i64) -> bool {
        self.with(|map| map.contains_key(&id))
    }

    fn with<T>(&self, change: impl FnOnce(&mut HashMap<i64, Awaited>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn awaited(request: &ClientRequest) -> Awaited {
    match request.method() {
        "tools/call" | "resources/read" => Awaited::Content,
        "tools/list" | "resources/list" => Awaited::List,
        _ => Awaited::Typed,
    }
}

fn number(id: &RequestId) -> Option<i64> {
    match id {
        NumberOrString::Number(number) => Some(*number),
        // Some servers give numbers back as texts.
        NumberOrString::String(text) => text.parse().ok(),
    }
}

/// The message of a line; none where there is nothing for the session in it.
pub(crate) fn read_line(
    line: Line,
    outstanding: &Outstanding,
    counts: &Counts,
) -> Option<RxJsonRpcMessage<RoleClient>> {
    match line {
        Line::Whole(bytes) => read_whole(&bytes, outstanding, counts),
        Line::Long(long) => {
            Counts::add(&counts.too_long);
            read_long(&long, outstanding)
        }
    }
}

fn read_whole(
    bytes: &[u8],
    outstanding: &Outstanding,
    counts: &Counts,
) -> Option<RxJsonRpcMessage<RoleClient>> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii();
    if bytes.is_empty() {
        return None;
    }
    match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(message)) => read_message(message, outstanding, counts),
        Ok(other) => {
            Counts::add(&counts.not_a_message);
            let is_batch = is_batch_of_requests(&other);
            is_batch.then(|| UnreadableMessage::List.message(None))
        }
        Err(error) => {
            Counts::add(&counts.not_json);
            if !bytes.starts_with(b"{") {
                return None;
            }
            let outline = Outline::read(bytes, bytes);
            if outline.asks {
                return Some(UnreadableMessage::NotJson.message(outline.id));
            }
            let id = outline.id.as_ref().and_then(number)?;
            outstanding.take(id)?;
            Some(unreadable(id, format!("the answer is not JSON: {error}")))
        }
    }
}

/// Whether there is something in a list that wants an answer or is news. Programs also write lists that are no messages.
fn is_batch_of_requests(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().any(|one| one.get("method").is_some()))
}

fn read_message(
    message: Map<String, Value>,
    outstanding: &Outstanding,
    counts: &Counts,
) -> Option<RxJsonRpcMessage<RoleClient>> {
    if message.get("method").is_some_and(|method| method == ELICITATION) {
        return Some(read_elicitation(message, counts));
    }
    if message.contains_key("method") {
        let id = message.get("id").cloned();
        let read = serde_json::from_value(Value::Object(message));
        return Some(read.unwrap_or_else(|_| {
            Counts::add(&counts.not_a_message);
            let id = id.and_then(|id| serde_json::from_value(id).ok());
            UnreadableMessage::NotOfTheProtocol.message(id)
        }));
    }
    let is_answer = message.contains_key("result") || message.contains_key("error");
    let Some(id) = message.get("id").filter(|_| is_answer) else {
        Counts::add(&counts.not_a_message);
        return None;
    };
    let id = id_of(id)?;
    // An answer that nobody waits for: to a probe, or to a call that was cancelled.
    let awaited = outstanding.take(id)?;
    Some(read_answer(id, awaited, message))
}

/// A question to a person, as it came: what the library knows of forms is less than what may be answered.
fn read_elicitation(
    mut message: Map<String, Value>,
    counts: &Counts,
) -> RxJsonRpcMessage<RoleClient> {
    let Some(id) = message.remove("id").and_then(|id| serde_json::from_value(id).ok()) else {
        Counts::add(&counts.not_a_message);
        return UnreadableMessage::NotOfTheProtocol.message(None);
    };
    let request = CustomRequest::new(ELICITATION, message.remove("params"));
    JsonRpcMessage::request(ServerRequest::CustomRequest(request), id)
}

fn read_answer(
    id: i64,
    awaited: Awaited,
    mut message: Map<String, Value>,
) -> RxJsonRpcMessage<RoleClient> {
    if awaited != Awaited::Typed
        && let Some(result) = message.remove("result")
    {
        return raw(id, result);
    }
    message.insert("id".into(), json!(id));
    message.insert("jsonrpc".into(), json!("2.0"));
    match serde_json::from_value(Value::Object(message)) {
        Ok(read) => read,
        Err(error) => unreadable(id, format!("the answer is none of the protocol: {error}")),
    }
}

fn read_long(long: &LongLine, outstanding: &Outstanding) -> Option<RxJsonRpcMessage<RoleClient>> {
    let outline = Outline::read(&long.head, &long.tail);
    let id = outline.id.as_ref().and_then(number).filter(|_| !outline.asks);
    let Some((id, awaited)) = id.and_then(|id| Some((id, outstanding.take(id)?))) else {
        // An answer that nobody waits for is nobody's loss.
        let is_answer = outline.answers && !outline.asks;
        let unread = UnreadableMessage::TooLong { bytes: long.bytes };
        // Without a word about what it is, its id may be that of an answer.
        let id = outline.id.filter(|_| outline.asks);
        return (!is_answer).then(|| unread.message(id));
    };
    let cut = (awaited == Awaited::Content).then(|| cut_result(long)).flatten();
    Some(match cut {
        Some(result) => raw(id, result),
        None => unreadable(id, format!("the answer of {} bytes is too large", long.bytes)),
    })
}

/// The head of a result, marked as cut.
fn cut_result(long: &LongLine) -> Option<Value> {
    let mut message = read_cut_json(&long.head)?;
    let mut result = message.get_mut("result")?.take();
    let object = result.as_object_mut()?;
    object.insert(CUT_BYTES_KEY.into(), json!(long.bytes));
    // Quotes inside of texts are escaped, so this stands outside of them.
    let says_error = |needle: &[u8]| long.tail.windows(needle.len()).any(|part| part == needle);
    if says_error(br#""isError":true"#) || says_error(br#""isError": true"#) {
        object.insert("isError".into(), json!(true));
    }
    Some(result)
}

/// The number that an id means; some servers give numbers back as texts.
fn id_of(id: &Value) -> Option<i64> {
    id.as_i64().or_else(|| id.as_str().and_then(|text| text.parse().ok()))
}

fn raw(id: i64, result: Value) -> RxJsonRpcMessage<RoleClient> {
    let result = ServerResult::CustomResult(CustomResult::new(result));
    JsonRpcMessage::response(result, NumberOrString::Number(id))
}

fn unreadable(id: i64, message: String) -> RxJsonRpcMessage<RoleClient> {
    made_answer(id, UNREADABLE_ANSWER, message)
}

/// An answer that this crate makes, because a request must not wait for one that does not come.
pub(crate) fn made_answer(id: i64, code: i32, message: String) -> RxJsonRpcMessage<RoleClient> {
    let error = ErrorData::new(ErrorCode(code), message, None);
    JsonRpcMessage::error(error, Some(NumberOrString::Number(id)))
}

#[cfg(test)]
mod tests {
    use rmcp::model::{GetExtensions as _, JsonRpcMessage, NumberOrString, ServerResult};
    use serde_json::{Value, json};

    use super::{Awaited, CUT_BYTES_KEY, Outstanding, UNREADABLE_ANSWER, read_line};
    use crate::{
        lines::{Line, LineSplitter},
        status::{Counts, SkippedLines},
        unreadable::UnreadableMessage,
    };

    fn read(line: &[u8], awaited: Awaited, counts: &Counts) -> Option<Result<Value, i32>> {
        let outstanding = Outstanding::default();
        outstanding.with(|map| map.insert(7, awaited));
        let mut splitter = LineSplitter::default();
        let (_, line) = splitter.feed(&[line, b"\n"].concat());
        match read_line(line.unwrap_or(Line::Whole(Vec::new())), &outstanding, counts)? {
            JsonRpcMessage::Response(response) => match response.result {
                ServerResult::CustomResult(result) => Some(Ok(result.0)),
                other => Some(Ok(serde_json::to_value(other).unwrap())),
            },
            JsonRpcMessage::Error(error) => Some(Err(error.error.code.0)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {
                Some(Ok(json!("from the server")))
            }
        }
    }

    #[test]
    fn what_is_no_message_is_skipped_and_counted() {
        let counts = Counts::default();
        let skipped: [&[u8]; 8] = [
            b"Server v1.0 running on stdio",
            b"",
            b"[]",
            br#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#,
            b"42",
            br#"{"level":"info"}"#,
            br#"{"jsonrpc":"2.0","id":8,"result":{}}"#,
            br#"{"jsonrpc":"2.0","id":"probe","result":{}}"#,
        ];
        for line in skipped {
            assert_eq!(read(line, Awaited::Content, &counts), None);
        }
        let expected = SkippedLines { not_json: 1, not_a_message: 4, too_long: 0 };
        assert_eq!(counts.skipped(), expected);
    }

    #[test]
    fn answers_are_read_in_all_their_spellings() {
        let counts = Counts::default();
        let good: [&[u8]; 4] = [
            br#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#,
            b"\xef\xbb\xbf{\"result\":{\"content\":[]},\"jsonrpc\":\"2.0\",\"id\":7}\r",
            br#"{"id":"7","result":{"content":[]}}"#,
            br#"  {"id":7,"result":{"content":[]}}  "#,
        ];
        for line in good {
            assert_eq!(read(line, Awaited::Content, &counts), Some(Ok(json!({"content": []}))));
        }
        let error = br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}"#;
        assert_eq!(read(error, Awaited::Content, &counts), Some(Err(-32602)));
        let notice = br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        assert_eq!(read(notice, Awaited::Content, &counts), Some(Ok(json!("from the server"))));
        assert_eq!(counts.skipped(), SkippedLines::default());
    }

    #[test]
    fn an_answer_that_cannot_be_read_ends_its_call() {
        let counts = Counts::default();
        let broken: [&[u8]; 3] = [
            br#"{"jsonrpc":"2.0","id":7,"result":{"content":[}"#,
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"\xff\"}",
            br#"{"jsonrpc":"2.0","id":7,"error":{"code":"x"}}"#,
        ];
        for line in broken {
            assert_eq!(read(line, Awaited::Content, &counts), Some(Err(UNREADABLE_ANSWER)));
        }
    }

    #[test]
    fn of_a_huge_answer_the_head_is_read_wherever_its_id_stands() {
        let counts = Counts::default();
        let text = "x".repeat(9 * 1024 * 1024);
        let front = format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":true}}}}"#
        );
        let back = format!(
            r#"{{"result":{{"content":[{{"type":"text","text":"{text}"}}]}},"jsonrpc":"2.0","id":7}}"#
        );
        for (line, is_error) in [(&front, true), (&back, false)] {
            let result = read(line.as_bytes(), Awaited::Content, &counts).unwrap().unwrap();
            assert_eq!(result[CUT_BYTES_KEY], json!(line.len()));
            assert_eq!(result.get("isError").is_some(), is_error);
            let shown = result["content"][0]["text"].as_str().unwrap();
            assert!(shown.len() > 100_000 && text.starts_with(shown));
            let list = read(line.as_bytes(), Awaited::List, &counts);
            assert_eq!(list, Some(Err(UNREADABLE_ANSWER)), "half a list is none");
        }
        assert_eq!(counts.skipped().too_long, 4);
    }

    /// What a line becomes where the server asks something in it: its id, where it is answered, and why it cannot be read.
    fn unread(line: &[u8]) -> Option<(Option<NumberOrString>, UnreadableMessage)> {
        let outstanding = Outstanding::default();
        outstanding.with(|map| map.insert(7, Awaited::Content));
        let mut splitter = LineSplitter::default();
        let (_, line) = splitter.feed(&[line, b"\n"].concat());
        let message = read_line(line.unwrap(), &outstanding, &Counts::default())?;
        assert!(outstanding.waits_for(7), "a request of the server ends no call");
        match message {
            JsonRpcMessage::Request(asked) => {
                Some((Some(asked.id), UnreadableMessage::of(asked.request.extensions())?))
            }
            JsonRpcMessage::Notification(said) => {
                Some((None, UnreadableMessage::of(said.notification.extensions())?))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_request_that_cannot_be_read_is_answered_where_its_id_is_known_and_ends_no_call() {
        let text = "x".repeat(30_000_000);
        let deep =
            |head: &str| format!("{{{head},\"params\":{}1{}}}", "[".repeat(500), "]".repeat(500));
        let method = r#""method":"elicitation/create""#;
        let first =
            format!(r#"{{"jsonrpc":"2.0","id":7,{method},"params":{{"message":"{text}"}}}}"#);
        let last = format!(r#"{{"params":{{"message":"{text}"}},{method},"id":7}}"#);
        let inner = format!(r#"{{"params":{{"message":"{text}","id":7}},{method}}}"#);
        let unknown = format!(r#"{{"x":"{text}"}}"#);
        let seven = Some(NumberOrString::Number(7));
        let word = Some(NumberOrString::String("ask-1".into()));
        let long = |line: &str| UnreadableMessage::TooLong { bytes: line.len() };
        let (none, odd) = (UnreadableMessage::NotJson, UnreadableMessage::NotOfTheProtocol);
        let cases = [
            (first.clone(), seven.clone(), long(&first)),
            (last.clone(), seven.clone(), long(&last)),
            (inner.clone(), None, long(&inner)),
            (unknown.clone(), None, long(&unknown)),
            (deep(&format!(r#""id":"ask-1",{method}"#)), word.clone(), none),
            (deep(method), None, none),
            (r#"{"id":"ask-1","method":"roots/list","params":{]}"#.to_owned(), word.clone(), none),
            (r#"{"jsonrpc":"2.0","id":"ask-1","method":5}"#.to_owned(), word.clone(), odd),
            (r#"{"id":"ask-1","method":"roots/list"}"#.to_owned(), word, odd),
            (format!(r#"{{"jsonrpc":"2.0","id":[1],{method}}}"#), None, odd),
            (format!(r#"[{{"id":7,{method}}}]"#), None, UnreadableMessage::List),
        ];
        for (line, id, why) in cases {
            let shown = &line[..line.len().min(60)];
            assert_eq!(unread(line.as_bytes()), Some((id, why)), "{shown}");
        }
        let forged = br#"{"jsonrpc":"2.0","id":1,"method":"abide/unreadable"}"#;
        assert_eq!(unread(forged), None, "no server can say that of itself");
    }
}
