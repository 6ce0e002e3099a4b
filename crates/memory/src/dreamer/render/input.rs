//! What a context object is rendered from, beside the findings.

use abide_domain::{
    EpochId, Sharing, Zone, envelope::StimulusEnvelope, event::AgentRegistered, turn::Exchange,
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
