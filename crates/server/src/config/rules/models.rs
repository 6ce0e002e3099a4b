//! The rules of `[model]` and `[agent.model]`.

use std::collections::BTreeMap;

use crate::config::{
    Config, Environment, Provider,
    problem::{Origin, Problem},
};

/// What is wrong with the agents' models.
pub(super) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let mut problems = keys(config, environment);
    problems.extend(providers(config));
    problems.extend(usual_keys(config, environment));
    problems
}

/// A provider that is named needs the key that it is known to need; without one each turn would be refused.
fn usual_keys(config: &Config, environment: &Environment) -> Vec<Problem> {
    let mut problems = BTreeMap::new();
    for (index, agent) in config.settings.agents.iter().enumerate() {
        let model = &agent.model;
        let Provider::Known(profile) = model.provider else { continue };
        let is_elsewhere = !model.base_url.is_empty() || !model.api_key_env.is_empty();
        let is_set = environment.get(&profile.key_env).is_some();
        if profile.key_env.is_empty() || is_elsewhere || is_set {
            continue;
        }
        let own = format!("agent[{index}].model");
        let path = if config.section_origin(&own).is_some() { own } else { "model".to_owned() };
        let message = format!(
            "{path}.provider is \"{}\" and {} is not set in the environment; set it, or name another variable in {path}.api_key_env",
            profile.name, profile.key_env
        );
        let origin = config.section_origin(&path).unwrap_or(Origin::Default);
        problems.insert(path, Problem { origin, message });
    }
    problems.into_values().collect()
}

/// A key's variable that is named must be set, for a prompt would go out without the key or not at all.
fn keys(config: &Config, environment: &Environment) -> Vec<Problem> {
    let models = config.settings.agents.iter().enumerate().map(|(index, agent)| {
        let own = format!("agent[{index}].model.api_key_env");
        let is_own = config.origin(&own) != Origin::Default;
        (if is_own { own } else { "model.api_key_env".to_owned() }, &agent.model.api_key_env)
    });
    let unset = models.filter(|(_, name)| !name.is_empty() && environment.get(name).is_none());
    let by_path: BTreeMap<_, _> = unset.collect();
    let problem = |(path, name): (String, &String)| {
        let message = format!(
            "names {name}, which is not set in the environment; set it, or leave the key empty"
        );
        config.problem(&path, &message)
    };
    by_path.into_iter().map(problem).collect()
}

/// What would be ignored or could not work: an address or key for a provider that is still to be found, and a hosted
/// provider without a model's name.
fn providers(config: &Config) -> Vec<Problem> {
    let mut problems = BTreeMap::new();
    for (index, agent) in config.settings.agents.iter().enumerate() {
        let model = &agent.model;
        let own = format!("agent[{index}].model");
        let path = if config.section_origin(&own).is_some() { own } else { "model".to_owned() };
        let message = match model.provider {
            Provider::Auto if !model.base_url.is_empty() => format!(
                "{path}.base_url is set and {path}.provider is \"auto\"; name the provider that is there"
            ),
            Provider::Auto if !model.api_key_env.is_empty() => format!(
                "{path}.api_key_env is set and {path}.provider is \"auto\"; name the provider that it is for"
            ),
            Provider::Auto | Provider::Reflex => continue,
            _ if model.name.is_empty() && model.base_url.is_empty() => {
                format!("{path}.provider is named and {path}.name is empty; name the model to ask")
            }
            _ => continue,
        };
        let origin = config.section_origin(&path).unwrap_or(Origin::Default);
        problems.insert(path, Problem { origin, message });
    }
    problems.into_values().collect()
}
