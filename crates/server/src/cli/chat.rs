//! `abide chat`: a conversation at the terminal. Replies stream as they come; calls that need approval are decided here.
//! Ctrl-C stops the epoch whose reply is awaited, and leaves where none is.
//!
//! A line that begins with a command of the command language is run in the name of the person who chats, and the agent
//! never sees it.
//!
//! One connection brings events, each message is one request. The connection is taken up again after the last event
//! seen, also over a restart of the keeper.

use std::{
    collections::VecDeque,
    io::BufRead as _,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_domain::{Clock as _, IdSource as _, leading_command, visible_line};
use clap::Args;
use http::StatusCode;
use serde_json::{Value, json};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc,
};

mod approvals;
mod beside;
mod retry;
mod running_call;

use retry::format_retry;
use running_call::RunningCall;

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, query_string, text},
    markdown::MarkdownStream,
    stream::{EventStream, StreamEvent},
};
use crate::system::{SystemClock, SystemIds};

/// How long a keeper that went away may take to come back.
const RETURN_MAX: Duration = Duration::from_mins(1);
/// Between two attempts to reach it.
const RETURN_INTERVAL: Duration = Duration::from_millis(500);
/// Lines typed ahead.
const LINES_AHEAD_MAX: usize = 1_024;

/// Talks with an agent; an empty line or `/quit` ends it
///
/// Ctrl-C stops what the agent is doing for you; once more, or while nothing is awaited, it ends the conversation.
///
/// A line that begins with a command, such as `\stdout read: last 5 ---`, is run in your name; `\help ---` lists the
/// commands. Start a message that begins with a backslash with two.
#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// The agent [default: the only one]
    #[arg(long, value_name = "A")]
    agent: Option<String>,
    /// The conversation [default: direct:SENDER]
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// Who you are [default: the owner in abide.toml, else user]
    #[arg(long, value_name = "N")]
    sender: Option<String>,
}

impl Chat {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let client = Client::find(context)?;
        let agent = self.one_agent(&client).await?;
        let events = ReconnectingEvents::open(context, &agent).await?;
        let mut session = ChatSession {
            context,
            sender: context.sender(self.sender.as_deref())?,
            chat: &self,
            agent,
            events,
            interrupts: signal(SignalKind::interrupt())
                .map_err(|error| CliError::new("ctrl-c cannot be caught").caused_by(&error))?,
            pending: None,
            approvals: VecDeque::new(),
            questions: Arc::default(),
            others: Vec::new(),
        };
        if context.terminal.is_interactive() {
            context.terminal.say_dimmed(&format!(
                "talking with {}; \\help lists commands, ctrl-c stops an answer, /quit or ctrl-d ends the conversation",
                session.agent
            ));
        }
        let lines = lines(Arc::clone(&session.questions));
        session.show_waiting().await?;
        session.run(lines).await
    }

    async fn one_agent(&self, client: &Client) -> Result<String, CliError> {
        if let Some(agent) = &self.agent {
            return Ok(agent.to_lowercase());
        }
        let answer = client.fetch(Call::get("/agents")).await?;
        match items(&answer, "/items") {
            [only] => Ok(text(only, "/id").to_owned()),
            agents => {
                let names: Vec<_> = agents.iter().map(|agent| text(agent, "/id")).collect();
                Err(CliError::usage("there are several agents; name one")
                    .hint(format!("use --agent with one of {}", names.join(", "))))
            }
        }
    }
}

/// A line, with how many questions stood on the screen when it was read: it answers none that came later.
struct TypedLine {
    text: String,
    questions: u64,
}

/// A call that was asked about here, with the number of that question.
struct AskedApproval {
    approval: Value,
    question: u64,
}

/// The lines of stdin. A thread of its own, for reading stdin cannot be cancelled; it dies with the process.
fn lines(questions: Arc<AtomicU64>) -> mpsc::Receiver<TypedLine> {
    let (tx, rx) = mpsc::channel(LINES_AHEAD_MAX);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(text) = line else { break };
            let line = TypedLine { text, questions: questions.load(Ordering::SeqCst) };
            if tx.blocking_send(line).is_err() {
                break;
            }
        }
    });
    rx
}

/// The reply that is awaited.
struct PendingReply {
    epoch: String,
    /// What has been streamed of the present attempt.
    streamed: String,
    /// The same as it is shown.
    shown: MarkdownStream,
    /// Whether the line that is being streamed has not ended.
    has_open_line: bool,
    /// Whether the person has asked for its end.
    is_stopping: bool,
    /// The code of the newest attempt that failed, until the next one begins.
    failure: Option<String>,
    /// The call that runs.
    call: Option<RunningCall>,
}

