//! Browsers that are signed in: a row on the server for each, found by the digest of the random id that is its cookie.
//!
//! A row is bound to the token that opened it and ends with it; sign-out takes the row away. The rows are kept in a file
//! (0600), digests only, so that a restart signs nobody out. The CSRF value is derived from the cookie: a page of another
//! origin can neither read nor make it.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use abide_domain::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    home::{Home, LinkRule, read_regular, write_atomically},
    system::random,
};

/// How long a browser stays signed in.
pub(crate) const SESSION_LIFE: Duration = Duration::from_hours(30 * 24);
/// Browsers that one token signs in at most; a further one signs its oldest out, and no other token's.
const SESSIONS_MAX: usize = 64;
/// Rows at most, those of tokens that are gone among them.
const ROWS_MAX: usize = 8_192;
/// The file of the rows is never longer than this.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A cookie and what belongs to it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Session {
    /// The value that the browser sends back.
    pub(crate) cookie: String,
    /// What its writes must carry in a header.
    pub(crate) csrf: String,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Session(…)")
    }
}

/// The rows.
#[derive(Debug)]
pub(super) struct Sessions {
    home: Home,
    rows: Mutex<Rows>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Rows {
    /// The oldest first.
    sessions: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    /// Of the cookie, hex.
    sha256: String,
    /// Of the token that opened it, hex.
    token_sha256: String,
    expires_at: Timestamp,
}

impl Session {
    fn of(cookie: &str) -> Self {
        Self { cookie: cookie.into(), csrf: digest("csrf", cookie) }
    }
}

impl Sessions {
    /// Those of a home. A file that cannot be read signs everybody out.
    pub(super) fn load(home: Home) -> Self {
        let path = home.sessions_file();
        let rows = match read_regular(&path, LinkRule::Refuse, FILE_BYTES_MAX) {
            Ok(None) => Rows::default(),
            Ok(Some(text)) => serde_json::from_str(&text).unwrap_or_else(|error| {
                tracing::warn!(event = "sessions_unreadable", %error, "the list of signed-in browsers cannot be read: they have to sign in again");
                Rows::default()
            }),
            Err(error) => {
                tracing::warn!(event = "sessions_unreadable", %error, "the list of signed-in browsers cannot be read: they have to sign in again");
                Rows::default()
            }
        };
        Self { home, rows: Mutex::new(rows) }
    }

    /// Signs a browser in for a token.
    pub(super) fn open(&self, token: &[u8; 32], now: Timestamp) -> Session {
        let session = Session::of(&hex::encode(random::<32>()));
        let row = Row {
            sha256: digest("cookie", &session.cookie),
            token_sha256: hex::encode(token),
            expires_at: now.plus(SESSION_LIFE),
        };
        let mut rows = self.lock();
        rows.sessions.retain(|row| now < row.expires_at);
        let is_own = |known: &Row| known.token_sha256 == row.token_sha256;
        while rows.sessions.iter().filter(|known| is_own(known)).count() >= SESSIONS_MAX {
            let oldest = rows.sessions.iter().position(is_own);
            drop(oldest.map(|at| rows.sessions.remove(at)));
        }
        if rows.sessions.len() >= ROWS_MAX {
            rows.sessions.remove(0);
        }
        rows.sessions.push(row);
        self.store(&rows);
        session
    }

    /// The session of a cookie with the digest of its token, while it lasts.
    pub(super) fn find(&self, cookie: &str, now: Timestamp) -> Option<(Session, [u8; 32])> {
        // Rows are found by digest: how long a comparison takes says nothing about a cookie.
        let wanted = digest("cookie", cookie);
        let rows = self.lock();
        let row = rows.sessions.iter().find(|row| row.sha256 == wanted && now < row.expires_at)?;
        let mut token = [0; 32];
        hex::decode_to_slice(&row.token_sha256, &mut token).ok()?;
        Some((Session::of(cookie), token))
    }

    /// Signs a browser out.
    pub(super) fn close(&self, cookie: &str) {
        let gone = digest("cookie", cookie);
        let mut rows = self.lock();
        let before = rows.sessions.len();
        rows.sessions.retain(|row| row.sha256 != gone);
        if rows.sessions.len() < before {
            self.store(&rows);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self, rows: &Rows) {
        let written = serde_json::to_vec(rows)
            .map_err(std::io::Error::other)
            .and_then(|text| write_atomically(&self.home.sessions_file(), &text));
        if let Err(error) = written {
            tracing::warn!(event = "sessions_unwritten", %error, "the list of signed-in browsers cannot be written: the next start may know another one");
        }
    }
}

fn digest(purpose: &str, cookie: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(purpose.as_bytes());
    hash.update([0]);
    hash.update(cookie.as_bytes());
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::{SESSION_LIFE, SESSIONS_MAX, Sessions};
    use crate::{
        config::Environment,
        home::{Home, mode_of},
    };

    const NOW: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);
    const TOKEN: [u8; 32] = [7; 32];

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::resolve(Some(folder.path().into()), &Environment::default()).unwrap();
        (folder, home)
    }

    #[test]
    fn a_session_lasts_over_restarts_until_it_expires_or_is_closed() {
        let (_folder, home) = home();
        let sessions = Sessions::load(home.clone());
        let (one, two) = (sessions.open(&TOKEN, NOW), sessions.open(&TOKEN, NOW));
        assert_ne!((&one.cookie, &one.csrf), (&two.cookie, &two.csrf));
        let text = std::fs::read_to_string(home.sessions_file()).unwrap();
        assert!(!text.contains(&one.cookie) && !text.contains(&one.csrf), "{text}");
        assert_eq!(mode_of(&home.sessions_file()).unwrap(), 0o600);
        let restarted = Sessions::load(home.clone());
        assert_eq!(restarted.find(&one.cookie, NOW), Some((one.clone(), TOKEN)));
        assert_eq!(restarted.find(&one.cookie, NOW.plus(SESSION_LIFE)), None);
        assert_eq!(restarted.find(&one.csrf, NOW), None);
        restarted.close(&one.cookie);
        assert_eq!(restarted.find(&one.cookie, NOW), None);
        let restarted = Sessions::load(home.clone());
        assert_eq!(restarted.find(&one.cookie, NOW), None);
        assert!(restarted.find(&two.cookie, NOW).is_some());
        std::fs::write(home.sessions_file(), "{").unwrap();
        assert_eq!(Sessions::load(home).find(&two.cookie, NOW), None);
    }

    #[test]
    fn the_number_of_sessions_is_bounded() {
        let (_folder, home) = home();
        let sessions = Sessions::load(home);
        let others = sessions.open(&[8; 32], NOW);
        let first = sessions.open(&TOKEN, NOW);
        let rest: Vec<_> = (0..SESSIONS_MAX).map(|_| sessions.open(&TOKEN, NOW)).collect();
        assert_eq!(sessions.find(&first.cookie, NOW), None);
        assert!(rest.iter().all(|session| sessions.find(&session.cookie, NOW).is_some()));
        assert!(sessions.find(&others.cookie, NOW).is_some(), "another token's is untouched");
    }
}
