//! Variation: how expressions come from others. Every result is a valid expression within its bounds; what would not be one is the
//! parent again.

use super::{
    expression::{Expression, ExpressionNode},
    feature::RankFeature,
};
use crate::{generator::Generator, limits::EXPRESSION_NODES_MAX};

/// The chance that a mutation moves a constant, where there is one.
const CHANCE_CONSTANT: f64 = 0.6;
/// The least standard deviation of such a move, and its share of the constant.
const STEP: (f64, f64) = (0.05, 0.25);
/// The depth of what is grown anew.
const GROWN_DEPTH: u32 = 2;
/// The chance that a grown node is a leaf before that depth.
const CHANCE_LEAF: f64 = 0.3;
/// The chance that a leaf is a constant.
const CHANCE_CONSTANT_LEAF: f64 = 0.3;

const OPERATIONS: [ExpressionNode; 9] = [
    ExpressionNode::Add,
    ExpressionNode::Subtract,
    ExpressionNode::Multiply,
    ExpressionNode::Divide,
    ExpressionNode::Min,
    ExpressionNode::Max,
    ExpressionNode::IfPositive,
    ExpressionNode::Log,
    ExpressionNode::Root,
];

/// A small random expression.
pub(super) fn grown(generator: &mut Generator) -> Expression {
    let mut nodes = Vec::new();
    grow(&mut nodes, GROWN_DEPTH + 1, generator);
    or_parent(nodes, &Expression::feature(RankFeature::Score))
}

/// An expression near `parent`: most of the time a constant takes a small step.
pub(super) fn mutated(parent: &Expression, generator: &mut Generator) -> Expression {
    if generator.happens(CHANCE_CONSTANT)
        && let Some(child) = moved_constant(parent, generator)
    {
        return child;
    }
    match generator.below(5) {
        0 => with_other_node(parent, generator),
        1 => with_subtree_grown(parent, generator),
        2 => shortened(parent, generator),
        3 => with_term(parent, generator),
        _ => with_weight(parent, generator),
    }
}

/// `parent` with one constant a step away; `None` where it has none.
pub(super) fn moved_constant(parent: &Expression, generator: &mut Generator) -> Option<Expression> {
    let constants: Vec<usize> = (0..parent.nodes().len())
        .filter(|index| matches!(parent.nodes().get(*index), Some(ExpressionNode::Constant(_))))
        .collect();
    let index = *generator.pick(&constants)?;
    let mut nodes = parent.nodes().to_vec();
    if let Some(node) = nodes.get_mut(index)
        && let ExpressionNode::Constant(value) = *node
    {
        let (least, share) = STEP;
        *node =
            ExpressionNode::constant(value + generator.normal() * least.max(share * value.abs()));
    }
    Some(or_parent(nodes, parent))
}

/// `parent` with one of its subtrees replaced by one of `other`.
pub(super) fn crossed(
    parent: &Expression,
    other: &Expression,
    generator: &mut Generator,
) -> Expression {
    let given = subtree(other, generator.below(other.nodes().len())).to_vec();
    replaced(parent, generator.below(parent.nodes().len()), &given)
}

/// `parent` with another operation, feature or constant in one place.
fn with_other_node(parent: &Expression, generator: &mut Generator) -> Expression {
    let mut nodes = parent.nodes().to_vec();
    let index = generator.below(nodes.len());
    if let Some(node) = nodes.get_mut(index) {
        let operands = node.operands();
        let same: Vec<_> =
            OPERATIONS.into_iter().filter(|other| other.operands() == operands).collect();
        *node = generator.pick(&same).copied().unwrap_or_else(|| leaf(generator));
    }
    or_parent(nodes, parent)
}

fn with_subtree_grown(parent: &Expression, generator: &mut Generator) -> Expression {
    let mut given = Vec::new();
    grow(&mut given, GROWN_DEPTH, generator);
    replaced(parent, generator.below(parent.nodes().len()), &given)
}

/// `parent` with a subtree replaced by one of the subtree's own.
fn shortened(parent: &Expression, generator: &mut Generator) -> Expression {
    let start = generator.below(parent.nodes().len());
    let length = subtree(parent, start).len();
    let given = subtree(parent, start + generator.below(length)).to_vec();
    replaced(parent, start, &given)
}

