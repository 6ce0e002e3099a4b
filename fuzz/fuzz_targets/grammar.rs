//! Any text as commands: never a crash; what was read is printed so that it reads the same, printing it again changes
//! nothing, and its conditions can be evaluated, at once or split into what they wait for.
#![no_main]

use abide_grammar::{
    BodyNode, Command, Condition, Field, FunctionCall, Scope, Truth, Value, Watch, eval,
    limits::INPUT_CHARS_MAX, parse, parse_lenient, print_commands, print_nodes,
};
use libfuzzer_sys::fuzz_target;

/// Answers everything, with what it was asked.
struct Echo;

impl Scope for Echo {
    fn field(&self, field: Field) -> Option<Value<'_>> {
        match field {
            Field::Tick => Some(Value::Integer(42)),
            Field::Content => Some(Value::Text("An error for @bob: \\ --- é".into())),
            Field::Entity => Some(Value::Text("@alice".into())),
            Field::Timestamp => Some(Value::Text("2025-12-06T17:33:23.651621".into())),
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

/// What is printed has more blanks than it needs, and may not fit any more.
fn fits(text: &str) -> bool {
    text.chars().count() <= INPUT_CHARS_MAX
}

fn check_condition(condition: &Condition) {
    let printed = condition.to_string();
    if fits(&printed) {
        let again: Condition = printed.parse().expect("what was printed is read");
        assert_eq!(&again, condition);
        assert_eq!(again.to_string(), printed);
    }
    let whole = eval(condition, &Echo);
    let split = Watch::new(condition, &|field| field != Field::Tick).eval(&Echo);
    if let (Ok(whole), Ok(split)) = (&whole, &split) {
        assert_eq!(whole, split);
    }
    if whole == Ok(Truth::True) {
        assert!(condition.tick_bounds().contains(&42));
    }
}

fuzz_target!(|text: &str| {
    let mut commands = match parse_lenient(text) {
        Ok(commands) => commands,
        Err(error) => {
            assert!((1..=text.chars().count() + 1).contains(&error.position));
            assert_eq!(error.to_string().lines().count(), 3);
            return;
        }
    };
    let printed = print_commands(&commands);
    assert!(!fits(&printed) || parse(&printed).as_ref() == Ok(&commands), "{printed}");
    while let Some(command) = commands.pop() {
        let nodes = match command.nodes() {
            Ok(nodes) => nodes,
            Err(error) => {
                assert_eq!(error.to_string().lines().count(), 3);
                continue;
            }
        };
        let printed = format!("\\a {} ---", print_nodes(&nodes));
        if fits(&printed) {
            let again = parse(&printed).expect("what was printed is read");
            assert_eq!(again[0].nodes().as_ref(), Ok(&nodes), "{printed}");
        }
        for node in nodes {
            match node {
                BodyNode::Condition(condition) => check_condition(&condition),
                BodyNode::Query(inner) => commands.extend(inner),
                _ => {}
            }
        }
    }
});
