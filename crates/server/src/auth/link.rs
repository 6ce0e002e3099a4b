//! Single-use codes that a browser exchanges for a cookie. In memory only: a restart voids them.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use subtle::ConstantTimeEq as _;

use crate::system::random;

/// How long a code may be used.
pub(crate) const LINK_LIFE: Duration = Duration::from_mins(5);
/// Codes outstanding at most; a further one voids the oldest.
const LINKS_MAX: usize = 16;

/// The outstanding codes.
#[derive(Default)]
pub(crate) struct Links {
    codes: Mutex<VecDeque<(String, Duration)>>,
}

impl std::fmt::Debug for Links {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Links(…)")
    }
}

impl Links {
    /// A new code, good for [`LINK_LIFE`] from `now` (monotonic).
    pub(crate) fn issue(&self, now: Duration) -> String {
        let code = hex::encode(random::<16>());
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if codes.len() >= LINKS_MAX {
            codes.pop_front();
        }
        codes.push_back((code.clone(), now + LINK_LIFE));
        code
    }

    /// Uses a code up; false where it is unknown, used or too old.
    pub(crate) fn redeem(&self, code: &str, now: Duration) -> bool {
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|(_, until)| now < *until);
        let matches = |known: &str| bool::from(known.as_bytes().ct_eq(code.as_bytes()));
        let Some(at) = codes.iter().position(|(known, _)| matches(known)) else {
            return false;
        };
        codes.remove(at).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{LINK_LIFE, LINKS_MAX, Links};

    #[test]
    fn a_code_works_once_and_for_five_minutes() {
        let links = Links::default();
        let code = links.issue(Duration::ZERO);
        assert!(!links.redeem("", Duration::ZERO));
        assert!(links.redeem(&code, Duration::ZERO));
        assert!(!links.redeem(&code, Duration::ZERO), "used");
        let late = links.issue(Duration::ZERO);
        assert!(!links.redeem(&late, LINK_LIFE), "too old");
    }

    #[test]
    fn the_number_of_codes_is_bounded() {
        let links = Links::default();
        let first = links.issue(Duration::ZERO);
        let rest: Vec<_> = (0..LINKS_MAX).map(|_| links.issue(Duration::ZERO)).collect();
        assert!(!links.redeem(&first, Duration::ZERO), "voided by the newest");
        assert!(rest.iter().all(|code| links.redeem(code, Duration::ZERO)));
    }
}
