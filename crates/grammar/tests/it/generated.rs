//! Trees of the language made at random: what a reader could have read.

use abide_grammar::{
    BodyNode, Command, Comparison, Condition, Duration, Expr, Field, FoldedNeedle, FunctionCall,
    Literal, Name, Operand, Pattern, Time, Unit,
};
use proptest::{collection::vec, prelude::*, sample::select};

/// Any text, rich in what means something.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["(---|-|\\\\|\"|'|@a|#|\\?\\(|\\$\\(\\\\a|\\)| |é|日|\n){0,12}", ".{0,12}",]
}

fn name() -> impl Strategy<Value = Name> {
    "[A-Za-z0-9]([a-z0-9._-]{0,6}[a-z0-9_-])?".prop_filter_map("a name", |text| text.parse().ok())
}

pub(crate) fn command() -> impl Strategy<Value = Command> {
    ("[a-zA-Z0-9_]{1,5}(-[a-z]{1,3})?", text())
        .prop_filter_map("a command", |(name, text)| Command::new(&name, &text).ok())
}

fn query() -> impl Strategy<Value = Vec<Command>> {
    vec(command(), 1..3)
}

fn number() -> impl Strategy<Value = Literal> {
    prop_oneof![
        any::<i64>().prop_map(Literal::Integer),
        (-20_i64..20).prop_map(Literal::Integer),
        any::<i32>().prop_map(|n| Literal::Decimal(f64::from(n) / 8.0)),
    ]
}

fn time() -> impl Strategy<Value = Time> {
    (1970..2100, 1..13, 1..29, 0..24, select(vec!["", "Z", ".25z", "+01:30", ".123456789-05:00"]))
        .prop_map(|(year, month, day, hour, rest)| {
            format!("{year}-{month:02}-{day:02}T{hour:02}:05:09{rest}")
        })
        .prop_filter_map("a time", |text| Time::new(&text))
}

fn argument() -> impl Strategy<Value = Literal> {
    let units = vec![Unit::Ticks, Unit::Seconds, Unit::Minutes, Unit::Hours, Unit::Days];
    prop_oneof![
        number(),
        any::<bool>().prop_map(Literal::Bool),
        text().prop_map(Literal::Text),
        name().prop_map(Literal::Entity),
        name().prop_map(Literal::Space),
        (0..1_000_000_u64, select(units))
            .prop_map(|(amount, unit)| Literal::Duration(Duration { amount, unit })),
    ]
}

fn order() -> impl Strategy<Value = Comparison> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    select(vec![Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual])
}

fn equality() -> impl Strategy<Value = Comparison> {
    select(vec![Comparison::Equal, Comparison::NotEqual])
}

fn textual() -> impl Strategy<Value = Operand> {
    prop_oneof![
        Just(Operand::Field(Field::Content)),
        Just(Operand::Field(Field::Kind)),
        Just(Operand::Field(Field::Entity)),
        query().prop_map(Operand::Query),
    ]
}

/// Two sides of the same type, in either order.
fn comparison() -> impl Strategy<Value = Expr> {
    let field = Operand::Field;
    let sides = prop_oneof![
        (order(), number()).prop_map(move |(op, n)| (field(Field::Tick), op, Operand::Literal(n))),
        (order(), time()).prop_map(move |(op, t)| (
            field(Field::Timestamp),
            op,
            Operand::Literal(Literal::Time(t))
        )),
        (equality(), name()).prop_map(move |(op, n)| (
            field(Field::Entity),
            op,
            Operand::Literal(Literal::Entity(n))
        )),
        (equality(), textual(), text()).prop_map(|(op, left, text)| (
            left,
            op,
            Operand::Literal(Literal::Text(text))
        )),
        (order(), query(), number()).prop_map(|(op, q, n)| (
            Operand::Query(q),
            op,
            Operand::Literal(n)
        )),
    ];
    (sides, any::<bool>()).prop_map(|((left, op, right), is_turned)| {
        if is_turned {
            Expr::Compare { left: right, op, right: left }
        } else {
            Expr::Compare { left, op, right }
        }
    })
}

