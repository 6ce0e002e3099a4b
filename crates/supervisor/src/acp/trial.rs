//! A turn for the tests beside the code of this folder.

use std::time::Duration;

use abide_domain::{EpochId, Timestamp, envelope::Channel, turn::TurnRequest};
use uuid::Uuid;

/// The first turn of an epoch.
pub(super) fn request(epoch: u128) -> TurnRequest {
    TurnRequest {
        agent: "felix".parse().unwrap(),
        epoch: EpochId::from_uuid(Uuid::from_u128(epoch)),
        turn: 1,
        attempt: 1,
        repair: None,
        system: "# Who you are\nFelix.".into(),
        context: "# What you know at this moment".into(),
        time_zone: abide_domain::Zone::utc(),
        history: Vec::new().into(),
        message: "tidy the shed".into(),
        sender: "nicolas".into(),
        channel: Channel::Direct,
        session_id: "default".into(),
        sent_at: Timestamp::from_micros(1_764_000_000_000_000),
        last_driver_output: None,
        tools: Vec::new().into(),
        steps: Vec::new(),
        deadline: Duration::from_secs(30),
        deadline_streaming: Duration::from_secs(30),
    }
}
