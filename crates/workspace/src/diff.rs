//! What a change does to a text, as a unified diff of bounded size. Made for approvals: what is not seen is made visible.

use abide_domain::visible;
use similar::TextDiff;

use crate::{
    limits::{DIFF_BYTES_MAX, DIFF_INPUT_BYTES_MAX, DIFF_TIME_MAX},
    shorten::shorten,
};

/// Compares two versions of a file. Where there was none, all of the new one is added.
pub(crate) fn format_diff(path: &str, old: Option<&str>, new: &str) -> String {
    let before = old.unwrap_or_default();
    if before.len().saturating_add(new.len()) > DIFF_INPUT_BYTES_MAX {
        return format!(
            "{path}: {} lines ({} bytes) become {} lines ({} bytes); too large to compare",
            before.lines().count(),
            before.len(),
            new.lines().count(),
            new.len()
        );
    }
    let diff: TextDiff<'_, '_, str> =
        TextDiff::configure().timeout(DIFF_TIME_MAX).diff_lines(before, new);
    let mut out = format!("--- {}\n+++ {path}\n", if old.is_some() { path } else { "/dev/null" });
    for hunk in diff.unified_diff().iter_hunks() {
        out.push_str(&hunk.to_string());
        if out.len() > DIFF_BYTES_MAX {
            break;
        }
    }
    let whole = visible(&out);
    if whole.len() <= DIFF_BYTES_MAX {
        return whole.into_owned();
    }
    format!("{}\n… the diff is longer than is shown", shorten(&whole, DIFF_BYTES_MAX))
}

#[cfg(test)]
mod tests {
    use super::format_diff;
    use crate::limits::DIFF_BYTES_MAX;

    #[test]
    fn a_diff_shows_what_changes_and_what_is_not_seen() {
        let diff = format_diff("work/a", Some("one\ntwo\nthree\n"), "one\n2\u{1b}[2J\nthree\n");
        assert_eq!(
            diff,
            "--- work/a\n+++ work/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2⟦U+001B⟧[2J\n three\n"
        );
        let diff = format_diff("work/a", None, "one");
        assert!(
            diff.starts_with("--- /dev/null\n+++ work/a\n@@") && diff.contains("+one"),
            "{diff}"
        );
    }

    #[test]
    fn a_diff_is_bounded() {
        let long = "x\n".repeat(100_000);
        let diff = format_diff("work/a", None, &long);
        assert!(diff.len() < DIFF_BYTES_MAX + 100 && diff.ends_with("longer than is shown"));
        let diff = format_diff("work/a", None, &"x\n".repeat(2_000_000));
        assert!(diff.contains("too large to compare"), "{diff}");
    }
}
