//! The mind `scripted`: answers from a function of the request. For tests and the simulator.

use std::{fmt, sync::Arc, time::Duration};

use abide_domain::{
    turn::{MindError, Thought, TurnRequest, Usage},
    voice::Voice,
};
use futures_util::future::BoxFuture;

use super::{Mind, MindHost};

/// What a scripted mind does when it is asked.
#[derive(Clone, Debug)]
pub enum ScriptedAnswer {
    /// Answers at once.
    Voice(Voice),
    /// Answers after a while, in the runtime's time.
    After(Duration, Voice),
    /// Fails.
    Fail(MindError),
    /// Never answers.
    Silence,
}

type Script = dyn Fn(&TurnRequest) -> ScriptedAnswer + Send + Sync;

/// A mind whose answers are a function of what it is asked.
#[derive(Clone)]
pub struct ScriptedMind {
    script: Arc<Script>,
}

impl ScriptedMind {
    /// Makes a mind of a function.
    pub fn new(script: impl Fn(&TurnRequest) -> ScriptedAnswer + Send + Sync + 'static) -> Self {
        Self { script: Arc::new(script) }
    }
}

impl fmt::Debug for ScriptedMind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedMind").finish_non_exhaustive()
    }
}

impl Mind for ScriptedMind {
    fn name(&self) -> String {
        "scripted".into()
    }

    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        _host: &'a dyn MindHost,
    ) -> BoxFuture<'a, Result<Thought, MindError>> {
        Box::pin(async move {
            let voice = match (self.script)(request) {
                ScriptedAnswer::Voice(voice) => voice,
                ScriptedAnswer::After(delay, voice) => {
                    tokio::time::sleep(delay).await;
                    voice
                }
                ScriptedAnswer::Fail(error) => return Err(error),
                ScriptedAnswer::Silence => std::future::pending().await,
            };
            let usage = Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() };
            Ok(Thought::new(voice, usage))
        })
    }
}
