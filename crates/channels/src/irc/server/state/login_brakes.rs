//! What is remembered of log-ins that failed, and of those that are asked about.

use std::collections::HashMap;

use abide_domain::{Brake, Peer};

use super::members::ClientId;

/// Failures by address and by account, and what the admission was asked.
#[derive(Debug, Default)]
pub(super) struct LoginBrakes {
    pub(super) by_address: Brake<Peer>,
    pub(super) by_account: Brake<String>,
    /// Who asked, and for which account: a connection that is closed before its answer counts all the same. As many as
    /// lookups are under way.
    pub(super) asked: HashMap<ClientId, (Peer, String)>,
}
