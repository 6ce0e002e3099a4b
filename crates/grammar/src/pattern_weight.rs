//! What a pattern costs, from its text alone: nothing is compiled, so that a pattern which would take long to compile is
//! refused before. Repetitions count as if they were written out, those of nothing too: the compiler walks them all.

use regex_syntax::ast::{
    Ast, RepetitionKind, RepetitionRange, Span,
    parse::{Parser, ParserBuilder},
};

use crate::limits::{PATTERN_DEPTH_MAX, PATTERN_WEIGHT_MAX};

/// The weight of a pattern. The error says in one line what is wrong with it, and at which of its characters.
pub(crate) fn weigh(text: &str) -> Result<u64, String> {
    let mut parser: Parser = ParserBuilder::new().nest_limit(PATTERN_DEPTH_MAX).build();
    let ast = parser.parse(text).map_err(|error| {
        let problem = error.kind();
        format!("not a regular expression: {problem}, {}", place(text, error.span()))
    })?;
    of(&ast).map(|weight| weight.max(1)).map_err(|span| {
        format!(
            "the pattern needs too much work: more than {PATTERN_WEIGHT_MAX} steps for each character with its repetitions, {}",
            place(text, &span)
        )
    })
}

fn place(text: &str, span: &Span) -> String {
    let before = text.get(..span.start.offset).unwrap_or(text);
    format!("at character {} of the pattern", before.chars().count() + 1)
}

/// The weight of a part, or the innermost part that is too heavy. Its depth was bounded when it was read.
fn of(ast: &Ast) -> Result<u64, Span> {
    let weight = match ast {
        Ast::Empty(_)
        | Ast::Flags(_)
        | Ast::Literal(_)
        | Ast::Dot(_)
        | Ast::Assertion(_)
        | Ast::ClassUnicode(_)
        | Ast::ClassPerl(_)
        | Ast::ClassBracketed(_) => 1,
        Ast::Group(group) => of(&group.ast)?,
        Ast::Repetition(repetition) => {
            let inner = of(&repetition.ast)?;
            match repetition.op.kind {
                RepetitionKind::ZeroOrOne
                | RepetitionKind::ZeroOrMore
                | RepetitionKind::OneOrMore => inner + 1,
                RepetitionKind::Range(RepetitionRange::Exactly(count)) => times(inner, count),
                RepetitionKind::Range(RepetitionRange::AtLeast(count)) => times(inner, count) + 1,
                // Each of them may be left out.
                RepetitionKind::Range(RepetitionRange::Bounded(_, most)) => times(inner + 1, most),
            }
        }
        Ast::Alternation(alternation) => sum(&alternation.asts)?,
        Ast::Concat(concat) => sum(&concat.asts)?,
    };
    if weight > PATTERN_WEIGHT_MAX { Err(*ast.span()) } else { Ok(weight) }
}

/// Both are below 2^32, so that the product fits.
fn times(inner: u64, count: u32) -> u64 {
    inner.saturating_mul(u64::from(count.max(1)))
}

fn sum(parts: &[Ast]) -> Result<u64, Span> {
    parts.iter().try_fold(0_u64, |sum, part| Ok(sum.saturating_add(of(part)?)))
}
