//! The rules of `[[agent]]`.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::{is_blank, is_reserved_agent_name, limits::CONTENT_CHARS_MAX};
use abide_engine::schedule::moment;

use crate::config::{AgentSection, Config, MindKind, NetworkSection, Transport, problem::Problem};

/// Agents at most in one keeper.
const AGENTS_MAX: usize = 1_000;

/// What is wrong with the agents.
pub(super) fn check(config: &Config) -> Vec<Problem> {
    let agents = &config.settings.agents;
    let mut problems = Vec::new();
    if agents.is_empty() || agents.len() > AGENTS_MAX {
        let message = format!("has {} entries; at least 1 and at most {AGENTS_MAX}", agents.len());
        problems.push(config.problem("agent", &message));
    }
    let mut first = BTreeMap::new();
    for (index, agent) in agents.iter().enumerate() {
        let table = format!("agent[{index}]");
        let id = format!("{table}.id");
        if is_reserved_agent_name(agent.id.as_str()) {
            let message = format!("is \"{}\", a name of Abide itself; choose another", agent.id);
            problems.push(config.problem(&id, &message));
        }
        if let Some(whose) = person(config, agent) {
            let message = format!(
                "is \"{}\", which is also {whose}; an agent and a person cannot have the same name",
                agent.id
            );
            problems.push(config.problem(&id, &message));
        }
        if let Some(earlier) = first.insert(&agent.id, index) {
            let message = format!("is \"{}\", as agent[{earlier}].id is already", agent.id);
            problems.push(config.problem(&id, &message));
        }
        problems.extend(partners(config, &table, agent));
        problems.extend(schedules(config, &table, agent));
        problems.extend(paths(config, &table, agent));
    }
    problems.extend(agents.iter().enumerate().filter_map(|(index, agent)| {
        let (key, message) = program(agent)?;
        Some(config.problem(&format!("agent[{index}].{key}"), message))
    }));
    problems
}

/// Where a person of an agent's name is configured.
fn person(config: &Config, agent: &AgentSection) -> Option<&'static str> {
    let irc = &config.settings.irc;
    let mut people = irc.networks.iter().flat_map(NetworkSection::people);
    people
        .any(|known| known.person.bare() == agent.id.as_str())
        .then_some("a person of an [[irc.network]]")
}

fn partners(config: &Config, table: &str, agent: &AgentSection) -> Option<Problem> {
    let mut ids = BTreeSet::new();
    let mut names = agent.partners.iter().map(|partner| partner.id.to_lowercase());
    let twice = names.find(|id| !ids.insert(id.clone()))?;
    Some(config.problem(&format!("{table}.partners"), &format!("names \"{twice}\" twice")))
}

/// What a confined process is granted is named from the root, or from the user's own folder.
fn paths(config: &Config, table: &str, agent: &AgentSection) -> Vec<Problem> {
    let lists = [("read", &agent.read), ("write", &agent.write)];
    let is_wrong = |path: &&String| !path.starts_with('/') && !path.starts_with("~/");
    let problem = |(name, paths): (&str, &Vec<String>)| {
        let wrong = paths.iter().find(is_wrong)?;
        let message = format!("names \"{wrong}\"; a path begins with / or with ~/");
        Some(config.problem(&format!("{table}.{name}"), &message))
    };
    lists.into_iter().filter_map(problem).collect()
}

/// A schedule has a name of its own, a time, and a content that an envelope could have.
fn schedules(config: &Config, table: &str, agent: &AgentSection) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut names = BTreeSet::new();
    for (at, schedule) in agent.schedule.iter().enumerate() {
        let mut problem = |key: &str, message: &str| {
            problems.push(config.problem(&format!("{table}.schedule[{at}].{key}"), message));
        };
        let name = schedule.name(at);
        if !names.insert(name.clone()) {
            problem("name", &format!("is \"{name}\", as another of this agent is already"));
        }
        match (schedule.cron.as_deref(), &schedule.at) {
            (Some(""), None) => {
                problem("cron", "is empty; give five cron fields such as \"0 8 * * *\"");
            }
            (Some(_), Some(_)) => problem("at", "is set beside cron; give one of the two"),
            (None, None) => {
                problem("cron", "is missing; give cron or at, such as \"0 8 * * *\"");
            }
            (None, Some(at)) => {
                if let Err(error) = moment(at, &schedule.zone(&config.zone)) {
                    problem("at", &format!("is {at:?}: {error}"));
                }
            }
            (Some(_), None) => {}
        }
        if let Some(chat) = &schedule.chat {
            let (settings, number) = (&config.settings, schedule.chat_number());
            if settings.telegram_agent().is_none_or(|speaker| speaker != agent.id) {
                problem("chat", "names a chat, but no bot of Telegram speaks for this agent");
            } else if number.is_none_or(|number| !settings.telegram.chats().contains(&number)) {
                let message = format!(
                    "is {chat:?}, which is none of telegram.chats; give its number, or NUMBER/TOPIC"
                );
                problem("chat", &message);
            }
        }
        let chars = schedule.content.chars().count();
        if is_blank(&schedule.content) || chars > CONTENT_CHARS_MAX {
            let message =
                format!("has {chars} characters; 1 to {CONTENT_CHARS_MAX}, not all blank");
            problem("content", &message);
        }
    }
    problems
}

/// The key and the problem, where an agent's mind lacks the program that it needs, or has one that it does not use.
fn program(agent: &AgentSection) -> Option<(&'static str, &'static str)> {
    let has_command = !agent.command.is_empty();
    let is_process = matches!(agent.mind, MindKind::Auto | MindKind::Agent);
    match agent.mind {
        MindKind::Acp if !has_command => {
            Some(("mind", "is \"acp\", which needs the agent's program in command"))
        }
        MindKind::Model | MindKind::Reflex if has_command => {
            Some(("command", "is set, but this mind has no program of its own: it would never run"))
        }
        _ if agent.transport == Transport::Stdio => None,
        _ if is_process && has_command => Some((
            "command",
            "is set, and transport is \"socket\": such an agent is started by somebody else",
        )),
        _ if is_process => None,
        _ => Some(("transport", "is \"socket\", which needs mind = \"agent\"")),
    }
}
