//! `abide chat`: a conversation at the terminal. Replies stream as they come; calls that need approval are asked here.
//!
//! A line that begins with a command of the command language is carried out as the person who chats, and the agent never
//! sees it.
//!
//! One connection brings events, each message is one request. The connection is taken up again after the last event
//! seen, also over a restart of the keeper.

use std::{collections::VecDeque, io::BufRead as _, time::Duration};

use abide_domain::{Clock as _, IdSource as _, leading_command};
use clap::Args;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
    stream::{EventStream, StreamEvent},
    words::{items, query, shown, text},
};
use crate::system::{SystemClock, SystemIds};

/// How long a keeper that went away may take to come back.
const RETURN_MAX: Duration = Duration::from_mins(1);
/// Between two attempts to reach it.
const RETURN_INTERVAL: Duration = Duration::from_millis(500);
/// Lines typed ahead.
const LINES_AHEAD_MAX: usize = 16;

/// Talks with an agent; an empty line or `/quit` ends
///
/// A line that begins with a command, such as `\stdout read: last 5 ---`, is carried out as you; `\help ---` lists them. A
/// message that begins with a backslash is written with two.
#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// The agent; needed where there are several
    #[arg(long, value_name = "A")]
    agent: Option<String>,
    /// The conversation [default: direct:SENDER]
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// Who you are
    #[arg(long, value_name = "N", default_value = "user")]
    sender: String,
}

impl Chat {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let client = Client::find(context)?;
        let agent = self.one_agent(&client).await?;
        let events = Events::open(context, &agent).await?;
        let mut talk =
            Talk { context, chat: &self, agent, events, turn: None, approvals: VecDeque::new() };
        if context.terminal.is_interactive() {
            context.terminal.aside(&format!(
                "talking with {}; \\help lists commands, /quit or ctrl-d ends",
                talk.agent
            ));
        }
        talk.run(lines()).await
    }

    async fn one_agent(&self, client: &Client) -> Result<String, Failure> {
        if let Some(agent) = &self.agent {
            return Ok(agent.to_lowercase());
        }
        let answer = client.fetch(Call::get("/agents")).await?;
        match items(&answer, "/items") {
            [only] => Ok(text(only, "/id").to_owned()),
            agents => {
                let names: Vec<_> = agents.iter().map(|agent| text(agent, "/id")).collect();
                Err(Failure::usage("there are several agents")
                    .hint(format!("name one with --agent: {}", names.join(", "))))
            }
        }
    }
}

/// The lines of stdin. A thread of its own, for reading stdin cannot be cancelled; it dies with the process.
fn lines() -> mpsc::Receiver<String> {
    let (tx, rx) = mpsc::channel(LINES_AHEAD_MAX);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if tx.blocking_send(line).is_err() {
                break;
            }
        }
    });
    rx
}

/// A reply that is awaited.
struct Turn {
    epoch: String,
    /// What was streamed of the present attempt.
    streamed: String,
}

struct Talk<'a> {
    context: &'a Context,
    chat: &'a Chat,
    agent: String,
    events: Events<'a>,
    turn: Option<Turn>,
    approvals: VecDeque<Value>,
}

