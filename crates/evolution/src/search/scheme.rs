//! An expression as a whole memory module in Scheme, with the same arithmetic. What is printed is read by people: it says what its
//! functions do, and uses nothing that a module may not use.

use std::fmt::Write as _;

use super::expression::{Expression, ExpressionNode};

/// What stands before the ranking. Exponents are avoided: a module's reader need not know them.
const FUNCTIONS: &str = "\
;; Orders passages by one expression over their features, the greatest first; equal values keep the offered order.

(define (smaller a b) (if (< b a) b a))
(define (larger a b) (if (> b a) b a))
;; A division by next to nothing divides by one.
(define (divide a b) (if (< (abs b) 0.000001) a (/ a b)))
(define (log-size a) (log (+ 1.0 (abs a))))
(define (root-size a) (sqrt (abs a)))
";

impl Expression {
    /// The text of a memory module that orders by this expression.
    pub fn to_scheme(&self) -> String {
        format!(
            "{FUNCTIONS}
(define (worth p)
  {})

(define (rank question passages now)
  (map passage-id (sort-by-descending worth passages)))
",
            self.scheme_term()
        )
    }

    /// The expression alone, over a passage `p`.
    pub fn scheme_term(&self) -> String {
        // From the back, as it is computed: the terms of the operands are there before what needs them.
        let mut terms: Vec<String> = Vec::new();
        for node in self.nodes().iter().rev() {
            let mut next = || terms.pop().unwrap_or_default();
            let term = match node {
                ExpressionNode::Constant(value) => format!("{value:?}"),
                ExpressionNode::Feature(feature) => format!("(feature p '{})", feature.name()),
                ExpressionNode::IfPositive => {
                    format!("(if (> {} 0.0) {} {})", next(), next(), next())
                }
                other => {
                    let mut term = format!("({}", function(*other));
                    for _ in 0..other.operands() {
                        // Writing to a string cannot fail.
                        let _written = write!(term, " {}", next());
                    }
                    term + ")"
                }
            };
            terms.push(term);
        }
        terms.pop().unwrap_or_default()
    }
}

const fn function(node: ExpressionNode) -> &'static str {
    match node {
        ExpressionNode::Add => "+",
        ExpressionNode::Subtract => "-",
        ExpressionNode::Multiply => "*",
        ExpressionNode::Divide => "divide",
        ExpressionNode::Min => "smaller",
        ExpressionNode::Max => "larger",
        ExpressionNode::Log => "log-size",
        ExpressionNode::Root => "root-size",
        // These have forms of their own.
        ExpressionNode::Constant(_) | ExpressionNode::Feature(_) | ExpressionNode::IfPositive => "",
    }
}

#[cfg(test)]
mod tests {
    use crate::search::{Expression, ExpressionNode as Node, RankFeature};

    #[test]
    fn a_module_is_printed_with_its_operands_in_order() {
        let nodes = vec![
            Node::Subtract,
            Node::IfPositive,
            Node::Feature(RankFeature::AsksWhen),
            Node::constant(-0.0001),
            Node::Log,
            Node::Feature(RankFeature::AgeDays),
            Node::Divide,
            Node::constant(12.0),
            Node::Min,
            Node::Feature(RankFeature::Score),
            Node::constant(1000.0),
        ];
        let expression = Expression::new(nodes).unwrap();
        assert_eq!(
            expression.scheme_term(),
            "(- (if (> (feature p 'asks-when) 0.0) -0.0001 (log-size (feature p 'age-days))) \
             (divide 12.0 (smaller (feature p 'score) 1000.0)))"
        );
        let module = expression.to_scheme();
        assert!(module.contains("(define (rank question passages now)\n"), "{module}");
        let count = |bracket: char| module.chars().filter(|it| *it == bracket).count();
        let comments = module.lines().filter(|line| line.starts_with(";;")).count();
        assert_eq!((count('('), comments), (count(')'), 2));
    }

    #[test]
    fn no_constant_has_an_exponent() {
        for value in [0.0001, -1000.0, 999.9999, 0.0, -0.0, 1.0] {
            let expression = Expression::new(vec![Node::constant(value)]).unwrap();
            let text = expression.scheme_term();
            assert!(text.contains('.') && !text.contains('e') && text != "-0.0", "{text}");
        }
    }
}
