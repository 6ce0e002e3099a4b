//! Streamable HTTP as a transport of the protocol library: each message is a POST of its own, and its answer comes in the body.
//!
//! The library's own transport sends messages again where a session or a token has run out. Here each request is sent once and always
//! ends: with the server's answer, or with one that this crate makes of what it knows. Only a stream whose events are named is read
//! on where it was cut, by a GET that runs nothing.

use std::{collections::HashMap, io, sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, ready};
use rmcp::{
    RoleClient,
    model::{ClientNotification, JsonRpcMessage, NumberOrString, RequestId, ServerResult},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde_json::{Value, json};
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc},
    task::{AbortHandle, JoinSet},
    time::{Instant, sleep, timeout_at},
};

use crate::{
    http_link::{EVENT_STREAM, HttpLink, NoAnswerError, OpenedStream, Posted},
    incoming::{LOST_ANSWER, NOT_SENT, Outstanding, UNREADABLE_ANSWER, made_answer, read_line},
    limits::{
        ANSWER_LIFE_MAX, BODY_BYTES_MAX, INCOMING_MAX, NOTICE_LIMIT, POSTS_AT_ONCE_MAX,
        REOPEN_WAIT_MAX, REOPEN_WAIT_MIN, RESUMES_MAX,
    },
    lines::{Line, LineSplitter},
    sse_messages::{SseMessages, StreamPosition},
    status::Counts,
};

/// How long a stream is read on after the answer that it was opened for, so that its connection can be used again.
const AFTER_ANSWER: Duration = Duration::from_secs(1);
/// A stream that lasted this long was no failure, even if nothing came.
const LISTENED_WELL: Duration = Duration::from_secs(10);
/// After so many failures in a row the server's stream is not opened again.
const LISTEN_FAILURES_MAX: u32 = 8;

/// Where messages go out and come in.
pub(crate) struct HttpTransport {
    exchanges: Arc<HttpExchanges>,
    incoming: mpsc::Receiver<RxJsonRpcMessage<RoleClient>>,
    /// Everything that runs for this session; it ends with this.
    tasks: JoinSet<()>,
    /// Those that carry requests, by the ids of these.
    by_id: HashMap<i64, AbortHandle>,
}

/// What all exchanges of a session share.
struct HttpExchanges {
    link: Arc<HttpLink>,
    outstanding: Outstanding,
    counts: Arc<Counts>,
    list_changed: Arc<Notify>,
    messages: mpsc::Sender<RxJsonRpcMessage<RoleClient>>,
    room: Arc<Semaphore>,
    /// Notified once the older handshake is over: from then on the server may speak unasked.
    is_initialized: Notify,
}

impl HttpTransport {
    pub(crate) fn new(link: Arc<HttpLink>, counts: Arc<Counts>, list_changed: Arc<Notify>) -> Self {
        let (messages, incoming) = mpsc::channel(INCOMING_MAX);
        let exchanges = Arc::new(HttpExchanges {
            link,
            outstanding: Outstanding::default(),
            counts,
            list_changed,
            messages,
            room: Arc::new(Semaphore::new(POSTS_AT_ONCE_MAX)),
            is_initialized: Notify::new(),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(Arc::clone(&exchanges).listen());
        tasks.spawn(Arc::clone(&exchanges).watch_tokens());
        Self { exchanges, incoming, tasks, by_id: HashMap::new() }
    }

    fn begin(&mut self, id: i64, message: Value) {
        while self.tasks.try_join_next().is_some() {}
        self.by_id.retain(|_, task| !task.is_finished());
        let room = Arc::clone(&self.exchanges.room).try_acquire_owned().ok();
        let task = self.tasks.spawn(Arc::clone(&self.exchanges).carry(id, message, room));
        self.by_id.insert(id, task);
    }
}

impl Transport<RoleClient> for HttpTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let read = serde_json::to_value(&message).map_err(io::Error::from);
        let sending: BoxFuture<'static, Result<(), io::Error>> = match (read, &message) {
            (Err(error), _) => Box::pin(ready(Err(error))),
            (Ok(value), JsonRpcMessage::Request(request)) => {
                self.exchanges.outstanding.note(&message);
                if let Some(id) = number(&request.id) {
                    self.begin(id, value);
                }
                // Its end comes as its answer, whatever it is.
                Box::pin(ready(Ok(())))
            }
            (Ok(value), _) => {
                self.exchanges.outstanding.note(&message);
                if let Some(task) = cancelled(&message).and_then(|id| self.by_id.remove(&id)) {
                    task.abort();
                }
                let ends_handshake = matches!(
                    &message,
                    JsonRpcMessage::Notification(notification)
                        if matches!(notification.notification, ClientNotification::InitializedNotification(_))
                );
                Box::pin(Arc::clone(&self.exchanges).notify(value, ends_handshake))
            }
        };
        sending
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let closed = self.exchanges.link.closed.clone();
        tokio::select! {
            biased;
            message = self.incoming.recv() => message,
            () = closed.cancelled() => None,
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.tasks.shutdown().await;
        Ok(())
    }
}

