//! The tokens of a login: read from its file, renewed in time, by one at a time in all processes of this machine.
//!
//! A renewal that has begun goes to its end even where nobody waits for it any more: the token before is used up then. Only a login
//! service that says so ends a login; a service that cannot be reached does not.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use abide_domain::Clock;
use abide_http::{Client, Secret};
use futures_util::future::BoxFuture;
use tokio::{
    sync::{Semaphore, oneshot},
    task::JoinSet,
    time::sleep,
};

use crate::{
    access_tokens::{AccessTokenError, AccessTokens},
    login::{
        login_error::McpLoginError,
        store::{StoredLogin, TokenStore, TokenStoreError},
        token_request::ask_for_tokens,
    },
    reach::McpReach,
    settings::McpServerSettings,
};

/// How long before its end a token is renewed.
const RENEWED_BEFORE_S: i64 = 30;
/// How often is looked whether another process has logged in.
const FILE_WATCH: Duration = Duration::from_secs(2);

/// The tokens of the login at one server.
pub struct LoginTokens {
    login: Arc<CurrentLogin>,
    /// Renewals.
    tasks: Mutex<JoinSet<()>>,
}

/// The login as far as it is known here.
struct CurrentLogin {
    server: String,
    url: String,
    http: Client,
    store: TokenStore,
    clock: Arc<dyn Clock>,
    /// One renews at a time.
    turn: Semaphore,
    /// Locked for a moment at a time.
    known: Mutex<KnownLogin>,
}

/// Which state of the file was looked at.
#[derive(Clone, Copy, Default, PartialEq)]
enum Looked {
    #[default]
    Never,
    /// By what tells it from the next one; none where there was no file.
    At(Option<(u64, i64, i64)>),
}

#[derive(Default)]
struct KnownLogin {
    login: Option<StoredLogin>,
    /// Which state of the file was looked at last.
    looked: Looked,
    /// A token that the server does not accept.
    refused: Option<Secret>,
    /// Whether the server lets nobody in without a token.
    refuses_strangers: bool,
    /// The refresh token that the login service does not take any more, and why.
    ended: Option<(String, String)>,
    /// Whether the file lacks what is known here.
    is_unsaved: bool,
}

impl fmt::Debug for LoginTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginTokens").field("server", &self.login.server).finish_non_exhaustive()
    }
}

impl LoginTokens {
    /// The tokens of the login at a remote server, whether there is one already or not.
    pub fn new(
        settings: &McpServerSettings,
        store: &TokenStore,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, McpLoginError> {
        settings.check()?;
        let McpReach::Http(endpoint) = &settings.reach else {
            return Err(McpLoginError::NotRemote { server: settings.name.clone() });
        };
        let login = CurrentLogin {
            server: settings.name.clone(),
            url: endpoint.url.clone(),
            http: endpoint.http(&clock),
            store: store.clone(),
            clock,
            turn: Semaphore::new(1),
            known: Mutex::default(),
        };
        Ok(Self { login: Arc::new(login), tasks: Mutex::default() })
    }
}

impl AccessTokens for LoginTokens {
    fn token(&self) -> BoxFuture<'_, Result<Option<Secret>, AccessTokenError>> {
        Box::pin(async move {
            if let Some(token) = self.login.good_token() {
                return Ok(Some(token));
            }
            let (answer, answered) = oneshot::channel();
            let login = Arc::clone(&self.login);
            {
                let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
                while tasks.try_join_next().is_some() {}
                tasks.spawn(async move { drop(answer.send(login.renew().await)) });
            }
            answered.await.unwrap_or_else(|_| Err(unavailable("the renewal was given up")))
        })
    }

    fn refused(&self, token: Option<&Secret>) {
        let mut known = self.login.known();
        match token {
            Some(token) => known.refused = Some(token.clone()),
            None => known.refuses_strangers = true,
        }
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut changes = self.login.store.changes();
            loop {
                let looked = self.login.known().looked;
                if looked != Looked::Never && looked != self.login.newest() {
                    return;
                }
                tokio::select! {
                    _ = changes.changed() => {}
                    () = sleep(FILE_WATCH) => {}
                }
            }
        })
    }
}

