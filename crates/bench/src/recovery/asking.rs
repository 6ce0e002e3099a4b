//! A turn without an engine: what a lane asks of a mind, and nobody who watches.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId, EpochId, IdSource as _, Timestamp, envelope::Channel, event::EvidenceReported,
    turn::TurnRequest,
};
use abide_engine::mind::{Mind, MindDelta, MindHost, PermissionRequest};
use futures_util::future::BoxFuture;

use crate::{error::BenchError, system::SystemIds};

/// How long a turn may take: longer than any bar, so that a slow one is measured and not broken off.
const DEADLINE: Duration = Duration::from_mins(2);
/// Text of the context object, about as long as the shortest real ones.
const SYSTEM_BYTES: usize = 2_000;

/// Nobody.
struct SilentHost;

impl MindHost for SilentHost {
    fn delta(&self, _delta: MindDelta) {}

    fn report(&self, _evidence: EvidenceReported) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn ask(&self, _asked: PermissionRequest) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(std::future::ready(Err("nobody is there".into())))
    }
}

/// A turn that says this.
pub(super) fn request(agent: &AgentId, message: &str) -> TurnRequest {
    TurnRequest {
        agent: agent.clone(),
        epoch: EpochId::from_uuid(SystemIds.uuid(Timestamp::default())),
        turn: 1,
        attempt: 1,
        repair: None,
        system: "x".repeat(SYSTEM_BYTES).into(),
        context: "".into(),
        time_zone: abide_domain::Zone::utc(),
        history: Arc::new([]),
        message: message.into(),
        sender: "nicolas".into(),
        channel: Channel::Api,
        session_id: "release".into(),
        sent_at: Timestamp::default(),
        last_driver_output: None,
        tools: Arc::new([]),
        steps: Vec::new(),
        deadline: DEADLINE,
        deadline_streaming: DEADLINE,
    }
}

/// Asks, and gives the words of the answer. Anything else is an error.
pub(super) async fn ask(mind: &dyn Mind, request: &TurnRequest) -> Result<String, BenchError> {
    let thought = mind.think(request, &SilentHost).await.map_err(BenchError::of("ask an agent"))?;
    let words = thought.voice.final_response;
    words.ok_or_else(|| BenchError::Wrong("an agent answered without words".into()))
}
