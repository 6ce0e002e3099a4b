//! The digest of projected state: equal before and after a restart or a rebuild, different as soon as anything that an
//! agent could notice differs. No clock and no event of the keeper itself goes into it.

use abide_domain::EpochId;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{AgentState, State};

/// A hash that takes in one end after the other, so that the digest of a long life costs no more than that of a short one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends([u8; 32]);

impl Ends {
    pub(super) fn add(&mut self, epoch: EpochId, is_committed: bool) {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(epoch.uuid().as_bytes());
        hash.update([u8::from(is_committed)]);
        self.0 = hash.finalize().into();
    }
}

impl State {
    /// SHA-256 over the canonical form of all projected state, hex. `facts` gives each agent's facts in theirs.
    pub fn digest(&self, facts: impl Fn(&str) -> Value) -> String {
        let agents: Vec<Value> = self
            .agents
            .iter()
            .map(|(id, state)| json!([id.as_str(), state.parts(), facts(id.as_str())]))
            .collect();
        let form = json!({"agents": agents, "ends": hex::encode(self.ends.0), "epochs": self.epochs.len(), "keys": self.keys.len(), "society": self.society.parts()});
        hex::encode(Sha256::digest(form.to_string().as_bytes()))
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
            "identity": self.identity.state_parts(),
            "dreams": self.dreams.state_parts(),
            "sleep": self.sleep.parts(),
            "own_log": self.own_log.newest(),
        })
    }
}
