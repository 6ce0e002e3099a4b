//! What a provider sent with an answer that calls tools and wants back with the results: kept for as long as the epoch is
//! open.
//!
//! Nobody reads it but the dialect that made it. What the provider would miss is synced before the turn counts as completed,
//! so that an epoch that is cut goes on with it; it is never in the ledger and gone with the epoch, like ethereal results.

use std::collections::HashMap;

use abide_domain::{CallId, EpochId, turn::ProviderState};

use crate::{
    blobs::{self, Blobs},
    state::TurnRecord,
};

/// The states of the epoch's turns.
#[derive(Debug, Default)]
pub(super) struct HandBack {
    states: HashMap<u32, ProviderState>,
    /// Whether any of them is on the disk.
    pub(super) is_stored: bool,
    /// Whether those of an earlier keeper have been read.
    is_read: bool,
}

impl HandBack {
    /// What goes back with a turn.
    pub(super) fn of(&self, turn: u32) -> Option<ProviderState> {
        self.states.get(&turn).cloned()
    }

    /// Keeps what came with a turn. That it cannot be stored ends nothing: it is missing only after a crash.
    pub(super) async fn keep(
        &mut self,
        blobs: &Blobs,
        (epoch, turn): (EpochId, u32),
        state: ProviderState,
    ) {
        if state.is_needed() {
            let json = state.value().to_string();
            let content = format!("{}\n{json}", blobs::digest(json.as_bytes()));
            self.is_stored = true;
            if let Err(error) = blobs.put(epoch, &key(turn), &content).await {
                tracing::warn!(%epoch, turn, event = "provider_state_not_stored", %error,
                    "what the model's provider wants back could not be stored; after a crash it is missing");
            }
        }
        self.states.insert(turn, state);
    }

    /// Reads what an earlier keeper kept of an epoch, once.
    pub(super) async fn read(&mut self, blobs: &Blobs, epoch: EpochId, turns: &[TurnRecord]) {
        if std::mem::replace(&mut self.is_read, true) {
            return;
        }
        for turn in turns.iter().filter(|turn| !turn.calls.is_empty()).map(|turn| turn.turn) {
            let content = blobs.read(epoch, &key(turn)).await;
            if let Some(state) = content.as_deref().and_then(whole) {
                self.states.entry(turn).or_insert(state);
            }
        }
    }
}

/// Under which id a turn's state is kept: no call has the number 0.
fn key(turn: u32) -> CallId {
    CallId::new(turn, 0)
}

/// The state, where it is what was stored.
fn whole(content: &str) -> Option<ProviderState> {
    let (sha256, json) = content.split_once('\n')?;
    let is_whole = blobs::digest(json.as_bytes()) == sha256;
    ProviderState::new(serde_json::from_str(json).ok().filter(|_| is_whole)?)
}
