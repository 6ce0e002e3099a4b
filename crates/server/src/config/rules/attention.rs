//! The rules of `[[attention]]`.

use abide_watchdog::ATTENTION_RULES_MAX;

use super::escalation::{unknown_agents, unknown_services};
use crate::{
    config::{Config, problem::Problem},
    watch::MATTER_KINDS,
};

/// Names that mean nothing, and tables beyond the most.
pub(super) fn check(config: &Config) -> Vec<Problem> {
    let mut problems = Vec::new();
    let tables = &config.settings.attention;
    if tables.len() > ATTENTION_RULES_MAX {
        let path = format!("attention[{ATTENTION_RULES_MAX}]");
        problems.push(config.problem(&path, "is one too many; at most 100"));
    }
    for (index, table) in tables.iter().enumerate().take(ATTENTION_RULES_MAX) {
        let path = format!("attention[{index}]");
        problems.extend(unknown_agents(config, &path, &table.agents));
        problems.extend(unknown_services(config, &path, &table.notify));
        let unknown = table.kinds.iter().filter(|kind| !MATTER_KINDS.contains(&kind.as_str()));
        problems.extend(unknown.map(|kind| {
            let known = MATTER_KINDS.join(", ");
            let message =
                format!("names \"{kind}\", but nothing of that kind waits; kinds are {known}");
            config.problem(&format!("{path}.kinds"), &message)
        }));
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::{Config, Environment, Sources};

    #[test]
    fn what_is_named_must_be_there() {
        let environment: Environment = [("HOOK", "https://hook.test")].into_iter().collect();
        let sources =
            || Sources { file: Path::new("abide.toml"), environment: &environment, flags: &[] };
        let service = "[[notify]]\nkind = \"webhook\"\nname = \"phone\"\nurl_env = \"HOOK\"\n";
        let read = |table: &str| {
            Config::from_text(&format!("[[attention]]\n{table}\n{service}"), sources())
        };
        for table in [
            "",
            "kinds = [\"approval\", \"process\"]\nnotify = [\"phone\"]\nafter = \"5m\"",
            "agents = [\"*\"]\nenabled = false",
        ] {
            assert!(read(table).is_ok(), "{table}: {:?}", read(table));
        }
        for (table, problem) in [
            ("kinds = [\"money\"]", "attention[0].kinds names \"money\""),
            ("notify = [\"fax\"]", "attention[0].notify names \"fax\""),
            ("agents = [\"ada\"]", "attention[0].agents names \"ada\""),
        ] {
            let error = read(table).unwrap_err().to_string();
            assert!(error.contains(problem), "{table}: {error}");
        }
    }
}
