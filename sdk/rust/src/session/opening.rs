//! How a session opens: `hello`, `welcome`, the state given back, `ready`. No turn comes before, and an agent that did not
//! get its state back writes no checkpoint.

use abide_wire::{AgentHandshake, AgentStep, Hello, Ready, ToAgent, Welcome};
use tokio::time::{Instant, timeout_at};

use super::{End, Session};
use crate::{
    limits::{RESTORE, WELCOME},
    link::{Ending, Incoming},
    state::State,
};

/// What `hello` says of this SDK.
const SDK: &str =
    concat!("rust/", env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

impl<S: State> Session<'_, S> {
    /// Opens the link up to `ready`.
    pub(super) async fn open(&mut self) -> Result<(), End> {
        self.tell(self.hello());
        let mut handshake = AgentHandshake::new();
        let mut awaited = ("welcome", Instant::now() + WELCOME);
        let mut is_welcome = false;
        loop {
            let Some(body) = self.await_opening(awaited).await? else { continue };
            match &body {
                ToAgent::Shutdown(_) => return Err(End::Shutdown),
                ToAgent::Error(error) if is_welcome => {
                    self.hear(error)?;
                    continue;
                }
                _ => {}
            }
            let message = abide_wire::Message::new(
                abide_wire::Version::V3,
                self.keeper.desk.sender.clock.now(),
                body,
            );
            match handshake.receive(message) {
                Ok(AgentStep::Welcomed(welcome)) => {
                    self.welcome(&welcome);
                    break;
                }
                Ok(AgentStep::AwaitRestore(welcome)) => {
                    self.welcome(&welcome);
                    is_welcome = true;
                    awaited = ("restore", Instant::now() + RESTORE);
                }
                Ok(AgentStep::Restore(restore)) => {
                    self.restore(&restore)?;
                    break;
                }
                Ok(AgentStep::Refused(refused)) => {
                    let abide_wire::KeeperErrorBody { code, message, .. } = refused.error;
                    return Err(End::Refused { code, message });
                }
                Ok(AgentStep::Pass) => {}
                Err(refusal) => self.tell(refusal.to_agent_error()),
            }
        }
        self.tell(Ready {});
        Ok(())
    }

    /// Waits for a message; none where a frame was refused.
    async fn await_opening(&mut self, awaited: (&str, Instant)) -> Result<Option<ToAgent>, End> {
        let (name, deadline) = awaited;
        let Ok(incoming) = timeout_at(deadline, self.link.next()).await else {
            return Err(End::Lost(format!("no {name} came")));
        };
        match incoming {
            Incoming::Message(message) => Ok(Some(message.body)),
            Incoming::Refused(refusal) => {
                tracing::warn!("a frame of the keeper was refused: {refusal}");
                self.tell(refusal.to_agent_error());
                Ok(None)
            }
            Incoming::Ended(Ending::Closed) => Err(End::Closed),
            Incoming::Ended(Ending::Failed(words)) => Err(End::Lost(words)),
        }
    }

    fn hello(&self) -> Hello {
        let mut capabilities = vec!["stream"];
        if S::IS_KEPT {
            capabilities.push("restore");
        }
        if self.callbacks.hot_reload.is_some() {
            capabilities.push("hot_reload");
        }
        capabilities.push("zstd");
        Hello {
            agent: self.identity.agent.clone(),
            run: self.identity.run.clone(),
            capabilities: capabilities.into_iter().map(str::to_owned).collect(),
            sdk: Some(SDK.to_owned()),
            token: self.identity.token.clone(),
        }
    }

    fn welcome(&self, welcome: &Welcome) {
        let desk = &self.keeper.desk;
        desk.journal().continue_from(welcome.next_sequence);
        desk.with_kept_mut(|kept| kept.sequence = welcome.next_sequence.saturating_sub(1));
        desk.sender.outbox.begin_breathing();
    }
}
