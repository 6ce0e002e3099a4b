//! An expression over the features of a passage: a small tree, kept in prefix order, whose arithmetic is the same here and in Scheme.
//!
//! No operation fails: a division by next to nothing divides by one, logarithm and root take the size of their operand. What
//! overflows is no number, and an expression that gives none is the worst of all.

use serde::{Deserialize, Serialize};

use super::feature::{FeatureRow, RankFeature};
use crate::limits::{CONSTANT_MAX, CONSTANT_STEPS, DIVISOR_MIN, EXPRESSION_NODES_MAX};

/// A node; its operands follow it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpressionNode {
    /// A number, a whole number of ten thousandths between −1000 and 1000.
    Constant(f64),
    /// A feature of the passage.
    Feature(RankFeature),
    /// a + b
    Add,
    /// a − b
    Subtract,
    /// a · b
    Multiply,
    /// a / b, or a where b is next to 0.
    Divide,
    /// The smaller of two.
    Min,
    /// The larger of two.
    Max,
    /// The second operand where the first is above 0, else the third.
    IfPositive,
    /// ln(1 + |a|)
    Log,
    /// √|a|
    Root,
}

/// A whole tree in prefix order, of at most [`EXPRESSION_NODES_MAX`] nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<ExpressionNode>", into = "Vec<ExpressionNode>")]
pub struct Expression {
    nodes: Vec<ExpressionNode>,
}

/// Why nodes are no expression.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ExpressionError {
    /// They are not one tree in prefix order.
    #[error("{nodes} nodes are not one expression in prefix order")]
    NotOneTree {
        /// How many there are.
        nodes: usize,
    },
    /// There are too many.
    #[error("an expression of {nodes} nodes is too long; {EXPRESSION_NODES_MAX} are allowed")]
    TooLong {
        /// How many there are.
        nodes: usize,
    },
    /// A constant is not a whole number of ten thousandths within its bounds.
    #[error("the constant {constant} is no number of ten thousandths up to {CONSTANT_MAX}")]
    Constant {
        /// Which.
        constant: String,
    },
}

impl ExpressionNode {
    /// A constant: the nearest one that an expression may have; 0 for what is no number.
    pub fn constant(value: f64) -> Self {
        let within = if value.is_nan() { 0.0 } else { value.clamp(-CONSTANT_MAX, CONSTANT_MAX) };
        // The sum takes the sign off a zero.
        Self::Constant(libm::round(within * CONSTANT_STEPS) / CONSTANT_STEPS + 0.0)
    }

    /// How many operands follow it.
    pub const fn operands(self) -> usize {
        match self {
            Self::Constant(_) | Self::Feature(_) => 0,
            Self::Log | Self::Root => 1,
            Self::IfPositive => 3,
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide | Self::Min | Self::Max => 2,
        }
    }
}

impl Expression {
    /// The expression that these nodes are.
    ///
    /// # Errors
    /// [`ExpressionError`] where they are none.
    pub fn new(nodes: Vec<ExpressionNode>) -> Result<Self, ExpressionError> {
        if nodes.len() > EXPRESSION_NODES_MAX {
            return Err(ExpressionError::TooLong { nodes: nodes.len() });
        }
        for node in &nodes {
            if let ExpressionNode::Constant(value) = node
                && *node != ExpressionNode::constant(*value)
            {
                return Err(ExpressionError::Constant { constant: value.to_string() });
            }
        }
        if subtree_length(&nodes) != Some(nodes.len()) {
            return Err(ExpressionError::NotOneTree { nodes: nodes.len() });
        }
        Ok(Self { nodes })
    }

    /// A feature alone.
    pub fn feature(feature: RankFeature) -> Self {
        Self { nodes: vec![ExpressionNode::Feature(feature)] }
    }

    /// The sum of features, each with a weight; the first of them that are not too many.
    pub fn weighted_sum(weights: &[(f64, RankFeature)]) -> Self {
        // Of n terms three nodes each, and n − 1 sums before them.
        let terms = weights.len().min((EXPRESSION_NODES_MAX + 1) / 4);
        let mut nodes = vec![ExpressionNode::Add; terms.saturating_sub(1)];
        for (weight, feature) in weights.iter().take(terms) {
            nodes.push(ExpressionNode::Multiply);
            nodes.push(ExpressionNode::constant(*weight));
            nodes.push(ExpressionNode::Feature(*feature));
        }
        if nodes.is_empty() {
            nodes.push(ExpressionNode::constant(0.0));
        }
        Self { nodes }
    }

    /// Its nodes in prefix order.
    pub fn nodes(&self) -> &[ExpressionNode] {
        &self.nodes
    }

    /// The number that it gives for a passage. NaN or infinite where a step overflowed.
    pub fn evaluate(&self, row: &FeatureRow) -> f64 {
        self.evaluate_with(row, &mut Vec::with_capacity(self.nodes.len()))
    }

    /// The same, with a stack that is used again.
    pub(super) fn evaluate_with(&self, row: &FeatureRow, stack: &mut Vec<f64>) -> f64 {
        stack.clear();
        // From the back every operand stands on the stack before what needs it; the first operand is on top.
        for node in self.nodes.iter().rev() {
            let value = match node {
                ExpressionNode::Constant(value) => *value,
                ExpressionNode::Feature(feature) => row.get(*feature),
                other => operate(*other, stack),
            };
            stack.push(value);
        }
        stack.pop().unwrap_or(f64::NAN)
    }

