//! The ticks for which a condition can hold: a log's index may leave out all others.

use std::ops::RangeInclusive;

use super::tree::{Comparison, Expr, Field, Operand};
use crate::literal::Literal;

const ALL: (i64, i64) = (i64::MIN, i64::MAX);
const NONE: (i64, i64) = (i64::MAX, i64::MIN);

/// The ticks outside of which `expr` cannot hold; all of them where it calls functions or queries.
pub(super) fn tick_bounds(expr: &Expr) -> RangeInclusive<i64> {
    let mut asks_world = false;
    expr.visit(&mut |part| {
        asks_world |= part.operands().any(|o| matches!(o, Operand::Call(_) | Operand::Query(_)));
    });
    let (low, high) = if asks_world { ALL } else { bounds(expr) };
    low..=high
}

fn bounds(expr: &Expr) -> (i64, i64) {
    match expr {
        Expr::And(parts) => {
            parts.iter().map(bounds).fold(ALL, |(low, high), (other_low, other_high)| {
                (low.max(other_low), high.min(other_high))
            })
        }
        Expr::Or(parts) => parts
            .iter()
            .map(bounds)
            .filter(|(low, high)| low <= high)
            .fold(NONE, |(low, high), (other_low, other_high)| {
                (low.min(other_low), high.max(other_high))
            }),
        Expr::Between {
            field: Field::Tick,
            low: Literal::Integer(low),
            high: Literal::Integer(high),
        } => (*low, *high),
        Expr::Compare {
            left: Operand::Field(Field::Tick),
            op,
            right: Operand::Literal(Literal::Integer(tick)),
        } => compared(*op, *tick),
        Expr::Is(Operand::Literal(Literal::Bool(false))) => NONE,
        Expr::Not(_)
        | Expr::Between { .. }
        | Expr::Compare { .. }
        | Expr::Contains { .. }
        | Expr::Matches { .. }
        | Expr::Is(_) => ALL,
    }
}

const fn compared(op: Comparison, tick: i64) -> (i64, i64) {
    match op {
        Comparison::Less => match tick.checked_sub(1) {
            Some(high) => (i64::MIN, high),
            None => NONE,
        },
        Comparison::LessOrEqual => (i64::MIN, tick),
        Comparison::Greater => match tick.checked_add(1) {
            Some(low) => (low, i64::MAX),
            None => NONE,
        },
        Comparison::GreaterOrEqual => (tick, i64::MAX),
        Comparison::Equal => (tick, tick),
        Comparison::NotEqual | Comparison::Contains => ALL,
    }
}

#[cfg(test)]
mod tests {
    use crate::condition::Condition;

    #[test]
    fn an_index_may_leave_out_what_cannot_hold() {
        let (least, most) = (i64::MIN, i64::MAX);
        let cases = [
            ("tick > 42 and content contains \"error\"", 43..=most),
            ("after tick 42", 43..=most),
            ("before tick 42", least..=41),
            ("between tick 10 and 20", 10..=20),
            ("tick = 4 or tick between 10 and 12", 4..=12),
            ("tick <= 4 or content contains \"x\"", least..=most),
            ("not tick > 4", least..=most),
            ("tick > 4 and sleep(1s)", least..=most),
            ("(tick = 9 or false) and tick >= 2", 9..=9),
            ("42 < tick", least..=most),
        ];
        for (text, bounds) in cases {
            let condition: Condition = format!("?({text})").parse().unwrap();
            assert_eq!(condition.tick_bounds(), bounds, "{text}");
        }
        let never: Condition = "?(tick > 5 and tick < 5)".parse().unwrap();
        assert!(never.tick_bounds().is_empty());
    }
}
