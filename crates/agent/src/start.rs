//! How the built-in agent starts: its name, run and model, from the environment that its keeper made.

use std::sync::Arc;

use abide_domain::Clock;
use abide_sdk::{Agent, AgentError, Answer, Keeper, Turn, TurnError};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    checkpoint_state::CheckpointState,
    model_variable::{Environment, ModelVariableError, reasoner},
    turn_worker::TurnWorker,
};

/// Why the agent ended although its keeper did not shut it down.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Its model cannot be set up.
    #[error("the agent's model cannot be set up")]
    Model(#[from] ModelVariableError),
    /// Its name is missing.
    #[error("ABIDE_AGENT is not set: the built-in agent is started by `abide up`, which sets it")]
    MissingName,
    /// It could not start, or lost its link or its state.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

/// Serves over stdin and stdout, on this thread, until the keeper says `shutdown` or closes the pipe.
pub fn run(environment: Environment<'_>, clock: Arc<dyn Clock>) -> Result<(), RunError> {
    let worker = TurnWorker { reasoner: Arc::new(reasoner(environment, &clock)?), clock };
    Ok(agent(environment, &worker)?.run(handler(worker))?)
}

/// Serves over two streams, until their end.
pub async fn serve(
    environment: Environment<'_>,
    clock: Arc<dyn Clock>,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), RunError> {
    let worker = TurnWorker { reasoner: Arc::new(reasoner(environment, &clock)?), clock };
    let agent = agent(environment, &worker)?;
    Ok(agent.serve_over(input, output, handler(worker)).await?)
}

fn agent(
    environment: Environment<'_>,
    worker: &TurnWorker,
) -> Result<Agent<CheckpointState>, RunError> {
    let name = environment("ABIDE_AGENT").ok_or(RunError::MissingName)?;
    let run = environment("ABIDE_RUN").unwrap_or_default();
    let agent = Agent::new(name.clone())
        .run_id(run)
        .clock(Arc::clone(&worker.clock))
        .keeping(move || CheckpointState::new(&name))
        .on_metrics(|state, metrics| {
            metrics.active_tools = u64::try_from(state.tools().len()).ok();
            metrics.memory_blocks = u64::try_from(state.snapshot().memory_blocks.len()).ok();
        });
    Ok(agent)
}

type AnswerFuture = std::pin::Pin<Box<dyn Future<Output = Result<Answer, TurnError>> + Send>>;

fn handler(
    worker: TurnWorker,
) -> impl FnMut(Turn, Keeper<CheckpointState>) -> AnswerFuture + Send + 'static {
    move |turn, keeper| Box::pin(worker.clone().answer(turn, keeper))
}
