//! What several keys say together, checked once each is right by itself.

use super::{
    effective::Config, environment::Environment, problem::Problem, sections::EmbedderKind,
};

mod agents;
mod alertmanager;
mod attention;
mod escalation;
mod evolution;
mod irc;
mod mcp;
mod media;
mod models;
mod notify;
mod telegram;
mod tools;

/// All the rules that a configuration breaks.
pub(crate) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let mut problems = Vec::new();
    problems.extend(exposed(config));
    problems.extend(plain(config));
    problems.extend(test_section(config, environment));
    problems.extend(agents::check(config));
    problems.extend(models::check(config, environment));
    problems.extend(embedder(config, environment));
    problems.extend(supervisor(config));
    problems.extend(notify::check(config, environment));
    problems.extend(alertmanager::check(config));
    problems.extend(irc::check(config, environment));
    problems.extend(telegram::check(config, environment));
    problems.extend(escalation::check(config, environment));
    problems.extend(attention::check(config));
    problems.extend(tools::check(config));
    problems.extend(mcp::check(config, environment));
    problems.extend(evolution::check(config));
    problems.extend(media::check(config, environment));
    problems
}

fn exposed(config: &Config) -> Option<Problem> {
    let listen = config.settings.keeper.listen;
    (!listen.ip().is_loopback() && !config.settings.auth.required).then(|| {
        let message = format!(
            "is {listen}, which others can reach, and auth.required is false; set auth.required = true and put TLS in \
             front (a reverse proxy), because the keeper itself speaks plain HTTP"
        );
        config.problem("keeper.listen", &message)
    })
}

/// What is said on the way to another machine can be read there, tokens too, unless something encrypts it.
fn plain(config: &Config) -> Option<Problem> {
    let keeper = &config.settings.keeper;
    let is_open = !keeper.listen.ip().is_loopback() && config.settings.auth.required;
    (is_open && !keeper.allow_plain).then(|| {
        let message = format!(
            "is {}, which others can reach, and the keeper speaks plain HTTP: tokens and all that is said could be read on \
             the way; listen on loopback with TLS in front (a reverse proxy), or set keeper.allow_plain = true where the \
             network itself is encrypted",
            keeper.listen
        );
        config.problem("keeper.listen", &message)
    })
}

fn test_section(config: &Config, environment: &Environment) -> Option<Problem> {
    let origin = config.section_origin("test").filter(|_| !environment.is_test())?;
    let message =
        "[test] is for tests; it is accepted only with ABIDE_TEST=1 in the environment".into();
    Some(Problem { origin, message })
}

/// An endpoint for vectors needs a model's name and the key that it names; any other embedder needs neither.
fn embedder(config: &Config, environment: &Environment) -> Vec<Problem> {
    let memory = &config.settings.memory;
    let key = &memory.embedder_key_env;
    if memory.embedder != EmbedderKind::Openai {
        let endpoint = [
            ("memory.embedder_url", &memory.embedder_url),
            ("memory.embedder_name", &memory.embedder_name),
            ("memory.embedder_key_env", key),
        ];
        let set = endpoint.into_iter().filter(|(_, value)| !value.is_empty());
        let message = "is set and memory.embedder is not \"openai\"";
        return set.map(|(path, _)| config.problem(path, message)).collect();
    }
    let name_problem = memory.embedder_name.is_empty().then(|| {
        let message = "is \"openai\" and memory.embedder_name is empty; name the model to ask";
        config.problem("memory.embedder", message)
    });
    let is_key_missing = !key.is_empty() && environment.get(key).is_none();
    let key_problem = is_key_missing.then(|| {
        let message =
            format!("names {key}, which is not set in the environment; set it, or leave it empty");
        config.problem("memory.embedder_key_env", &message)
    });
    name_problem.into_iter().chain(key_problem).collect()
}

/// The times and the address of agents' processes.
fn supervisor(config: &Config) -> Vec<Problem> {
    let supervisor = &config.settings.supervisor;
    let mut problems = Vec::new();
    if supervisor.kill_after.0 <= supervisor.heartbeat_timeout.0 {
        let message = format!(
            "is {} and supervisor.heartbeat_timeout is {}; a process is pinged before it is killed, so the first must \
             be longer",
            supervisor.kill_after, supervisor.heartbeat_timeout
        );
        problems.push(config.problem("supervisor.kill_after", &message));
    }
    if let Some(listen) = supervisor.listen().filter(|listen| !listen.ip().is_loopback()) {
        let message =
            format!("is {listen}, which others can reach; agents connect from this machine only");
        problems.push(config.problem("supervisor.listen", &message));
    }
    problems
}
