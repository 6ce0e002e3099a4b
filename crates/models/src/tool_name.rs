//! Tool names on their way to a provider and back.
//!
//! Ours are `[a-z0-9_.]`, providers accept `[a-zA-Z0-9_-]`, both up to 64 characters. A dot becomes a hyphen: no name of
//! ours contains one, so the conversion back is exact, and no name grows past the bound (as `.` → `__` would let it).

/// The name as a provider accepts it.
pub(crate) fn to_provider(name: &str) -> String {
    name.replace('.', "-")
}

/// The name that a provider's answer means. The dotted name is accepted as well.
pub(crate) fn from_provider(name: &str) -> String {
    name.replace('-', ".")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{from_provider, to_provider};

    #[test]
    fn names_cross_and_return() {
        let cases = [
            ("memory.remember_fact", "memory-remember_fact"),
            ("stdout", "stdout"),
            ("a.b.c", "a-b-c"),
            ("a__b.c", "a__b-c"),
        ];
        for (ours, theirs) in cases {
            assert_eq!(to_provider(ours), theirs);
            assert_eq!(from_provider(theirs), ours);
        }
        assert_eq!(from_provider("clock.now"), "clock.now");
    }

    proptest! {
        #[test]
        fn every_name_fits_the_provider_and_comes_back(name in "[a-z0-9_.]{1,64}") {
            let theirs = to_provider(&name);
            prop_assert!(theirs.len() <= 64);
            prop_assert!(theirs.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)));
            prop_assert_eq!(from_provider(&theirs), name);
        }
    }
}
