//! The keeper's token and further, named ones, as files of the home.
//!
//! `token` holds the keeper's own in plain text for the command line beside it; `tokens.json` holds digests only, each with
//! the name under which its holder acts, what it may do, and when it ends. Both are 0600. Deleting `token` and starting
//! again revokes it and its cookies; `tokens.json` is looked at anew whenever it changed, so that a revocation counts at
//! once.
//!
//! A token is `abd_<id>_<secret>_<checksum>`: 8 hex digits, 256 random bits in hex, and the CRC-32C of all before it, so
//! that programs that look for leaked secrets know one when they see it. Older tokens have no such form and stay valid.

use std::{fmt, fs::File, io, path::PathBuf};

use abide_domain::{AgentId, Timestamp, is_reserved_agent_name};
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::Scopes;
use crate::{
    home::{Home, LinkRule, make_private, mode_of, read_regular, write_atomically},
    system::random,
};

/// Named tokens at most.
const NAMED_MAX: usize = 64;
/// A file of tokens is never longer than this.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// A shorter token was not made here and is too easy to guess.
const TOKEN_BYTES_MIN: usize = 32;
/// What tokens begin with.
const PREFIX: &str = "abd";

/// A secret text. Compared in constant time, never printed by `Debug`.
#[derive(Clone)]
pub(crate) struct Token(String);

/// Says why the tokens of a home cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TokenError {
    /// A file cannot be read or written.
    #[error("the file {} cannot be read or written", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file holds something else.
    #[error("{} does not hold {expected}; delete it to start with a new one", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        expected: &'static str,
    },
    /// The name exists.
    #[error("a token named {0:?} exists already; revoke it first or choose another name")]
    NameTaken(String),
    /// The name does not exist.
    #[error("there is no token named {0:?}; `abide token list` lists them")]
    NoSuchName(String),
    /// There are too many.
    #[error("there are {NAMED_MAX} named tokens already; revoke one first")]
    TooMany,
}

impl Token {
    /// A new one.
    pub(crate) fn generate() -> Self {
        let (id, secret) = (hex::encode(random::<4>()), hex::encode(random::<32>()));
        let body = format!("{PREFIX}_{id}_{secret}");
        let checksum = crc32c::crc32c(body.as_bytes());
        Self(format!("{body}_{checksum:08x}"))
    }

    /// One that a person gave; none where it is too short or has characters that no token has.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_one = text.len() >= TOKEN_BYTES_MIN && text.bytes().all(|b| b.is_ascii_graphic());
        is_one.then(|| Self(text.into()))
    }

    /// The public part, by which it is found in a list; none of one in an older form.
    pub(crate) fn id(&self) -> Option<&str> {
        self.0.strip_prefix(PREFIX)?.strip_prefix('_')?.split('_').next()
    }

    /// The token of a home; made where there is none yet.
    pub(crate) fn load_or_create(home: &Home) -> Result<Self, TokenError> {
        let path = home.token_file();
        let Some(token) = Self::load(home)? else {
            let token = Self::generate();
            write_atomically(&path, format!("{}\n", token.0).as_bytes())
                .map_err(|source| file_error(&path, source))?;
            return Ok(token);
        };
        let mode = mode_of(&path).map_err(|source| file_error(&path, source))?;
        if mode & 0o077 != 0 {
            make_private(&path).map_err(|source| file_error(&path, source))?;
            let mode = format!("{mode:o}");
            tracing::warn!(
                event = "token_file_exposed",
                mode,
                "the token file was readable by others; it is private again (0600)"
            );
        }
        Ok(token)
    }

    /// The token of a home, if it has one.
    pub(crate) fn load(home: &Home) -> Result<Option<Self>, TokenError> {
        let path = home.token_file();
        let Some(text) = read(&path)? else {
            return Ok(None);
        };
        let token = Self::from_text(&text);
        token.map(Some).ok_or(TokenError::Content { path, expected: "a token" })
    }

    /// The secret itself: for an `Authorization` header, a signature, or the one time that it is shown.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Its SHA-256.
    pub(crate) fn digest(&self) -> [u8; 32] {
        digest(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Whether two digests are the same, in constant time.
pub(super) fn is_same(one: &[u8; 32], other: &[u8; 32]) -> bool {
    one.ct_eq(other).into()
}

/// The SHA-256 of what a client presents.
pub(super) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// The named tokens of a home: digests, names and dates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedTokens {
    /// In the order in which they were made.
    pub(crate) tokens: Vec<NamedToken>,
}

/// What is kept of a named token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedToken {
    /// The name under which its holder acts.
    pub(crate) name: String,
    /// The public part; none of one that was made before tokens had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// Of the token, hex.
    pub(crate) sha256: String,
    /// What it may do; one that was made before tokens had scopes may do everything.
    #[serde(default = "all_scopes")]
    pub(crate) scopes: Vec<String>,
    /// RFC 3339.
    pub(crate) created_at: String,
    /// When it ends; none: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Timestamp>,
}

