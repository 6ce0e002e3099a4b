//! Numbers that look random and are the same in every run (SplitMix64): a set or a corpus is its seed.

/// A seeded stream of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// A stream of its own for each seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound; 0 below 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.bits() % bound).unwrap_or_default()
    }

    /// A number from 0 to less than 1.
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    pub(crate) fn share(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Happens with a probability.
    pub(crate) fn chance(&mut self, probability: f32) -> bool {
        self.share() < probability
    }

    /// One of them; none of none.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let index = self.below(of.len());
        of.get(index)
    }

    /// Puts them in another order.
    pub(crate) fn shuffle<T>(&mut self, of: &mut [T]) {
        for last in (1..of.len()).rev() {
            of.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_same_seed_throws_the_same() {
        let thrown = |seed| {
            let mut rng = Rng::new(seed);
            let mut order: Vec<u32> = (0..20).collect();
            rng.shuffle(&mut order);
            (order, rng.below(1_000))
        };
        assert_eq!(thrown(4), thrown(4));
        assert_ne!(thrown(4), thrown(5));
        let mut sorted = thrown(4).0;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
