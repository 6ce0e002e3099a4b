//! What a context object is rendered from.

use abide_domain::{
    EpochId, Sharing, Zone,
    envelope::StimulusEnvelope,
    event::{AgentRegistered, Exploration},
    turn::Exchange,
};

use super::{findings::ResolvedFindings, standing::Standings};
use crate::dreamer::ReferenceLookup;

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
    /// Who may be told what: of an exchange that is somebody else's, only what was found of it is shown.
    pub sharing: Sharing,
    /// The zone in which dates are shown, and in which those spoke of whom no other is known.
    pub zone: &'a Zone,
    /// The most that the object may have, in tokens, at most `CONTEXT_TOKENS_MAX`; a long stimulus goes on top.
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