impl PendingReply {
    fn new(epoch: String) -> Self {
        Self {
            epoch,
            streamed: String::new(),
            shown: MarkdownStream::default(),
            has_open_line: false,
            is_stopping: false,
            failure: None,
            call: None,
        }
    }
}

/// A conversation, until the person ends it.
struct ChatSession<'a> {
    context: &'a Context,
    chat: &'a Chat,
    sender: String,
    agent: String,
    events: ReconnectingEvents<'a>,
    interrupts: Signal,
    pending: Option<PendingReply>,
    /// Those that the awaited epoch waits for: the next line answers the first.
    approvals: VecDeque<AskedApproval>,
    /// How many questions were put here so far.
    questions: Arc<AtomicU64>,
    /// Those that other epochs of the agent wait for, as far as they were shown here.
    others: Vec<Value>,
}

impl ChatSession<'_> {
    async fn run(&mut self, mut lines: mpsc::Receiver<TypedLine>) -> Result<Exit, CliError> {
        let mut is_open = true;
        loop {
            let is_asked = !self.approvals.is_empty() || !self.others.is_empty();
            let wants_line = is_open && (self.pending.is_none() || is_asked);
            if wants_line {
                self.prompt();
            } else if self.pending.is_none() {
                return Ok(Exit::Ok);
            }
            // With events and a line both there, the events come first: a question is not answered before it is shown.
            tokio::select! {
                biased;
                event = self.events.next() => self.handle_event(event?).await?,
                _ = self.interrupts.recv() => if self.interrupt().await? {
                    return Ok(Exit::Ok);
                },
                line = lines.recv(), if wants_line => match line {
                    // The call waits on, for whoever else is there.
                    Some(line) if !self.approvals.is_empty() && line.text.trim() == "/quit" => return Ok(Exit::Ok),
                    Some(line) if self.approvals.is_empty() && matches!(line.text.trim(), "" | "/quit") => is_open = false,
                    Some(line) => self.handle_line(&line).await?,
                    None => is_open = false,
                },
            }
        }
    }

    /// Asks for a line, unless that is the last thing on the screen already.
    fn prompt(&mut self) {
        let is_wanted = self.context.terminal.is_interactive() && self.pending.is_none();
        if is_wanted && self.events.last_line != LastLine::Prompt {
            self.events.last_line = LastLine::Prompt;
            self.context.terminal.say_part("> ");
        }
    }

    /// Stops the epoch that is awaited; gives whether the conversation is over instead.
    async fn interrupt(&mut self) -> Result<bool, CliError> {
        let terminal = &self.context.terminal;
        let Some(pending) = self.pending.as_mut().filter(|pending| !pending.is_stopping) else {
            terminal.say("");
            return Ok(true);
        };
        pending.is_stopping = true;
        let path = format!("/epochs/{}/abort", pending.epoch);
        self.end_line()?;
        self.context.terminal.say_dimmed("stopping; ctrl-c once more leaves");
        let body = json!({"reason": format!("{} stopped it", self.sender)});
        let asked = async { Client::find(self.context)?.call(Call::post(&path, &body)).await };
        let stopped = tokio::select! {
            stopped = asked => stopped,
            _ = self.interrupts.recv() => return Ok(true),
        };
        let refusal = match stopped {
            Ok(answer) if answer.status.is_success() => return Ok(false),
            // One that has just ended cannot be stopped: its events tell how it ended.
            Ok(answer) if answer.status == StatusCode::CONFLICT => return Ok(false),
            Ok(answer) => answer.into_error(),
            Err(error) => error,
        };
        // It goes on, and so does the conversation: the next one tries again.
        if let Some(pending) = &mut self.pending {
            pending.is_stopping = false;
        }
        self.context.terminal.error(&refusal);
        Ok(false)
    }

    /// Ends the line that is being streamed, or takes away that of a running call, so that what follows is not glued to it.
    fn end_line(&mut self) -> Result<(), CliError> {
        let terminal = &self.context.terminal;
        if self.events.last_line == LastLine::Call {
            self.events.last_line = LastLine::Ended;
            terminal.redraw("");
        }
        let Some(pending) = &mut self.pending else { return Ok(()) };
        if terminal.has_data_color() {
            terminal.pieces(&pending.shown.finish())?;
        }
        if std::mem::take(&mut pending.has_open_line) {
            terminal.data("")?;
        }
        Ok(())
    }

    /// Prints what an agent said.
    fn show_reply(&self, reply: &str) -> Result<(), CliError> {
        let terminal = &self.context.terminal;
        if !terminal.has_data_color() {
            return terminal.data(reply);
        }
        let mut shown = MarkdownStream::default();
        terminal.pieces(&shown.push(reply))?;
        terminal.pieces(&shown.finish())?;
        terminal.data("")
    }

    async fn handle_line(&mut self, typed: &TypedLine) -> Result<(), CliError> {
        self.events.last_line = LastLine::Ended;
        let line = &*typed.text;
        if self.take_answer(typed).await? || self.take_decision(line).await? {
            return Ok(());
        }
        if self.pending.is_some() {
            self.context.terminal.say(
                "an answer is awaited: only /approve and /deny are taken meanwhile; ctrl-c stops it",
            );
            return Ok(());
        }
        if leading_command(line).is_some() {
            return self.run_commands(line).await;
        }
        let is_escaped = line.starts_with(r"\\");
        let body = json!({
            "message": line.get(usize::from(is_escaped)..),
            "sender": self.sender,
            "channel": "direct",
            "citizen": self.agent,
            "session_id": self.chat.session,
            "interactive": true,
        });
        let key = SystemIds.uuid(SystemClock::new().now()).to_string();
        let client = Client::find(self.context)?;
        match client.fetch(Call::post("/start-epoch", &body).with_idempotency_key(&key)).await {
            Ok(answer) => {
                let epoch = text(&answer, "/epoch_id").to_owned();
                self.pending = Some(PendingReply::new(epoch));
            }
            Err(error) => self.context.terminal.error(&error),
        }
        Ok(())
    }

    /// Runs commands in the name of the person who chats.
    async fn run_commands(&self, commands: &str) -> Result<(), CliError> {
        let body = json!({"as": self.sender, "command": commands});
        let client = Client::find(self.context)?;
        match client.fetch(Call::post("/stdout", &body)).await {
            Ok(answer) => self.context.terminal.data(text(&answer, "/output"))?,
            Err(error) => self.context.terminal.error(&error),
        }
        Ok(())
    }

    async fn handle_event(&mut self, event: StreamEvent) -> Result<(), CliError> {
        let epoch = match event.name.as_str() {
            "turn.delta" | "tool.progress" => text(&event.data, "/epoch_id"),
            // A question of a server is no event of the epoch: it names it.
            "mcp.question_asked" => text(&event.data, "/data/epoch"),
            _ => text(&event.data, "/epoch"),
        };
        let is_awaited =
            |pending: &&mut PendingReply| epoch == pending.epoch || event.name == "snapshot";
        let Some(pending) = self.pending.as_mut().filter(is_awaited) else {
            return self.handle_event_of_another(&event).await;
        };
        match event.name.as_str() {
            "turn.delta" => {
                let piece = text(&event.data, "/text");
                pending.streamed.push_str(piece);
                pending.has_open_line = !pending.streamed.is_empty() && !piece.ends_with('\n');
                if self.context.terminal.has_data_color() {
                    let pieces = pending.shown.push(piece);
                    self.context.terminal.pieces(&pieces)?;
                } else {
                    self.context.terminal.data_part(piece)?;
                }
            }
            // A new attempt begins a new line; the text of the last one does not count.
            "turn.started" => self.begin_attempt(number(&event.data, "/data/attempt"))?,
            "turn.failed" => self.note_failure(&event.data)?,
            "tool.requested" => {
                self.end_line()?;
                let name = visible_line(text(&event.data, "/data/name"));
                self.context.terminal.say_dimmed(&format!("· {name}"));
                if let Some(pending) = &mut self.pending {
                    pending.call = Some(RunningCall::new(text(&event.data, "/data/call_id")));
                }
            }
            "tool.progress" => self.show_call(&event.data),
            "tool.finished" => {
                self.end_line()?;
                if let Some(pending) = &mut self.pending {
                    pending.call = None;
                }
            }
            "mcp.question_asked" => self.note_question(&event.data)?,
            "approval.requested" => {
                self.ask_approval(text(&event.data, "/data/approval_id")).await?;
            }
            "approval.decided" => self.note_decided(&event.data),
            "epoch.committed" | "epoch.aborted" | "snapshot" => self.end().await?,
            _ => {}
        }
        Ok(())
    }

    /// Shows what the running call says, on a line that the next thing replaces; through a pipe it is left out.
    fn show_call(&mut self, update: &Value) {
        let call = self.pending.as_mut().and_then(|pending| pending.call.as_mut());
        let Some(line) = call.and_then(|call| call.take(update)) else { return };
        if self.context.terminal.is_watched() {
            self.context.terminal.redraw(&line);
            self.events.last_line = LastLine::Call;
        }
    }

    /// Says that another attempt begins, so that the words of both are told apart.
    fn begin_attempt(&mut self, attempt: u64) -> Result<(), CliError> {
        self.end_line()?;
        let Some(pending) = &mut self.pending else { return Ok(()) };
        let had_words = !std::mem::take(&mut pending.streamed).is_empty();
        let code = pending.failure.take();
        if attempt > 1 {
            let line = format_retry(code.as_deref(), had_words, attempt);
            self.context.terminal.say_dimmed(&line);
        }
        Ok(())
    }

    fn note_failure(&mut self, event: &Value) -> Result<(), CliError> {
        self.end_line()?;
        if let Some(pending) = &mut self.pending {
            pending.failure = Some(text(event, "/data/code").to_owned());
        }
        Ok(())
    }

    /// Shows how the awaited epoch ended, if it did.
    async fn end(&mut self) -> Result<(), CliError> {
        let Some(pending) = &self.pending else {
            return Ok(());
        };
        let client = Client::find(self.context)?;
        let epoch = client.fetch(Call::get(&format!("/epochs/{}", pending.epoch))).await?;
        let reply = text(&epoch, "/final_response");
        // What was streamed is the reply, unless an attempt was thrown away.
        let is_streamed = reply == pending.streamed;
        match text(&epoch, "/state") {
            "committed" if is_streamed && !reply.is_empty() => self.end_line()?,
            "committed" => {
                self.end_line()?;
                self.show_reply(reply)?;
            }
            "aborted" => {
                self.end_line()?;
                let (code, why) = (text(&epoch, "/abort/code"), text(&epoch, "/abort/message"));
                let ended = match code {
                    "cancelled" => format!("stopped: {why}"),
                    _ => format!("there is no answer: {why}"),
                };
                self.context.terminal.say(&ended);
            }
            _ => return Ok(()),
        }
        self.pending = None;
        self.approvals.clear();
        Ok(())
    }
}

fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// The agent's events, with a new connection where one is lost.
struct ReconnectingEvents<'a> {
    context: &'a Context,
    path: String,
    stream: Option<EventStream>,
    last: Option<String>,
    last_line: LastLine,
}

/// What the last line of the screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastLine {
    /// What was printed, line by line.
    Ended,
    /// The prompt.
    Prompt,
    /// What the running call says.
    Call,
}

impl<'a> ReconnectingEvents<'a> {
    async fn open(context: &'a Context, agent: &str) -> Result<Self, CliError> {
        let path =
            format!("/events{}", query_string(&[("deltas", Some("1")), ("citizen", Some(agent))]));
        let client = Client::find(context)?;
        // From a known point on, so that nothing falls between the first message and a lost connection.
        let snapshot = client.fetch(Call::get("/snapshot")).await?;
        let last = Some(display(&snapshot, "/seq"));
        let stream = EventStream::new(client.stream(&path, last.as_deref()).await?);
        Ok(Self { context, path, stream: Some(stream), last, last_line: LastLine::Ended })
    }

    /// The next event. Safe to cancel.
    async fn next(&mut self) -> Result<StreamEvent, CliError> {
        loop {
            if let Some(stream) = &mut self.stream {
                if let Some(event) = stream.next().await {
                    self.last = event.id.clone().or_else(|| self.last.take());
                    return Ok(event);
                }
                self.stream = None;
                match std::mem::replace(&mut self.last_line, LastLine::Ended) {
                    LastLine::Ended => {}
                    LastLine::Prompt => self.context.terminal.say(""),
                    LastLine::Call => self.context.terminal.redraw(""),
                }
                self.context.terminal.say_dimmed("the connection was lost; reconnecting");
            }
            self.reconnect().await?;
        }
    }

    async fn reconnect(&mut self) -> Result<(), CliError> {
        let mut waited = Duration::ZERO;
        loop {
            match self.attempt().await {
                Ok(stream) => {
                    self.stream = Some(stream);
                    return Ok(());
                }
                Err(error) if waited >= RETURN_MAX => return Err(error),
                Err(_) => {
                    tokio::time::sleep(RETURN_INTERVAL).await;
                    waited += RETURN_INTERVAL;
                }
            }
        }
    }

    async fn attempt(&self) -> Result<EventStream, CliError> {
        let client = Client::find(self.context)?;
        Ok(EventStream::new(client.stream(&self.path, self.last.as_deref()).await?))
    }
}
