//! A condition that waits for entries which do not come together: split into terms about one entry and a frame.
//!
//! `tick > 42 and content contains "error"` asks for ticks and entries. The error may be written at tick 40 and the clock
//! pass 42 later, so whoever waits latches that a term held for one entry, and evaluates the frame with the latched terms. A term is a largest part that asks nothing but fields of an entry; such parts of one `and` are one
//! term, because they are about the same entry.

use crate::{
    condition::{Condition, Expr, Field},
    eval::{EvalError, Scope, Truth, all, any, eval, eval_expr},
};

/// A condition in two parts. The same condition and fields always give the same terms in the same order.
#[derive(Clone, Debug, PartialEq)]
pub struct Watch {
    terms: Vec<Condition>,
    frame: Frame,
}

/// The condition around the terms.
#[derive(Clone, Debug, PartialEq)]
enum Frame {
    Or(Vec<Self>),
    And(Vec<Self>),
    Not(Box<Self>),
    /// A term, by its index.
    Term(usize),
    /// A part that is evaluated anew each time.
    Now(Expr),
}

impl Watch {
    /// Splits a condition, where `is_of_entry` says which fields are an entry's own.
    pub fn new(condition: &Condition, is_of_entry: &dyn Fn(Field) -> bool) -> Self {
        let mut terms = Vec::new();
        let frame = split(condition.expr(), is_of_entry, &mut terms);
        let terms = terms.into_iter().map(|term| condition.part(term)).collect();
        Self { terms, frame }
    }

    /// The terms; the caller evaluates each with [`eval`] for each new entry, and latches by index which held.
    pub fn terms(&self) -> &[Condition] {
        &self.terms
    }

    /// Evaluates the whole; a term takes its value from [`Scope::latched`], or is evaluated where that is `None`.
    pub fn eval(&self, scope: &dyn Scope) -> Result<Truth, EvalError> {
        self.eval_frame(&self.frame, scope)
    }

    fn eval_frame(&self, frame: &Frame, scope: &dyn Scope) -> Result<Truth, EvalError> {
        match frame {
            Frame::Or(parts) => any(parts, |part| self.eval_frame(part, scope)),
            Frame::And(parts) => all(parts, |part| self.eval_frame(part, scope)),
            Frame::Not(part) => self.eval_frame(part, scope).map(|truth| !truth),
            Frame::Now(expr) => eval_expr(expr, scope),
            Frame::Term(index) => match (scope.latched(*index), self.terms.get(*index)) {
                (Some(truth), _) => Ok(truth),
                (None, Some(term)) => eval(term, scope),
                (None, None) => Ok(Truth::Unknown),
            },
        }
    }
}

fn split(expr: &Expr, is_of_entry: &dyn Fn(Field) -> bool, terms: &mut Vec<Expr>) -> Frame {
    if expr.asks_only(is_of_entry) {
        return term(expr.clone(), terms);
    }
    match expr {
        Expr::Or(parts) => {
            Frame::Or(parts.iter().map(|part| split(part, is_of_entry, terms)).collect())
        }
        Expr::And(parts) => split_and(parts, is_of_entry, terms),
        Expr::Not(part) => Frame::Not(Box::new(split(part, is_of_entry, terms))),
        expr => Frame::Now(expr.clone()),
    }
}

/// The parts that are about an entry become one term, in the place of the first of them.
fn split_and(parts: &[Expr], is_of_entry: &dyn Fn(Field) -> bool, terms: &mut Vec<Expr>) -> Frame {
    let (mut of_entry, _): (Vec<_>, Vec<_>) =
        parts.iter().cloned().partition(|part| part.asks_only(is_of_entry));
    let mut joined = match of_entry.len() {
        0 => None,
        1 => of_entry.pop(),
        _ => Some(Expr::And(of_entry)),
    };
    let mut frames = Vec::new();
    for part in parts {
        if !part.asks_only(is_of_entry) {
            frames.push(split(part, is_of_entry, terms));
        } else if let Some(joined) = joined.take() {
            frames.push(term(joined, terms));
        }
    }
    Frame::And(frames)
}

fn term(expr: Expr, terms: &mut Vec<Expr>) -> Frame {
    terms.push(expr);
    Frame::Term(terms.len() - 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::Watch;
    use crate::{
        condition::{Condition, Field},
        eval::{Scope, Truth, Value, eval},
    };

    fn watch(text: &str) -> Watch {
        let condition: Condition = format!("?({text})").parse().unwrap();
        Watch::new(&condition, &|field| field != Field::Tick)
    }

    fn terms(text: &str) -> Vec<String> {
        watch(text).terms().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn terms_are_the_largest_parts_about_one_entry() {
        let cases: [(&str, &[&str]); 9] = [
            ("tick > 42", &[]),
            ("true or up()", &[]),
            (
                "content contains 'x' and entity = @b",
                &["?(content contains \"x\" and entity = @b)"],
            ),
            (
                "tick > 5 and content contains 'x' and up() and entity = @b",
                &["?(content contains \"x\" and entity = @b)"],
            ),
            (
                "tick > 5 or content contains 'x' or entity = @b",
                &["?(content contains \"x\")", "?(entity = @b)"],
            ),
            ("tick > 5 and not kind = 'a'", &["?(not kind = \"a\")"]),
            (
                "(tick > 5 or kind = 'a') and not (kind = 'b' and up())",
                &["?(kind = \"a\")", "?(kind = \"b\")"],
            ),
            (
                r"content contains $(\word ---) or timestamp > '2025-12-06T17:33:23'",
                &["?(timestamp > \"2025-12-06T17:33:23\")"],
            ),
            ("true and kind = 'a'", &["?(true and kind = \"a\")"]),
        ];
        for (text, expected) in cases {
            assert_eq!(terms(text), expected, "{text}");
        }
    }

    #[derive(Default)]
    struct World {
        tick: i64,
        latched: BTreeMap<usize, Truth>,
        content: Option<&'static str>,
    }

    impl Scope for World {
        fn field(&self, field: Field) -> Option<Value<'_>> {
            match field {
                Field::Tick => Some(Value::Integer(self.tick)),
                Field::Content => self.content.map(|text| Value::Text(text.into())),
                _ => None,
            }
        }

        fn latched(&self, term: usize) -> Option<Truth> {
            self.latched.get(&term).copied()
        }
    }

    #[test]
    fn what_was_remembered_stands_for_a_term() {
        let watch = watch("tick > 42 and content contains 'error'");
        let mut world = World { tick: 40, content: Some("an error"), ..World::default() };
        assert_eq!(eval(&watch.terms()[0], &world), Ok(Truth::True));
        assert_eq!(watch.eval(&world), Ok(Truth::False));
        // The entry is gone; that it held is remembered.
        world.content = None;
        world.tick = 43;
        assert_eq!(watch.eval(&world), Ok(Truth::Unknown));
        world.latched.insert(0, Truth::True);
        assert_eq!(watch.eval(&world), Ok(Truth::True));
        world.latched.insert(0, Truth::False);
        assert_eq!(watch.eval(&world), Ok(Truth::False));
    }
}
