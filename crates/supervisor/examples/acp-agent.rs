//! A small agent of the Agent Client Protocol, for trying the mind `acp` and for its tests: it does what it is told to.
//!
//! It stands on the agent's side of the protocol's own crate. Its sessions are files in the folder that it works in, and
//! `world.log` there is the world that it acts on. The last line of a prompt is the order:
//! `say …`, `do …`, `ask …` (does it if it is allowed), `hang …` (does it, begins something else and never ends),
//! `forever …` (asks for a permission that lasts), `plan …`, `count` (says how many blocks the prompt had), `future` (speaks
//! as a newer agent would, and asks for a file), `refuse`, `mute`, `noise`, `fail`.
//! Flags: `--load`, `--resume` (what it can bring back), `--new` (another version of the protocol), `--auth`, `--banner`,
//! `--late`, `--gone`, `--slow`, `--stubborn`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of the tests, which may fail loudly"
)]

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead as _, Write as _},
    sync::Arc,
    time::Duration,
};

use agent_client_protocol::{
    Agent, Client, Error, Lines,
    schema::ProtocolVersion,
    v1::{
        ConnectionTo,
        schema::{
            AgentCapabilities, CancelNotification, ContentBlock, ContentChunk, Implementation,
            InitializeRequest, InitializeResponse, LoadSessionRequest, LoadSessionResponse,
            NewSessionRequest, NewSessionResponse, PermissionOption, PermissionOptionKind, Plan,
            PlanEntry, PlanEntryPriority, PlanEntryStatus, PromptRequest, PromptResponse,
            RequestPermissionOutcome, RequestPermissionRequest, ResumeSessionRequest,
            ResumeSessionResponse, SessionCapabilities, SessionNotification,
            SessionResumeCapabilities, SessionUpdate, StopReason, ToolCall, ToolCallStatus,
            ToolCallUpdate, ToolCallUpdateFields, ToolKind,
        },
    },
};
use futures_util::{sink, stream};
use tokio::sync::{mpsc, watch};

/// Where it leaves what it did.
const WORLD: &str = "world.log";

/// How it is to behave.
#[derive(Clone, Debug)]
struct Manner {
    flags: Arc<Vec<String>>,
    cancelled: watch::Sender<u64>,
}