impl HttpExchanges {
    /// Carries a request to the server and its answer back. It always has an answer.
    async fn carry(self: Arc<Self>, id: i64, message: Value, room: Option<OwnedSemaphorePermit>) {
        let end = match room {
            Some(_room) => self.ask(id, &message).await,
            None => Err(NoAnswerError::NotSent(format!(
                "nothing was sent: {POSTS_AT_ONCE_MAX} other messages are on their way"
            ))),
        };
        if self.outstanding.take(id).is_some() {
            let nothing = "the server closed the connection without an answer";
            let error = end.err().unwrap_or_else(|| NoAnswerError::Lost(nothing.to_owned()));
            self.hand_on(to_answer(id, error)).await;
        }
        if self.link.needs_login() {
            self.link.look_for_token().await;
        }
    }

    async fn ask(&self, id: i64, message: &Value) -> Result<(), NoAnswerError> {
        match self.link.post(message, ANSWER_LIFE_MAX).await? {
            Posted::Error(mut error) => {
                // Where the server could not read the request, it does not know its id.
                if let Some(object) = error.as_object_mut() {
                    object.insert("id".into(), json!(id));
                }
                self.deliver(Line::Whole(error.to_string().into_bytes())).await;
                Ok(())
            }
            Posted::Answer(response) if response.is_of_type(EVENT_STREAM) => {
                self.read_stream(id, response).await
            }
            Posted::Answer(response) => self.read_body(response).await,
        }
    }

    async fn read_body(&self, mut response: abide_http::Response) -> Result<(), NoAnswerError> {
        let mut body = LineSplitter::default();
        let mut bytes = 0_usize;
        while let Some(chunk) = response.chunk().await.map_err(|error| lost(&error))? {
            bytes += chunk.len();
            if bytes > BODY_BYTES_MAX {
                let reason = format!("the answer is longer than {BODY_BYTES_MAX} bytes");
                return Err(NoAnswerError::Unreadable(reason));
            }
            body.add(&chunk);
        }
        self.deliver(body.finish()).await;
        let reason = "the answer is no message of the protocol".to_owned();
        // Where it was one, nobody waits for this.
        Err(NoAnswerError::Unreadable(reason))
    }

    /// Reads the stream of one answer, and reads it on where it is cut, as long as that brings anything.
    async fn read_stream(
        &self,
        id: i64,
        response: abide_http::Response,
    ) -> Result<(), NoAnswerError> {
        let mut position = StreamPosition::default();
        let mut opened = Some(response);
        let mut resumes = 0;
        let mut reason = "the stream of the answer could not be read on".to_owned();
        loop {
            if let Some(response) = opened.take() {
                let before = position.event_id.clone();
                let end = self.read_events(response, Some(id), &mut position).await;
                if !self.outstanding.waits_for(id) {
                    return Ok(());
                }
                if let Err(error) = end {
                    reason = error.to_string();
                }
                if position.event_id != before {
                    resumes = 0;
                }
            }
            if position.event_id.is_none() || resumes >= RESUMES_MAX {
                let what = format!("the stream of the answer ended without one: {reason}");
                return Err(NoAnswerError::Lost(what));
            }
            resumes += 1;
            sleep(reopen_wait(&position, resumes)).await;
            opened = match self.link.open_stream(&position).await {
                OpenedStream::Open(response) => Some(*response),
                OpenedStream::Failed => None,
                OpenedStream::NotOffered { .. } => {
                    let what = "the server does not repeat the stream of the answer".to_owned();
                    return Err(NoAnswerError::Lost(what));
                }
            };
        }
    }

    /// Hands on the messages of a stream until it ends; past the answer that it is read for, only for a moment.
    async fn read_events(
        &self,
        mut response: abide_http::Response,
        id: Option<i64>,
        position: &mut StreamPosition,
    ) -> Result<(), NoAnswerError> {
        let mut reader = SseMessages::after(position.clone());
        let mut messages = Vec::new();
        let mut deadline = Instant::now() + ANSWER_LIFE_MAX;
        let mut is_answered = false;
        loop {
            let Ok(chunk) = timeout_at(deadline, response.chunk()).await else { return Ok(()) };
            let Some(chunk) = chunk.map_err(|error| lost(&error))? else { return Ok(()) };
            reader.push(&chunk, &mut messages);
            position.clone_from(reader.position());
            for message in messages.drain(..) {
                self.deliver(message).await;
            }
            if !is_answered && id.is_some_and(|id| !self.outstanding.waits_for(id)) {
                is_answered = true;
                deadline = Instant::now() + AFTER_ANSWER;
            }
        }
    }

