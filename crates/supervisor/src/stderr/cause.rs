//! Which of a process's last lines tells most of why it ended. Pure; a guess for people, and all of the lines are kept beside it.

use std::collections::VecDeque;

use abide_domain::text::shortened;

/// Longest line that goes into a sentence, in Unicode scalar values.
const CAUSE_CHARS_MAX: usize = 200;
/// What stands in lines that name an error, in lower case.
const MARKS: [&str; 5] = ["error", "exception", "panicked", "fatal", "not found"];

/// The last line at the margin that names an error, with the message that follows a Rust panic's place; else the last line.
pub(super) fn find(lines: &VecDeque<String>) -> Option<String> {
    let last = lines.iter().rposition(|line| !line.trim().is_empty())?;
    let at = lines.iter().rposition(|line| names_error(line)).unwrap_or(last);
    let line = lines.get(at)?.trim();
    // `thread 'main' panicked at src/main.rs:2:5:`, and its words in the next line.
    let words = lines.get(at + 1).filter(|_| line.contains("panicked at") && line.ends_with(':'));
    let found = words.map_or_else(|| line.to_owned(), |words| format!("{line} {}", words.trim()));
    Some(shortened(&found, CAUSE_CHARS_MAX))
}

fn names_error(line: &str) -> bool {
    let lower = line.to_lowercase();
    !line.starts_with([' ', '\t']) && MARKS.iter().any(|mark| lower.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::find;

    fn cause(text: &str) -> Option<String> {
        find(&text.lines().map(str::to_owned).collect())
    }

    #[test]
    fn of_a_stack_trace_the_line_with_the_error_is_told() {
        for (text, told) in [
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    raise ValueError(\"no key\")\nValueError: no key",
                "ValueError: no key",
            ),
            (
                "/a.js:3\nthrow new Error(\"no key\");\n^\n\nError: no key\n    at Object.<anonymous> (/a.js:3:7)\n    at Module._compile\n\nNode.js v22.1.0",
                "Error: no key",
            ),
            (
                "thread 'main' panicked at src/main.rs:2:5:\nno key\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
                "thread 'main' panicked at src/main.rs:2:5: no key",
            ),
            ("sh: 1: agnet: not found", "sh: 1: agnet: not found"),
            ("reading\nno key was given\n", "no key was given"),
        ] {
            assert_eq!(cause(text).as_deref(), Some(told));
        }
        assert_eq!((cause(""), cause("\n  \n")), (None, None));
    }

    #[test]
    fn a_long_line_is_cut() {
        assert_eq!(cause(&"é".repeat(1_000)).map(|line| line.chars().count()), Some(201));
    }
}
