//! Tokens and cookies as one question: may this request pass?

use std::{
    os::unix::fs::MetadataExt as _,
    sync::{Mutex, PoisonError},
};

use abide_domain::Timestamp;
use http::{HeaderMap, Method, header};
use subtle::ConstantTimeEq as _;

use super::{CookieSigner, NamedTokens, Token, cookie::Session, token};
use crate::home::Home;

/// The header that carries the CSRF value.
pub(crate) const CSRF_HEADER: &str = "x-abide-csrf";

/// Checks requests against the tokens of a home.
#[derive(Debug)]
pub(crate) struct Admission {
    is_required: bool,
    main: [u8; 32],
    signer: CookieSigner,
    cookie_name: String,
    home: Home,
    named: Mutex<NamedDigests>,
}

#[derive(Debug, Default)]
struct NamedDigests {
    version: Option<(u64, u64, i64)>,
    digests: Vec<[u8; 32]>,
}

/// How a request was admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// By a token.
    Token,
    /// By a browser's cookie.
    Browser(Session),
    /// Nothing is required here.
    Open,
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
            signer: CookieSigner::new(token),
            cookie_name: format!("abide_{port}"),
            home,
            named: Mutex::default(),
        }
    }

    /// Lets a request pass or says why not.
    pub(crate) fn check(
        &self,
        credentials: Credentials<'_>,
        now: Timestamp,
    ) -> Result<Access, AdmissionError> {
        if !self.is_required {
            return Ok(Access::Open);
        }
        if let Some(value) = credentials.headers.get(header::AUTHORIZATION) {
            let token = value.to_str().ok().and_then(bearer).ok_or(AdmissionError::Wrong)?;
            return if self.knows(token) { Ok(Access::Token) } else { Err(AdmissionError::Wrong) };
        }
        let cookie = self.cookie(credentials.headers).ok_or(AdmissionError::Missing)?;
        let session = self.signer.verify(cookie, now).ok_or(AdmissionError::Wrong)?;
        let is_write = !matches!(*credentials.method, Method::GET | Method::HEAD);
        if is_write && !has_csrf(credentials.headers, &session) {
            return Err(AdmissionError::Csrf);
        }
        Ok(Access::Browser(session))
    }

    /// A `Set-Cookie` for a browser that showed a valid code.
    pub(crate) fn sign_in(&self, now: Timestamp) -> String {
        let session = self.signer.issue(now, crate::system::random());
        let (name, life) = (&self.cookie_name, super::cookie::COOKIE_LIFE.as_secs());
        format!("{name}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={life}", session.cookie)
    }

    /// A `Set-Cookie` that takes the cookie away.
    pub(crate) fn sign_out(&self) -> String {
        format!("{}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0", self.cookie_name)
    }

    /// Whether a token that was shown elsewhere than in a request, such as on IRC, is valid.
    pub(crate) fn admits(&self, token: &str) -> bool {
        !self.is_required || self.knows(token)
    }

    fn cookie<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            pairs.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.cookie_name).map(|(_, value)| value)
    }

    fn knows(&self, presented: &str) -> bool {
        token::matches(presented, &self.main)
            || self.named().iter().any(|digest| token::matches(presented, digest))
    }

    /// The named tokens, read again when their file is another one.
    fn named(&self) -> Vec<[u8; 32]> {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        let version = std::fs::metadata(self.home.tokens_file())
            .ok()
            .map(|meta| (meta.ino(), meta.len(), meta.mtime_nsec()));
        if named.version != version {
            named.digests = match NamedTokens::load(&self.home) {
                Ok(tokens) => tokens.digests(),
                Err(error) => {
                    tracing::warn!(event = "named_tokens_unreadable", %error, "named tokens cannot be read, so none of them is accepted");
                    Vec::new()
                }
            };
            named.version = version;
        }
        named.digests.clone()
    }
}

/// Whether a token is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// A token or cookie is required.
    Token,
    /// Everybody on this machine is admitted.
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
mod tests {
    use abide_domain::Timestamp;
    use http::{HeaderMap, Method};

    use super::{Access, Admission, AdmissionError, CSRF_HEADER, Credentials, Requirement};
    use crate::{
        auth::{NamedTokens, Token},
        config::Environment,
        home::Home,
    };

    const NOW: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

    struct Fixture {
        _folder: tempfile::TempDir,
        home: Home,
        token: Token,
        admission: Admission,
    }

    fn fixture() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::resolve(Some(folder.path().into()), &Environment::default()).unwrap();
        let token = Token::load_or_create(&home).unwrap();
        let admission = Admission::new(home.clone(), &token, 7717, Requirement::Token);
        Fixture { _folder: folder, home, token, admission }
    }

    fn check(
        admission: &Admission,
        method: &Method,
        pairs: &[(&'static str, String)],
    ) -> Result<Access, AdmissionError> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, value.parse().unwrap());
        }
        admission.check(Credentials { method, headers: &headers }, NOW)
    }

    fn bearer(token: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {token}"))
    }

    #[test]
    fn a_token_passes_and_anything_else_does_not() {
        let Fixture { admission, token, .. } = fixture();
        let get = |pairs: &[_]| check(&admission, &Method::GET, pairs);
        assert_eq!(get(&[bearer(token.expose())]), Ok(Access::Token));
        assert_eq!(get(&[]), Err(AdmissionError::Missing));
        for wrong in ["", "x", &token.expose()[1..], &format!("{} ", token.expose().to_uppercase())]
        {
            assert_eq!(get(&[bearer(wrong)]), Err(AdmissionError::Wrong), "{wrong:?}");
        }
        assert_eq!(get(&[("authorization", token.expose().into())]), Err(AdmissionError::Wrong));
    }

    #[test]
    fn a_browser_reads_with_its_cookie_and_writes_with_its_csrf_value() {
        let Fixture { admission, .. } = fixture();
        let set = admission.sign_in(NOW);
        assert!(set.contains("; HttpOnly; SameSite=Strict; Path=/"), "{set}");
        let pair = ("cookie", format!("other=1; {}", set.split(';').next().unwrap()));
        let Ok(Access::Browser(session)) =
            check(&admission, &Method::GET, std::slice::from_ref(&pair))
        else {
            panic!("the cookie was refused");
        };
        assert_eq!(
            check(&admission, &Method::POST, std::slice::from_ref(&pair)),
            Err(AdmissionError::Csrf)
        );
        let wrong = (CSRF_HEADER, "1".to_owned());
        assert_eq!(
            check(&admission, &Method::POST, &[pair.clone(), wrong]),
            Err(AdmissionError::Csrf)
        );
        let csrf = (CSRF_HEADER, session.csrf.clone());
        assert_eq!(check(&admission, &Method::DELETE, &[pair, csrf]), Ok(Access::Browser(session)));
        let forged = ("cookie", "abide_7717=9999999999.00.00".to_owned());
        assert_eq!(check(&admission, &Method::GET, &[forged]), Err(AdmissionError::Wrong));
    }

    #[test]
    fn a_named_token_counts_from_its_making_to_its_revocation() {
        let Fixture { admission, home, _folder, .. } = fixture();
        let extra = Token::generate();
        let get = || check(&admission, &Method::GET, &[bearer(extra.expose())]);
        assert_eq!(get(), Err(AdmissionError::Wrong));
        let mut named = NamedTokens::default();
        named.add("laptop", &extra, String::new()).unwrap();
        named.store(&home).unwrap();
        assert_eq!(get(), Ok(Access::Token));
        named.revoke("laptop").unwrap();
        named.store(&home).unwrap();
        assert_eq!(get(), Err(AdmissionError::Wrong));
    }
}
