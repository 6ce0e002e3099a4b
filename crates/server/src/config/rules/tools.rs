//! The rules of `[tools]`: a name that means no tool protects nothing, so it is an error.

use std::path::Path;

use abide_tools::{Registry, TOOL_PARTS, pattern_means};

use crate::config::{Config, problem::Problem};

/// Patterns that mean no tool of this program.
pub(super) fn check(config: &Config) -> Vec<Problem> {
    let probe = Some(&config.settings.test.probe_file).filter(|path| !path.is_empty());
    let Ok(registry) = Registry::builtin(probe.map(Path::new)) else { return Vec::new() };
    let tools = &config.settings.tools;
    let lists = [("allow", &tools.allow), ("ask", &tools.ask), ("deny", &tools.deny)];
    let means_something = |pattern: &&String| {
        registry
            .specs()
            .map(|spec| spec.name.as_str())
            .chain(TOOL_PARTS)
            .any(|name| pattern_means(pattern, name))
    };
    let unknown = lists.into_iter().flat_map(|(list, patterns)| {
        patterns
            .iter()
            .filter(|pattern| !means_something(pattern))
            .map(move |pattern| (list, pattern))
    });
    let problem = |(list, pattern): (&str, &String)| {
        let mut known: Vec<_> =
            registry.specs().map(|spec| spec.name.as_str()).chain(TOOL_PARTS).collect();
        known.sort_unstable();
        let known = known.join(", ");
        let message = format!("names \"{pattern}\", but there is no such tool; tools are {known}");
        config.problem(&format!("tools.{list}"), &message)
    };
    unknown.map(problem).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::{Config, Environment, Sources};

    #[test]
    fn a_name_that_means_no_tool_is_an_error() {
        let environment = Environment::default();
        let read = |list: &str| {
            let sources =
                Sources { file: Path::new("abide.toml"), environment: &environment, flags: &[] };
            Config::from_text(&format!("[tools]\n{list}\n"), sources)
        };
        for list in [
            "allow = [\"*\"]",
            "ask = [\"memory.remember_fact\", \"clock.*\"]",
            "deny = [\"stdout.grant\", \"stdout.*\", \"stdout\"]",
        ] {
            assert!(read(list).is_ok(), "{list}: {:?}", read(list));
        }
        for (list, problem) in [
            ("ask = [\"memory.remember_facts\"]", "tools.ask names \"memory.remember_facts\""),
            ("deny = [\"stdouts\"]", "tools.deny names \"stdouts\""),
            ("allow = [\"memmory.*\"]", "tools.allow names \"memmory.*\""),
        ] {
            let error = read(list).unwrap_err().to_string();
            assert!(error.contains(problem), "{list}: {error}");
        }
    }
}
