//! What a section of a context object is made from.

use abide_domain::{Timestamp, event::Exploration};

use super::{findings::ResolvedFindings, input::RenderInput, standing::Standings};
use crate::{
    dreamer::{ReferenceLookup, dates::calendar_age},
    words,
};

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
        match calendar_age(zone, now, at) {
            Some(age) => format!("{moment}, {age}"),
            None => moment,
        }
    }

    /// Whether a text shares a word that means something with the message.
    pub(super) fn is_about_this(&self, text: &str) -> bool {
        let said = words(&self.scene.envelope.content);
        words(text).iter().any(|word| said.contains(word))
    }
}
