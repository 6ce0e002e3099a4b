//! What a search begins with: today's order, and today's order plus terms whose weights are 0, so that a tuning of weights has
//! something to move.

use super::{
    expression::{Expression, ExpressionNode as Node},
    feature::RankFeature as Feature,
    population::SearchKind,
};

/// What matches the words of the question.
const BY_WORDS: [Feature; 7] = [
    Feature::Words,
    Feature::WordsShare,
    Feature::Own,
    Feature::Covered,
    Feature::Siblings,
    Feature::Stretch,
    Feature::Answers,
];
/// What matches its meaning.
const BY_MEANING: [Feature; 5] = [
    Feature::Meaning,
    Feature::MeaningBefore,
    Feature::MeaningAfter,
    Feature::MessageMeaning,
    Feature::AnswersMeaning,
];
/// What it is like.
const BY_KIND: [Feature; 6] = [
    Feature::Asks,
    Feature::TellsTime,
    Feature::Date,
    Feature::Wish,
    Feature::WantedSpeaker,
    Feature::Agent,
];
/// What has no bound: its logarithm counts.
const BY_SIZE: [Feature; 2] = [Feature::AgeDays, Feature::Length];

/// The expressions that a search of a kind begins with, today's order first. Each orders as the search does today.
pub fn starting_points(kind: SearchKind) -> Vec<Expression> {
    let today = Expression::feature(Feature::Score);
    let open = [
        with_terms(&[&BY_WORDS]),
        with_terms(&[&BY_MEANING, &BY_KIND[3..]]),
        with_terms(&[&BY_KIND, &BY_SIZE]),
    ];
    match kind {
        // The score alone has no constant that could move.
        SearchKind::Weights => open.into_iter().flatten().collect(),
        SearchKind::Structure => std::iter::once(today).chain(open.into_iter().flatten()).collect(),
    }
}

/// The score plus each feature times 0; none where that is too long.
fn with_terms(groups: &[&[Feature]]) -> Option<Expression> {
    let mut nodes = vec![Node::Feature(Feature::Score)];
    for feature in groups.iter().flat_map(|group| group.iter()) {
        let mut longer = vec![Node::Add];
        longer.append(&mut nodes);
        longer.extend([Node::Multiply, Node::constant(0.0)]);
        if BY_SIZE.contains(feature) {
            longer.push(Node::Log);
        }
        longer.push(Node::Feature(*feature));
        nodes = longer;
    }
    Expression::new(nodes).ok()
}

#[cfg(test)]
mod tests {
    use super::starting_points;
    use crate::search::{FeatureRow, RankFeature, SearchKind};

    #[test]
    fn every_starting_point_orders_as_the_search_does() {
        let row = FeatureRow::new(|feature| f64::from(feature as u8) + 0.5);
        let (weights, structure) =
            (starting_points(SearchKind::Weights), starting_points(SearchKind::Structure));
        assert_eq!((weights.len(), structure.len()), (3, 4));
        for expression in weights.iter().chain(&structure) {
            let value = expression.evaluate(&row);
            assert!((value - row.get(RankFeature::Score)).abs() < 1e-12, "{expression:?}");
        }
    }
}
