//! A seeded generator of numbers (splitmix64) of this crate's own: reports and searches must come out the same under every
//! version of every library. Never for secrets.

use serde::{Deserialize, Serialize};

/// A generator whose whole state is one number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Generator(u64);

impl Generator {
    /// A generator that starts at `seed`.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits. Constants: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`; 0 where the bound is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let high = (u128::from(self.next()) * bound as u128) >> 64;
        usize::try_from(high).unwrap_or_default()
    }

    /// A number between 0 and 1, neither of them included.
    pub(crate) fn unit(&mut self) -> f64 {
        let bits = u32::try_from(self.next() >> 32).unwrap_or_default();
        (f64::from(bits) + 0.5) / 4_294_967_296.0
    }

    /// A number of the standard normal distribution (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(self.unit())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// Whether something of this chance happens.
    pub(crate) fn happens(&mut self, chance: f64) -> bool {
        self.unit() < chance
    }

    /// One of the items, or none where there are none.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::Generator;

    #[test]
    fn a_seed_gives_the_published_sequence() {
        let mut generator = Generator::new(1_234_567);
        let first: Vec<_> = (0..3).map(|_| generator.next()).collect();
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_stay_within_their_bounds() {
        let mut generator = Generator::new(7);
        assert!((0..1000).all(|_| generator.below(10) < 10));
        assert!((0..1000).map(|_| generator.unit()).all(|unit| unit > 0.0 && unit < 1.0));
        assert_eq!(generator.below(0), 0);
        assert_eq!(generator.pick::<u8>(&[]), None);
        let sum: f64 = (0..10_000).map(|_| generator.normal()).sum();
        assert!((sum / 10_000.0).abs() < 0.05);
    }
}
