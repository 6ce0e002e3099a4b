//! How a session opens: `hello`, `welcome`, `restore`, `ready`. No turn begins before that, and an agent whose state was
//! not restored makes no checkpoint.

use abide_wire::{
    AgentHandshake, AgentStep, Hello, KeeperErrorBody, Message, Ready, ToAgent, Version, Welcome,
};
use tokio::time::{Instant, timeout_at};

use super::{Session, SessionEnd};
use crate::{
    limits::{RESTORE_TIMEOUT, WELCOME_TIMEOUT},
    link::{Incoming, LinkEnd},
    state::State,
};

/// Name and version of this SDK, for `hello`.
const SDK: &str =
    concat!("rust/", env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

impl<S: State> Session<'_, S> {
    /// Opens the link up to `ready`.
    pub(super) async fn open(&mut self) -> Result<(), SessionEnd> {
        self.send(self.hello());
        let mut handshake = AgentHandshake::new();
        let mut awaited = ("welcome", Instant::now() + WELCOME_TIMEOUT);
        let mut is_welcomed = false;
        loop {
            let Some(body) = self.await_opening(awaited).await? else { continue };
            match &body {
                ToAgent::Shutdown(_) => return Err(SessionEnd::Shutdown),
                ToAgent::Error(error) if is_welcomed => {
                    self.handle_keeper_error(error)?;
                    continue;
                }
                _ => {}
            }
            let message = Message::new(Version::V3, self.keeper.shared.sender.clock.now(), body);
            match handshake.receive(message) {
                Ok(AgentStep::Welcomed(welcome)) => {
                    self.welcome(&welcome);
                    break;
                }
                Ok(AgentStep::AwaitRestore(welcome)) => {
                    self.welcome(&welcome);
                    is_welcomed = true;
                    awaited = ("restore", Instant::now() + RESTORE_TIMEOUT);
                }
                Ok(AgentStep::Restore(restore)) => {
                    self.restore(&restore)?;
                    break;
                }
                Ok(AgentStep::Refused(refused)) => {
                    let KeeperErrorBody { code, message, .. } = refused.error;
                    return Err(SessionEnd::Refused { code, message });
                }
                Ok(AgentStep::Pass) => {}
                Err(refusal) => self.send(refusal.to_agent_error()),
            }
        }
        self.send(Ready {});
        Ok(())
    }

    /// Waits for a message; none where a frame was refused.
    async fn await_opening(
        &mut self,
        awaited: (&str, Instant),
    ) -> Result<Option<ToAgent>, SessionEnd> {
        let (name, deadline) = awaited;
        let Ok(incoming) = timeout_at(deadline, self.link.next()).await else {
            return Err(SessionEnd::Lost(format!("the keeper did not send {name} in time")));
        };
        match incoming {
            Incoming::Message(message) => Ok(Some(message.body)),
            Incoming::Refused(refusal) => {
                tracing::warn!(event = "frame_refused", agent = %self.setup.identity.agent, %refusal, "frame from the keeper refused");
                self.send(refusal.to_agent_error());
                Ok(None)
            }
            Incoming::Ended(LinkEnd::Closed) => Err(SessionEnd::Closed),
            Incoming::Ended(LinkEnd::Failed(reason)) => Err(SessionEnd::Lost(reason)),
        }
    }

    fn hello(&self) -> Hello {
        let mut capabilities = vec!["stream"];
        if S::IS_KEPT {
            capabilities.push("restore");
        }
        if self.setup.callbacks.hot_reload.is_some() {
            capabilities.push("hot_reload");
        }
        capabilities.push("zstd");
        Hello {
            agent: self.setup.identity.agent.clone(),
            run: self.setup.identity.run.clone(),
            capabilities: capabilities.into_iter().map(str::to_owned).collect(),
            sdk: Some(SDK.to_owned()),
            token: self.setup.identity.token.clone(),
        }
    }

    fn welcome(&self, welcome: &Welcome) {
        let shared = &self.keeper.shared;
        shared.wal().continue_from(welcome.next_sequence);
        shared.with_state_mut(|state| state.sequence = welcome.next_sequence.saturating_sub(1));
        shared.sender.outbox.start_heartbeats();
    }
}
