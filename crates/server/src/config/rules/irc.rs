//! The rules of `[irc]` and `[[irc.network]]`, most of all of what others can reach.

use std::collections::BTreeSet;

use abide_channels::irc::{is_channel, is_nick};

use crate::config::{
    Config, Environment, NetworkSection,
    problem::{Origin, Problem},
    sections::network_person,
};

/// Longest name of a network.
const NAME_BYTES_MAX: usize = 32;

/// What is wrong with `[irc]`: what cannot work, and what would let in anybody.
pub(super) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let irc = &config.settings.irc;
    let mut problems = Vec::new();
    if irc.cert.is_empty() != irc.key.is_empty() {
        problems.push(config.problem("irc.cert", "and irc.key go together: set both or neither"));
    }
    let is_safe = irc.tls().is_some() && config.settings.auth.required;
    if let Some(listen) = irc.listen().filter(|listen| !listen.ip().is_loopback() && !is_safe) {
        let message = format!(
            "is {listen}, which others can reach; set irc.cert and irc.key for TLS, and auth.required = true"
        );
        problems.push(config.problem("irc.listen", &message));
    }
    problems.extend(networks(config, environment));
    problems
}

fn networks(config: &Config, environment: &Environment) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut taken = BTreeSet::new();
    for (index, network) in config.settings.irc.networks.iter().enumerate() {
        let mut problem = |key: &str, message: String| {
            let table = format!("irc.network[{index}]");
            let mut problem = config.problem(&format!("{table}.{key}"), &message);
            if problem.origin == Origin::Default {
                problem.origin = config.origin(&table);
            }
            problems.push(problem);
        };
        let NetworkSection { name, agent, account, password_env, .. } = network;
        if !is_name(name) {
            problem("name", format!("is {name:?}; 1 to {NAME_BYTES_MAX} of a-z, 0-9 and `-`"));
        }
        if !taken.insert((name, agent)) {
            problem("agent", format!("is on {name} by another [[irc.network]] already"));
        }
        if !config.settings.agents.iter().any(|known| known.id == *agent) {
            problem(
                "agent",
                format!("is \"{agent}\", which is not an agent of this configuration"),
            );
        }
        if !is_nick(&network.nick()) {
            problem("nick", format!("is {:?}, which is not an IRC nick", network.nick()));
        }
        if account.is_empty() != password_env.is_empty() {
            problem("account", "and password_env go together: set both or neither".to_owned());
        }
        if !password_env.is_empty() && environment.get(password_env).is_none() {
            let message = format!("names {password_env}, which is not set in the environment");
            problem("password_env", message);
        }
        for channel in network.channels.iter().filter(|channel| !is_channel(channel)) {
            let message = format!("has {channel:?}, which is not a channel such as \"#abide\"");
            problem("channels", message);
        }
        for text in network.people.iter().filter(|text| network_person(text).is_none()) {
            let message = format!(
                "has {text:?}; an account there, or \"account=person\" with the person's id here"
            );
            problem("people", message);
        }
    }
    problems
}

fn is_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(fits)
}
