//! The mind of a rig: answers by a function of what it is asked, and keeps a journal of every asking.
//!
//! The journal outlives the keeper, so that a test sees what was asked before and after a crash.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{
    event::EvidenceReported,
    turn::{MindError, Thought, TurnRequest, Usage},
    voice::{ToolCall, Voice},
};
use abide_engine::mind::{Mind, MindDelta, MindHost, PermissionRequest};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

/// Answers one asking; the number is that of the asking, from 1, over all lives of the keeper.
pub(super) type Script = Arc<dyn Fn(&TurnRequest, usize) -> RigAnswer + Send + Sync>;

/// What a mind does when it is asked.
#[derive(Clone, Debug)]
pub struct RigAnswer {
    after: Duration,
    /// Pieces of the answer come so often meanwhile.
    piece_every: Option<Duration>,
    given: PreparedAnswer,
}

#[derive(Clone, Debug)]
enum PreparedAnswer {
    Thought(Box<Thought>),
    Failure(MindError),
    Silence,
    Trickle(Duration),
    AskToRun(String),
}

/// A final response.
pub fn say(text: impl Into<String>) -> RigAnswer {
    RigAnswer::of(Voice::native(String::new(), text.into(), Vec::new()))
}

/// One call of a tool.
pub fn call(name: &str, arguments: Value) -> RigAnswer {
    calls([(name, arguments)])
}

/// Calls of tools, in order.
pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> RigAnswer {
    let call = |(name, arguments): (&str, Value)| ToolCall { name: name.to_owned(), arguments };
    RigAnswer::of(Voice::native(
        String::new(),
        String::new(),
        calls.into_iter().map(call).collect(),
    ))
}

/// Commands of the command language, through the tool `stdout`.
pub fn command(input: &str) -> RigAnswer {
    call("stdout", json!({"command": input}))
}

/// Carries out the commands in the message, if there are any, and replies with what they gave.
pub fn obey(request: &TurnRequest) -> RigAnswer {
    let Some(step) = request.steps.last() else {
        let commands = request.message.find('\\').and_then(|at| request.message.get(at..));
        return commands.map_or_else(|| say("so"), command);
    };
    let results: Vec<_> = step.results.iter().map(|result| result.content.as_ref()).collect();
    say(results.join("\n"))
}

/// No usable answer.
pub fn fail(error: MindError) -> RigAnswer {
    RigAnswer::given(PreparedAnswer::Failure(error))
}

/// No answer, ever.
pub fn silence() -> RigAnswer {
    RigAnswer::given(PreparedAnswer::Silence)
}

/// Pieces of an answer that never comes to an end.
pub fn trickle(every: Duration) -> RigAnswer {
    RigAnswer::given(PreparedAnswer::Trickle(every))
}

/// Reports what it is about to do, asks to be allowed to run a tool of its own, and says what came of it.
pub fn ask_to_run(tool: &str) -> RigAnswer {
    RigAnswer::given(PreparedAnswer::AskToRun(tool.to_owned()))
}

impl RigAnswer {
    /// Any voice at all.
    pub fn of(voice: Voice) -> Self {
        let usage = Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() };
        let thought = Box::new(Thought::new(voice, usage));
        Self::given(PreparedAnswer::Thought(thought))
    }

    const fn given(given: PreparedAnswer) -> Self {
        Self { after: Duration::ZERO, piece_every: None, given }
    }

    /// The same after some thinking.
    #[must_use]
    pub fn after(mut self, thinking: Duration) -> Self {
        self.after = thinking;
        self
    }

    /// The same, and while it thinks, pieces of the answer come so often.
    #[must_use]
    pub const fn growing(mut self, every: Duration) -> Self {
        self.piece_every = Some(every);
        self
    }

    /// The same with words beside its calls.
    #[must_use]
    pub fn with_words(mut self, words: &str) -> Self {
        if let PreparedAnswer::Thought(thought) = &mut self.given {
            thought.voice.final_response = Some(words.to_owned());
        }
        self
    }

    /// The same at a price in millionths of a dollar.
    #[must_use]
    pub fn costing(mut self, microusd: u64) -> Self {
        if let PreparedAnswer::Thought(thought) = &mut self.given {
            thought.usage.cost_microusd = Some(microusd);
        }
        self
    }

    /// The same from a provider that reports no usage.
    #[must_use]
    pub fn unmetered(mut self) -> Self {
        if let PreparedAnswer::Thought(thought) = &mut self.given {
            thought.usage = Usage::default();
        }
        self
    }
}

/// Every asking so far. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal(Arc<Mutex<Vec<TurnRequest>>>);

impl Journal {
    fn note(&self, request: &TurnRequest) -> usize {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(request.clone());
        asked.len()
    }

    pub(super) fn asked(&self) -> Vec<TurnRequest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The mind.
pub(super) struct RigMind {
    pub(super) script: Script,
    pub(super) journal: Journal,
}

impl fmt::Debug for RigMind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RigMind").finish_non_exhaustive()
    }
}

impl Mind for RigMind {
    fn name(&self) -> String {
        "scripted".into()
    }

    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        desk: &'a dyn MindHost,
    ) -> BoxFuture<'a, Result<Thought, MindError>> {
        Box::pin(async move {
            let number = self.journal.note(request);
            let RigAnswer { after, piece_every, given } = (self.script)(request, number);
            tokio::select! {
                () = tokio::time::sleep(after) => {}
                () = trickle_to(desk, piece_every) => {}
            }
            match given {
                PreparedAnswer::Thought(thought) => Ok(*thought),
                PreparedAnswer::Failure(error) => Err(error),
                PreparedAnswer::Silence => std::future::pending().await,
                PreparedAnswer::Trickle(every) => {
                    trickle_to(desk, Some(every)).await;
                    std::future::pending().await
                }
                PreparedAnswer::AskToRun(tool) => Ok(run_if_allowed(tool, desk).await),
            }
        })
    }
}

/// Gives pieces without end; none where it is not said how often.
async fn trickle_to(desk: &dyn MindHost, every: Option<Duration>) {
    let Some(every) = every else { return std::future::pending().await };
    loop {
        desk.delta(MindDelta { text: ".".into(), thought: false });
        tokio::time::sleep(every).await;
    }
}

async fn run_if_allowed(tool: String, desk: &dyn MindHost) -> Thought {
    let body = json!({"wants": tool});
    let (claim_type, tags) = ("observation".to_owned(), Vec::new());
    desk.report(EvidenceReported { run: None, claim_type, tags, body }).await;
    let arguments = json!({"path": "notes.txt"});
    let words = match desk.ask(PermissionRequest { tool, arguments }).await {
        Ok(()) => "done".to_owned(),
        Err(reason) => reason,
    };
    Thought::new(Voice::native(String::new(), words, Vec::new()), Usage::default())
}
