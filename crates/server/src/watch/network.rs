//! How the newest askings of agents' minds ended, as far as that tells whether the network is down.
//!
//! Told from the ledger's own words: the code of a failed asking, and the words of our HTTP client, which processes of agents
//! pass on. What other programs say of their failures is not read: it says nothing, which is the safe side.

use std::{collections::BTreeSet, net::IpAddr};

use abide_domain::AgentId;
use abide_engine::state::EndedAsking;
use abide_http::UNREACHABLE;
use abide_watchdog::{ModelContact, ModelReach};

use crate::config::{AgentSection, MindKind, Provider, Settings, Transport};

/// The agents whose askings say nothing about the network: they think without a model, by a program of their own, or with a
/// model on this machine.
pub(super) fn local(settings: &Settings) -> BTreeSet<AgentId> {
    let is_local = |agent: &&AgentSection| {
        let model = agent.model.clone();
        let is_here = match model.provider {
            Provider::Reflex => true,
            Provider::Ollama if model.base_url.is_empty() => true,
            _ => is_this_machine(host_of(&model.base_url)),
        };
        let is_own = !agent.command.is_empty() || agent.transport == Transport::Socket;
        is_here || is_own || matches!(agent.mind, MindKind::Reflex | MindKind::Acp)
    };
    settings.agents.iter().filter(is_local).map(|agent| agent.id.clone()).collect()
}

/// What the newest asking of an agent's mind says; none where it says nothing about the network.
pub(super) fn asking(agent: &AgentId, ended: &EndedAsking) -> Option<ModelContact> {
    let way = match &ended.failed {
        None => ModelReach::Open,
        Some((code, words)) => way(code, words)?,
    };
    Some(ModelContact { agent: agent.clone(), at: ended.at, way })
}

/// What a failure says of the way to the model; none where the way leads nowhere else than here.
fn way(code: &str, words: &str) -> Option<ModelReach> {
    Some(match code {
        // Somebody answered, if only to decline.
        "bad_voice" | "overloaded" | "rate_limited" | "money_out" | "refused"
        | "context_too_long" | "rejected" => ModelReach::Open,
        "unavailable" => match words.split_once(UNREACHABLE) {
            Some((_, rest)) => {
                // Addresses of the newer kind have colons of their own.
                let host = rest.split(": ").next().and_then(|host| host.split(' ').next());
                let host = host.unwrap_or_default();
                if is_this_machine(host) {
                    return None;
                }
                ModelReach::Closed { host: host.to_owned() }
            }
            None => ModelReach::Unknown,
        },
        _ => ModelReach::Unknown,
    })
}

/// The host of an address, without its port.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        Some((address, _)) => address,
        None => authority.split(':').next().unwrap_or_default(),
    }
}

fn is_this_machine(host: &str) -> bool {
    let is_loopback = |address: IpAddr| address.is_loopback() || address.is_unspecified();
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use abide_watchdog::ModelReach;

    use super::{host_of, is_this_machine, way};

    #[test]
    fn only_a_connection_that_was_not_made_closes_the_way() {
        let closed = |host: &str| Some(ModelReach::Closed { host: host.to_owned() });
        let words = "the model could not be reached or broke off: could not reach";
        let cases = [
            ("unavailable", format!("{words} api.model.test: dns error"), closed("api.model.test")),
            ("unavailable", format!("{words} api.model.test"), closed("api.model.test")),
            ("unavailable", format!("{words} 127.0.0.1: refused"), None),
            ("unavailable", format!("{words} localhost: refused"), None),
            ("unavailable", format!("{words} ::1: refused"), None),
            ("unavailable", "boom (HTTP 500)".to_owned(), Some(ModelReach::Unknown)),
            ("unavailable", "the keeper is stopping".to_owned(), Some(ModelReach::Unknown)),
            ("rate_limited", "slow down".to_owned(), Some(ModelReach::Open)),
            ("rejected", "bad key (HTTP 401)".to_owned(), Some(ModelReach::Open)),
            ("deadline", "no answer".to_owned(), Some(ModelReach::Unknown)),
            ("crashed", format!("{words} api.model.test"), Some(ModelReach::Unknown)),
            ("paged", String::new(), Some(ModelReach::Unknown)),
        ];
        for (code, words, expected) in cases {
            assert_eq!(way(code, &words), expected, "{code}: {words}");
        }
    }

    #[test]
    fn a_model_on_this_machine_is_known_by_its_address() {
        for (url, host, is_here) in [
            ("http://127.0.0.1:11434", "127.0.0.1", true),
            ("http://localhost/v1", "localhost", true),
            ("http://[::1]:8080/v1", "::1", true),
            ("https://api.model.test/v1", "api.model.test", false),
            ("https://[2001:db8::1]/v1", "2001:db8::1", false),
            ("", "", false),
        ] {
            assert_eq!((host_of(url), is_this_machine(host_of(url))), (host, is_here), "{url}");
        }
    }
}
