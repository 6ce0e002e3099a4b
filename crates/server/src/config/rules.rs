//! What several keys say together, checked when each fits for itself.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::limits::CONTENT_CHARS_MAX;

use super::{
    AgentSettings, Config, EmbedderKind, Environment, MindKind, Provider, Transport, alertmanager,
    escalation, irc, notify,
    problem::{Place, Problem},
    telegram,
};

/// Agents at most in one keeper.
const AGENTS_MAX: usize = 1_000;

/// All the rules that a configuration breaks.
pub(crate) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let mut problems = Vec::new();
    problems.extend(exposed(config));
    problems.extend(untested(config, environment));
    problems.extend(agents(config));
    problems.extend(keys(config, environment));
    problems.extend(models(config));
    problems.extend(embedder(config, environment));
    problems.extend(supervision(config));
    problems.extend(programs(config));
    problems.extend(notify::check(config, environment));
    problems.extend(alertmanager::check(config));
    problems.extend(irc::check(config, environment));
    problems.extend(telegram::check(config, environment));
    problems.extend(escalation::check(config, environment));
    problems
}

/// An endpoint for vectors needs a model's name and the key that it names; any other embedder needs neither.
fn embedder(config: &Config, environment: &Environment) -> Vec<Problem> {
    let memory = &config.settings.memory;
    let endpoint = [
        ("memory.embedder_url", &memory.embedder_url),
        ("memory.embedder_name", &memory.embedder_name),
        ("memory.embedder_key_env", &memory.embedder_key_env),
    ];
    let mut problems = Vec::new();
    if memory.embedder != EmbedderKind::Openai {
        for (path, _) in endpoint.into_iter().filter(|(_, value)| !value.is_empty()) {
            let message = format!("{path} is set and memory.embedder is not \"openai\"");
            problems.push(Problem { place: config.place(path), message });
        }
        return problems;
    }
    if memory.embedder_name.is_empty() {
        let message =
            "memory.embedder is \"openai\" and memory.embedder_name is empty; name the model to ask"
                .to_owned();
        problems.push(Problem { place: config.place("memory.embedder"), message });
    }
    let key = &memory.embedder_key_env;
    if !key.is_empty() && environment.get(key).is_none() {
        let message = format!(
            "memory.embedder_key_env names {key}, which is not set in the environment; set it, or leave it empty"
        );
        problems.push(Problem { place: config.place("memory.embedder_key_env"), message });
    }
    problems
}

/// Clocks and doors of agent processes.
fn supervision(config: &Config) -> Vec<Problem> {
    let supervisor = &config.settings.supervisor;
    let mut problems = Vec::new();
    if supervisor.kill_after.0 <= supervisor.heartbeat_timeout.0 {
        let message = format!(
            "supervisor.kill_after is {} and supervisor.heartbeat_timeout is {}; a process is pinged before it is \
             killed, so the first must be longer",
            supervisor.kill_after, supervisor.heartbeat_timeout
        );
        problems.push(Problem { place: config.place("supervisor.kill_after"), message });
    }
    if let Some(listen) = supervisor.listen().filter(|listen| !listen.ip().is_loopback()) {
        let message = format!(
            "supervisor.listen is {listen}, which others can reach; agents connect from this machine only"
        );
        problems.push(Problem { place: config.place("supervisor.listen"), message });
    }
    problems
}

/// Whether each agent's mind has the program that it needs, and no other.
fn programs(config: &Config) -> Vec<Problem> {
    let agents = config.settings.agents.iter().enumerate();
    let problem = |(index, agent): (usize, &AgentSettings)| {
        let path = |key: &str| format!("agent[{index}].{key}");
        let has_command = !agent.command.is_empty();
        let is_process = matches!(agent.mind, MindKind::Auto | MindKind::Agent);
        let takes_command = is_process || agent.mind == MindKind::Acp;
        let (key, message) = match agent.mind {
            MindKind::Acp if !has_command => {
                ("mind", "is \"acp\", which needs the agent's program in command".to_owned())
            }
            _ if has_command && !takes_command => (
                "command",
                "is set, and so is a mind without a program of its own: it would never be run"
                    .to_owned(),
            ),
            _ if agent.transport == Transport::Stdio => return None,
            _ if is_process && !has_command => return None,
            _ if is_process => (
                "command",
                "is set, and transport is \"socket\": such an agent is started by somebody else"
                    .to_owned(),
            ),
            _ => ("transport", "is \"socket\", which needs mind = \"agent\"".to_owned()),
        };
        let key = path(key);
        Some(Problem { place: config.place(&key), message: format!("{key} {message}") })
    };
    agents.filter_map(problem).collect()
}

fn exposed(config: &Config) -> Option<Problem> {
    let listen = config.settings.keeper.listen;
    if listen.ip().is_loopback() || config.settings.auth.required {
        return None;
    }
    let message = format!(
        "keeper.listen is {listen}, which others can reach, and auth.required is false; set auth.required = true and \
         put TLS in front (a reverse proxy), for the keeper itself speaks plain HTTP"
    );
    Some(Problem { place: config.place("keeper.listen"), message })
}

