//! The rules of `[[escalation]]` and `watchdog.ping_env`.

use std::collections::BTreeSet;

use abide_watchdog::EscalationPolicyError;

use crate::config::{
    Config, Environment,
    problem::Problem,
    sections::{ALL_AGENTS, EscalationSection},
};

/// What is wrong with policies, and with the address that is pinged after every good scan.
pub(super) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let mut problems: Vec<Problem> = ping_address(config, environment).into_iter().collect();
    problems.extend(config.settings.policies().err().map(|error| policy(config, &error)));
    let mut is_all_taken = false;
    for (index, escalation) in config.settings.escalations.iter().enumerate() {
        let path = format!("escalation[{index}]");
        if is_all_taken {
            let message = "is never used: one before it is for all agents, and the first that names an agent counts";
            problems.push(config.problem(&path, message));
        }
        is_all_taken |= escalation.is_for_all();
        problems.extend(names(config, &path, escalation));
    }
    problems
}

fn policy(config: &Config, error: &EscalationPolicyError) -> Problem {
    let EscalationPolicyError { policy, step, problem } = error;
    let path = match step {
        Some(step) => format!("escalation[{policy}].steps[{step}]"),
        None => format!("escalation[{policy}]"),
    };
    config.problem(&path, problem.as_ref())
}

fn names(config: &Config, path: &str, escalation: &EscalationSection) -> Vec<Problem> {
    let mut problems = unknown_agents(config, path, &escalation.agents);
    for (index, step) in escalation.steps.iter().enumerate() {
        problems.extend(unknown_services(config, &format!("{path}.steps[{index}]"), &step.notify));
    }
    problems
}

/// Agents that a table names and that do not exist.
pub(super) fn unknown_agents(config: &Config, path: &str, named: &[String]) -> Vec<Problem> {
    let known = config.settings.agents.iter().map(|agent| agent.id.as_str());
    let known: BTreeSet<&str> = known.collect();
    let named = named.iter().filter(|name| *name != ALL_AGENTS);
    let unknown = named.filter(|name| !known.contains(name.to_lowercase().as_str()));
    unknown.map(|name| unknown_name(config, &format!("{path}.agents"), name, "agent")).collect()
}

/// Services that a table names and that do not exist.
pub(super) fn unknown_services(config: &Config, path: &str, named: &[String]) -> Vec<Problem> {
    let known = config.settings.notifiers.iter().map(|service| service.name.as_str());
    let known: BTreeSet<&str> = known.collect();
    let unknown = named.iter().filter(|name| !known.contains(name.as_str()));
    let path = format!("{path}.notify");
    unknown.map(|name| unknown_name(config, &path, name, "service in [[notify]]")).collect()
}

fn unknown_name(config: &Config, path: &str, name: &str, what: &str) -> Problem {
    config.problem(path, &format!("names \"{name}\", but there is no such {what}"))
}

fn ping_address(config: &Config, environment: &Environment) -> Option<Problem> {
    let name = &config.settings.watchdog.ping_env;
    if name.is_empty() {
        return None;
    }
    let what = match environment.get(name).map(str::trim) {
        None => "is not set in the environment",
        Some(url) if !url.starts_with("https://") && !url.starts_with("http://") => {
            "does not hold an http(s) address"
        }
        Some(_) => return None,
    };
    Some(config.problem("watchdog.ping_env", &format!("names {name}, which {what}")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::{Config, Environment, Sources};

    /// What is wrong with these sections.
    fn problems(text: &str) -> String {
        let variables =
            [("PING", "https://hc.test/ping/1"), ("HOOK", "https://hook.test"), ("BAD", "hc.test")];
        let environment: Environment = variables.into_iter().collect();
        let file = Path::new("abide.toml");
        let sources = Sources { file, environment: &environment, flags: &[] };
        let services = "[[notify]]\nkind = \"webhook\"\nname = \"phone\"\nurl_env = \"HOOK\"\n\
                        [[notify]]\nkind = \"webhook\"\nname = \"pager\"\nurl_env = \"HOOK\"\n";
        match Config::from_text(&format!("{text}\n{services}"), sources) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_sound_policy_and_ping_address_are_accepted() {
        let text = "[watchdog]\nping_env = \"PING\"\n\
                    [[escalation]]\nagents = [\"Felix\"]\nsteps = [{ notify = [\"pager\"] }]\n\
                    [[escalation]]\nagents = [\"*\"]\nsteps = [{ after = \"0s\", notify = [\"phone\"] }, \
                    { after = \"15m\", notify = [\"phone\", \"pager\"] }]\n";
        assert_eq!(problems(text), "");
    }

    #[test]
    fn a_policy_that_would_notify_nobody_is_refused_at_start() {
        let policy = |agents: &str, steps: &str| {
            format!("[[escalation]]\nagents = [{agents}]\nsteps = [{steps}]\n")
        };
        let good = "{ notify = [\"phone\"] }";
        let cases = [
            (
                "[watchdog]\nping_env = \"NONE\"".to_owned(),
                "watchdog.ping_env names NONE, which is not set",
            ),
            ("[watchdog]\nping_env = \"BAD\"".to_owned(), "does not hold an http(s) address"),
            (
                policy("\"ada\"", good),
                "escalation[0].agents names \"ada\", but there is no such agent",
            ),
            (policy("", "{ notify = [\"fax\"] }"), "escalation[0].steps[0].notify names \"fax\""),
            (policy("", ""), "escalation[0] has no steps"),
            (policy("", "{ notify = [] }"), "escalation[0].steps[0] tells nobody"),
            (
                policy("", "{ after = \"5m\", notify = [\"phone\"] }"),
                "escalation[0].steps[0] comes later",
            ),
            (
                policy("", &format!("{good}, {{ after = \"0s\", notify = [\"pager\"] }}")),
                "escalation[0].steps[1] is not later",
            ),
            (policy("\"*\"", good) + &policy("\"felix\"", good), "escalation[1] is never used"),
            ("[[escalation]]\nagents = [\"*\"]".to_owned(), "steps"),
        ];
        for (text, expected) in cases {
            let found = problems(&text);
            assert!(found.contains(expected), "{text}: {found}");
        }
    }
}
