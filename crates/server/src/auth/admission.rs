//! Tokens and cookies as one question: who is this, and may it still act?
//!
//! A caller is judged anew at each request, and whoever answers for longer (a stream) asks again before each piece: a
//! token that was revoked or has ended, and a cookie that was signed out, count at once.

use std::{
    os::unix::fs::MetadataExt as _,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{EntityName, Timestamp};
use http::{HeaderMap, Method, header};
use subtle::ConstantTimeEq as _;

use super::{
    Caller, Credential, NamedTokens, Scopes, Token,
    link::Links,
    session::{SESSION_LIFE, Session, Sessions},
    token::{self, NamedToken, is_name_of_person},
};
use crate::home::Home;

/// The header that carries the CSRF value.
pub(crate) const CSRF_HEADER: &str = "x-abide-csrf";

/// Checks requests against the tokens of a home.
#[derive(Debug)]
pub(crate) struct Admission {
    is_required: bool,
    main: [u8; 32],
    cookie_name: String,
    home: Home,
    named: Mutex<KnownTokens>,
    sessions: Sessions,
    links: Links,
}

/// The named tokens as their file was when it was last read.
#[derive(Debug, Default)]
struct KnownTokens {
    version: Option<FileVersion>,
    tokens: Arc<[KnownToken]>,
}

/// What changes with every change of a file that is replaced whole.
type FileVersion = (u64, u64, i64, i64);

/// A named token that opens something.
#[derive(Debug)]
struct KnownToken {
    name: EntityName,
    digest: [u8; 32],
    scopes: Arc<Scopes>,
    expires_at: Option<Timestamp>,
}

/// Says why a request was not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AdmissionError {
    /// No token and no cookie: 401.
    Missing,
    /// A token or cookie that is not, or no longer, valid: 401.
    Wrong,
    /// A browser's write without its CSRF value: 403.
    Csrf,
}

/// What a request shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Credentials<'a> {
    /// Its method.
    pub(crate) method: &'a Method,
    /// Its headers.
    pub(crate) headers: &'a HeaderMap,
}

impl Admission {
    /// Checks by the tokens of a home. `port` keeps the cookies of two keepers on one host apart.
    pub(crate) fn new(home: Home, token: &Token, port: u16, required: Requirement) -> Self {
        Self {
            is_required: required == Requirement::Token,
            main: token.digest(),
            cookie_name: format!("abide_{port}"),
            sessions: Sessions::load(home.clone()),
            home,
            named: Mutex::default(),
            links: Links::default(),
        }
    }

    /// Says whose a request is, or why it is nobody's.
    pub(crate) fn check(
        &self,
        credentials: Credentials<'_>,
        now: Timestamp,
    ) -> Result<Caller, AdmissionError> {
        match self.judge(credentials, now) {
            Err(_) if !self.is_required => Ok(Caller::owner(Credential::Nothing)),
            judged => judged,
        }
    }

    /// Whose a token is that was shown elsewhere than in a request, such as on IRC.
    pub(crate) fn identify(&self, token: &str, now: Timestamp) -> Option<Caller> {
        let digest = token::digest(token.trim());
        match self.find(&digest, Credential::Token(digest), now) {
            None if !self.is_required => Some(Caller::owner(Credential::Nothing)),
            found => found,
        }
    }

    /// Whether a caller of before may still act: its token is there and has not ended, its cookie was not signed out.
    pub(crate) fn still_admits(&self, caller: &Caller, now: Timestamp) -> bool {
        match caller.credential() {
            Credential::Nothing => !self.is_required,
            Credential::Token(digest) => self.is_known(digest, now),
            Credential::Cookie(session, digest) => {
                self.is_known(digest, now) && self.sessions.find(&session.cookie, now).is_some()
            }
        }
    }

    /// A single-use code that signs a browser in as this caller; `since_start` is monotonic.
    pub(crate) fn link_for(&self, caller: &Caller, since_start: Duration) -> String {
        let token = match caller.credential() {
            Credential::Token(digest) | Credential::Cookie(_, digest) => *digest,
            Credential::Nothing => self.main,
        };
        self.links.issue(token, since_start)
    }

    /// A single-use code that signs a browser in as the owner of the keeper's own token.
    pub(crate) fn link_for_owner(&self, since_start: Duration) -> String {
        self.links.issue(self.main, since_start)
    }

