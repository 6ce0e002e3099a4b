//! `[irc]` and `[[irc.network]]`: where people meet agents on IRC.

use std::{net::SocketAddr, path::Path};

use abide_channels::irc::nick_for_agent;
use abide_domain::{AgentId, EntityName, evidence::is_reserved_name};

use crate::config::shape::{
    ADDRESS_OR_OFF, FLAG, ID, Node, TEXTS, VARIABLE_NAME, count, section, text,
};

section! {
    /// `[irc]`.
    pub(crate) struct IrcSection {
        /// Address and port, or "off"; any other address than loopback needs cert, key and auth.required = true.
        listen: String = "127.0.0.1:6667", ADDRESS_OR_OFF;
        /// A file with a certificate chain in PEM; with key: TLS for every connection.
        pub(crate) cert: String = "", text(4_096);
        /// A file with the certificate's key in PEM.
        pub(crate) key: String = "", text(4_096);
        /// Agents on other IRC networks.
        #[serde(rename = "network")]
        pub(crate) networks: Vec<NetworkSection> = [], Node::Tables(NetworkSection::KEYS);
    }
}

section! {
    /// `[[irc.network]]`: an agent on another IRC network.
    pub(crate) struct NetworkSection {
        /// Your name for the network: a-z, 0-9 and `-`.
        pub(crate) name: String = required, text(32);
        /// Its server.
        pub(crate) host: String = required, text(256);
        /// Its port.
        pub(crate) port: u16 = 6697, count(1, 65_535);
        /// Whether the connection uses TLS.
        pub(crate) tls: bool = true, FLAG;
        /// The agent that speaks there.
        pub(crate) agent: AgentId = required, ID;
        /// Its nick there; empty: the agent's.
        nick: String = "", text(64);
        /// Its account there (SASL); empty: none.
        pub(crate) account: String = "", text(256);
        /// The variable that holds the account's password.
        pub(crate) password_env: String = "", VARIABLE_NAME;
        /// Channels that it joins.
        pub(crate) channels: Vec<String> = [], TEXTS;
        /// Accounts there that it answers: "account" or "account=person".
        pub(crate) people: Vec<String> = [], TEXTS;
    }
}

/// Somebody on another IRC network who may speak to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NetworkPerson {
    /// The account there, in lower case.
    pub(crate) account: String,
    /// Who that is here.
    pub(crate) person: EntityName,
}

impl IrcSection {
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

impl NetworkSection {
    /// The nick that is wanted.
    pub(crate) fn nick(&self) -> String {
        if self.nick.is_empty() { nick_for_agent(&self.agent) } else { self.nick.clone() }
    }

    /// Who may speak to the agent there.
    pub(crate) fn people(&self) -> Vec<NetworkPerson> {
        // Checked with the configuration.
        self.people.iter().filter_map(|text| network_person(text)).collect()
    }
}

/// Reads `account` or `account=person`.
pub(crate) fn network_person(text: &str) -> Option<NetworkPerson> {
    let (account, person) = text.split_once('=').unwrap_or((text, text));
    let person =
        EntityName::sender(person).ok().filter(|person| !is_reserved_name(person.bare()))?;
    let account = account.to_lowercase();
    let is_word = !account.is_empty() && !account.contains(char::is_whitespace);
    is_word.then_some(NetworkPerson { account, person })
}
