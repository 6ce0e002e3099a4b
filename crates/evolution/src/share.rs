//! Choices by hash: which requests a share of the traffic takes in, and which leg runs first. Never by a clock or a counter, so that
//! they can be made again from the ledger.

use sha2::{Digest as _, Sha256};

use crate::pair::LegRole;

/// Whether the request `name` is among `percent` of all requests. Whoever is in a share is in every larger one of the same seed.
pub fn is_in_share(seed: u64, name: &str, percent: u8) -> bool {
    let place = u128::from(hash(seed, b"share", name)) * 100;
    place < u128::from(percent.min(100)) << 64
}

/// Which leg of the request `name` runs first: each about as often, whatever the load does.
pub fn first_leg(seed: u64, name: &str) -> LegRole {
    if hash(seed, b"order", name).is_multiple_of(2) { LegRole::Main } else { LegRole::Candidate }
}

/// A seed that a name alone decides.
pub fn seed_of(name: &str) -> u64 {
    hash(0, b"seed", name)
}

/// The first eight bytes of the digest of seed, purpose and name.
fn hash(seed: u64, purpose: &[u8], name: &str) -> u64 {
    let digest = Sha256::new()
        .chain_update(seed.to_be_bytes())
        .chain_update(purpose)
        .chain_update(name.as_bytes())
        .finalize();
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::{first_leg, is_in_share};
    use crate::pair::LegRole;

    #[test]
    fn a_share_holds_about_its_percent_and_all_of_a_smaller_one() {
        let names: Vec<String> = (0..5_000).map(|number| format!("e{number}")).collect();
        let in_share = |percent| names.iter().filter(move |name| is_in_share(7, name, percent));
        assert_eq!(in_share(0).count(), 0);
        assert_eq!(in_share(100).count(), names.len());
        assert!((400..600).contains(&in_share(10).count()));
        assert!(in_share(10).all(|name| is_in_share(7, name, 50)));
        let other = names.iter().filter(|name| is_in_share(8, name, 10)).count();
        assert!((400..600).contains(&other));
        assert!(names.iter().any(|name| is_in_share(7, name, 10) != is_in_share(8, name, 10)));
    }

    #[test]
    fn each_leg_is_first_about_as_often_in_a_share_as_well() {
        let names: Vec<String> = (0..5_000).map(|number| format!("e{number}")).collect();
        let shared: Vec<_> = names.iter().filter(|name| is_in_share(7, name, 50)).collect();
        let first = shared.iter().filter(|name| first_leg(7, name) == LegRole::Main).count();
        assert!((shared.len() * 45 / 100..shared.len() * 55 / 100).contains(&first));
    }
}
