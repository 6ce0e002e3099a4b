//! Connections of processes that the keeper did not start: one at a time for an agent.
//!
//! A connection that is alive stays; one that is silent gives way to a new one, for its process may be long gone.

use std::time::Duration;

use abide_domain::event::ExitReason;
use abide_wire::{
    FrameWriter, KeeperError, KeeperErrorBody, Message, ToAgent, Version, error_code,
};

use crate::link::Connection;

use super::{AgentActor, run::Run};

/// How long the last message to a rejected connection may take.
const REJECTION_TIMEOUT: Duration = Duration::from_secs(1);

impl AgentActor {
    /// A process connected while a run is on.
    pub(super) fn accept_connection(&mut self, run: &mut Run, connection: Box<Connection>) {
        if self.is_launched() {
            self.reject_connection(
                connection,
                "this agent's process is started by the keeper itself",
            );
            return;
        }
        let is_alive = !run.link.is_closed() && !run.clocks.is_unresponsive();
        if is_alive && run.ending.is_none() {
            self.reject_connection(connection, "another process is connected for this agent");
            return;
        }
        if let Some(earlier) = run.next_connection.replace(connection) {
            self.reject_connection(earlier, "another process is connected for this agent");
        }
        run.kill_because(ExitReason::Silent, "another process of the agent replaced it");
    }

    /// Tells a connection why it is not accepted, and closes it.
    pub(super) fn reject_connection(&mut self, connection: Box<Connection>, why: &str) {
        let error = KeeperErrorBody {
            code: error_code::STALE_RUN.into(),
            message: why.into(),
            details: None,
        };
        let body = KeeperError { error, request_id: None };
        let message = Message::<ToAgent>::new(Version::V3, self.wall(), body);
        self.rejections.spawn(async move {
            let mut writer = FrameWriter::new(connection.sink);
            // A connection that does not read is closed all the same.
            drop(tokio::time::timeout(REJECTION_TIMEOUT, writer.send(&message)).await);
        });
    }
}
