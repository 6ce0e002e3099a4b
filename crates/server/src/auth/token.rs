//! The keeper's token and further, named ones, as files of the home.
//!
//! `token` holds the keeper's own in plain text for the command line beside it; `tokens.json` holds digests only. Both
//! are 0600. Deleting `token` and starting again revokes it and every cookie; `tokens.json` is looked at anew whenever
//! it changed, so that a revocation counts at once.

use std::{fmt, io, path::PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::{
    home::{Home, make_private, mode_of, write_atomically},
    system::random,
};

/// Named tokens at most.
const NAMED_MAX: usize = 64;
/// A file of tokens is never longer than this.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// A shorter token was not made here and is too easy to guess.
const TOKEN_BYTES_MIN: usize = 32;

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
    #[error("there is no token named {0:?}; `abide token ls` lists them")]
    NoSuchName(String),
    /// There are too many.
    #[error("there are {NAMED_MAX} named tokens already; revoke one first")]
    TooMany,
}

impl Token {
    /// A new one: 32 random bytes in hex.
    pub(crate) fn generate() -> Self {
        Self(hex::encode(random::<32>()))
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
        let token = text.trim();
        if token.len() < TOKEN_BYTES_MIN || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(TokenError::Content { path, expected: "a token" });
        }
        Ok(Some(Self(token.into())))
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

/// Compares what a client presents with a digest, in constant time.
pub(crate) fn matches(presented: &str, expected: &[u8; 32]) -> bool {
    digest(presented).ct_eq(expected).into()
}

fn digest(text: &str) -> [u8; 32] {
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
    /// Given by a person.
    pub(crate) name: String,
    /// Of the token, hex.
    pub(crate) sha256: String,
    /// RFC 3339.
    pub(crate) created_at: String,
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

    /// Writes them.
    pub(crate) fn store(&self, home: &Home) -> Result<(), TokenError> {
        let path = home.tokens_file();
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| file_error(&path, io::Error::other(error)))?;
        text.push('\n');
        write_atomically(&path, text.as_bytes()).map_err(|source| file_error(&path, source))
    }

    /// Adds one under a new name.
    pub(crate) fn add(
        &mut self,
        name: &str,
        token: &Token,
        created_at: String,
    ) -> Result<(), TokenError> {
        if self.tokens.iter().any(|known| known.name == name) {
            return Err(TokenError::NameTaken(name.into()));
        }
        if self.tokens.len() >= NAMED_MAX {
            return Err(TokenError::TooMany);
        }
        let sha256 = hex::encode(token.digest());
        self.tokens.push(NamedToken { name: name.into(), sha256, created_at });
        Ok(())
    }

    /// Takes one away.
    pub(crate) fn revoke(&mut self, name: &str) -> Result<(), TokenError> {
        let before = self.tokens.len();
        self.tokens.retain(|known| known.name != name);
        if self.tokens.len() == before { Err(TokenError::NoSuchName(name.into())) } else { Ok(()) }
    }

    /// Their digests.
    pub(crate) fn digests(&self) -> Vec<[u8; 32]> {
        let digest = |token: &NamedToken| {
            let mut bytes = [0; 32];
            hex::decode_to_slice(&token.sha256, &mut bytes).ok().map(|()| bytes)
        };
        self.tokens.iter().filter_map(digest).collect()
    }
}

fn read(path: &std::path::Path) -> Result<Option<String>, TokenError> {
    use std::io::Read as _;
    let read = || {
        let mut text = String::new();
        std::fs::File::open(path)?.take(FILE_BYTES_MAX).read_to_string(&mut text)?;
        Ok(text)
    };
    match read() {
        Ok(text) => Ok(Some(text)),
        Err(error) if io::Error::kind(&error) == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(file_error(path, source)),
    }
}

fn file_error(path: &std::path::Path, source: io::Error) -> TokenError {
    TokenError::File { path: path.into(), source }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{NamedTokens, Token, TokenError, matches};
    use crate::{
        config::Environment,
        home::{Home, mode_of},
    };

    fn home(folder: &Path) -> Home {
        Home::resolve(Some(folder.join("home")), &Environment::default()).unwrap()
    }

    #[test]
    fn a_token_is_made_once_is_private_and_is_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        home.create().unwrap();
        let token = Token::load_or_create(&home).unwrap();
        assert_eq!(token.expose().len(), 64);
        assert_eq!(mode_of(home.root()).unwrap(), 0o700);
        assert_eq!(mode_of(&home.token_file()).unwrap(), 0o600);
        assert!(!format!("{token:?}").contains(token.expose()));
        let again = Token::load_or_create(&home).unwrap();
        assert!(matches(again.expose(), &token.digest()));
        assert!(!matches("", &token.digest()));
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
    fn named_tokens_are_kept_as_digests_and_can_be_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        home.create().unwrap();
        let token = Token::generate();
        let mut named = NamedTokens::load(&home).unwrap();
        named.add("laptop", &token, "2026-11-27T22:10:03.000000Z".into()).unwrap();
        assert!(matches!(
            named.add("laptop", &token, String::new()),
            Err(TokenError::NameTaken(_))
        ));
        named.store(&home).unwrap();
        let text = std::fs::read_to_string(home.tokens_file()).unwrap();
        assert!(!text.contains(token.expose()));
        assert_eq!(mode_of(&home.tokens_file()).unwrap(), 0o600);
        let mut read = NamedTokens::load(&home).unwrap();
        assert_eq!(read.digests(), vec![token.digest()]);
        read.revoke("laptop").unwrap();
        assert!(matches!(read.revoke("laptop"), Err(TokenError::NoSuchName(_))));
    }
}
