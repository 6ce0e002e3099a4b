//! Who calls: the name under which a token acts, what it may do, and how it was shown.

use std::sync::Arc;

use abide_domain::{AgentId, EntityName, OWNER};

use super::{Scopes, session::Session};

/// Whoever a request, a stream or a connection belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    name: EntityName,
    scopes: Arc<Scopes>,
    credential: Credential,
}

/// What a caller showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Credential {
    /// A token, by its digest.
    Token([u8; 32]),
    /// A browser's cookie, and the digest of the token that opened it.
    Cookie(Session, [u8; 32]),
    /// Nothing: none is required here.
    Nothing,
}

impl Caller {
    /// A caller by its checked credential.
    pub(super) fn new(name: EntityName, scopes: Arc<Scopes>, credential: Credential) -> Self {
        Self { name, scopes, credential }
    }

    /// The author of what it does.
    pub(crate) fn author(&self) -> EntityName {
        self.name.clone()
    }

    /// Everybody where no token is required, and the keeper itself.
    pub(crate) fn owner(credential: Credential) -> Self {
        let name = EntityName::sender(OWNER).unwrap_or_else(|_| EntityName::keeper());
        Self::new(name, Arc::new(Scopes::admin()), credential)
    }

    /// Its name without the `@`.
    pub(crate) fn name(&self) -> &str {
        self.name.bare()
    }

    /// What it may do.
    pub(crate) fn scopes(&self) -> &Scopes {
        &self.scopes
    }

    /// What it showed.
    pub(crate) fn credential(&self) -> &Credential {
        &self.credential
    }

    /// Whether it is the keeper's own token, or stands for it.
    pub(crate) fn is_owner(&self) -> bool {
        self.name() == OWNER
    }

    /// Whether it may act under the name of a person: its own, or any where it may do everything.
    pub(crate) fn may_be(&self, person: &str) -> bool {
        self.scopes.is_admin() || self.name() == person
    }

    /// Whether it may speak to an agent.
    pub(crate) fn may_say_to(&self, agent: &AgentId) -> bool {
        self.scopes.says_to(agent)
    }
}
