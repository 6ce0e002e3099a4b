//! Logs on stderr, filtered by `ABIDE_LOG` (such as `info`, `abide_engine=debug`; with `json` as a first word, as
//! JSON: `json,info`). Fields name epochs, agents and sequences, never payloads, headers or queries.

use tracing_subscriber::{EnvFilter, fmt};

use crate::config::Environment;

/// What is logged where `ABIDE_LOG` is not set.
const FILTER_DEFAULT: &str = "warn,abide=info,abide_server=info,abide_engine=info";

/// Starts logging. A filter that cannot be read is replaced by the default, with a warning.
pub(crate) fn start(environment: &Environment) {
    let text = environment.get("ABIDE_LOG").unwrap_or(FILTER_DEFAULT);
    let (is_json, text) = match text.strip_prefix("json") {
        Some(rest) => (true, rest.trim_start_matches(',')),
        None => (false, text),
    };
    let text = if text.is_empty() { FILTER_DEFAULT } else { text };
    let parsed = EnvFilter::try_new(text);
    let problem = parsed.as_ref().err().map(ToString::to_string);
    let filter = parsed.unwrap_or_else(|_| EnvFilter::new(FILTER_DEFAULT));
    let started = if is_json {
        fmt().json().with_env_filter(filter).with_writer(std::io::stderr).try_init()
    } else {
        let is_plain = environment.get("NO_COLOR").is_some() || !is_terminal();
        fmt()
            .with_env_filter(filter)
            .with_ansi(!is_plain)
            .with_target(false)
            .with_writer(std::io::stderr)
            .try_init()
    };
    if started.is_ok()
        && let Some(problem) = problem
    {
        tracing::warn!(
            event = "log_filter_invalid",
            problem,
            "ABIDE_LOG cannot be read; the default filter is used"
        );
    }
}

fn is_terminal() -> bool {
    std::io::IsTerminal::is_terminal(&std::io::stderr())
}
