//! A process of modules, and requests to it.

use std::{process::Stdio, time::Duration};

use abide_modules::{
    ModuleCallError, ModuleClient, ModuleKind, PassageFeatures, PassageRole, RankRequest,
    RankedPassage, ScriptError, ScriptErrorKind,
};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Longer than any answer takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_secs(30);
/// What a process may map: room for its stacks, and less than the garbage of the tests.
pub(crate) const MEMORY_BYTES: u64 = 1 << 30;

/// A process and the link to it; it is killed with its value.
pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) client: ModuleClient<ChildStdout, ChildStdin>,
}

impl Process {
    pub(crate) fn start() -> Self {
        Self::from(&mut Self::command())
    }

    pub(crate) fn command() -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_module-process"));
        command.arg(MEMORY_BYTES.to_string()).stderr(Stdio::null());
        command
    }

    pub(crate) fn from(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let (output, input) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        Self { child, client: ModuleClient::new(output, input) }
    }

    /// A process that has this memory module.
    pub(crate) async fn with_memory(code: &str) -> Self {
        let mut process = Self::start();
        process.client.load(ModuleKind::Memory, code, AMPLE).await.unwrap();
        process
    }

    /// The failure of loading some code.
    pub(crate) async fn refusal(&mut self, kind: ModuleKind, code: &str) -> ScriptError {
        script_error(self.client.load(kind, code, AMPLE).await)
    }

    /// The order that a request gets.
    pub(crate) async fn order(&mut self, request: RankRequest) -> Vec<u64> {
        self.client.rank(request, AMPLE).await.unwrap().value
    }

    /// The exit code of a process that ends by itself.
    pub(crate) async fn exit_code(&mut self) -> Option<i32> {
        tokio::time::timeout(AMPLE, self.child.wait()).await.unwrap().unwrap().code()
    }
}

/// The failure of a program.
pub(crate) fn script_error<T: std::fmt::Debug>(result: Result<T, ModuleCallError>) -> ScriptError {
    match result {
        Err(ModuleCallError::Script { error, .. }) => error,
        other => panic!("no failure of the program: {other:?}"),
    }
}

/// The kind of failure of a program.
pub(crate) fn failure<T: std::fmt::Debug>(result: Result<T, ModuleCallError>) -> ScriptErrorKind {
    script_error(result).kind
}

/// A request with passages of these ids and scores.
pub(crate) fn request(passages: &[(u64, f64)]) -> RankRequest {
    let passage = |(place, (id, score)): (usize, &(u64, f64))| RankedPassage {
        id: *id,
        text: format!("what was said, number {place}"),
        speaker: "Mara".to_owned(),
        role: PassageRole::Person,
        at: 1_700_000_000.0,
        features: PassageFeatures { score: *score, ..PassageFeatures::default() },
    };
    RankRequest {
        question: "What was said?".to_owned(),
        asker: Some("Jonas".to_owned()),
        now: 1_700_086_400.0,
        passages: passages.iter().enumerate().map(passage).collect(),
    }
}
