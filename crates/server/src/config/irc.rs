//! `[irc]` and `[[irc.network]]`: where people meet agents on IRC, and the rules of what others can reach.

use std::{collections::BTreeSet, net::SocketAddr, path::Path};

use abide_channels::irc::{is_channel, is_nick, nick_for_agent};
use abide_domain::{AgentId, EntityName, evidence::is_reserved_name};
use serde::Deserialize;

use super::{
    Config, Environment,
    problem::{Place, Problem},
};

/// Longest name of a network.
const NAME_BYTES_MAX: usize = 32;

/// `[irc]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct IrcSettings {
    listen: String,
    cert: String,
    key: String,
    /// `[[irc.network]]`.
    #[serde(default, rename = "network")]
    pub(crate) networks: Vec<NetworkSettings>,
}

/// `[[irc.network]]`: an agent on a network outside.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct NetworkSettings {
    /// What the house calls the network.
    pub(crate) name: String,
    /// Its server.
    pub(crate) host: String,
    /// Its port.
    #[serde(default = "default_port")]
    pub(crate) port: u16,
    /// Whether the connection is protected.
    #[serde(default = "default_tls")]
    pub(crate) tls: bool,
    /// Who speaks there.
    pub(crate) agent: AgentId,
    #[serde(default)]
    nick: String,
    /// Its account there; empty: none.
    #[serde(default)]
    pub(crate) account: String,
    /// The variable that holds the account's password.
    #[serde(default)]
    pub(crate) password_env: String,
    /// Channels that it is in.
    #[serde(default)]
    pub(crate) channels: Vec<String>,
    #[serde(default)]
    people: Vec<String>,
}

/// Somebody on a network outside who may speak to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// The account there, in lower case.
    pub(crate) account: String,
    /// Who that is here.
    pub(crate) person: EntityName,
}

const fn default_port() -> u16 {
    6697
}

const fn default_tls() -> bool {
    true
}

impl IrcSettings {
    /// Where the server listens; none where it is off.
    pub(crate) fn listen(&self) -> Option<SocketAddr> {
        // Checked with the configuration: an address, or "off".
        self.listen.parse().ok()
    }

    /// The files of the certificate and its key, where the server speaks TLS.
    pub(crate) fn tls(&self) -> Option<(&Path, &Path)> {
        let is_set = !self.cert.is_empty() && !self.key.is_empty();
        is_set.then(|| (Path::new(&self.cert), Path::new(&self.key)))
    }
}

impl NetworkSettings {
    /// The nick that is wanted.
    pub(crate) fn nick(&self) -> String {
        if self.nick.is_empty() { nick_for_agent(&self.agent) } else { self.nick.clone() }
    }

    /// Who may speak to the agent there.
    pub(crate) fn people(&self) -> Vec<Known> {
        // Checked with the configuration.
        self.people.iter().filter_map(|text| known(text)).collect()
    }
}

/// Reads `account` or `account=person`.
fn known(text: &str) -> Option<Known> {
    let (account, person) = text.split_once('=').unwrap_or((text, text));
    let person =
        EntityName::sender(person).ok().filter(|person| !is_reserved_name(person.bare()))?;
    let account = account.to_lowercase();
    let is_word = !account.is_empty() && !account.contains(char::is_whitespace);
    is_word.then_some(Known { account, person })
}

/// What of `[irc]` cannot work, or would let in whom nobody asked.
pub(super) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let irc = &config.settings.irc;
    let mut problems = Vec::new();
    let mut problem = |key: &str, message: String| {
        let path = format!("irc.{key}");
        let place = config.place(&path);
        problems.push(Problem { place, message: format!("{path} {message}") });
    };
    if irc.cert.is_empty() != irc.key.is_empty() {
        problem("cert", "and irc.key go together: set both or neither".to_owned());
    }
    if let Some(listen) = irc.listen().filter(|listen| !listen.ip().is_loopback()) {
        let is_safe = irc.tls().is_some() && config.settings.auth.required;
        if !is_safe {
            problem(
                "listen",
                format!(
                    "is {listen}, which others can reach; set irc.cert and irc.key for TLS, and auth.required = true"
                ),
            );
        }
    }
    problems.extend(networks(config, environment));
    problems
}

fn networks(config: &Config, environment: &Environment) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut taken = BTreeSet::new();
    for (index, network) in config.settings.irc.networks.iter().enumerate() {
        let mut problem = |key: &str, message: String| {
            let path = format!("irc.network[{index}].{key}");
            let place = match config.place(&path) {
                Place::Default => config.place(&format!("irc.network[{index}]")),
                place => place,
            };
            problems.push(Problem { place, message: format!("{path} {message}") });
        };
        let NetworkSettings { name, agent, account, password_env, .. } = network;
        if !is_name(name) {
            problem("name", format!("is {name:?}; 1 to {NAME_BYTES_MAX} of a-z, 0-9 and `-`"));
        }
        if !taken.insert((name, agent)) {
            problem("agent", format!("is on {name} by another [[irc.network]] already"));
        }
        if !config.settings.agents.iter().any(|known| known.id == *agent) {
            problem("agent", format!("is \"{agent}\", which is no agent of this configuration"));
        }
        if !is_nick(&network.nick()) {
            problem("nick", format!("is {:?}, which is no nick of IRC", network.nick()));
        }
        if account.is_empty() != password_env.is_empty() {
            problem("account", "and password_env go together: set both or neither".to_owned());
        }
        if !password_env.is_empty() && environment.get(password_env).is_none() {
            let message = format!("names {password_env}, which is not set in the environment");
            problem("password_env", message);
        }
        for channel in network.channels.iter().filter(|channel| !is_channel(channel)) {
            problem("channels", format!("has {channel:?}, which is no channel such as \"#abide\""));
        }
        for text in network.people.iter().filter(|text| known(text).is_none()) {
            problem(
                "people",
                format!(
                    "has {text:?}; an account there, or \"account=person\" with the person's id here"
                ),
            );
        }
    }
    problems
}

fn is_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(fits)
}
