//! The examples of `docs/stdout.md` are run as they stand there.

use super::{refusal, run, still_home};

const PAGE: &str = include_str!("../../../../../docs/stdout.md");

/// One example: who, what, and what comes of it.
struct Example {
    entity: String,
    command: String,
    output: String,
}

/// Every line `@who> command` of the page's blocks, with the lines beneath it.
fn examples() -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut is_inside = false;
    for line in PAGE.lines() {
        if line.starts_with("```") {
            is_inside = line == "```console";
            continue;
        }
        let prompt = line.split_once("> ").filter(|(who, _)| who.starts_with('@'));
        match (prompt, examples.last_mut()) {
            _ if !is_inside || line.is_empty() => {}
            (Some((entity, command)), _) => examples.push(Example {
                entity: entity.to_owned(),
                command: command.to_owned(),
                output: String::new(),
            }),
            (None, Some(example)) => {
                let separator = if example.output.is_empty() { "" } else { "\n" };
                example.output.push_str(separator);
                example.output.push_str(line);
            }
            (None, None) => panic!("a block begins with an output: {line}"),
        }
    }
    examples
}

/// Whether an output is the page's, in which `…` stands for anything.
fn fits(output: &str, page: &str) -> bool {
    let mut parts = page.split('…');
    let Some(mut rest) = parts.next().and_then(|first| output.strip_prefix(first)) else {
        return false;
    };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || page.ends_with('…')
}

#[test]
fn every_example_of_the_page_gives_what_stands_beneath_it() {
    let home = still_home();
    let keeper = home.up();
    let examples = examples();
    assert!(examples.len() >= 20, "{}", examples.len());
    for Example { entity, command, output } in examples {
        let told = if output.starts_with("ERROR") {
            refusal(&keeper.client, &entity, &command)
        } else {
            run(&keeper.client, &entity, &command)
        };
        assert!(fits(&told, &output), "{entity}> {command}\n{told}\n{output}");
    }
}