impl CurrentLogin {
    fn known(&self) -> MutexGuard<'_, KnownLogin> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn newest(&self) -> Looked {
        Looked::At(self.store.mark(&self.server))
    }

    /// The token that is known, where it can be used and nothing has changed on disk.
    fn good_token(&self) -> Option<Secret> {
        let known = self.known();
        let login = known.login.as_ref().filter(|_| !known.is_unsaved)?;
        let is_newest = known.looked == self.newest();
        (is_newest && self.is_good(login, &known)).then(|| login.token())
    }

    fn is_good(&self, login: &StoredLogin, known: &KnownLogin) -> bool {
        let now_s = self.clock.now().as_micros().div_euclid(1_000_000);
        let has_time = login.expires_at_s.is_none_or(|end| end - RENEWED_BEFORE_S > now_s);
        has_time && known.refused.as_ref() != Some(&login.token())
    }

    async fn renew(&self) -> Result<Option<Secret>, AccessTokenError> {
        let _turn = self.turn.acquire().await.map_err(|_| unavailable("nobody renews it"))?;
        if let Some(token) = self.good_token() {
            return Ok(Some(token));
        }
        if let Some(token) = self.save_again().await {
            return Ok(Some(token));
        }
        if let Some(found) = self.look().await? {
            return found;
        }
        let _lock = self.store.lock(&self.server).await.map_err(|error| not_stored(&error))?;
        // Another process may have renewed it meanwhile.
        if let Some(found) = self.look().await? {
            return found;
        }
        self.ask().await.map(Some)
    }

    /// Writes what could not be written before, unless what is on disk has changed meanwhile.
    async fn save_again(&self) -> Option<Secret> {
        self.unsaved()?;
        // Without the lock it is tried again later; the token is good all the same.
        let lock = self.store.lock(&self.server).await.ok();
        let unsaved = self.unsaved()?;
        let is_saved =
            lock.is_some() && self.store.save(&self.server, unsaved.clone()).await.is_ok();
        let mut known = self.known();
        known.is_unsaved = !is_saved;
        if is_saved {
            known.looked = self.newest();
        }
        self.is_good(&unsaved, &known).then(|| unsaved.token())
    }

    /// What could not be written before. It is forgotten where the file changed or went since: that was a person, or another
    /// process, and is newer.
    fn unsaved(&self) -> Option<StoredLogin> {
        let newest = self.newest();
        let mut known = self.known();
        if known.is_unsaved && known.looked != newest {
            known.is_unsaved = false;
            known.login = None;
        }
        known.login.clone().filter(|_| known.is_unsaved)
    }

    /// Reads the file. None: there is a login, and it has to be renewed.
    async fn look(
        &self,
    ) -> Result<Option<Result<Option<Secret>, AccessTokenError>>, AccessTokenError> {
        if self.unsaved().is_some() {
            return Ok(None);
        }
        let newest = self.newest();
        let loaded = self.store.load(&self.server).await;
        let mut known = self.known();
        known.looked = newest;
        known.login = None;
        let login = match loaded {
            Ok(Some(login)) => login,
            Ok(None) if known.refuses_strangers => {
                return Ok(Some(Err(login_needed("nobody has logged in at the server"))));
            }
            Ok(None) => return Ok(Some(Ok(None))),
            Err(error @ TokenStoreError::File { .. }) => return Err(not_stored(&error)),
            Err(error) => return Ok(Some(Err(login_needed(&error.to_string())))),
        };
        if login.url != self.url {
            let reason = "the address of the server is another one than at the login";
            return Ok(Some(Err(login_needed(reason))));
        }
        if self.is_good(&login, &known) {
            let token = login.token();
            known.login = Some(login);
            return Ok(Some(Ok(Some(token))));
        }
        let Some(refresh) = login.refresh_token.clone() else {
            return Ok(Some(Err(login_needed("the login has run out and cannot be renewed"))));
        };
        if let Some((ended, reason)) = &known.ended
            && *ended == refresh
        {
            return Ok(Some(Err(login_needed(reason))));
        }
        known.login = Some(login);
        Ok(None)
    }

    /// Asks the login service for the next token, once.
    async fn ask(&self) -> Result<Secret, AccessTokenError> {
        let login = self.known().login.clone();
        let Some((mut login, refresh)) = login.and_then(|login| {
            let refresh = login.refresh_token.clone()?;
            Some((login, refresh))
        }) else {
            return Err(login_needed("there is nothing to renew"));
        };
        let parameters = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.as_str()),
            ("resource", &login.resource),
        ];
        let asked =
            ask_for_tokens(&self.http, &login.token_endpoint, &login.client, &parameters).await;
        let answer = match asked {
            Ok(answer) => answer,
            Err(error) => {
                let is_over = error.is_invalid_grant()
                    || error.is_unknown_client() && login.is_registered_here;
                if !is_over {
                    return Err(unavailable(&error.to_string()));
                }
                let reason = error.to_string();
                self.known().ended = Some((refresh, reason.clone()));
                return Err(login_needed(&reason));
            }
        };
        answer.put_into(&mut login, self.clock.now());
        let token = login.token();
        let is_saved = self.store.save(&self.server, login.clone()).await.is_ok();
        let mut known = self.known();
        known.looked = self.newest();
        known.login = Some(login);
        // The token before is used up: until this one can be written, it is kept here.
        known.is_unsaved = !is_saved;
        Ok(token)
    }
}

fn login_needed(reason: &str) -> AccessTokenError {
    AccessTokenError::LoginNeeded { reason: format!("a login is needed: {reason}") }
}

fn unavailable(reason: &str) -> AccessTokenError {
    AccessTokenError::Unavailable { reason: reason.to_owned() }
}

fn not_stored(error: &TokenStoreError) -> AccessTokenError {
    unavailable(&error.to_string())
}