    /// Exchanges a code for a `Set-Cookie`; none where the code is unknown, used or too old, or its token has ended.
    pub(crate) fn sign_in(
        &self,
        code: &str,
        since_start: Duration,
        now: Timestamp,
    ) -> Option<String> {
        let token = self.links.redeem(code, since_start)?;
        if !self.is_known(&token, now) {
            return None;
        }
        let session = self.sessions.open(&token, now);
        let (name, life) = (&self.cookie_name, SESSION_LIFE.as_secs());
        Some(format!(
            "{name}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={life}",
            session.cookie
        ))
    }

    /// Ends a caller's cookie, and gives a `Set-Cookie` that takes it away from the browser.
    pub(crate) fn sign_out(&self, caller: &Caller) -> String {
        if let Credential::Cookie(session, _) = caller.credential() {
            self.sessions.close(&session.cookie);
        }
        format!("{}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0", self.cookie_name)
    }

    fn judge(
        &self,
        credentials: Credentials<'_>,
        now: Timestamp,
    ) -> Result<Caller, AdmissionError> {
        if let Some(value) = credentials.headers.get(header::AUTHORIZATION) {
            let token = value.to_str().ok().and_then(bearer).ok_or(AdmissionError::Wrong)?;
            let digest = token::digest(token);
            let found = self.find(&digest, Credential::Token(digest), now);
            return found.ok_or(AdmissionError::Wrong);
        }
        let cookie = self.cookie(credentials.headers).ok_or(AdmissionError::Missing)?;
        let (session, token) = self.sessions.find(cookie, now).ok_or(AdmissionError::Wrong)?;
        let is_write = !matches!(*credentials.method, Method::GET | Method::HEAD);
        if is_write && !has_csrf(credentials.headers, &session) {
            return Err(AdmissionError::Csrf);
        }
        let found = self.find(&token, Credential::Cookie(session, token), now);
        found.ok_or(AdmissionError::Wrong)
    }

    /// The caller whose token has a digest.
    fn find(&self, digest: &[u8; 32], credential: Credential, now: Timestamp) -> Option<Caller> {
        if token::is_same(digest, &self.main) {
            return Some(Caller::owner(credential));
        }
        let named = self.named();
        let known = named.iter().find(|known| known.opens(digest, now))?;
        Some(Caller::new(known.name.clone(), Arc::clone(&known.scopes), credential))
    }

    fn is_known(&self, digest: &[u8; 32], now: Timestamp) -> bool {
        token::is_same(digest, &self.main)
            || self.named().iter().any(|known| known.opens(digest, now))
    }

    fn cookie<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            pairs.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.cookie_name).map(|(_, value)| value)
    }

    /// The named tokens, read again when their file is another one.
    fn named(&self) -> Arc<[KnownToken]> {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        let version = std::fs::symlink_metadata(self.home.tokens_file())
            .ok()
            .map(|meta| (meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec()));
        if named.version != version {
            named.tokens = match NamedTokens::load(&self.home) {
                Ok(tokens) => tokens.tokens.iter().filter_map(KnownToken::of).collect(),
                Err(error) => {
                    tracing::warn!(event = "named_tokens_unreadable", %error, "named tokens cannot be read, so none of them is accepted");
                    Arc::default()
                }
            };
            named.version = version;
        }
        Arc::clone(&named.tokens)
    }
}

impl KnownToken {
    /// A token of the file; none where it has no digest, or a name that no person may have.
    fn of(token: &NamedToken) -> Option<Self> {
        let name = EntityName::sender(&token.name).ok().filter(|_| is_name_of_person(&token.name));
        let (Some(name), Some(digest)) = (name, token.digest()) else {
            tracing::warn!(
                event = "named_token_refused",
                name = token.name,
                "a named token is not accepted: its name is reserved or no name, or its digest is damaged; revoke it and create another one"
            );
            return None;
        };
        let scopes = Arc::new(Scopes::of_texts(&token.scopes));
        Some(Self { name, digest, scopes, expires_at: token.expires_at })
    }

    fn opens(&self, digest: &[u8; 32], now: Timestamp) -> bool {
        let is_alive = self.expires_at.is_none_or(|expires| now < expires);
        token::is_same(digest, &self.digest) && is_alive
    }
}

/// Whether a token is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// A token or cookie is required.
    Token,
    /// Everybody on this machine is admitted, as the owner.
    Nothing,
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn has_csrf(headers: &HeaderMap, session: &Session) -> bool {
    let value = headers.get(CSRF_HEADER).map_or(&b""[..], |value| value.as_bytes());
    value.ct_eq(session.csrf.as_bytes()).into()
}

#[cfg(test)]
mod tests;
