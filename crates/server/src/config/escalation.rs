//! `[[escalation]]` and `watchdog.ping_env`: their types, and what they say together with the agents and the services.

use std::collections::BTreeSet;

use abide_domain::AgentId;
use abide_watchdog::{EscalationPolicies, EscalationPolicy, EscalationPolicyError, EscalationStep};
use serde::Deserialize;

use super::{Config, Environment, Settings, length::Length, problem::Problem};

/// Every agent.
const ALL: &str = "*";

/// `[[escalation]]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct EscalationSettings {
    #[serde(default)]
    agents: Vec<String>,
    steps: Vec<StepSettings>,
}

#[derive(Clone, Debug, Deserialize)]
struct StepSettings {
    after: Option<Length>,
    notify: Vec<String>,
}

impl EscalationSettings {
    fn is_for_all(&self) -> bool {
        self.agents.is_empty() || self.agents.iter().any(|name| name == ALL)
    }

    fn policy(&self) -> EscalationPolicy {
        let named = || self.agents.iter().filter_map(|name| name.to_lowercase().parse().ok());
        let step = |step: &StepSettings| EscalationStep {
            after: step.after.map_or(std::time::Duration::ZERO, |after| after.0),
            to: step.notify.clone(),
        };
        EscalationPolicy {
            agents: (!self.is_for_all()).then(|| named().collect()),
            steps: self.steps.iter().map(step).collect(),
        }
    }
}

impl Settings {
    /// Who is told of whom, and when.
    pub(crate) fn policies(&self) -> Result<EscalationPolicies, EscalationPolicyError> {
        EscalationPolicies::new(self.escalations.iter().map(EscalationSettings::policy).collect())
    }
}

/// What is wrong with policies, and with the address of the dead man's switch.
pub(crate) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let mut problems: Vec<Problem> = switch(config, environment).into_iter().collect();
    problems.extend(config.settings.policies().err().map(|error| disorder(config, &error)));
    let mut is_all_taken = false;
    for (index, escalation) in config.settings.escalations.iter().enumerate() {
        let path = format!("escalation[{index}]");
        if is_all_taken {
            let message = format!(
                "{path} is never used: one before it is for all agents, and the first that names an agent counts"
            );
            problems.push(Problem { place: config.place(&path), message });
        }
        is_all_taken |= escalation.is_for_all();
        problems.extend(names(config, &path, escalation));
    }
    problems
}

fn disorder(config: &Config, error: &EscalationPolicyError) -> Problem {
    let EscalationPolicyError { policy, step, problem } = error;
    let path = match step {
        Some(step) => format!("escalation[{policy}].steps[{step}]"),
        None => format!("escalation[{policy}]"),
    };
    Problem { place: config.place(&path), message: format!("{path} {problem}") }
}

/// Agents and services that are named and not there.
fn names(config: &Config, path: &str, escalation: &EscalationSettings) -> Vec<Problem> {
    let settings = &config.settings;
    let agents: BTreeSet<&str> = settings.agents.iter().map(|agent| agent.id.as_str()).collect();
    let services: BTreeSet<&str> =
        settings.notifiers.iter().map(|service| service.name.as_str()).collect();
    let mut problems = Vec::new();
    let mut unknown = |path: String, name: &str, what: &str| {
        let message = format!("{path} names \"{name}\", and there is no such {what}");
        problems.push(Problem { place: config.place(&path), message });
    };
    for name in escalation.agents.iter().filter(|name| *name != ALL) {
        let id: Option<AgentId> = name.to_lowercase().parse().ok();
        if id.is_none_or(|id| !agents.contains(id.as_str())) {
            unknown(format!("{path}.agents"), name, "agent");
        }
    }
    for (index, step) in escalation.steps.iter().enumerate() {
        for name in step.notify.iter().filter(|name| !services.contains(name.as_str())) {
            unknown(format!("{path}.steps[{index}].notify"), name, "service in [[notify]]");
        }
    }
    problems
}

/// The address of the dead man's switch stands in a variable that is set.
fn switch(config: &Config, environment: &Environment) -> Option<Problem> {
    let name = &config.settings.watchdog.ping_env;
    if name.is_empty() {
        return None;
    }
    let message = match environment.get(name).map(str::trim) {
        None => format!("watchdog.ping_env names {name}, which is not set in the environment"),
        Some(url) if !url.starts_with("https://") && !url.starts_with("http://") => {
            format!("watchdog.ping_env names {name}, which holds no http(s) address")
        }
        Some(_) => return None,
    };
    Some(Problem { place: config.place("watchdog.ping_env"), message })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Config, Environment, Sources};

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
    fn a_policy_and_a_switch_that_fit_are_taken() {
        let text = "[watchdog]\nping_env = \"PING\"\n\
                    [[escalation]]\nagents = [\"Felix\"]\nsteps = [{ notify = [\"pager\"] }]\n\
                    [[escalation]]\nagents = [\"*\"]\nsteps = [{ after = \"0s\", notify = [\"phone\"] }, \
                    { after = \"15m\", notify = [\"phone\", \"pager\"] }]\n";
        assert_eq!(problems(text), "");
    }

    #[test]
    fn what_could_tell_nobody_in_the_night_is_found_at_the_start() {
        let policy = |agents: &str, steps: &str| {
            format!("[[escalation]]\nagents = [{agents}]\nsteps = [{steps}]\n")
        };
        let good = "{ notify = [\"phone\"] }";
        let cases = [
            (
                "[watchdog]\nping_env = \"NONE\"".to_owned(),
                "watchdog.ping_env names NONE, which is not set",
            ),
            ("[watchdog]\nping_env = \"BAD\"".to_owned(), "holds no http(s) address"),
            (
                policy("\"ada\"", good),
                "escalation[0].agents names \"ada\", and there is no such agent",
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