impl Talk<'_> {
    async fn run(&mut self, mut lines: mpsc::Receiver<String>) -> Result<Exit, Failure> {
        let mut is_open = true;
        loop {
            let wants_line = is_open && (self.turn.is_none() || !self.approvals.is_empty());
            if wants_line {
                self.prompt();
            } else if self.turn.is_none() {
                return Ok(Exit::Ok);
            }
            // With events and a line both there, the events come first: a question is not answered before it is shown.
            tokio::select! {
                biased;
                event = self.events.next() => self.event(event?).await?,
                line = lines.recv(), if wants_line => match line {
                    Some(line) if self.approvals.is_empty() && matches!(line.trim(), "" | "/quit") => is_open = false,
                    Some(line) => self.line(&line).await?,
                    None => is_open = false,
                },
            }
        }
    }

    fn prompt(&self) {
        if self.context.terminal.is_interactive() && self.turn.is_none() {
            self.context.terminal.say_part("> ");
        }
    }

    async fn line(&mut self, line: &str) -> Result<(), Failure> {
        if let Some(approval) = self.approvals.front() {
            let decision = match line.trim().to_lowercase().as_str() {
                "y" | "yes" => "approve",
                "n" | "no" => "deny",
                _ => {
                    self.context.terminal.say_part("y or n? ");
                    return Ok(());
                }
            };
            let path = format!("/approvals/{}", text(approval, "/id"));
            self.approvals.pop_front();
            let client = Client::find(self.context)?;
            if let Err(failure) =
                client.fetch(Call::post(&path, &json!({"decision": decision}))).await
            {
                self.context.terminal.say(&failure.to_string());
            }
            return Ok(());
        }
        if leading_command(line).is_some() {
            return self.carry_out(line).await;
        }
        let is_escaped = line.starts_with(r"\\");
        let body = json!({
            "message": line.get(usize::from(is_escaped)..),
            "sender": self.chat.sender,
            "channel": "direct",
            "citizen": self.agent,
            "session_id": self.chat.session,
            "interactive": true,
        });
        let key = SystemIds.uuid(SystemClock::new().now()).to_string();
        let client = Client::find(self.context)?;
        match client.fetch(Call::post("/start-epoch", &body).keyed(&key)).await {
            Ok(answer) => {
                let epoch = text(&answer, "/epoch_id").to_owned();
                self.turn = Some(Turn { epoch, streamed: String::new() });
            }
            Err(failure) => self.context.terminal.failure(&failure),
        }
        Ok(())
    }

    /// Carries commands out as the person who chats.
    async fn carry_out(&self, commands: &str) -> Result<(), Failure> {
        let body = json!({"as": self.chat.sender, "command": commands});
        let client = Client::find(self.context)?;
        match client.fetch(Call::post("/stdout", &body)).await {
            Ok(answer) => self.context.terminal.data(text(&answer, "/output"))?,
            Err(failure) => self.context.terminal.failure(&failure),
        }
        Ok(())
    }

    async fn event(&mut self, event: StreamEvent) -> Result<(), Failure> {
        let Some(turn) = &mut self.turn else {
            return Ok(());
        };
        let epoch = if event.name == "turn.delta" {
            text(&event.data, "/epoch_id")
        } else {
            text(&event.data, "/epoch")
        };
        if epoch != turn.epoch && event.name != "snapshot" {
            return Ok(());
        }
        match event.name.as_str() {
            "turn.delta" => {
                let piece = text(&event.data, "/text");
                turn.streamed.push_str(piece);
                self.context.terminal.data_part(piece)?;
            }
            "turn.started" => {
                let streamed = std::mem::take(&mut turn.streamed);
                // A new attempt begins a new line; what the last one said does not count.
                self.context.terminal.data_part(if streamed.is_empty() { "" } else { "\n" })?;
            }
            "tool.requested" => {
                self.context.terminal.aside(&format!("· {}", text(&event.data, "/data/name")));
            }
            "approval.requested" => self.ask(text(&event.data, "/data/approval_id")).await?,
            "approval.decided" => {
                let id = text(&event.data, "/data/approval_id");
                self.approvals.retain(|approval| text(approval, "/id") != id);
            }
            "epoch.committed" | "epoch.aborted" | "snapshot" => self.end().await?,
            _ => {}
        }
        Ok(())
    }

    async fn ask(&mut self, id: &str) -> Result<(), Failure> {
        let client = Client::find(self.context)?;
        let answer = client.fetch(Call::get("/approvals")).await?;
        let Some(approval) =
            items(&answer, "/items").iter().find(|approval| text(approval, "/id") == id)
        else {
            return Ok(());
        };
        let (tool, arguments) = (text(approval, "/tool"), shown(approval, "/arguments"));
        self.context.terminal.say(&format!("{} wants to run {tool} {arguments}", self.agent));
        self.context
            .terminal
            .say_part(&format!("allow it, until {}? y or n: ", text(approval, "/deadline")));
        self.approvals.push_back(approval.clone());
        Ok(())
    }

    /// Shows how the awaited epoch ended, if it did.
    async fn end(&mut self) -> Result<(), Failure> {
        let Some(turn) = &self.turn else {
            return Ok(());
        };
        let client = Client::find(self.context)?;
        let epoch = client.fetch(Call::get(&format!("/epochs/{}", turn.epoch))).await?;
        let terminal = &self.context.terminal;
        match text(&epoch, "/state") {
            // What was streamed is the reply, unless an attempt was thrown away.
            "committed" if text(&epoch, "/final_response") == turn.streamed => terminal.data("")?,
            "committed" => {
                if !turn.streamed.is_empty() {
                    terminal.data("")?;
                }
                terminal.data(text(&epoch, "/final_response"))?;
            }
            "aborted" => {
                terminal.say(&format!(
                    "aborted ({}): {}",
                    text(&epoch, "/abort/code"),
                    text(&epoch, "/abort/message")
                ));
            }
            _ => return Ok(()),
        }
        self.turn = None;
        self.approvals.clear();
        Ok(())
    }
}

/// The agent's events, over lost connections.
struct Events<'a> {
    context: &'a Context,
    path: String,
    stream: Option<EventStream>,
    last: Option<String>,
}

impl<'a> Events<'a> {
    async fn open(context: &'a Context, agent: &str) -> Result<Self, Failure> {
        let path = format!("/events{}", query(&[("deltas", Some("1")), ("citizen", Some(agent))]));
        let client = Client::find(context)?;
        // From a known point on, so that nothing falls between the first message and a lost connection.
        let snapshot = client.fetch(Call::get("/snapshot")).await?;
        let last = Some(shown(&snapshot, "/seq"));
        let stream = EventStream::new(client.stream(&path, last.as_deref()).await?);
        Ok(Self { context, path, stream: Some(stream), last })
    }

    /// The next event. Safe to cancel.
    async fn next(&mut self) -> Result<StreamEvent, Failure> {
        loop {
            if let Some(stream) = &mut self.stream {
                if let Some(event) = stream.next().await {
                    self.last = event.id.clone().or_else(|| self.last.take());
                    return Ok(event);
                }
                self.stream = None;
                self.context.terminal.aside("the connection is lost; reconnecting");
            }
            self.reconnect().await?;
        }
    }

    async fn reconnect(&mut self) -> Result<(), Failure> {
        let mut waited = Duration::ZERO;
        loop {
            match self.attempt().await {
                Ok(stream) => {
                    self.stream = Some(stream);
                    return Ok(());
                }
                Err(failure) if waited >= RETURN_MAX => return Err(failure),
                Err(_) => {
                    tokio::time::sleep(RETURN_INTERVAL).await;
                    waited += RETURN_INTERVAL;
                }
            }
        }
    }

    async fn attempt(&self) -> Result<EventStream, Failure> {
        let client = Client::find(self.context)?;
        Ok(EventStream::new(client.stream(&self.path, self.last.as_deref()).await?))
    }
}
