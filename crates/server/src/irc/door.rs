//! Who may come in: whoever shows a token of the keeper, under the name of a person.
//!
//! An account is a name that the ledger can hold. The house's own names and those of its agents are nobody's account, so
//! that no person is ever taken for one of them.

use abide_channels::irc::server;
use abide_domain::{EntityName, evidence::is_reserved_name};
use abide_http::Secret;
use futures_util::future::BoxFuture;

use crate::api::AppState;

/// The door of the keeper.
#[derive(Debug)]
pub(super) struct TokenAdmission {
    front: AppState,
}

impl TokenAdmission {
    /// A door that knows the tokens of this keeper.
    pub(super) fn new(front: AppState) -> Self {
        Self { front }
    }

    fn account(&self, name: &str, password: &Secret) -> Option<String> {
        // Asked first, so that what names are taken shows only to whoever may come in.
        if !self.front.gate().admits(password.expose()) {
            return None;
        }
        let person = EntityName::sender(name).ok()?;
        let is_taken = is_reserved_name(person.bare()) || self.is_agent(person.bare());
        (!is_taken).then(|| person.bare().to_owned())
    }

    fn is_agent(&self, name: &str) -> bool {
        self.front.keeper().is_ok_and(|keeper| keeper.agent(name).is_some())
    }
}

impl server::Admission for TokenAdmission {
    fn admit<'a>(
        &'a self,
        account: &'a str,
        password: &'a Secret,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move { self.account(account, password) })
    }
}
