//! The digest of projected state: equal before and after a restart or a rebuild, different as soon as anything that an
//! agent could notice differs. No clock and no event of the keeper itself goes into it.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{FailedEpoch, State, agent::AgentState};

impl State {
    /// SHA-256 over the canonical form of all projected state, hex. `facts` gives each agent's facts in theirs.
    pub fn digest(&self, facts: impl Fn(&str) -> Value) -> String {
        let agents: Vec<Value> = self
            .agents
            .iter()
            .map(|(id, state)| json!([id.as_str(), state.parts(), facts(id.as_str())]))
            .collect();
        let failed: Vec<Value> = self.failed.iter().map(FailedEpoch::parts).collect();
        let form = json!({"agents": agents, "failed": failed, "ends": self.ends.hex(), "epochs": self.epochs.len(), "keys": self.keys.len(), "entities": self.entities.parts(), "tool_settings": self.tool_settings.parts(), "evolutions": self.evolutions.parts(), "decks": self.decks.parts(), "media": self.media.parts()});
        hex::encode(Sha256::digest(form.to_string().as_bytes()))
    }
}

impl FailedEpoch {
    fn parts(&self) -> Value {
        let Self { epoch, agent, asked, ends_with_any_reply, at, message } = self;
        json!([epoch, agent, asked.map(hex::encode), ends_with_any_reply, at, message])
    }
}

impl AgentState {
    fn parts(&self) -> Value {
        json!({
            "queue": self.queue,
            "open": self.open,
            "paused": self.paused,
            "total": self.total,
            "short_term": self.short_term.state_parts(),
            "wishes": self.wishes.state_parts(),
            "identity": self.identity.state_parts(),
            "dreams": self.dreams.state_parts(),
            "sleep": self.sleep.parts(),
            "own_log": self.own_log.newest(),
            "kept": self.kept.to_json(),
            "tool_use": self.tool_use.parts(),
            "deck_notes": self.deck_notes.parts(),
        })
    }
}
