//! The winner of a search as a proposal, whose reason holds its evidence.

use std::collections::BTreeMap;

use abide_domain::{
    EvolutionId, evolution::EvolutionTarget, limits::EVOLUTION_REASON_CHARS_MAX, text::shortened,
};
use abide_engine::keeper::EvolutionProposal;
use abide_evolution::search::{CandidateFigures, SearchKind, SearchReport};

use super::{
    parts::SearchesParts,
    record::{SearchEnd, SearchRecord},
};

/// How likely a gain may be without effect, all looks counted, for what won to be proposed. Far from a verdict: it keeps what is
/// mostly chance from being tried, each try of which makes the next one harder.
const P_MAX: f64 = 0.25;

/// The best on the questions held out, where it is better there than today's order by more than what chance gives often.
pub(crate) fn search_winner(report: &SearchReport) -> Option<&CandidateFigures> {
    report.winner().filter(|winner| report.corrected_p(winner) <= P_MAX)
}

/// Proposes what won, once: a proposal of this very search that stands in the ledger already is that.
pub(super) async fn propose(
    parts: &SearchesParts,
    record: &SearchRecord,
    report: &SearchReport,
) -> SearchEnd {
    let Some(winner) = search_winner(report) else { return SearchEnd::NotBetter };
    if let Some(id) = proposed_before(parts, record) {
        return SearchEnd::Proposed(id);
    }
    let proposal = EvolutionProposal {
        agent: record.agent.clone(),
        target: EvolutionTarget::MemorySystem,
        code: winner.expression.to_scheme(),
        change: BTreeMap::new(),
        reason: reason(record, report, winner),
        expected: expected(report, winner),
        trial: None,
    };
    match parts.keeper.propose_evolution(proposal, record.by.clone()).await {
        Ok(proposed) => SearchEnd::Proposed(proposed.id),
        Err(error) => SearchEnd::Failed(format!("what was found could not be proposed: {error}")),
    }
}

fn proposed_before(parts: &SearchesParts, record: &SearchRecord) -> Option<EvolutionId> {
    let name = name_of(record);
    let state = parts.keeper.state();
    let of_agent = state.evolutions.of(&record.agent)?;
    let mut proposals = of_agent.records();
    proposals.find(|proposal| proposal.reason.starts_with(&name)).map(|proposal| proposal.id)
}

/// What a search is called: no other of the agent began in the same microsecond.
fn name_of(record: &SearchRecord) -> String {
    format!("found by the search of {}", record.started_at)
}

fn reason(record: &SearchRecord, report: &SearchReport, winner: &CandidateFigures) -> String {
    let budget = &report.budget;
    let evaluations: u64 = report.candidates.iter().map(|found| found.evaluations).sum();
    let of = |kind: SearchKind| report.candidates.iter().find(|found| found.kind == kind);
    let weights = of(SearchKind::Weights).map_or_else(
        || "nothing by weights alone".to_owned(),
        |found| format!("the best by weights alone {:.3}", found.held_out.score),
    );
    let structure = of(SearchKind::Structure)
        .map(|found| format!(", the best by structure {:.3}", found.held_out.score));
    let text = format!(
        "{name} (seed {seed}, {generations} generations of {population} {of}, {evaluations} expressions measured). On {held_out} \
         questions that it never saw, of what was needed among the first ten: today's order {today:.3}, {weights}{structure}; this \
         is that by {kind}, p {p:.4} for both looks. It misses all of it on {missed} of them, today's order on {missed_today}. On the {tuned} \
         earlier questions that it was chosen by it has {chosen:.3}, today's order {chosen_today:.3}",
        name = name_of(record),
        seed = budget.seed,
        generations = report.generations,
        population = budget.population,
        of = if report.generations < budget.generations_in_all() {
            "until its time was over"
        } else {
            "in all"
        },
        held_out = report.held_out_cases,
        today = report.held_out_today.score,
        structure = structure.unwrap_or_default(),
        kind = kind_name(winner.kind),
        p = report.corrected_p(winner),
        missed = winner.held_out.missed,
        missed_today = report.held_out_today.missed,
        tuned = report.tuned_cases,
        chosen = winner.tuned.score,
        chosen_today = report.tuned_today.score,
    );
    shortened(&text, EVOLUTION_REASON_CHARS_MAX)
}

/// What is expected of its errors: the questions held out that it shows nothing of.
fn expected(report: &SearchReport, winner: &CandidateFigures) -> BTreeMap<String, f64> {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let (before, after) = (report.held_out_today.missed, winner.held_out.missed);
    let change = (number(after) - number(before)) / number(before.max(1));
    [("errors".to_owned(), change)].into_iter().filter(|_| before > 0).collect()
}

const fn kind_name(kind: SearchKind) -> &'static str {
    match kind {
        SearchKind::Weights => "weights",
        SearchKind::Structure => "structure",
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{EntityName, Timestamp};
    use abide_evolution::search::{
        CandidateFigures, Expression, OrderFigures, RankFeature, SearchBudget, SearchKind,
        SearchReport,
    };

    use super::{SearchRecord, expected, reason, search_winner};

    #[test]
    fn a_proposal_says_what_it_rests_on() {
        let budget =
            SearchBudget { kind: SearchKind::Structure, generations: 60, population: 120, seed: 7 };
        let found = |kind, score, missed| CandidateFigures {
            kind,
            expression: Expression::feature(RankFeature::Length),
            evaluations: 7_000,
            tuned: OrderFigures { score: 0.9, missed: 1 },
            held_out: OrderFigures { score, missed },
            p: 0.01,
        };
        let report = SearchReport {
            budget,
            generations: 120,
            tuned_cases: 84,
            held_out_cases: 36,
            tuned_today: OrderFigures { score: 0.5, missed: 40 },
            held_out_today: OrderFigures { score: 0.512, missed: 16 },
            candidates: vec![
                found(SearchKind::Weights, 0.6, 12),
                found(SearchKind::Structure, 0.75, 8),
            ],
        };
        let record = SearchRecord {
            agent: "felix".parse().unwrap(),
            by: EntityName::keeper(),
            started_at: Timestamp::from_micros(1_700_000_000_000_001),
            budget,
            record_seq: 7,
            cases: None,
            run: None,
            worked_ms: 0,
            report: None,
            outcome: None,
        };
        let chance = SearchReport {
            candidates: report
                .candidates
                .iter()
                .map(|found| CandidateFigures { p: 0.2, ..found.clone() })
                .collect(),
            ..report.clone()
        };
        assert_eq!(search_winner(&chance), None, "of two looks that is too much");
        let winner = search_winner(&report).unwrap();
        let text = reason(&record, &report, winner);
        for part in [
            "search of 2023-11-14T22:13:20.000001Z (seed 7, 120 generations of 120 in all, 14000 expressions measured)",
            "On 36 questions that it never saw",
            "today's order 0.512, the best by weights alone 0.600, the best by structure 0.750; this is that by structure, p 0.0200",
            "on 8 of them, today's order on 16",
            "On the 84 earlier questions",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(expected(&report, winner)["errors"].to_bits(), (-0.5_f64).to_bits());
    }
}
