//! Who may log in: whoever shows a token of the keeper, under the name of a person.
//!
//! An account is a name that the ledger can hold. Reserved names and those of agents are nobody's account, so that no
//! person is ever taken for one of them.

use abide_channels::irc::server;
use abide_domain::{EntityName, evidence::is_reserved_name};
use abide_http::Secret;
use futures_util::future::BoxFuture;

use crate::api::AppState;

/// Admits by the keeper's tokens.
#[derive(Debug)]
pub(super) struct TokenAdmission {
    app: AppState,
}

impl TokenAdmission {
    /// Admits by the tokens of this keeper.
    pub(super) fn new(app: AppState) -> Self {
        Self { app }
    }

    fn account(&self, name: &str, password: &Secret) -> Option<String> {
        // Checked first, so that which names are reserved shows only to whoever may log in.
        if !self.app.admission().admits(password.expose()) {
            return None;
        }
        let person = EntityName::sender(name).ok()?;
        let is_reserved = is_reserved_name(person.bare()) || self.is_agent(person.bare());
        (!is_reserved).then(|| person.bare().to_owned())
    }

    fn is_agent(&self, name: &str) -> bool {
        self.app.keeper().is_ok_and(|keeper| keeper.agent(name).is_some())
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
