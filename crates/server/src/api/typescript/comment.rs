//! Comments of the generated file.

use std::fmt::Write as _;

/// A description as a comment, indented.
pub(super) fn comment(out: &mut String, indent: &str, about: &str) {
    let about = about.replace("*/", "* /");
    let about = about.trim().replace('\n', " ");
    if !about.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{indent}/** {about} */");
    }
}
