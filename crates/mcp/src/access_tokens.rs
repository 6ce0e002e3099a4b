//! What a request to a remote server shows to be let in, as a role: a token of the configuration, or one of a login.
//!
//! A token is a [`Secret`] on its whole way. Nobody asks it for anything but the next one.

use std::{
    fmt,
    future::{pending, ready},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use abide_http::Secret;
use futures_util::future::BoxFuture;
use tokio::{sync::Notify, time::sleep};

/// Gives the tokens of one server.
pub trait AccessTokens: Send + Sync + fmt::Debug {
    /// The token for the next request; none where requests go without one.
    fn token(&self) -> BoxFuture<'_, Result<Option<Secret>, AccessTokenError>>;

    /// Takes note that the server refused a request with this token, or without any.
    fn refused(&self, token: Option<&Secret>);

    /// Waits until another token may be there than the one before.
    fn changed(&self) -> BoxFuture<'_, ()>;
}

/// Says why there is no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessTokenError {
    /// A person has to do something: log in, or set another token.
    #[error("{reason}")]
    LoginNeeded {
        /// What, and why.
        reason: String,
    },
    /// There may be one later.
    #[error("no token could be got now: {reason}")]
    Unavailable {
        /// Why.
        reason: String,
    },
}

/// No tokens: for servers that everyone may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAccessTokens;

impl AccessTokens for NoAccessTokens {
    fn token(&self) -> BoxFuture<'_, Result<Option<Secret>, AccessTokenError>> {
        Box::pin(ready(Ok(None)))
    }

    fn refused(&self, _: Option<&Secret>) {}

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(pending())
    }
}

/// How long a token of the configuration that the server refused is not sent again.
const REFUSED_WAIT: Duration = Duration::from_mins(10);

/// One token of the configuration. Once the server refused it, it is not sent for ten minutes, and then tried once more: some
/// servers refuse good tokens while they have trouble of their own.
#[derive(Debug)]
pub struct ConfiguredToken {
    token: Secret,
    is_refused: AtomicBool,
    refusals: Notify,
}

impl ConfiguredToken {
    /// Takes the token.
    pub fn new(token: Secret) -> Self {
        Self { token, is_refused: AtomicBool::new(false), refusals: Notify::new() }
    }
}

impl AccessTokens for ConfiguredToken {
    fn token(&self) -> BoxFuture<'_, Result<Option<Secret>, AccessTokenError>> {
        let token = if self.is_refused.load(Ordering::Relaxed) {
            let reason = "the server refused the token of the configuration: check the variable that `token_env` names";
            Err(AccessTokenError::LoginNeeded { reason: reason.to_owned() })
        } else {
            Ok(Some(self.token.clone()))
        };
        Box::pin(ready(token))
    }

    fn refused(&self, token: Option<&Secret>) {
        if token == Some(&self.token) {
            self.is_refused.store(true, Ordering::Relaxed);
            self.refusals.notify_waiters();
        }
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // Made before the look, so that no refusal in between is missed.
            let refused = self.refusals.notified();
            if !self.is_refused.load(Ordering::Relaxed) {
                refused.await;
            }
            sleep(REFUSED_WAIT).await;
            self.is_refused.store(false, Ordering::Relaxed);
        })
    }
}

/// Whether somebody has to log in before the server takes requests, and why.
#[derive(Debug, Default)]
pub(crate) struct LoginNeed(Mutex<Option<NotedNeed>>);

#[derive(Debug)]
struct NotedNeed {
    reason: String,
    /// What the server did not let in; none where there was no token.
    token: Option<Secret>,
}

impl LoginNeed {
    /// Notes that a login is needed, because this token, or none, was not enough.
    pub(crate) fn note(&self, reason: &str, token: Option<&Secret>) {
        *self.lock() = Some(NotedNeed { reason: reason.to_owned(), token: token.cloned() });
    }

    /// Notes that there is a token. One that was not enough changes nothing.
    pub(crate) fn note_token(&self, token: &Secret) {
        self.lock().take_if(|need| need.token.as_ref() != Some(token));
    }

    pub(crate) fn clear(&self) {
        *self.lock() = None;
    }

    pub(crate) fn reason(&self) -> Option<String> {
        self.lock().as_ref().map(|need| need.reason.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Option<NotedNeed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use abide_http::Secret;

    use super::{AccessTokenError, AccessTokens as _, ConfiguredToken};

    #[tokio::test(start_paused = true)]
    async fn a_configured_token_goes_out_until_it_is_refused_and_never_shows() {
        let tokens = ConfiguredToken::new(Secret::new("token-word"));
        assert!(!format!("{tokens:?}").contains("word"));
        let token = tokens.token().await.unwrap().unwrap();
        tokens.refused(Some(&Secret::new("another")));
        assert!(tokens.token().await.is_ok());
        tokens.refused(Some(&token));
        let refused = tokens.token().await;
        assert!(matches!(refused, Err(AccessTokenError::LoginNeeded { .. })), "{refused:?}");
        let words = refused.unwrap_err().to_string();
        assert!(words.contains("`token_env`") && !words.contains("login"), "{words}");
        tokens.changed().await;
        assert!(tokens.token().await.is_ok(), "it is tried once more");
    }
}
