//! A small seeded generator of numbers (splitmix64): the same seed always gives the same run.
//!
//! For choosing what happens in tests. Never for secrets.

/// A generator whose whole state is one number.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator that starts at `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits. Constants: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`; 0 where the bound is 0. The bias is at most `bound` in 2^64.
    pub const fn below(&mut self, bound: u64) -> u64 {
        // Multiply and keep the high half: cheaper than a remainder and less biased.
        ((self.next_u64() as u128 * bound as u128) >> 64) as u64
    }

    /// Whether something of `chance` in 1,000 happens this time.
    pub const fn per_mille(&mut self, chance: u64) -> bool {
        self.below(1000) < chance
    }

    /// One of the items, or none where there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let index = self.below(u64::try_from(items.len()).unwrap_or(u64::MAX));
        items.get(usize::try_from(index).unwrap_or(usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn gives_the_published_sequence_of_its_seed() {
        let mut rng = SplitMix64::new(1_234_567);
        let first: Vec<_> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn stays_below_its_bound() {
        let mut rng = SplitMix64::new(7);
        assert!((0..1000).all(|_| rng.below(10) < 10));
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.pick::<u8>(&[]), None);
    }
}