    async fn deliver(&self, line: Line) {
        let Some(message) = read_line(line, &self.outstanding, &self.counts) else { return };
        if let JsonRpcMessage::Response(response) = &message {
            match &response.result {
                ServerResult::InitializeResult(result) => {
                    self.link.note_version(result.protocol_version.as_str());
                }
                ServerResult::CustomResult(result) => self.link.params.learn(&result.0),
                _ => {}
            }
        }
        self.hand_on(message).await;
    }

    async fn hand_on(&self, message: RxJsonRpcMessage<RoleClient>) {
        // Where nobody reads any more, the session is over.
        drop(self.messages.send(message).await);
    }

    /// Sends a message that has no answer.
    async fn notify(
        self: Arc<Self>,
        message: Value,
        ends_handshake: bool,
    ) -> Result<(), io::Error> {
        let Ok(_room) = Arc::clone(&self.room).try_acquire_owned() else {
            let reason = format!("{POSTS_AT_ONCE_MAX} other messages are on their way");
            return Err(io::Error::new(io::ErrorKind::WouldBlock, reason));
        };
        let sent = self.link.post(&message, NOTICE_LIMIT).await;
        if ends_handshake {
            self.is_initialized.notify_one();
        }
        match sent {
            Ok(_) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Reads what the server says unasked. It takes up again where it was cut, later each time, and gives up after a while.
    async fn listen(self: Arc<Self>) {
        self.is_initialized.notified().await;
        let mut position = StreamPosition::default();
        let mut failures = 0;
        let mut is_first = true;
        while failures < LISTEN_FAILURES_MAX {
            let began = Instant::now();
            let before = position.event_id.clone();
            match self.link.open_stream(&position).await {
                OpenedStream::NotOffered { may_have_forgotten } => {
                    if may_have_forgotten && !is_first {
                        self.link.closed.cancel();
                    }
                    return;
                }
                OpenedStream::Failed => {}
                OpenedStream::Open(response) => {
                    if !is_first {
                        // What changed meanwhile was said to nobody.
                        self.list_changed.notify_one();
                    }
                    is_first = false;
                    // However it ended, it is opened again.
                    drop(self.read_events(*response, None, &mut position).await);
                }
            }
            let was_good = position.event_id != before || began.elapsed() >= LISTENED_WELL;
            failures = if was_good { 1 } else { failures + 1 };
            sleep(reopen_wait(&position, failures)).await;
        }
    }

    /// A login that was waited for lets requests through again.
    async fn watch_tokens(self: Arc<Self>) {
        loop {
            self.link.token_changed().await;
            self.link.look_for_token().await;
        }
    }
}

fn reopen_wait(position: &StreamPosition, attempt: u32) -> Duration {
    let asked = position.retry.unwrap_or(REOPEN_WAIT_MIN);
    let factor = 2_u32.checked_pow(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
    asked.saturating_mul(factor).min(REOPEN_WAIT_MAX)
}

fn number(id: &RequestId) -> Option<i64> {
    match id {
        NumberOrString::Number(number) => Some(*number),
        NumberOrString::String(_) => None,
    }
}

/// The request that a message takes back.
fn cancelled(message: &TxJsonRpcMessage<RoleClient>) -> Option<i64> {
    let JsonRpcMessage::Notification(notification) = message else { return None };
    let ClientNotification::CancelledNotification(cancelled) = &notification.notification else {
        return None;
    };
    cancelled.params.request_id.as_ref().and_then(number)
}

fn lost(error: &abide_http::Error) -> NoAnswerError {
    NoAnswerError::Lost(format!("the answer was cut: {}", error.chain()))
}

/// The answer that a request without one has.
fn to_answer(id: i64, error: NoAnswerError) -> RxJsonRpcMessage<RoleClient> {
    match error {
        NoAnswerError::NotSent(reason) => made_answer(id, NOT_SENT, reason),
        NoAnswerError::Lost(reason) => made_answer(id, LOST_ANSWER, reason),
        NoAnswerError::Unreadable(reason) => made_answer(id, UNREADABLE_ANSWER, reason),
        NoAnswerError::Refused { status, words } => made_answer(id, i32::from(status), words),
    }
}
