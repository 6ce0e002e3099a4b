//! Single-use codes that a browser exchanges for a cookie, each for the token that asked for it. In memory only: a restart
//! voids them.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use subtle::ConstantTimeEq as _;

use crate::system::random;

/// How long a code may be used.
pub(crate) const LINK_LIFE: Duration = Duration::from_mins(5);
/// Codes of one token that are outstanding at most; a further one voids its oldest, and no other token's.
const LINKS_MAX: usize = 16;

/// A code that was not used yet.
struct LinkCode {
    code: String,
    until: Duration,
    token: [u8; 32],
}

/// The outstanding codes.
#[derive(Default)]
pub(super) struct Links {
    codes: Mutex<VecDeque<LinkCode>>,
}

impl std::fmt::Debug for Links {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Links(…)")
    }
}

impl Links {
    /// A new code for a token, good for [`LINK_LIFE`] from `now` (monotonic).
    pub(super) fn issue(&self, token: [u8; 32], now: Duration) -> String {
        let code = hex::encode(random::<16>());
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|link| now < link.until);
        while codes.iter().filter(|link| link.token == token).count() >= LINKS_MAX {
            let oldest = codes.iter().position(|link| link.token == token);
            drop(oldest.and_then(|at| codes.remove(at)));
        }
        codes.push_back(LinkCode { code: code.clone(), until: now + LINK_LIFE, token });
        code
    }

    /// Uses a code up and gives the digest of its token; none where it is unknown, used or too old.
    pub(super) fn redeem(&self, code: &str, now: Duration) -> Option<[u8; 32]> {
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|link| now < link.until);
        let matches = |known: &str| bool::from(known.as_bytes().ct_eq(code.as_bytes()));
        let at = codes.iter().position(|link| matches(&link.code))?;
        codes.remove(at).map(|link| link.token)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{LINK_LIFE, LINKS_MAX, Links};

    const TOKEN: [u8; 32] = [7; 32];

    #[test]
    fn a_code_works_once_and_for_five_minutes() {
        let links = Links::default();
        let code = links.issue(TOKEN, Duration::ZERO);
        assert_eq!(links.redeem("", Duration::ZERO), None);
        assert_eq!(links.redeem(&code, Duration::ZERO), Some(TOKEN));
        assert_eq!(links.redeem(&code, Duration::ZERO), None, "used");
        let late = links.issue(TOKEN, Duration::ZERO);
        assert_eq!(links.redeem(&late, LINK_LIFE), None, "too old");
    }

    #[test]
    fn the_number_of_codes_is_bounded() {
        let links = Links::default();
        let first = links.issue(TOKEN, Duration::ZERO);
        let rest: Vec<_> = (0..LINKS_MAX).map(|_| links.issue(TOKEN, Duration::ZERO)).collect();
        assert_eq!(links.redeem(&first, Duration::ZERO), None, "voided by the newest");
        assert!(rest.iter().all(|code| links.redeem(code, Duration::ZERO).is_some()));
        let others = links.issue([8; 32], Duration::ZERO);
        (0..LINKS_MAX * 2).for_each(|_| drop(links.issue(TOKEN, Duration::ZERO)));
        assert!(links.redeem(&others, Duration::ZERO).is_some(), "another token's is untouched");
    }
}