    /// Where the subtree that begins at `start` ends; `None` where no node stands there.
    pub(super) fn subtree_end(&self, start: usize) -> Option<usize> {
        Some(start + subtree_length(self.nodes.get(start..)?)?)
    }
}

/// Takes an operation's operands off the stack.
fn operate(node: ExpressionNode, stack: &mut Vec<f64>) -> f64 {
    let mut next = || stack.pop().unwrap_or(f64::NAN);
    let first = next();
    match node {
        ExpressionNode::Constant(_) | ExpressionNode::Feature(_) => first,
        // The platform's logarithm, as the Scheme machine takes it.
        ExpressionNode::Log => (1.0 + first.abs()).ln(),
        ExpressionNode::Root => first.abs().sqrt(),
        ExpressionNode::Add => first + next(),
        ExpressionNode::Subtract => first - next(),
        ExpressionNode::Multiply => first * next(),
        ExpressionNode::Divide => {
            let divisor = next();
            if divisor.abs() < DIVISOR_MIN { first } else { first / divisor }
        }
        ExpressionNode::Min => {
            let second = next();
            if second < first { second } else { first }
        }
        ExpressionNode::Max => {
            let second = next();
            if second > first { second } else { first }
        }
        ExpressionNode::IfPositive => {
            let (then, otherwise) = (next(), next());
            if first > 0.0 { then } else { otherwise }
        }
    }
}

/// The length of the tree that `nodes` begin with; `None` where it is cut off.
fn subtree_length(nodes: &[ExpressionNode]) -> Option<usize> {
    let mut open = 1_usize;
    for (index, node) in nodes.iter().enumerate() {
        open = open - 1 + node.operands();
        if open == 0 {
            return Some(index + 1);
        }
    }
    None
}

impl TryFrom<Vec<ExpressionNode>> for Expression {
    type Error = ExpressionError;

    fn try_from(nodes: Vec<ExpressionNode>) -> Result<Self, ExpressionError> {
        Self::new(nodes)
    }
}

impl From<Expression> for Vec<ExpressionNode> {
    fn from(expression: Expression) -> Self {
        expression.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::{Expression, ExpressionError, ExpressionNode as Node};
    use crate::search::{FeatureRow, RankFeature};

    fn value(nodes: Vec<Node>) -> f64 {
        let row =
            FeatureRow::new(|feature| if feature == RankFeature::Meaning { 4.0 } else { -3.0 });
        Expression::new(nodes).unwrap().evaluate(&row)
    }

    #[test]
    fn operations_are_those_of_arithmetic_and_never_fail() {
        let [number, meaning, score] = [
            Node::constant,
            |_| Node::Feature(RankFeature::Meaning),
            |_| Node::Feature(RankFeature::Score),
        ];
        let cases = [
            (vec![Node::Subtract, meaning(0.0), number(1.5)], 2.5),
            (vec![Node::Divide, meaning(0.0), number(8.0)], 0.5),
            (vec![Node::Divide, meaning(0.0), number(0.0)], 4.0),
            (vec![Node::Min, meaning(0.0), score(0.0)], -3.0),
            (vec![Node::Max, meaning(0.0), score(0.0)], 4.0),
            (vec![Node::IfPositive, score(0.0), number(1.0), number(2.0)], 2.0),
            (vec![Node::IfPositive, meaning(0.0), number(1.0), number(2.0)], 1.0),
            (vec![Node::Log, score(0.0)], 4.0_f64.ln()),
            (vec![Node::Root, Node::Multiply, score(0.0), score(0.0)], 3.0),
            (vec![Node::Add, Node::Multiply, number(2.0), meaning(0.0), score(0.0)], 5.0),
        ];
        for (nodes, wanted) in cases {
            let found = value(nodes.clone());
            assert!((found - wanted).abs() < 1e-12, "{nodes:?} gives {found}");
        }
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let one = Node::constant(1.0);
        for nodes in [vec![], vec![Node::Add, one], vec![one, one]] {
            let error = Expression::new(nodes.clone()).unwrap_err();
            assert_eq!(error, ExpressionError::NotOneTree { nodes: nodes.len() });
        }
        assert!(matches!(
            Expression::new(vec![Node::Log; 60]),
            Err(ExpressionError::TooLong { nodes: 60 })
        ));
        for constant in [f64::NAN, 0.000_01, 1e9] {
            assert!(Expression::new(vec![Node::Constant(constant)]).is_err(), "{constant}");
        }
        assert!(serde_json::from_str::<Expression>(r#"["add",{"constant":1.0}]"#).is_err());
    }

    #[test]
    fn expressions_are_the_same_after_they_have_been_json() {
        let weights = [(0.3333, RankFeature::Meaning), (-12.7, RankFeature::AgeDays)];
        let expression = Expression::weighted_sum(&weights);
        let text = serde_json::to_string(&expression).unwrap();
        assert_eq!(serde_json::from_str::<Expression>(&text).unwrap(), expression);
        assert!(text.contains(r#"{"feature":"age-days"}"#), "{text}");
        let all: Vec<_> = RankFeature::ALL.into_iter().map(|feature| (1.0, feature)).collect();
        assert!(Expression::new(Expression::weighted_sum(&all).nodes().to_vec()).is_ok());
        assert_eq!(Expression::weighted_sum(&[]).nodes(), [Node::constant(0.0)]);
    }
}
