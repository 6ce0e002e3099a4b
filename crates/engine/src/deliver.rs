//! How a message becomes a stimulus for each agent that it is for: in the batch that puts the message in force, so that
//! neither is there without the other (decision 18).

use abide_domain::{
    EntityName, EpochId,
    envelope::Channel,
    event::{Event, SpaceSaid, StimulusAccepted, StimulusCause},
    limits::SESSION_CHARS_MAX,
};
use abide_ledger::Draft;

use crate::services::Services;

/// The stimuli of one message.
pub(crate) fn stimuli(services: &Services, from: &EntityName, said: &SpaceSaid) -> Vec<Draft> {
    said.to.iter().map(|to| stimulus(services, from, (to, said))).collect()
}

/// Messages between agents come by the channel `system`: no person vouches for them.
fn channel(services: &Services, from: &EntityName) -> Channel {
    let is_agent = services.agents.get(from.bare()).is_some();
    if is_agent { Channel::System } else { Channel::Direct }
}

fn stimulus(
    services: &Services,
    from: &EntityName,
    (to, said): (&EntityName, &SpaceSaid),
) -> Draft {
    let now = services.now();
    let session: String = said.space.as_str().chars().take(SESSION_CHARS_MAX).collect();
    let event: Event = StimulusAccepted {
        content: said.text.clone(),
        sender: from.bare().to_owned(),
        channel: channel(services, from),
        sent_at: now,
        sender_zone: None,
        session_id: session,
        interactive: false,
        administrator: false,
        idempotency: None,
        claimed_output: None,
        cause: Some(StimulusCause::Message {
            message_id: said.message_id,
            space: said.space.clone(),
            hop: said.hop,
        }),
    }
    .into();
    let epoch = Some(EpochId::new(&*services.ids, now));
    Draft { entity: to.clone(), author: from.clone(), epoch, event }
}
