//! What is seen of a command while it runs, and that its result is the same with and without.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use abide_domain::{AgentId, CallId, EpochId, IdSource, Timestamp, Zone};
use abide_memory::{Knowledge, KnowledgeHandle, Listener};
use abide_tools::{Call, CommandReply, Commands, KeptValues, Tool as _, ToolError};
use abide_workspace::{
    CapturedOutput, CommandEnd, CommandOrder, CommandRunError, CommandRunner, FinishedCommand,
    FolderAccess, FolderResolver, LiveOutput, NamedFolder, OutputObserver, OutputPiece,
    OutputStream, RunCommand, ShellSettings,
};
use futures_util::future::{BoxFuture, ready};
use serde_json::{Value, json};
use tokio::sync::Notify;
use uuid::Uuid;

#[derive(Debug)]
struct OneFolder;

impl FolderResolver for OneFolder {
    fn folders(&self, _: &AgentId) -> Arc<[NamedFolder]> {
        let (name, path) = ("work".to_owned(), PathBuf::from("/work"));
        [NamedFolder { name, path, access: FolderAccess::Write }].into()
    }

    fn undo_folder(&self, _: &AgentId) -> PathBuf {
        "/undo".into()
    }
}

/// Keeps what it is given, and says so.
#[derive(Debug, Default)]
struct Watcher {
    pieces: Mutex<Vec<OutputPiece>>,
    has_come: Arc<Notify>,
}

impl OutputObserver for Watcher {
    fn observe(&self, piece: OutputPiece) {
        self.pieces.lock().unwrap().push(piece);
        self.has_come.notify_one();
    }
}

/// A command of three lines, of which the second is written when the first was seen.
#[derive(Debug)]
struct ScriptedRunner {
    has_come: Option<Arc<Notify>>,
}

const LINES: [(OutputStream, &str); 3] = [
    (OutputStream::Stdout, "first\n"),
    (OutputStream::Stderr, "second\n"),
    (OutputStream::Stdout, "third\n"),
];

impl CommandRunner for ScriptedRunner {
    fn run(&self, order: CommandOrder) -> BoxFuture<'_, Result<FinishedCommand, CommandRunError>> {
        self.run_live(order, LiveOutput::default())
    }

    fn run_live(
        &self,
        order: CommandOrder,
        live: LiveOutput,
    ) -> BoxFuture<'_, Result<FinishedCommand, CommandRunError>> {
        Box::pin(async move {
            if order.command == "lost" {
                live.push(OutputStream::Stdout, b"last words");
                return Err(CommandRunError::Lost("it is gone".to_owned()));
            }
            let (mut stdout, mut stderr) = (CapturedOutput::default(), CapturedOutput::default());
            for (stream, line) in LINES {
                live.push(stream, line.as_bytes());
                let into = if stream == OutputStream::Stdout { &mut stdout } else { &mut stderr };
                into.push(line.as_bytes());
                let is_last = line == "third\n";
                if let Some(has_come) = self.has_come.as_ref().filter(|_| !is_last) {
                    has_come.notified().await;
                }
            }
            let (end, duration) = (CommandEnd::Code(0), Duration::from_secs(1));
            Ok(FinishedCommand { end, stdout, stderr, duration })
        })
    }
}

/// A runner that knows nothing of output on the way.
#[derive(Debug)]
struct PlainRunner;

impl CommandRunner for PlainRunner {
    fn run(&self, order: CommandOrder) -> BoxFuture<'_, Result<FinishedCommand, CommandRunError>> {
        Box::pin(async move { ScriptedRunner { has_come: None }.run(order).await })
    }
}

#[derive(Debug)]
struct OneId;

impl IdSource for OneId {
    fn uuid(&self, _: Timestamp) -> Uuid {
        Uuid::from_u64_pair(1, 1)
    }
}

#[derive(Debug)]
struct NoCommands;

impl Commands for NoCommands {
    fn carry_out<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<CommandReply, ToolError>> {
        Box::pin(ready(Err(ToolError::new("there are no commands"))))
    }
}