/// `parent` plus a feature with a weight: what most gains are made of.
fn with_term(parent: &Expression, generator: &mut Generator) -> Expression {
    let mut nodes = vec![ExpressionNode::Add];
    nodes.extend_from_slice(parent.nodes());
    nodes.push(ExpressionNode::Multiply);
    nodes.push(ExpressionNode::constant(generator.normal()));
    nodes.push(feature(generator));
    or_parent(nodes, parent)
}

/// `parent` with a weight near 1 at one of its subtrees, which later steps can move.
fn with_weight(parent: &Expression, generator: &mut Generator) -> Expression {
    let start = generator.below(parent.nodes().len());
    let weight = ExpressionNode::constant(1.0 + generator.normal() / 4.0);
    let mut given = vec![ExpressionNode::Multiply, weight];
    given.extend_from_slice(subtree(parent, start));
    replaced(parent, start, &given)
}

fn grow(nodes: &mut Vec<ExpressionNode>, depth: u32, generator: &mut Generator) {
    if depth == 0 || generator.happens(CHANCE_LEAF) {
        nodes.push(leaf(generator));
        return;
    }
    let operation = generator.pick(&OPERATIONS).copied().unwrap_or(ExpressionNode::Add);
    nodes.push(operation);
    for _ in 0..operation.operands() {
        grow(nodes, depth - 1, generator);
    }
}

fn leaf(generator: &mut Generator) -> ExpressionNode {
    if generator.happens(CHANCE_CONSTANT_LEAF) {
        ExpressionNode::constant(generator.normal())
    } else {
        feature(generator)
    }
}

fn feature(generator: &mut Generator) -> ExpressionNode {
    let feature = generator.pick(&RankFeature::ALL).copied();
    ExpressionNode::Feature(feature.unwrap_or(RankFeature::Score))
}

/// The subtree that begins at `start`; empty where there is none.
fn subtree(expression: &Expression, start: usize) -> &[ExpressionNode] {
    let end = expression.subtree_end(start);
    end.and_then(|end| expression.nodes().get(start..end)).unwrap_or_default()
}

/// `parent` with the subtree at `start` replaced by `given`.
fn replaced(parent: &Expression, start: usize, given: &[ExpressionNode]) -> Expression {
    let Some(end) = parent.subtree_end(start) else { return parent.clone() };
    let mut nodes = parent.nodes().to_vec();
    nodes.splice(start..end, given.iter().copied());
    or_parent(nodes, parent)
}

fn or_parent(nodes: Vec<ExpressionNode>, parent: &Expression) -> Expression {
    if nodes.len() > EXPRESSION_NODES_MAX {
        return parent.clone();
    }
    Expression::new(nodes).unwrap_or_else(|_| parent.clone())
}

#[cfg(test)]
mod tests {
    use super::{crossed, grown, moved_constant, mutated};
    use crate::{
        generator::Generator,
        limits::EXPRESSION_NODES_MAX,
        search::{Expression, ExpressionNode, RankFeature},
    };

    #[test]
    fn whatever_comes_of_variation_is_an_expression() {
        let mut generator = Generator::new(5);
        let mut family: Vec<Expression> = (0..20).map(|_| grown(&mut generator)).collect();
        for turn in 0..5_000 {
            let parent = generator.pick(&family).unwrap().clone();
            let other = generator.pick(&family).unwrap().clone();
            let child = if turn % 2 == 0 {
                mutated(&parent, &mut generator)
            } else {
                crossed(&parent, &other, &mut generator)
            };
            assert!(child.nodes().len() <= EXPRESSION_NODES_MAX);
            assert_eq!(Expression::new(child.nodes().to_vec()).as_ref(), Ok(&child));
            let place = generator.below(family.len());
            family[place] = child;
        }
        let lengths: Vec<_> = family.iter().map(|expression| expression.nodes().len()).collect();
        assert!(lengths.iter().any(|length| *length > 10), "{lengths:?}");
    }

    #[test]
    fn a_moved_constant_changes_nothing_else() {
        let mut generator = Generator::new(5);
        let parent =
            Expression::weighted_sum(&[(1.0, RankFeature::Score), (0.2, RankFeature::Wish)]);
        for _ in 0..100 {
            let child = moved_constant(&parent, &mut generator).unwrap();
            for (old, new) in parent.nodes().iter().zip(child.nodes()) {
                let both = (old, new);
                assert!(
                    old == new
                        || matches!(
                            both,
                            (ExpressionNode::Constant(_), ExpressionNode::Constant(_))
                        )
                );
            }
        }
        assert_eq!(moved_constant(&Expression::feature(RankFeature::Wish), &mut generator), None);
    }
}