fn atom() -> impl Strategy<Value = Expr> {
    let patterns = vec!["", "a.*b", "\\d+\\\\", "^\"'$", "[^-]---?"];
    let call = ("x[a-z0-9_]{0,5}(-[a-z]{1,3})?", vec(argument(), 0..3))
        .prop_map(|(name, args)| FunctionCall { name, args, span: abide_grammar::Span::default() });
    prop_oneof![
        4 => comparison(),
        1 => (textual(), text())
            .prop_map(|(left, text)| Expr::Contains { left, needle: FoldedNeedle::new(&text) }),
        1 => (textual(), name(), any::<bool>()).prop_map(|(left, name, is_space)| {
            let literal = if is_space { Literal::Space(name) } else { Literal::Entity(name) };
            Expr::Compare { left, op: Comparison::Contains, right: Operand::Literal(literal) }
        }),
        1 => (textual(), select(patterns)).prop_map(|(left, text)| {
            Expr::Matches { left, pattern: Pattern::new(text).unwrap() }
        }),
        1 => (any::<i64>(), any::<i64>()).prop_map(|(a, b)| Expr::Between {
            field: Field::Tick,
            low: Literal::Integer(a.min(b)),
            high: Literal::Integer(a.max(b)),
        }),
        1 => (time(), time()).prop_map(|(a, b)| {
            let (low, high) = if a.micros() <= b.micros() { (a, b) } else { (b, a) };
            Expr::Between {
                field: Field::Timestamp,
                low: Literal::Time(low),
                high: Literal::Time(high),
            }
        }),
        1 => any::<bool>().prop_map(|truth| Expr::Is(Operand::Literal(Literal::Bool(truth)))),
        1 => call.prop_map(|call| Expr::Is(Operand::Call(call))),
        1 => query().prop_map(|query| Expr::Is(Operand::Query(query))),
    ]
}

pub(crate) fn expr() -> impl Strategy<Value = Expr> {
    atom().prop_recursive(3, 6, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(Expr::Or),
            vec(inner.clone(), 2..4).prop_map(Expr::And),
            inner.prop_map(|part| Expr::Not(Box::new(part))),
        ]
    })
}

fn form() -> impl Strategy<Value = BodyNode> {
    prop_oneof![
        name().prop_map(BodyNode::Entity),
        name().prop_map(BodyNode::Space),
        vec(name(), 1..4).prop_map(BodyNode::Entities),
        vec(name(), 1..4).prop_map(BodyNode::Spaces),
        query().prop_map(BodyNode::Query),
        atom().prop_filter_map("a condition", |expr| {
            format!("?({expr})").parse::<Condition>().ok().map(BodyNode::Condition)
        }),
    ]
}

/// Words that are text wherever blanks stand around them.
fn words() -> impl Strategy<Value = String> {
    let words = vec![
        "hello", "x@y.org", "---", "\\", "C#", "$5", "é", "?", "(a)", "\\n", "--", "日本", "$(\\a",
        "@", "@-", "\\---", "----", "#", ".", "$()",
    ];
    vec(select(words), 1..5).prop_map(|words| words.join(" "))
}

/// A body as it is read: text and forms by turns, no blanks at its ends.
pub(crate) fn body() -> impl Strategy<Value = Vec<BodyNode>> {
    (vec((form(), words()), 0..4), words(), any::<(bool, bool)>()).prop_map(
        |(pairs, first, (begins_with_text, ends_with_text))| {
            let last = pairs.len();
            let mut nodes = Vec::new();
            if begins_with_text {
                let blank = if last == 0 { "" } else { " " };
                nodes.push(BodyNode::Text(format!("{first}{blank}")));
            }
            for (index, (form, words)) in pairs.into_iter().enumerate() {
                nodes.push(form);
                if index + 1 < last {
                    nodes.push(BodyNode::Text(format!(" {words} ")));
                } else if ends_with_text {
                    nodes.push(BodyNode::Text(format!(" {words}")));
                }
            }
            nodes
        },
    )
}
