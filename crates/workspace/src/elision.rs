//! Contents that leave something out: "... existing code ...". Written as they are, they would destroy what they stand for.

use abide_tools::{ToolError, ToolErrorKind};

use crate::limits::{SHRINK_FACTOR, SHRINK_LINES_MIN};

/// What such a line says beside its dots.
const WITH_DOTS: [&str; 12] = [
    "existing",
    "unchanged",
    "rest of",
    "the rest",
    "remaining",
    "same as before",
    "as before",
    "previous code",
    "other code",
    "omitted",
    "truncated",
    "keep ",
];
/// What says it without dots, where a line is nothing but a comment or a note in brackets.
const WITHOUT_DOTS: [&str; 9] = [
    "rest unchanged",
    "existing code",
    "rest of the file",
    "rest of the code",
    "rest of file",
    "remains unchanged",
    "remain unchanged",
    "omitted for brevity",
    "same as before",
];
/// What comments and notes begin with.
const LEADERS: [&str; 9] = ["//", "#", "/*", "--", "<!--", ";", "%", "(", "["];

/// Refuses a new content that stands for more than it says: it is much shorter than the old one and has a mark of something
/// left out, or is next to nothing of a long file and the call does not say that it should be.
pub(crate) fn check_whole(old: &str, new: &str, may_shrink: bool) -> Result<(), ToolError> {
    if let Some(mark) = elision_mark(old, new) {
        let message = format!(
            "the content leaves something out (`{}`) and is much shorter than the file ({} lines instead of {}). Write it \
             in full, or change the lines that are to change with files.edit",
            mark.trim(),
            new.lines().count(),
            old.lines().count(),
        );
        return Err(ToolError::of(ToolErrorKind::Blocked, message));
    }
    let (before, after) = (old.lines().count(), new.lines().count());
    if !may_shrink && before >= SHRINK_LINES_MIN && after.saturating_mul(SHRINK_FACTOR) < before {
        let message = format!(
            "the content has {after} lines and the file {before}. If that is meant, say so with `shrink: true`; to change \
             some lines, use files.edit"
        );
        return Err(ToolError::of(ToolErrorKind::Blocked, message));
    }
    Ok(())
}

/// The line of a new text that says something was left out, where the new text has less than half of the old one's lines or
/// bytes. A line that the old text has as well says nothing.
pub(crate) fn elision_mark<'a>(old: &str, new: &'a str) -> Option<&'a str> {
    let is_short = |new: usize, old: usize| new.saturating_mul(2) < old;
    let is_shorter =
        is_short(new.len(), old.len()) || is_short(new.lines().count(), old.lines().count());
    if !is_shorter {
        return None;
    }
    new.lines().find(|line| is_mark(line) && !old.lines().any(|known| known.trim() == line.trim()))
}

fn is_mark(line: &str) -> bool {
    let line = line.trim().to_lowercase();
    let has_dots = line.contains("...") || line.contains('…');
    let is_note = LEADERS.iter().any(|leader| line.starts_with(leader));
    let begins_with_dots = line.starts_with("...") || line.starts_with('…');
    (has_dots
        && (is_note || begins_with_dots)
        && WITH_DOTS.iter().any(|words| line.contains(words)))
        || (is_note && WITHOUT_DOTS.iter().any(|words| line.contains(words)))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{check_whole, is_mark};

    fn lines(count: usize) -> String {
        (0..count).fold(String::new(), |mut text, n| {
            writeln!(text, "line {n}").unwrap();
            text
        })
    }

    #[test]
    fn lines_that_leave_something_out_are_known() {
        for line in [
            "// ... existing code ...",
            "    # ... rest of the file unchanged ...",
            "/* … remaining methods … */",
            "<!-- rest unchanged -->",
            "(rest unchanged)",
            "... (rest of the function) ...",
            "[... omitted for brevity ...]",
            "// Rest of the code remains unchanged",
            "-- ... keep the other tables ...",
        ] {
            assert!(is_mark(line), "{line}");
        }
        for line in [
            "let rest = existing...;",
            "println!(\"loading existing files...\");",
            "# Keep the kettle on",
            "// the remaining bytes are zero",
            "...",
            "The rest of the day was calm.",
        ] {
            assert!(!is_mark(line), "{line}");
        }
    }

    #[test]
    fn a_short_content_that_leaves_something_out_is_refused() {
        let old = lines(100);
        let new = format!("{}// ... existing code ...\n", lines(10));
        let error = check_whole(&old, &new, false).unwrap_err();
        assert!(error.message.contains("11 lines instead of 100"), "{error}");
        assert!(check_whole(&old, &new, true).is_err(), "whatever the call says");
        let longer = format!("{}// ... existing code ...\n", lines(90));
        assert!(check_whole(&old, &longer, false).is_ok());
        assert!(check_whole(&format!("{old}// ... existing code ...\n"), &new, false).is_ok());
        assert!(check_whole("", &new, false).is_ok());
    }

    #[test]
    fn a_few_lines_over_many_are_refused_unless_they_are_meant() {
        let old = lines(31_699);
        assert!(check_whole(&old, &lines(16), false).is_err());
        assert!(check_whole(&old, &lines(16), true).is_ok());
        assert!(check_whole(&lines(150), "", false).is_ok());
    }
}