fn run(tool: &RunCommand, command: &str) -> Result<Value, ToolError> {
    let agent: AgentId = "felix".parse().unwrap();
    let (call_id, kept, zone) = (CallId::new(1, 2), KeptValues::default(), Zone::utc());
    let memory = Knowledge::in_memory(&"@felix".parse().unwrap()).unwrap();
    let memory = KnowledgeHandle::new(memory).unwrap();
    let call = Call {
        agent: &agent,
        epoch: EpochId::from_uuid(Uuid::from_u64_pair(0xE, 1)),
        call_id: &call_id,
        arguments: &json!({"command": command}),
        now: Timestamp::default(),
        ids: &OneId,
        sender: "nicolas",
        said: "",
        listener: Listener::OWNER,
        administrator: false,
        zone: &zone,
        untrusted: false,
        memory: &memory,
        kept: &kept,
        commands: &NoCommands,
        offered: &[],
        shown: &[],
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let output = runtime.block_on(tool.run(call))?;
    Ok(serde_json::from_str(&output.content).unwrap())
}

fn tool(runner: impl CommandRunner + 'static) -> RunCommand {
    RunCommand::new(ShellSettings::default(), Arc::new(OneFolder), Arc::new(runner))
}

#[test]
fn output_is_seen_while_the_command_runs_and_the_result_is_the_same() {
    let watcher = Arc::new(Watcher::default());
    let runner = ScriptedRunner { has_come: Some(Arc::clone(&watcher.has_come)) };
    let observed = tool(runner).with_observer(Arc::<Watcher>::clone(&watcher));
    // It ends only where its first two lines were seen before its end.
    let result = run(&observed, "three").unwrap();
    assert_eq!(result, run(&tool(ScriptedRunner { has_come: None }), "three").unwrap());
    assert_eq!(result["stdout"]["text"], "first\nthird\n");
    let pieces = watcher.pieces.lock().unwrap();
    let seen: Vec<_> = pieces
        .iter()
        .map(|piece| (piece.sequence, piece.stream, piece.left_out_bytes, piece.text.as_str()))
        .collect();
    let expected: Vec<_> = (0_u64..)
        .zip(LINES)
        .map(|(sequence, (stream, line))| (sequence, stream, 0, line))
        .collect();
    assert_eq!(seen, expected);
    let of = |piece: &OutputPiece| (piece.agent.to_string(), piece.call_id.clone());
    assert!(pieces.iter().all(|piece| of(piece) == ("felix".to_owned(), CallId::new(1, 2))));
}

#[test]
fn what_a_lost_command_wrote_last_is_seen_before_that_is_said() {
    let watcher = Arc::new(Watcher::default());
    let observed = tool(ScriptedRunner { has_come: None });
    let observed = observed.with_observer(Arc::<Watcher>::clone(&watcher));
    run(&observed, "lost").unwrap_err();
    let pieces = watcher.pieces.lock().unwrap();
    assert_eq!(pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>(), ["last words"]);
}

#[test]
fn a_runner_that_shows_nothing_on_the_way_runs_as_ever() {
    let watcher = Arc::new(Watcher::default());
    let observed = tool(PlainRunner).with_observer(Arc::<Watcher>::clone(&watcher));
    let result = run(&observed, "three").unwrap();
    assert_eq!((&result["exit_code"], &result["stderr"]["text"]), (&json!(0), &json!("second\n")));
    assert!(watcher.pieces.lock().unwrap().is_empty());
}

#[test]
fn hb_31_a_call_lasts_longer_than_its_command_may() {
    let tool = tool(PlainRunner);
    for (seconds, expected) in [(json!(null), 60), (json!(5), 5), (json!(100_000), 600)] {
        let limit = tool.time_limit(&json!({"command": "a", "seconds": seconds})).unwrap();
        assert!(limit > Duration::from_secs(expected), "{seconds}: {limit:?}");
        assert!(limit < Duration::from_secs(expected + 60), "{seconds}: {limit:?}");
    }
}
