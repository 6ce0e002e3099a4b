//! Simulated candidates whose truth is known: durations with spikes, chance errors, load in waves.

use abide_evolution::{ComparedTarget, Leg, LegRole, Measure, Pair, Rule, first_leg};

/// Percent of the full rounds where `ABIDE_TEST_ROUNDS` does not say otherwise, as the test kit has it. The kit itself brings
/// keepers and databases along, which a pure crate's tests need not compile.
const PERCENT_DEFAULT: u32 = 10;

/// The rounds of a test that has `full` of them in `make soak`.
pub(crate) fn rounds(full: u32) -> u32 {
    #[expect(clippy::disallowed_methods, reason = "the one switch that tests read from outside")]
    let percent = std::env::var("ABIDE_TEST_ROUNDS").ok();
    let percent = percent.and_then(|text| text.parse().ok()).unwrap_or(PERCENT_DEFAULT);
    (full * percent / 100).max(1)
}

/// Seeded numbers (splitmix64), as [`first_leg`] knows nothing of.
#[derive(Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    pub(crate) fn unit(&mut self) -> f64 {
        (f64::from((self.next() >> 32) as u32) + 0.5) / 4_294_967_296.0
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// What a kind of request is like, and what is true of the candidate.
#[derive(Clone, Copy)]
pub(crate) struct Truth {
    /// ln of a leg's duration varies so much around its request's.
    pub(crate) noise: f64,
    /// The candidate's change of the duration: −0.15 is 15 % less.
    pub(crate) change: f64,
    /// The chance of an error in each leg.
    pub(crate) errors: f64,
    /// How much of the load of one leg the next one still feels, and how much load matters.
    pub(crate) load: (f64, f64),
    /// How often each leg runs a request.
    pub(crate) runs: u32,
}

/// A module, a process, a model's endpoint: spreads of ln(candidate / main) of about 0.21, 0.45 and 0.57.
pub(crate) const MODULE: Truth = truth(0.135);
pub(crate) const PROCESS: Truth = truth(0.289);
pub(crate) const ENDPOINT: Truth = truth(0.366);

const fn truth(noise: f64) -> Truth {
    Truth { noise, change: 0.0, errors: 0.03, load: (0.0, 0.0), runs: 1 }
}

impl Truth {
    pub(crate) const fn changed(self, change: f64) -> Self {
        Self { change, ..self }
    }

    /// `length` pairs of one comparison.
    pub(crate) fn pairs(self, length: usize, seed: u64) -> Vec<Pair> {
        let mut dice = Dice::new(seed);
        let mut load = 0.0;
        (0..length).map(|number| self.pair(number, seed, &mut dice, &mut load)).collect()
    }

    fn pair(self, number: usize, seed: u64, dice: &mut Dice, load: &mut f64) -> Pair {
        let request = format!("e{number}");
        let first = first_leg(seed, &request);
        let size = 7.0 + 0.8 * dice.normal();
        let earlier = self.leg(size, dice, load);
        let later = self.leg(size, dice, load);
        let (main, mut candidate) =
            if first == LegRole::Main { (earlier, later) } else { (later, earlier) };
        candidate.wall_us = candidate.wall_us.map(|us| us * (1.0 + self.change));
        let agrees = Some(dice.unit() > 0.02);
        Pair { request, first, main, candidate, agrees, gap: None, divergence: None }
    }

    fn leg(self, size: f64, dice: &mut Dice, load: &mut f64) -> Leg {
        let runs: Vec<Leg> = (0..self.runs).map(|_| self.run(size, dice, load)).collect();
        Leg::of_runs(&runs).unwrap()
    }

    fn run(self, size: f64, dice: &mut Dice, load: &mut f64) -> Leg {
        let (memory_of_load, weight) = self.load;
        let shock = (1.0 - memory_of_load * memory_of_load).sqrt() * dice.normal();
        *load = memory_of_load * *load + shock;
        let spike = if dice.unit() < 0.03 { 1.5 + dice.unit() } else { 0.0 };
        let wall = (size + self.noise * dice.normal() + spike + weight * *load).exp();
        let memory = 3e7 * (0.02 * dice.normal()).exp();
        if dice.unit() < self.errors {
            return Leg::failed("time", Some(false));
        }
        Leg { wall_us: Some(wall), memory_bytes: Some(memory), ..Leg::answered() }
    }
}

/// The rule for the `attempt`th proposal of a module.
pub(crate) const fn rule(attempt: u32) -> Rule {
    Rule { target: ComparedTarget::Module, size: Measure::Wall, attempt, agreement_floor: 0.9 }
}
