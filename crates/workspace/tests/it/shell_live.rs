//! What a command says while it runs, and that its result has nothing to do with it.

use std::{path::PathBuf, sync::Arc, time::Duration};

use abide_domain::AgentId;
use abide_tools::{
    Call, CallProgress,
    OutputStream::{Stderr, Stdout},
    Tool as _,
};
use abide_workspace::{
    CapturedOutput, CommandEnd, CommandOrder, CommandRunError, CommandRunner, FinishedCommand,
    FolderAccess, FolderResolver, NamedFolder, RunCommand, ShellSettings,
};
use futures_util::{FutureExt as _, future::BoxFuture};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::bench::Home;

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

/// A command that writes twice, the second time when it may, and is lost where it should be.
#[derive(Debug, Default)]
struct ScriptedRunner {
    may_go_on: Notify,
}

impl CommandRunner for ScriptedRunner {
    fn run<'a>(
        &'a self,
        order: CommandOrder,
        progress: &'a CallProgress,
    ) -> BoxFuture<'a, Result<FinishedCommand, CommandRunError>> {
        Box::pin(async move {
            let (mut stdout, mut stderr) = (CapturedOutput::default(), CapturedOutput::default());
            stdout.push(b"first\n");
            progress.output(Stdout, b"first\n");
            self.may_go_on.notified().await;
            stderr.push(b"second\n");
            progress.output(Stderr, b"second\n");
            if order.command == "lost" {
                return Err(CommandRunError::Lost("it is gone".to_owned()));
            }
            let (end, duration) = (CommandEnd::Code(0), Duration::from_secs(1));
            Ok(FinishedCommand { end, stdout, stderr, duration })
        })
    }
}

fn shown(progress: &CallProgress) -> String {
    let pieces = progress.take().map(|update| update.output).unwrap_or_default();
    pieces.into_iter().map(|piece| piece.text).collect()
}

#[test]
fn output_is_said_while_the_command_runs_and_the_result_is_the_same_where_nobody_hears_it() {
    let (home, runner) = (Home::new(), Arc::new(ScriptedRunner::default()));
    let tool = RunCommand::new(
        ShellSettings::default(),
        Arc::new(OneFolder),
        Arc::<ScriptedRunner>::clone(&runner),
    );
    let run = |command: &str, look: &dyn Fn(&CallProgress, &str)| -> Option<Value> {
        home.with_unchecked_call("felix", &json!({"command": command}), |call| {
            let progress = CallProgress::default();
            let mut running = tool.run(Call { progress: &progress, ..call });
            assert!((&mut running).now_or_never().is_none(), "it may not go on");
            look(&progress, "first\n");
            runner.may_go_on.notify_one();
            let ended = running.now_or_never().unwrap();
            look(&progress, "second\n");
            Some(serde_json::from_str(&ended.ok()?.content).unwrap())
        })
    };
    let look = |progress: &CallProgress, expected: &str| assert_eq!(shown(progress), expected);
    let result = run("two lines", &look).unwrap();
    assert_eq!(result["stdout"]["text"], "first\n");
    assert_eq!(result["stderr"]["text"], "second\n");
    assert_eq!(run("two lines", &|_, _| ()), Some(result));
    assert_eq!(run("lost", &look), None, "what it wrote last is said before that");
}
