//! The search: it finds what was planted, and goes on from its written state as if it had never stopped.

use abide_evolution::search::{
    Cascade, Expression, ExpressionNode, FeatureRow, RankFeature, RankedCase, SearchKind,
    SearchPlan, SearchPlanError, SearchState, compare, split_by_time,
};

use crate::world::{Dice, rounds};

/// What the needed passages of the planted cases have most of.
fn planted(row: &FeatureRow) -> f64 {
    let shortness = row.get(RankFeature::Shortness);
    let wish = if row.get(RankFeature::AsksWhen) > 0.5 { 0.0 } else { shortness };
    0.4 * row.get(RankFeature::Score) + 1.5 * row.get(RankFeature::Meaning) + wish
        - 0.5 * row.get(RankFeature::Agent)
}

/// Cases of 40 passages, of which the three best by the planted formula were needed.
fn cases(number: u32, seed: u64) -> Vec<RankedCase> {
    let mut dice = Dice::new(seed);
    let case = |at| {
        let values: Vec<Vec<f64>> =
            (0..40).map(|_| RankFeature::ALL.iter().map(|_| dice.unit()).collect()).collect();
        let rows: Vec<FeatureRow> = values
            .iter()
            .map(|values| FeatureRow::new(|feature| values[feature as usize]))
            .collect();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|left, right| planted(&rows[*right]).total_cmp(&planted(&rows[*left])));
        RankedCase::new(f64::from(at), rows, order[..3].to_vec()).unwrap()
    };
    (0..number).map(case).collect()
}

fn plan(kind: SearchKind) -> SearchPlan {
    let seeds = match kind {
        SearchKind::Structure => vec![Expression::feature(RankFeature::Score)],
        SearchKind::Weights => vec![Expression::weighted_sum(&[
            (1.0, RankFeature::Score),
            (0.1, RankFeature::Meaning),
            (0.1, RankFeature::Shortness),
            (0.1, RankFeature::Agent),
        ])],
    };
    SearchPlan { kind, seed: 11, islands: 3, island_size: 40, seeds }
}

#[test]
fn a_planted_formula_is_found_and_holds_on_cases_that_were_held_out() {
    let (tuned, held_out) = split_by_time(cases(90, 3));
    let today = Expression::feature(RankFeature::Score);
    let cascade = Cascade::new(&tuned, &today);
    for kind in [SearchKind::Weights, SearchKind::Structure] {
        let mut search = SearchState::new(&plan(kind)).unwrap();
        let mut best = f64::NEG_INFINITY;
        for _ in 0..rounds(300) {
            let progress = search.step(|expression| cascade.fitness(expression));
            // A shorter one may take its place that is worse by no more than what the length had cost.
            let fitness = progress.best_fitness.unwrap();
            assert!(fitness >= best - 0.01, "the best is never lost");
            best = fitness;
        }
        let found = &search.best().unwrap().expression;
        let figures = compare(found, &today, &held_out);
        println!("{kind:?}: {} by {:?}", found.scheme_term(), search.progress());
        println!("held out: {figures:?}");
        assert!(figures.candidate > figures.incumbent + 0.2 && figures.p < 0.01, "{kind:?}");
    }
}

#[test]
fn a_search_that_is_read_again_in_mid_run_goes_on_the_same() {
    let cases = cases(30, 5);
    let cascade = Cascade::new(&cases, &Expression::feature(RankFeature::Score));
    let fitness = |expression: &Expression| cascade.fitness(expression);
    let mut whole = SearchState::new(&plan(SearchKind::Structure)).unwrap();
    let mut broken = whole.clone();
    for _ in 0..13 {
        whole.step(fitness);
        let text = serde_json::to_string(&broken).unwrap();
        broken = serde_json::from_str(&text).unwrap();
        broken.step(fitness);
        assert_eq!(broken, whole);
    }
    assert_eq!(serde_json::to_string(&broken).unwrap(), serde_json::to_string(&whole).unwrap());
}

/// EV-16
#[test]
fn a_fitness_that_is_no_number_is_the_worst() {
    let mut search = SearchState::new(&plan(SearchKind::Structure)).unwrap();
    for _ in 0..5 {
        search.step(|expression| {
            let is_short = expression.nodes().len() < 4;
            if is_short { -5.0 } else { f64::NAN }
        });
    }
    let best = search.best().unwrap();
    assert_eq!(best.fitness, Some(-5.0));
    let mut none = SearchState::new(&plan(SearchKind::Weights)).unwrap();
    let progress = none.step(|_| f64::NAN);
    assert_eq!((progress.generation, progress.best_fitness), (1, None));
}

#[test]
fn a_tuning_of_weights_changes_nothing_but_constants() {
    let mut search = SearchState::new(&plan(SearchKind::Weights)).unwrap();
    let cases = cases(10, 5);
    let cascade = Cascade::new(&cases, &Expression::feature(RankFeature::Score));
    for _ in 0..10 {
        search.step(|expression| {
            let shape = |expression: &Expression| -> Vec<bool> {
                let is_constant =
                    |node: &ExpressionNode| matches!(node, ExpressionNode::Constant(_));
                expression.nodes().iter().map(is_constant).collect()
            };
            assert_eq!(shape(expression), shape(&plan(SearchKind::Weights).seeds[0]));
            cascade.fitness(expression)
        });
    }
}

#[test]
fn plans_beyond_their_bounds_are_refused() {
    let plan = plan(SearchKind::Structure);
    let refused = |plan: SearchPlan| SearchState::new(&plan).unwrap_err();
    assert_eq!(
        refused(SearchPlan { islands: 0, ..plan.clone() }),
        SearchPlanError::Islands { islands: 0 }
    );
    assert_eq!(
        refused(SearchPlan { island_size: 2, ..plan.clone() }),
        SearchPlanError::Size { size: 2 }
    );
    assert_eq!(refused(SearchPlan { seeds: vec![], ..plan }), SearchPlanError::Seeds { seeds: 0 });
}
