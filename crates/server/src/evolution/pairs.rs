//! Pairs as the ledger holds them, made into what the statistics read.

use abide_domain::event::{ComparedLeg, ComparedPair};
use abide_evolution::{Leg, LegOutcome, LegRole, Pair};

/// Pairs for the statistics, in their order.
pub(super) fn measured_pairs(pairs: &[ComparedPair]) -> Vec<Pair> {
    pairs.iter().map(measured_pair).collect()
}

fn measured_pair(pair: &ComparedPair) -> Pair {
    Pair {
        request: pair.request.clone(),
        first: if pair.candidate_first { LegRole::Candidate } else { LegRole::Main },
        main: measured_leg(&pair.main),
        candidate: measured_leg(&pair.candidate),
        agrees: pair.agrees,
        gap: None,
        divergence: pair.divergence.clone(),
    }
}

pub(super) fn measured_leg(leg: &ComparedLeg) -> Leg {
    let outcome = match &leg.error {
        Some(kind) => LegOutcome::Failed { kind: kind.clone(), repeats: leg.repeats },
        None => LegOutcome::Answered,
    };
    Leg {
        outcome,
        wall_us: Some(number(leg.wall_us)),
        cpu_us: Some(number(leg.cpu_us)),
        memory_bytes: Some(number(leg.memory_bytes)),
        tokens: leg.tokens.map(number),
        cost_microusd: leg.cost_microusd.map(number),
        calls: Some(number(u64::try_from(leg.calls.len()).unwrap_or(u64::MAX))),
    }
}

#[expect(clippy::cast_precision_loss, reason = "measurements beyond 2^53 are none")]
const fn number(value: u64) -> f64 {
    value as f64
}
