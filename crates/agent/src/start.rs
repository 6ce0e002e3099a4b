//! How the built-in agent begins: who it is and what it thinks with, from the environment that its keeper made.

use std::sync::Arc;

use abide_domain::Clock;
use abide_sdk::{Agent, AgentError, Answer, Keeper, Turn, TurnError};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    choice::{ChoiceError, Environment, reasoner},
    notebook::Notebook,
    work::Work,
};

/// Why the agent ended other than by its keeper's word.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It has nothing to think with.
    #[error("the agent has nothing to think with")]
    Choice(#[from] ChoiceError),
    /// Nobody says who it is.
    #[error("ABIDE_AGENT is not set: the built-in agent is started by `abide up`")]
    Nobody,
    /// It could not serve, or not go on.
    #[error(transparent)]
    Failed(#[from] AgentError),
}

/// Serves over stdin and stdout, on this thread, until the keeper says `shutdown` or closes the pipe.
pub fn run(environment: Environment<'_>, clock: Arc<dyn Clock>) -> Result<(), RunError> {
    let work = Work { reasoner: Arc::new(reasoner(environment, &clock)?), clock };
    Ok(agent(environment, &work)?.run(handler(work))?)
}

/// Serves over two streams, until their end.
pub async fn serve(
    environment: Environment<'_>,
    clock: Arc<dyn Clock>,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), RunError> {
    let work = Work { reasoner: Arc::new(reasoner(environment, &clock)?), clock };
    let agent = agent(environment, &work)?;
    Ok(agent.serve_over(input, output, handler(work)).await?)
}

fn agent(environment: Environment<'_>, work: &Work) -> Result<Agent<Notebook>, RunError> {
    let name = environment("ABIDE_AGENT").ok_or(RunError::Nobody)?;
    let run = environment("ABIDE_RUN").unwrap_or_default();
    let agent = Agent::new(name.clone())
        .run_id(run)
        .clock(Arc::clone(&work.clock))
        .keeping(move || Notebook::new(&name))
        .on_metrics(|notebook, metrics| {
            metrics.active_tools = u64::try_from(notebook.tools().len()).ok();
            metrics.memory_blocks = u64::try_from(notebook.snapshot().memory_blocks.len()).ok();
        });
    Ok(agent)
}

type Answering = std::pin::Pin<Box<dyn Future<Output = Result<Answer, TurnError>> + Send>>;

fn handler(work: Work) -> impl FnMut(Turn, Keeper<Notebook>) -> Answering + Send + 'static {
    move |turn, keeper| Box::pin(work.clone().answer(turn, keeper))
}
