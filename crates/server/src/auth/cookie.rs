//! The browser's cookie: an expiry and a nonce, signed with the keeper's token.
//!
//! Nothing is stored for it, so it survives every restart; with another token no signature holds, so rotating the token
//! revokes all cookies. The CSRF value is signed from the same nonce: a page of another origin can neither read nor make
//! it.

use std::time::Duration;

use abide_domain::Timestamp;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use super::Token;

/// How long a browser stays signed in.
pub(crate) const COOKIE_LIFE: Duration = Duration::from_hours(30 * 24);

/// Makes and checks cookies.
#[derive(Clone)]
pub(crate) struct CookieSigner {
    keyed: Hmac<Sha256>,
}

impl std::fmt::Debug for CookieSigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CookieSigner(…)")
    }
}

/// A cookie and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    /// The value that the browser sends back.
    pub(crate) cookie: String,
    /// What its writes must carry in a header.
    pub(crate) csrf: String,
}

impl CookieSigner {
    /// Signs with a token.
    pub(crate) fn new(token: &Token) -> Self {
        // HMAC pads a shorter key with zeros to its block of 64 bytes; doing so here leaves no error to handle.
        let mut block = [0; 64];
        block.iter_mut().zip(token.digest()).for_each(|(to, from)| *to = from);
        Self { keyed: Hmac::new(&block.into()) }
    }

    /// A new cookie from `now` on; the nonce must be random.
    pub(crate) fn issue(&self, now: Timestamp, nonce: [u8; 16]) -> Session {
        let expires = now.plus(COOKIE_LIFE).as_micros() / 1_000_000;
        let body = format!("{expires}.{}", hex::encode(nonce));
        let cookie = format!("{body}.{}", self.sign("cookie", &body));
        Session { cookie, csrf: self.sign("csrf", &body) }
    }

    /// The session of a cookie, if its signature holds and it has not expired.
    pub(crate) fn verify(&self, cookie: &str, now: Timestamp) -> Option<Session> {
        let (body, signature) = cookie.rsplit_once('.')?;
        let expected = self.sign("cookie", body);
        if !bool::from(expected.as_bytes().ct_eq(signature.as_bytes())) {
            return None;
        }
        let (expires, _) = body.split_once('.')?;
        let expires: i64 = expires.parse().ok()?;
        let is_alive = now.as_micros() / 1_000_000 < expires;
        is_alive.then(|| Session { cookie: cookie.into(), csrf: self.sign("csrf", body) })
    }

    fn sign(&self, purpose: &str, body: &str) -> String {
        let mut mac = self.keyed.clone();
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(body.as_bytes());
        hex::encode(mac.finalize().into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::Timestamp;
    use proptest::prelude::*;

    use super::{COOKIE_LIFE, CookieSigner, Token};

    const NOW: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

    #[test]
    fn a_cookie_holds_over_restarts_until_it_expires_or_the_token_changes() {
        let token = Token::generate();
        let session = CookieSigner::new(&token).issue(NOW, [7; 16]);
        let restarted = CookieSigner::new(&token);
        assert_eq!(restarted.verify(&session.cookie, NOW), Some(session.clone()));
        let last = NOW.plus(COOKIE_LIFE.saturating_sub(Duration::from_secs(1)));
        assert!(restarted.verify(&session.cookie, last).is_some());
        assert_eq!(restarted.verify(&session.cookie, NOW.plus(COOKIE_LIFE)), None);
        assert_eq!(CookieSigner::new(&Token::generate()).verify(&session.cookie, NOW), None);
    }

    #[test]
    fn a_csrf_value_is_neither_the_cookie_nor_another_sessions() {
        let signer = CookieSigner::new(&Token::generate());
        let (one, two) = (signer.issue(NOW, [1; 16]), signer.issue(NOW, [2; 16]));
        assert_ne!(one.csrf, two.csrf);
        assert!(!one.cookie.contains(&one.csrf));
    }

    proptest! {
        #[test]
        fn a_changed_cookie_is_refused(at in 0..100usize, flip in 1..127u8, noise in "\\PC{0,40}") {
            let signer = CookieSigner::new(&Token::generate());
            let mut bytes = signer.issue(NOW, [7; 16]).cookie.into_bytes();
            let at = at % bytes.len();
            bytes[at] ^= flip;
            let changed = String::from_utf8_lossy(&bytes).into_owned();
            prop_assert_eq!(signer.verify(&changed, NOW), None);
            prop_assert_eq!(signer.verify(&noise, NOW), None);
        }
    }
}
