//! Every command that the specification shows, as it stands there.

use abide_grammar::{BodyNode, parse};

#[test]
fn the_commands_of_the_specification_are_read_as_they_stand() {
    let cases = [
        ("\\stdout write: Your log entry here ---", "write: Your log entry here"),
        (
            "\\stdout Just write directly (implicit write) ---",
            "Just write directly (implicit write)",
        ),
        ("\\stdout read: last 10 ---     # Last 10 entries (default)", "read: last 10"),
        ("\\stdout read: last 5 ---      # Last 5 entries", "read: last 5"),
        ("\\stdout read: ---             # Defaults to last 10", "read:"),
        ("\\stdout write: Initialized with config A ---", "write: Initialized with config A"),
        ("\\stdout Starting task X ---", "Starting task X"),
        ("\\stdout write: Test ---  # Without executor", "write: Test"),
        ("\\stdout write: ---", "write:"),
        ("\\stdout read: yesterday ---", "read: yesterday"),
        ("\\stdout query: error ---           # Case-insensitive substring match", "query: error"),
        ("\\stdout query: @bob ---            # Find entity mentions", "query: @bob"),
        ("\\stdout budget: ---              # O(1) KV lookup", "budget:"),
        ("\\stdout last-execution: ---      # O(1) cache hit", "last-execution:"),
        ("\\stdout recent: ---              # O(1) recent cache", "recent:"),
    ];
    for (line, text) in cases {
        // The remarks stand outside of the command, and are no commands.
        let command = line.split("  #").next().unwrap();
        let commands = parse(command).unwrap();
        assert_eq!(commands.len(), 1, "{line}");
        assert!(commands[0].is_named("stdout"), "{line}");
        assert_eq!(commands[0].text(), text, "{line}");
        if command != line {
            let error = parse(line).unwrap_err();
            assert_eq!(line.chars().nth(error.position - 1), Some('#'), "{line}");
        }
    }
}

#[test]
fn the_conditions_of_the_specification_are_read_as_they_stand() {
    let conditions = [
        "?(tick > 42 and content contains \"error\")",
        "?(after tick 42)",
        "?(between tick 10 and 20)",
    ];
    for condition in conditions {
        let commands = parse(&format!("\\stdout query: {condition} ---")).unwrap();
        let mut content = commands[0].content_from("query:".len());
        let Some(BodyNode::Condition(read)) = content.take_form().unwrap() else {
            panic!("{condition} is no condition");
        };
        assert_eq!(read, condition.parse().unwrap());
        assert_eq!(content.rest(), "");
    }
}

#[test]
fn several_commands_follow_each_other() {
    let commands = parse(
        "\\stdout write: Initialized with config A ---\n\\stdout write: Processed 42 messages ---\n\
         \\stdout write: Entering sleep mode ---\n",
    )
    .unwrap();
    let texts: Vec<_> = commands.iter().map(abide_grammar::Command::text).collect();
    assert_eq!(
        texts,
        [
            "write: Initialized with config A",
            "write: Processed 42 messages",
            "write: Entering sleep mode"
        ]
    );
}

#[test]
fn an_error_shows_problem_place_and_what_stands_there() {
    let command = "\\wake ?(tick > 5 and content > 5) look again ---";
    let error = parse(command).unwrap()[0].nodes().unwrap_err();
    assert_eq!(
        error.to_string(),
        "a text can be compared with `=`, `!=`, `contains`, `matches`, at character 30 (line 1, column 30)\n  \
         \\wake ?(tick > 5 and content > 5) look again ---\n                               ^"
    );
    assert_eq!(
        error.brief(),
        "a text can be compared with `=`, `!=`, `contains`, `matches` (at character 30, in `\\wake ?(tick > 5 and \
         content > 5) look again ---`)"
    );
}