impl Manner {
    fn is(&self, flag: &str) -> bool {
        self.flags.iter().any(|has| has == flag)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let manner = Manner {
        flags: Arc::new(std::env::args().skip(1).collect()),
        cancelled: watch::Sender::new(0),
    };
    eprintln!("an agent on trial");
    if manner.is("--gone") {
        std::process::exit(3);
    }
    if manner.is("--banner") {
        println!("Welcome to the agent!");
    }
    if manner.is("--new") {
        // The protocol's crate would not say so.
        io::stdin().lock().read_line(&mut String::new()).unwrap();
        println!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":7}}}}"#);
    }
    serve(manner).await.unwrap();
}

async fn serve(manner: Manner) -> Result<(), Error> {
    let (hello, loads, resumes, makes, asked, cancels) =
        (manner.clone(), manner.clone(), manner.clone(), manner.clone(), manner.clone(), manner);
    Agent
        .v1()
        .on_receive_request(
            async move |_: InitializeRequest, responder, _| {
                if hello.is("--late") {
                    std::future::pending::<()>().await;
                }
                responder.respond(introduce(&hello))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |_: NewSessionRequest, responder, _| {
                let made = NewSessionResponse::new(new_session());
                let is_known = !makes.is("--auth");
                responder
                    .respond_with_result(is_known.then_some(made).ok_or_else(Error::auth_required))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, cx: ConnectionTo<Client>| {
                responder.respond_with_result(load(&loads, &request.session_id.0, &cx))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ResumeSessionRequest, responder, _| {
                responder.respond_with_result(resume(&resumes, &request.session_id.0))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, cx: ConnectionTo<Client>| {
                let work = Work {
                    manner: asked.clone(),
                    session: request.session_id.0.to_string(),
                    cx: cx.clone(),
                };
                cx.spawn(async move {
                    match work.answer(request).await {
                        Ok(reason) => responder.respond(PromptResponse::new(reason)),
                        Err(error) => responder.respond_with_error(error),
                    }
                })
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_notification(
            async move |_: CancelNotification, _| {
                cancels.cancelled.send_modify(|count| *count += 1);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_to(Lines::new(
            sink::unfold((), |(), line: String| async move { write(&line) }),
            stream::unfold(lines(), |mut lines| async {
                let line = lines.recv().await?;
                Some((line, lines))
            }),
        ))
        .await
}

/// Replays a session.
fn load(
    manner: &Manner,
    id: &str,
    cx: &ConnectionTo<Client>,
) -> Result<LoadSessionResponse, Error> {
    assert!(manner.is("--load"), "nobody said that it can");
    let text = fs::read_to_string(file(id)).map_err(|_| gone())?;
    for line in text.lines() {
        let update: SessionUpdate = serde_json::from_str(line).unwrap();
        cx.send_notification(SessionNotification::new(id.to_owned(), update))?;
    }
    Ok(LoadSessionResponse::new())
}

/// Takes a session up again.
fn resume(manner: &Manner, id: &str) -> Result<ResumeSessionResponse, Error> {
    assert!(manner.is("--resume"), "nobody said that it can");
    if file(id).exists() { Ok(ResumeSessionResponse::new()) } else { Err(gone()) }
}

fn gone() -> Error {
    Error::new(-32002, "no such session")
}

fn write(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// The lines of our input.
fn lines() -> mpsc::Receiver<io::Result<String>> {
    let (sender, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn introduce(manner: &Manner) -> InitializeResponse {
    let mut sessions = SessionCapabilities::new();
    if manner.is("--resume") {
        sessions = sessions.resume(SessionResumeCapabilities::new());
    }
    let abilities =
        AgentCapabilities::new().load_session(manner.is("--load")).session_capabilities(sessions);
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(abilities)
        .agent_info(Implementation::new("trial", "1"))
}

fn file(session: &str) -> std::path::PathBuf {
    format!("{session}.jsonl").into()
}

fn new_session() -> String {
    let mut number = 1;
    loop {
        let id = format!("session-{number}");
        if File::create_new(file(&id)).is_ok() {
            return id;
        }
        number += 1;
    }
}

fn append(path: impl AsRef<std::path::Path>, line: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    writeln!(file, "{line}").unwrap();
}

/// One prompt.
struct Work {
    manner: Manner,
    session: String,
    cx: ConnectionTo<Client>,
}

impl Work {
    #[expect(clippy::too_many_lines, reason = "one table of manners, an arm each")]
    async fn answer(&self, request: PromptRequest) -> Result<StopReason, Error> {
        let mut texts = Vec::new();
        for block in &request.prompt {
            let ContentBlock::Text(text) = block else { continue };
            texts.push(text.text.clone());
            self.keep(&SessionUpdate::UserMessageChunk(ContentChunk::new(block.clone())));
        }
        let prompt = texts.concat();
        let order = prompt.lines().last().unwrap_or_default().to_owned();
        let (verb, what) = order.split_once(' ').unwrap_or((&order, ""));
        if prompt.contains("was cut off: ") {
            let world = fs::read_to_string(WORLD).unwrap_or_default();
            let is_done = world.lines().any(|line| line == what);
            if !is_done {
                self.act(what)?;
            }
            let unknown = prompt.contains("whether they took effect is unknown");
            return self.say(&format!("went on, done already: {is_done}, unknown: {unknown}"));
        }
        match verb {
            "say" => {
                self.tell(SessionUpdate::AgentThoughtChunk(ContentChunk::new("Hm.".into())))?;
                self.say(what)
            }
            "do" => {
                self.talk("I will do it.")?;
                self.work().await;
                self.act(what)?;
                self.work().await;
                self.talk("It is done. ")?;
                self.work().await;
                self.say(&format!("did {what}"))
            }
            "ask" | "forever" => {
                let is_allowed = self.ask(what, verb == "ask").await?;
                if is_allowed {
                    self.act(what)?;
                }
                self.say(if is_allowed { "did it" } else { "was not allowed to" })
            }
            "plan" => {
                let entry = PlanEntry::new(what, PlanEntryPriority::High, PlanEntryStatus::Pending);
                self.tell(SessionUpdate::Plan(Plan::new(vec![entry])))?;
                self.say("planned")
            }
            "hang" => self.hang(what).await,
            "refuse" => {
                self.talk("That I will not do.")?;
                Ok(StopReason::Refusal)
            }
            "fail" => Err(Error::internal_error().data("the provider is away")),
            "noise" => {
                println!("Loading a model…");
                println!("{{\"level\":\"info\",\"msg\":\"ready\"}}");
                io::stdout().flush().unwrap();
                self.talk("hello all the same")?;
                Ok(StopReason::EndTurn)
            }
            "flood" => {
                for _ in 0..1_100 {
                    println!("Traceback (most recent call last):");
                }
                io::stdout().flush().unwrap();
                std::future::pending().await
            }
            "future" => {
                let session = &self.session;
                println!(
                    r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{{"sessionUpdate":"to_come"}}}}}}"#
                );
                println!(
                    r#"{{"jsonrpc":"2.0","id":"f","method":"fs/read_text_file","params":{{}}}}"#
                );
                self.say("it came")
            }
            "count" => self.say(&format!("blocks: {}", texts.len())),
            _ => Ok(StopReason::EndTurn),
        }
    }

    async fn hang(&self, what: &str) -> Result<StopReason, Error> {
        let mut cancelled = self.manner.cancelled.subscribe();
        self.act(what)?;
        self.tell(SessionUpdate::ToolCall(ToolCall::new("2", "burn the rest")))?;
        self.talk("hanging")?;
        if self.manner.is("--stubborn") {
            loop {
                // It keeps talking, too.
                self.talk(".")?;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        cancelled.changed().await.unwrap();
        append("cancelled.log", what);
        Ok(StopReason::Cancelled)
    }

    async fn ask(&self, what: &str, has_once: bool) -> Result<bool, Error> {
        let mut options = vec![
            PermissionOption::new("always", "Always", PermissionOptionKind::AllowAlways),
            PermissionOption::new("no", "No", PermissionOptionKind::RejectOnce),
        ];
        if has_once {
            options.push(PermissionOption::new("once", "Yes", PermissionOptionKind::AllowOnce));
        }
        let fields = ToolCallUpdateFields::new()
            .title(what.to_owned())
            .kind(ToolKind::Execute)
            .raw_input(serde_json::json!({"what": what}));
        let call = ToolCallUpdate::new("1", fields);
        let request = RequestPermissionRequest::new(self.session.clone(), call, options);
        let answer = self.cx.send_request(request).block_task().await?;
        Ok(match answer.outcome {
            RequestPermissionOutcome::Selected(chosen) => {
                assert_ne!(&*chosen.option_id.0, "always", "nobody may choose that");
                &*chosen.option_id.0 == "once"
            }
            _ => false,
        })
    }

    /// Lets time pass, as work does.
    async fn work(&self) {
        if self.manner.is("--slow") {
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
    }

    /// Acts on the world.
    fn act(&self, what: &str) -> Result<(), Error> {
        let call = ToolCall::new("1", what).kind(ToolKind::Execute);
        self.tell(SessionUpdate::ToolCall(call.status(ToolCallStatus::InProgress)))?;
        append(WORLD, what);
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Completed);
        self.tell(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new("1", fields)))
    }

    fn talk(&self, text: &str) -> Result<(), Error> {
        self.tell(SessionUpdate::AgentMessageChunk(ContentChunk::new(text.into())))
    }

    fn say(&self, text: &str) -> Result<StopReason, Error> {
        for word in text.split_inclusive(' ') {
            self.talk(word)?;
        }
        Ok(StopReason::EndTurn)
    }

    fn tell(&self, update: SessionUpdate) -> Result<(), Error> {
        self.keep(&update);
        self.cx.send_notification(SessionNotification::new(self.session.clone(), update))
    }

    fn keep(&self, update: &SessionUpdate) {
        append(file(&self.session), &serde_json::to_string(update).unwrap());
    }
}
