//! What an agent that waits learns of: one entry, message, stimulus or reply.

use abide_domain::{
    EntityName, SpaceName, Timestamp,
    text::{indented, shortened},
};

use crate::{entry_scope::EntryScope, work_budget::WorkBudget};

/// Characters of an input that a woken agent is shown.
const INPUT_CHARS_MAX: usize = 200;

/// What may fulfil a wake's condition: an entry of a log that its owner may read, words that were said to it, a reply.
#[derive(Clone, Copy, Debug)]
pub struct WakeInput<'a> {
    /// Its event's kind.
    pub kind: &'static str,
    /// Its tick.
    pub tick: u64,
    /// Its time.
    pub at: Timestamp,
    /// The entity that wrote or said it.
    pub from: &'a EntityName,
    /// The text.
    pub content: &'a str,
    /// The space in which it was said.
    pub space: Option<&'a SpaceName>,
    /// Whether they were said to the agent, by message or stimulus.
    pub is_said: bool,
    /// Whether they answer the agent.
    pub is_response: bool,
    /// How many steps from agent to agent led to them; 0 where a person said them.
    pub hop: u32,
}

impl<'a> WakeInput<'a> {
    /// The fields that a condition can ask for.
    pub(super) fn scope<'b>(&self, budget: &'b WorkBudget) -> EntryScope<'b>
    where
        'a: 'b,
    {
        let Self { kind, tick, at, from, content, .. } = *self;
        EntryScope { tick, content, entity: from, at, kind, budget }
    }

    /// One line about it for the woken agent, the words cut.
    pub(super) fn line(&self) -> String {
        let place = self.space.filter(|space| space.pair().is_none());
        let place = place.map(|space| format!(" in {space}")).unwrap_or_default();
        let words = indented(&shortened(self.content, INPUT_CHARS_MAX));
        format!("[tick {}] {}{place}: {words}", self.tick, self.from)
    }
}
