//! What a line of a server means: a message for the session, the end of a call that cannot be read, or nothing.
//!
//! Answers to calls and listings stay as they came, as JSON, and are read by this crate: one tool with an odd schema must not make a
//! whole list unreadable. An answer that cannot be read ends its call instead of letting it wait.

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
    limits::LINE_HEAD_BYTES,
    lines::{Line, LongLine},
    status::Counts,
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
        Ok(_) => {
            Counts::add(&counts.not_a_message);
            None
        }
        Err(error) => {
            Counts::add(&counts.not_json);
            if !bytes.starts_with(b"{") {
                return None;
            }
            let tail = bytes.get(bytes.len().saturating_sub(256)..).unwrap_or_default();
            let head = bytes.get(..LINE_HEAD_BYTES.min(bytes.len())).unwrap_or_default();
            let id = id_of_broken(head, tail)?;
            outstanding.take(id)?;
            Some(unreadable(id, format!("the answer is not JSON: {error}")))
        }
    }
}

fn read_message(
    message: Map<String, Value>,
    outstanding: &Outstanding,
    counts: &Counts,
) -> Option<RxJsonRpcMessage<RoleClient>> {
    if message.get("method").is_some_and(|method| method == ELICITATION) {
        return read_elicitation(message, counts);
    }
    if message.contains_key("method") {
        let read = serde_json::from_value(Value::Object(message)).ok();
        if read.is_none() {
            Counts::add(&counts.not_a_message);
        }
        return read;
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
) -> Option<RxJsonRpcMessage<RoleClient>> {
    let Some(id) = message.remove("id").and_then(|id| serde_json::from_value(id).ok()) else {
        Counts::add(&counts.not_a_message);
        return None;
    };
    let request = CustomRequest::new(ELICITATION, message.remove("params"));
    Some(JsonRpcMessage::request(ServerRequest::CustomRequest(request), id))
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
    let id = id_of_broken(&long.head, &long.tail)?;
    let awaited = outstanding.take(id)?;
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

/// The id of an answer that cannot be read whole: at its head, or, as some servers write it, behind everything else.
fn id_of_broken(head: &[u8], tail: &[u8]) -> Option<i64> {
    let of_head = read_cut_json(head).and_then(|value| value.get("id").and_then(id_of));
    of_head.or_else(|| {
        let text = String::from_utf8_lossy(tail);
        let (_, behind) = text.rsplit_once("\"id\":")?;
        let digits: String = behind.trim_start().chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    })
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
    use rmcp::model::{JsonRpcMessage, ServerResult};
    use serde_json::{Value, json};

    use super::{Awaited, CUT_BYTES_KEY, Outstanding, UNREADABLE_ANSWER, read_line};
    use crate::{
        lines::{Line, LineSplitter},
        status::{Counts, SkippedLines},
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
}
