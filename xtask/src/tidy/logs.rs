//! A log line can be searched for: it names its event in a field of its own.

use crate::workspace::{Finding, Source};

/// What writes a log line.
const LEVELS: [&str; 5] = ["error!(", "warn!(", "info!(", "debug!(", "trace!("];
/// In how many lines the field stands at the latest.
const LINES: usize = 12;

/// Looks at one Rust file of the product.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    if !source.is_product() || source.path.starts_with("xtask/") {
        return Vec::new();
    }
    let lines: Vec<&str> = source.text.lines().collect();
    let is_call =
        |line: &str| LEVELS.iter().any(|level| line.contains(&format!("tracing::{level}")));
    let mut findings = Vec::new();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_call(line)) {
        let rest = lines.get(index..).unwrap_or_default().iter().take(LINES);
        let end = |line: &&&str| line.trim_end().ends_with(");") || line.trim_end().ends_with("),");
        let length = rest.clone().position(|line| end(&line)).map_or(LINES, |last| last + 1);
        if !rest.take(length).any(|line| line.contains("event = \""))
            && !line.trim_start().starts_with("//")
        {
            findings.push(Finding::at(&source.path, index, "a log line without `event = \"…\"`"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::workspace::Source;

    #[test]
    fn a_log_line_without_its_event_is_found() {
        let text = "tracing::info!(agent = %id, event = \"process_started\", \"started\");\n\
            tracing::warn!(\n    %error,\n    event = \"sync_failed\",\n    \"failed\"\n);\n\
            tracing::error!(%error, \"failed\");\n";
        let source = Source { path: "crates/x/src/a.rs".to_owned(), text: text.to_owned() };
        let places: Vec<_> = check(&source).into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["crates/x/src/a.rs:7"]);
    }
}
