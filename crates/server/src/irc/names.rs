//! The keeper's names on IRC.

/// The id of the keeper among the agents of the server. No agent may have it.
pub(super) const KEEPER: &str = "keeper";
/// The keeper's nick.
pub(super) const KEEPER_NICK: &str = "abide";
