//! Links that come by themselves: one speaks for an agent at a time.
//!
//! A link that is heard keeps its place; one that is silent gives way to a new one, for its process may be long gone.

use std::time::Duration;

use abide_domain::event::ExitReason;
use abide_wire::{
    FrameWriter, KeeperError, KeeperErrorBody, Message, ToAgent, Version, error_code,
};

use crate::link::Connection;

use super::{Agent, run::Run};

/// How long a farewell may take.
const FAREWELL: Duration = Duration::from_secs(1);

impl Agent {
    /// A process connected while a run is on.
    pub(super) fn connected(&mut self, run: &mut Run, connection: Box<Connection>) {
        if self.is_launched() {
            self.turn_away(connection, "this agent's process is started by the keeper itself");
            return;
        }
        let is_alive = !run.link.is_closed() && !run.clocks.is_unresponsive();
        if is_alive && run.ending.is_none() {
            self.turn_away(connection, "another process speaks for this agent");
            return;
        }
        if let Some(earlier) = run.next_link.replace(connection) {
            self.turn_away(earlier, "another process speaks for this agent");
        }
        run.kill_for(ExitReason::Silent, "another process of the agent took its place");
    }

    /// Tells a link why it is not taken, and lets it go.
    pub(super) fn turn_away(&mut self, connection: Box<Connection>, why: &str) {
        let error = KeeperErrorBody {
            code: error_code::STALE_RUN.into(),
            message: why.into(),
            details: None,
        };
        let farewell = KeeperError { error, request_id: None };
        let message = Message::<ToAgent>::new(Version::V3, self.wall(), farewell);
        self.children.spawn(async move {
            let mut writer = FrameWriter::new(connection.sink);
            // A link that does not read is let go all the same.
            drop(tokio::time::timeout(FAREWELL, writer.send(&message)).await);
        });
    }
}