fn all_scopes() -> Vec<String> {
    Scopes::admin().texts()
}

impl NamedToken {
    /// One under a name.
    pub(crate) fn new(name: &str, token: &Token, scopes: &Scopes, created: Timestamp) -> Self {
        Self {
            name: name.into(),
            id: token.id().map(str::to_owned),
            sha256: hex::encode(token.digest()),
            scopes: scopes.texts(),
            created_at: created.to_string(),
            expires_at: None,
        }
    }

    /// Its digest; none where the file holds no digest.
    pub(super) fn digest(&self) -> Option<[u8; 32]> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(&self.sha256, &mut bytes).ok().map(|()| bytes)
    }

    /// Whether it has ended.
    pub(crate) fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|expires| expires <= now)
    }
}

/// Whether a token may have a name: one of a person, not one of Abide itself.
pub(crate) fn is_name_of_person(name: &str) -> bool {
    let is_id = name.parse::<AgentId>().is_ok_and(|id| id.as_str() == name);
    is_id && !is_reserved_agent_name(name)
}

impl NamedTokens {
    /// Reads those of a home; none where there is no file.
    pub(crate) fn load(home: &Home) -> Result<Self, TokenError> {
        let path = home.tokens_file();
        let Some(text) = read(&path)? else {
            return Ok(Self::default());
        };
        serde_json::from_str(&text)
            .map_err(|_| TokenError::Content { path, expected: "a list of tokens" })
    }

    /// Reads, changes and writes them, so that of several commands at the same time none loses what another wrote. Nothing is
    /// written where the change fails. Blocking.
    pub(crate) fn change<T>(
        home: &Home,
        change: impl FnOnce(&mut Self) -> Result<T, TokenError>,
    ) -> Result<T, TokenError> {
        let failed = |source| file_error(home.root(), source);
        let folder = File::open(home.root()).map_err(failed)?;
        rustix::fs::flock(&folder, FlockOperation::LockExclusive)
            .map_err(|error| failed(error.into()))?;
        let mut named = Self::load(home)?;
        let changed = change(&mut named)?;
        named.store(home)?;
        Ok(changed)
    }

    /// Writes them.
    pub(crate) fn store(&self, home: &Home) -> Result<(), TokenError> {
        let path = home.tokens_file();
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| file_error(&path, io::Error::other(error)))?;
        text.push('\n');
        write_atomically(&path, text.as_bytes()).map_err(|source| file_error(&path, source))
    }

    /// Adds one.
    pub(crate) fn add(&mut self, token: NamedToken) -> Result<(), TokenError> {
        if self.get(&token.name).is_some() {
            return Err(TokenError::NameTaken(token.name));
        }
        if self.tokens.len() >= NAMED_MAX {
            return Err(TokenError::TooMany);
        }
        self.tokens.push(token);
        Ok(())
    }

    /// The one of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&NamedToken> {
        self.tokens.iter().find(|known| known.name == name)
    }

    /// Puts another secret in the place of one, whose name, scopes and end stay.
    pub(crate) fn rotate(&mut self, name: &str, token: &Token) -> Result<(), TokenError> {
        let known = self.tokens.iter_mut().find(|known| known.name == name);
        let known = known.ok_or_else(|| TokenError::NoSuchName(name.into()))?;
        known.id = token.id().map(str::to_owned);
        known.sha256 = hex::encode(token.digest());
        Ok(())
    }

    /// Takes one away.
    pub(crate) fn revoke(&mut self, name: &str) -> Result<(), TokenError> {
        let before = self.tokens.len();
        self.tokens.retain(|known| known.name != name);
        if self.tokens.len() == before { Err(TokenError::NoSuchName(name.into())) } else { Ok(()) }
    }
}

fn read(path: &std::path::Path) -> Result<Option<String>, TokenError> {
    read_regular(path, LinkRule::Refuse, FILE_BYTES_MAX).map_err(|source| file_error(path, source))
}

