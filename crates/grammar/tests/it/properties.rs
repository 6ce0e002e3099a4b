//! What holds for every input: it is read or refused, never more; what was read is printed so that it reads the same.

use abide_grammar::{
    BodyNode, Command, Condition, Field, FunctionCall, Scope, Truth, Value, Watch, escape, eval,
    expand,
    limits::{INPUT_CHARS_MAX, SNIPPET_CHARS_MAX},
    mentions, parse, parse_lenient, print_commands, print_nodes, unescape,
};
use proptest::prelude::*;

use crate::generated::{body, command, expr};

/// Answers everything, with what it was asked.
struct Echo;

impl Scope for Echo {
    fn field(&self, field: Field) -> Option<Value<'_>> {
        match field {
            Field::Tick => Some(Value::Integer(7)),
            Field::Content => Some(Value::Text("error 42 for @bob".into())),
            Field::Entity => Some(Value::Text("@alice".into())),
            Field::Timestamp => Some(Value::Micros(0)),
            Field::Kind => None,
        }
    }

    fn call(&self, call: &FunctionCall) -> Result<Truth, String> {
        if call.args.is_empty() { Err("nothing to go by".to_owned()) } else { Ok(Truth::True) }
    }

    fn query(&self, commands: &[Command]) -> Result<Option<String>, String> {
        Ok(commands.first().map(Command::text))
    }
}

/// Text made of what means something in the language, so that much of it can be read.
fn tokens() -> impl Strategy<Value = String> {
    let tokens = vec![
        "\\a ",
        "\\a",
        " ---",
        "---",
        "-",
        "\\---",
        "\\\\",
        "\\",
        "$(",
        "$(\\q ",
        ")",
        "(",
        "?(",
        "@",
        "#",
        "@bob",
        "#x",
        "@(a, b)",
        ",",
        "tick",
        " > ",
        "=",
        "42",
        "-1.5",
        " and ",
        " or ",
        " not ",
        "content",
        " contains ",
        "\"x\"",
        "'",
        "\"",
        " between ",
        " after tick ",
        "true",
        "f(",
        "90s",
        " ",
        "\n",
        "é",
        "日本",
        ".",
        "matches 'a'",
        "?(tick > 5)",
        "?(content contains \"e\" or true)",
        "timestamp",
        "entity = @bob",
        "kind",
    ];
    prop::collection::vec(prop::sample::select(tokens), 0..30).prop_map(|parts| parts.concat())
}

fn fits(text: &str) -> bool {
    text.chars().count() <= INPUT_CHARS_MAX
}

/// Reads and prints and evaluates all there is in an input, whatever it is.
fn check(input: &str) {
    match parse(input) {
        Ok(commands) => {
            check_spans(input, &commands);
            assert_eq!(parse_lenient(input).as_ref(), Ok(&commands));
            let printed = print_commands(&commands);
            assert!(!fits(&printed) || parse(&printed).as_ref() == Ok(&commands), "{printed}");
        }
        Err(error) => {
            assert!((1..=input.chars().count() + 1).contains(&error.position), "{error}");
            assert!(error.snippet.chars().count() <= SNIPPET_CHARS_MAX + 2, "{error}");
            assert_eq!(error.to_string().lines().count(), 3, "{error}");
        }
    }
    for command in parse_lenient(input).iter().flatten() {
        check_body(command);
    }
}

/// Commands stand one after another, and only blanks between them.
fn check_spans(input: &str, commands: &[Command]) {
    let mut end = 0;
    for command in commands {
        assert!(input[end..command.span().start].trim().is_empty());
        let text = command.span().of(input);
        assert!(text.starts_with('\\') && text.ends_with("---"), "{text}");
        assert!(text.contains(command.name()) && text.contains(command.raw()));
        end = command.span().end;
    }
    assert!(input[end..].trim().is_empty());
}

fn check_body(command: &Command) {
    let nodes = match command.nodes() {
        Ok(nodes) => nodes,
        Err(error) => return assert_eq!(error.to_string().lines().count(), 3, "{error}"),
    };
    let printed = format!("\\a {} ---", print_nodes(&nodes));
    if fits(&printed) {
        let again = parse(&printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
        assert_eq!(again[0].nodes().as_ref(), Ok(&nodes), "{printed}");
        assert_eq!(print_nodes(&nodes), again[0].raw(), "printing is stable");
    }
    for node in expand(nodes) {
        match node {
            BodyNode::Condition(condition) => check_condition(&condition),
            BodyNode::Query(commands) => commands.iter().for_each(check_body),
            _ => {}
        }
    }
}

fn check_condition(condition: &Condition) {
    let whole = eval(condition, &Echo);
    let watch = Watch::new(condition, &|field| field != Field::Tick);
    let split = watch.eval(&Echo);
    // Joining the parts about an entry may ask them before another part fails, or after; truths are the same.
    if let (Ok(whole), Ok(split)) = (&whole, &split) {
        assert_eq!(whole, split, "{condition}");
    }
    if whole == Ok(Truth::True) {
        assert!(condition.tick_bounds().contains(&7), "{condition}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(input in any::<String>()) {
        check(&input);
        check(&format!("\\a {input} ---"));
        check(&format!("\\a ?({input}) ---"));
    }

    #[test]
    fn any_tokens_are_read_or_refused(input in tokens()) {
        check(&input);
        check(&format!("\\a {input} ---"));
        check(&format!("\\a ?({input}) ---"));
    }

    #[test]
    fn conditions_are_printed_so_that_they_read_the_same(expr in expr()) {
        let printed = format!("?({expr})");
        let condition: Condition = printed.parse().unwrap_or_else(|error| panic!("{printed}: {error}"));
        prop_assert_eq!(condition.expr(), &expr);
        prop_assert_eq!(condition.to_string(), printed);
        check_condition(&condition);
    }

    #[test]
    fn bodies_are_printed_so_that_they_read_the_same(nodes in body()) {
        let printed = format!("\\x {} ---", print_nodes(&nodes));
        let commands = parse(&printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
        prop_assert_eq!(commands.len(), 1);
        prop_assert_eq!(commands[0].nodes(), Ok(nodes), "{}", printed);
        check_spans(&printed, &commands);
    }

    #[test]
    fn commands_are_printed_so_that_they_read_the_same(commands in prop::collection::vec(command(), 1..5)) {
        let printed = print_commands(&commands);
        prop_assert_eq!(parse(&printed), Ok(commands.clone()));
        prop_assert_eq!(parse_lenient(printed.trim_end_matches('-')), Ok(commands));
    }

    #[test]
    fn a_command_says_what_it_was_given(text in any::<String>()) {
        prop_assert_eq!(unescape(&escape(&text)), text.clone());
        let command = Command::new("say", &text).unwrap();
        prop_assert_eq!(command.text(), text.trim());
    }

    #[test]
    fn a_mention_that_is_read_is_found(text in "(@bob|@Bob-2|@bobby|x|[ .,@#-]|é){0,8}") {
        let mentioned = Command::new("a", &text).unwrap().nodes().is_ok_and(|nodes| {
            nodes.contains(&BodyNode::Entity("bob".parse().unwrap()))
        });
        prop_assert_eq!(mentions(&text, "@bob"), mentioned, "{}", text);
    }
}
