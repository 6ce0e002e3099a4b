//! What a context object is rendered from.

use abide_domain::{
    EpochId, Sharing, Timestamp, Zone,
    envelope::StimulusEnvelope,
    event::{AgentRegistered, Exploration},
    turn::Exchange,
};

use super::{findings::ResolvedFindings, standing::Standings};
use crate::{
    dreamer::{ReferenceLookup, dates::calendar_age},
    words,
};

/// What a context object is made of beside the findings.
#[derive(Clone, Copy, Debug)]
pub struct RenderInput<'a> {
    /// What came in, with the agent's last words in that session.
    pub envelope: &'a StimulusEnvelope,
    /// The epoch of the last words.
    pub last_output_epoch: Option<EpochId>,
    /// Who the agent is, as it is configured.
    pub profile: Option<&'a AgentRegistered>,
    /// The exchanges that the mind is shown anyway: what stands there is not repeated.
    pub history: &'a [Exchange],
    /// Whether who the agent is stands before the object, so that it is not said twice.
    pub is_introduced: bool,
    /// Who may be told what: of an exchange that is somebody else's, only what was found of it is shown.
    pub sharing: Sharing,
    /// The zone in which dates are shown, and in which those spoke of whom no other is known.
    pub zone: &'a Zone,
    /// The most that the object may have, in tokens, at most `CONTEXT_TOKENS_MAX`.
    pub tokens_max: u64,
}

/// All that a section is made of.
pub(super) struct RenderView<'a> {
    pub(super) scene: &'a RenderInput<'a>,
    pub(super) exploration: &'a Exploration,
    pub(super) findings: &'a ResolvedFindings,
    pub(super) standings: &'a Standings,
    pub(super) lookup: &'a dyn ReferenceLookup,
}

impl RenderView<'_> {
    /// When something was, for whoever reads: `Tue 2026-03-24 18:05, 4 days ago`.
    pub(super) fn moment(&self, at: Timestamp) -> String {
        let (zone, now) = (self.scene.zone, self.scene.envelope.timestamp);
        let moment = zone.format_moment(at);
        calendar_age(zone, now, at).map_or(moment.clone(), |age| format!("{moment}, {age}"))
    }

    /// Whether a text shares a word that means something with the message.
    pub(super) fn is_about_this(&self, text: &str) -> bool {
        let said = words(&self.scene.envelope.content);
        words(text).iter().any(|word| said.contains(word))
    }
}