fn file_error(path: &std::path::Path, source: io::Error) -> TokenError {
    TokenError::File { path: path.into(), source }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use abide_domain::Timestamp;

    use super::{NamedToken, NamedTokens, Token, TokenError, is_name_of_person, is_same};
    use crate::{
        auth::Scopes,
        config::Environment,
        home::{Home, mode_of},
    };

    const NOW: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

    fn home(folder: &Path) -> Home {
        Home::resolve(Some(folder.join("home")), &Environment::default()).unwrap()
    }

    #[test]
    fn a_token_is_made_once_is_private_and_is_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        home.create().unwrap();
        let token = Token::load_or_create(&home).unwrap();
        assert_eq!(mode_of(home.root()).unwrap(), 0o700);
        assert_eq!(mode_of(&home.token_file()).unwrap(), 0o600);
        assert!(!format!("{token:?}").contains(token.expose()));
        let again = Token::load_or_create(&home).unwrap();
        assert!(is_same(&again.digest(), &token.digest()));
        assert!(!is_same(&Token::generate().digest(), &token.digest()));
    }

    #[test]
    fn a_token_says_what_it_is_and_carries_its_checksum() {
        let token = Token::generate();
        let parts: Vec<_> = token.expose().split('_').collect();
        let [prefix, id, secret, checksum] = parts.as_slice() else { panic!("{parts:?}") };
        assert_eq!((*prefix, id.len(), secret.len(), checksum.len()), ("abd", 8, 64, 8));
        assert_eq!(token.id(), Some(*id));
        let body = format!("{prefix}_{id}_{secret}");
        assert_eq!(*checksum, format!("{:08x}", crc32c::crc32c(body.as_bytes())));
        assert_eq!(Token::from_text(&"0".repeat(64)).unwrap().id(), None, "of an older form");
    }

    #[test]
    fn an_empty_token_file_is_an_error_and_admits_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        home.create().unwrap();
        for text in ["", "\n", "short"] {
            std::fs::write(home.token_file(), text).unwrap();
            let error = Token::load_or_create(&home).unwrap_err();
            assert!(matches!(error, TokenError::Content { .. }), "{text:?}");
        }
    }

    #[test]
    fn named_tokens_are_kept_as_digests_and_can_be_rotated_and_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        home.create().unwrap();
        let token = Token::generate();
        let mut named = NamedTokens::load(&home).unwrap();
        let scopes = Scopes::of_texts(&["say:felix".to_owned(), "read".to_owned()]);
        let laptop = NamedToken::new("laptop", &token, &scopes, NOW);
        named.add(laptop.clone()).unwrap();
        assert!(matches!(named.add(laptop), Err(TokenError::NameTaken(_))));
        named.store(&home).unwrap();
        let text = std::fs::read_to_string(home.tokens_file()).unwrap();
        assert!(!text.contains(token.expose()) && text.contains(token.id().unwrap()));
        assert_eq!(mode_of(&home.tokens_file()).unwrap(), 0o600);
        let mut read = NamedTokens::load(&home).unwrap();
        assert_eq!(read, named);
        assert_eq!(read.get("laptop").unwrap().digest(), Some(token.digest()));
        assert_eq!(read.get("laptop").unwrap().scopes, ["read", "say:felix"]);
        let other = Token::generate();
        read.rotate("laptop", &other).unwrap();
        assert_eq!(read.get("laptop").unwrap().digest(), Some(other.digest()));
        read.revoke("laptop").unwrap();
        assert!(matches!(read.revoke("laptop"), Err(TokenError::NoSuchName(_))));
    }

    #[test]
    fn tokens_of_before_scopes_and_ends_are_read_and_may_do_everything() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        home.create().unwrap();
        let old = r#"{"tokens": [{"name": "laptop", "sha256": "00", "created_at": "2026-11-27T22:10:03.000000Z"}]}"#;
        std::fs::write(home.tokens_file(), old).unwrap();
        let read = NamedTokens::load(&home).unwrap();
        let laptop = read.get("laptop").unwrap();
        assert_eq!(
            (laptop.scopes.as_slice(), laptop.expires_at),
            (&["admin".to_owned()][..], None)
        );
        assert!(!laptop.is_expired(NOW));
        assert_eq!(laptop.digest(), None, "which is no digest and opens nothing");
    }

    #[test]
    fn names_of_abide_itself_and_of_nobody_are_not_taken() {
        for name in ["ann", "token-1", "a.b"] {
            assert!(is_name_of_person(name), "{name}");
        }
        for name in ["user", "keeper", "system", "tickle-1", "watchdog", "Ann", "", "a b", "-x"] {
            assert!(!is_name_of_person(name), "{name}");
        }
    }
}
