//! Who may log in: whoever shows a token that may speak, under the name of that token (decision 56).
//!
//! A token that may do everything opens any account that is a person's: the keeper's own, of whoever has the home. Reserved
//! names and those of agents are nobody's account, so that no person is ever taken for one of them.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use abide_channels::irc::server::{self, ServerHandle};
use abide_domain::{EntityName, is_reserved_name};
use abide_http::Secret;
use futures_util::future::BoxFuture;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{api::AppState, auth::Caller};

/// Between two looks whether the tokens of those who are here are still good.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Accounts with the tokens that opened them that are remembered; the oldest are forgotten.
const LOGINS_MAX: usize = 1_024;
/// What a person whose token has ended is told.
const ENDED: &str = "The token of your account was revoked or has ended";

/// Admits by the keeper's tokens.
#[derive(Clone, Debug)]
pub(super) struct TokenAdmission {
    app: AppState,
    logins: Arc<Mutex<VecDeque<Login>>>,
}

/// An account, and the token that opened it.
#[derive(Debug)]
struct Login {
    account: String,
    caller: Caller,
}

impl TokenAdmission {
    /// Admits by the tokens of this keeper.
    pub(super) fn new(app: AppState) -> Self {
        Self { app, logins: Arc::default() }
    }

    /// Ends connections with the tokens that opened them, until told to stop. An account that several tokens opened ends
    /// with the first of them; whoever holds a good one comes back.
    pub(super) async fn watch(self, handle: ServerHandle, stop: CancellationToken) {
        while stop.run_until_cancelled(sleep(LOOK_EVERY)).await.is_some() {
            for account in self.ended() {
                tracing::info!(
                    channel = "irc",
                    event = "account_ended",
                    account,
                    "an account on irc ends with its token"
                );
                if handle.drop_account(&account, ENDED).await.is_err() {
                    return;
                }
            }
        }
    }

    /// The accounts whose token is not good any more; they are forgotten.
    fn ended(&self) -> Vec<String> {
        let mut ended = Vec::new();
        self.lock().retain(|login| {
            let is_good = self.app.still_admits(&login.caller);
            if !is_good {
                ended.push(login.account.clone());
            }
            is_good
        });
        ended
    }

    fn note(&self, account: &str, caller: Caller) {
        let mut logins = self.lock();
        logins.retain(|login| {
            login.account != account || login.caller.credential() != caller.credential()
        });
        while logins.len() >= LOGINS_MAX {
            logins.pop_front();
        }
        logins.push_back(Login { account: account.to_owned(), caller });
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Login>> {
        self.logins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn account(&self, name: &str, password: &Secret) -> Option<String> {
        // Checked first, so that which names are reserved shows only to whoever may log in.
        let caller = self.app.admission().identify(password.expose(), self.app.ledger_now())?;
        let person = EntityName::sender(name).ok()?;
        if !caller.scopes().says_to_all() || !caller.may_be(person.bare()) {
            return None;
        }
        let is_reserved = is_reserved_name(person.bare()) || self.is_agent(person.bare());
        if is_reserved {
            return None;
        }
        self.note(person.bare(), caller);
        Some(person.bare().to_owned())
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