fn untested(config: &Config, environment: &Environment) -> Option<Problem> {
    let place = config.is_touched("test").filter(|_| !environment.is_test())?;
    let message =
        "[test] is for tests; it is accepted only with ABIDE_TEST=1 in the environment".into();
    Some(Problem { place, message })
}

fn agents(config: &Config) -> Vec<Problem> {
    let agents = &config.settings.agents;
    let mut problems = Vec::new();
    if agents.is_empty() || agents.len() > AGENTS_MAX {
        let message =
            format!("agent has {} entries; at least 1 and at most {AGENTS_MAX}", agents.len());
        problems.push(Problem { place: config.place("agent"), message });
    }
    let mut first = BTreeMap::new();
    for (index, agent) in agents.iter().enumerate() {
        let path = format!("agent[{index}].id");
        if agent.id.as_str() == "keeper" {
            let message = format!("{path} is \"keeper\", which is the house's own name");
            problems.push(Problem { place: config.place(&path), message });
        }
        if let Some(earlier) = first.insert(&agent.id, index) {
            let message = format!("{path} is \"{}\", as agent[{earlier}].id is already", agent.id);
            problems.push(Problem { place: config.place(&path), message });
        }
        problems.extend(partners(config, index));
        problems.extend(schedules(config, index));
    }
    problems
}

fn partners(config: &Config, index: usize) -> Option<Problem> {
    let agent = config.settings.agents.get(index)?;
    let mut ids: Vec<_> = agent.partners.iter().map(|partner| partner.id.to_lowercase()).collect();
    ids.sort_unstable();
    let twice =
        ids.windows(2).find_map(|pair| pair.first().filter(|id| pair.last() == Some(*id)))?;
    let place = config.place(&format!("agent[{index}].partners"));
    Some(Problem { place, message: format!("agent[{index}].partners names \"{twice}\" twice") })
}

/// What is given by the clock: a name of its own, a time, and a content that an envelope could have.
fn schedules(config: &Config, index: usize) -> Vec<Problem> {
    let Some(agent) = config.settings.agents.get(index) else { return Vec::new() };
    let mut problems = Vec::new();
    let mut names = BTreeSet::new();
    for (at, schedule) in agent.schedule.iter().enumerate() {
        let path = format!("agent[{index}].schedule[{at}]");
        let mut problem = |key: &str, message: String| {
            let place = config.place(&format!("{path}.{key}"));
            problems.push(Problem { place, message: format!("{path}.{key} {message}") });
        };
        let name = schedule.name(at);
        if !names.insert(name.clone()) {
            problem("name", format!("is \"{name}\", as another of this agent is already"));
        }
        if schedule.cron.is_empty() {
            problem("cron", "is empty; five cron fields such as \"0 8 * * *\"".to_owned());
        }
        let chars = schedule.content.chars().count();
        if schedule.content.trim().is_empty() || chars > CONTENT_CHARS_MAX {
            problem(
                "content",
                format!("has {chars} characters; 1 to {CONTENT_CHARS_MAX}, not all blank"),
            );
        }
    }
    problems
}

/// A key's variable that is named and not set: an error, for a prompt would go out without it or not at all.
fn keys(config: &Config, environment: &Environment) -> Vec<Problem> {
    let settings = &config.settings;
    let models = settings.agents.iter().enumerate().map(|(index, agent)| {
        let own = format!("agent[{index}].model.api_key_env");
        let place = config.place(&own);
        let path = if place == Place::Default { "model.api_key_env".to_owned() } else { own };
        (path, settings.model(agent).api_key_env)
    });
    let unset = models.filter(|(_, name)| !name.is_empty() && environment.get(name).is_none());
    let by_path: BTreeMap<String, String> = unset.collect();
    let problem = |(path, name): (String, String)| {
        let message = format!(
            "{path} names {name}, which is not set in the environment; set it, or leave the key empty"
        );
        Problem { place: config.place(&path), message }
    };
    by_path.into_iter().map(problem).collect()
}

/// What would be ignored, or could not work: an address or key for a provider that is still to be found, and a hosted
/// provider without a model's name.
fn models(config: &Config) -> Vec<Problem> {
    let settings = &config.settings;
    let mut problems = BTreeMap::new();
    for (index, agent) in settings.agents.iter().enumerate() {
        let model = settings.model(agent);
        let own = format!("agent[{index}].model");
        let path = if config.is_touched(&own).is_some() { own } else { "model".to_owned() };
        let message = match model.provider {
            Provider::Auto if !model.base_url.is_empty() => {
                format!(
                    "{path}.base_url is set and {path}.provider is \"auto\"; name the provider that is there"
                )
            }
            Provider::Auto if !model.api_key_env.is_empty() => {
                format!(
                    "{path}.api_key_env is set and {path}.provider is \"auto\"; name the provider that it is for"
                )
            }
            Provider::Auto | Provider::Reflex => continue,
            _ if model.name.is_empty() && model.base_url.is_empty() => {
                format!("{path}.provider is named and {path}.name is empty; name the model to ask")
            }
            _ => continue,
        };
        let place = config.is_touched(&path).unwrap_or(Place::Default);
        problems.insert(path, Problem { place, message });
    }
    problems.into_values().collect()
}
