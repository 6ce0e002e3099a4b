//! Logs on stderr, filtered by `ABIDE_LOG` (such as `info`, `abide_engine=debug`; with `json` as a first word, as
//! JSON: `json,info`). Fields name epochs, agents and sequences, never payloads, headers or queries. Losing its log never
//! ends or delays the keeper.

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{EnvFilter, fmt};

use crate::config::Environment;

/// What is logged where `ABIDE_LOG` is not set.
const FILTER_DEFAULT: &str = "warn,abide=info,abide_server=info,abide_engine=info";

/// Lines that wait to be written; further ones are dropped. A reader that does not read costs lines, not the keeper.
const WAITING_MAX: usize = 4096;

/// Writes what waits when it is dropped, for up to a second.
#[derive(Debug)]
pub(crate) struct LogGuard {
    _worker: WorkerGuard,
}

/// Starts logging. A filter that cannot be read is replaced by the default, with a warning.
pub(crate) fn start(environment: &Environment) -> LogGuard {
    let text = environment.get("ABIDE_LOG").unwrap_or(FILTER_DEFAULT);
    let (is_json, text) = match text.strip_prefix("json") {
        Some(rest) => (true, rest.trim_start_matches(',')),
        None => (false, text),
    };
    let text = if text.is_empty() { FILTER_DEFAULT } else { text };
    let parsed = EnvFilter::try_new(text);
    let problem = parsed.as_ref().err().map(ToString::to_string);
    let filter = parsed.unwrap_or_else(|_| EnvFilter::new(FILTER_DEFAULT));
    // It logs whole messages of other programs where everything is logged; who wants them names it.
    let filter = match "rmcp=warn".parse() {
        Ok(quiet) if !text.contains("rmcp") => filter.add_directive(quiet),
        _ => filter,
    };
    // Of its lines about single requests, what people answer to servers is one, and a server makes as many as it likes.
    let filter = match "rmcp::service=error".parse() {
        Ok(quiet) => filter.add_directive(quiet),
        Err(_) => filter,
    };
    let queue = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(WAITING_MAX);
    let (stderr, guard) = queue.finish(std::io::stderr());
    // What cannot be written cannot be complained about in the same place.
    let lines = fmt().with_env_filter(filter).with_writer(stderr).log_internal_errors(false);
    let started = if is_json {
        lines.json().try_init()
    } else {
        let is_plain = environment.get("NO_COLOR").is_some() || !is_terminal();
        lines.with_ansi(!is_plain).with_target(false).try_init()
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
    LogGuard { _worker: guard }
}

fn is_terminal() -> bool {
    std::io::IsTerminal::is_terminal(&std::io::stderr())
}
