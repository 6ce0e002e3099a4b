//! How the newest attempts of agents' minds ended, as far as that shows whether the network is down.
//!
//! Read from the ledger: the code of a failed attempt, and the message of our HTTP client, which agents' processes pass on.
//! Messages of other programs are not read: they count as saying nothing, which is the safe side.

use std::collections::BTreeMap;

use abide_domain::AgentId;
use abide_engine::state::AttemptEnd;
use abide_http::UNREACHABLE;
use abide_watchdog::{ModelContact, ModelReach};

use crate::config::{AgentSection, MindKind, Provider, Settings, host_of, is_this_machine};

/// The services that agents' minds ask, by their addresses; none for an agent whose attempts say nothing about the network: its
/// mind needs no model, is a configured program, or asks a model on this machine.
pub(super) fn model_services(settings: &Settings) -> BTreeMap<AgentId, String> {
    let service = |agent: &AgentSection| {
        let model = agent.model.clone();
        let base_url = match model.provider {
            Provider::Known(profile) if model.base_url.is_empty() => profile.base_url.as_str(),
            _ => model.base_url.as_str(),
        };
        let host = host_of(base_url);
        let is_here = model.provider == Provider::Reflex
            || model.is_on_this_machine()
            || is_this_machine(host);
        let is_program = agent.is_own_program();
        let is_other =
            is_here || is_program || matches!(agent.mind, MindKind::Reflex | MindKind::Acp);
        let name = if host.is_empty() { format!("{:?}", model.provider) } else { host.to_owned() };
        (!is_other).then_some((agent.id.clone(), name))
    };
    settings.agents.iter().filter_map(service).collect()
}

/// What the newest attempt of an agent says about the service that it asks; none where it says nothing about the network.
pub(super) fn contact_of(
    agent: &AgentId,
    service: &str,
    ended: &AttemptEnd,
) -> Option<ModelContact> {
    let reach = match &ended.failed {
        None => ModelReach::Reached,
        Some((code, words)) => reach_of(code, words)?,
    };
    Some(ModelContact { agent: agent.clone(), service: service.to_owned(), at: ended.at, reach })
}

/// What a failure says about reaching the model; none where the model is on this machine.
fn reach_of(code: &str, words: &str) -> Option<ModelReach> {
    Some(match code {
        // The model server answered, if only to decline.
        "bad_voice" | "overloaded" | "rate_limited" | "money_out" | "refused"
        | "context_too_long" | "perhaps_too_long" | "rejected" => ModelReach::Reached,
        "unavailable" => match words.split_once(UNREACHABLE) {
            Some((_, rest)) => {
                // Addresses of the newer kind have colons of their own.
                let host = rest.split(": ").next().and_then(|host| host.split(' ').next());
                let host = host.unwrap_or_default();
                if is_this_machine(host) {
                    return None;
                }
                ModelReach::Unreachable { host: host.to_owned() }
            }
            None => ModelReach::Unknown,
        },
        _ => ModelReach::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use abide_watchdog::ModelReach;

    use super::reach_of;

    #[test]
    fn only_a_connection_that_was_not_made_counts_as_unreachable() {
        let closed = |host: &str| Some(ModelReach::Unreachable { host: host.to_owned() });
        let words = "the model could not be reached or broke off: could not reach";
        let cases = [
            ("unavailable", format!("{words} api.model.test: dns error"), closed("api.model.test")),
            ("unavailable", format!("{words} api.model.test"), closed("api.model.test")),
            ("unavailable", format!("{words} 127.0.0.1: refused"), None),
            ("unavailable", format!("{words} localhost: refused"), None),
            ("unavailable", format!("{words} ::1: refused"), None),
            ("unavailable", "boom (HTTP 500)".to_owned(), Some(ModelReach::Unknown)),
            ("unavailable", "the keeper is stopping".to_owned(), Some(ModelReach::Unknown)),
            ("rate_limited", "slow down".to_owned(), Some(ModelReach::Reached)),
            ("rejected", "bad key (HTTP 401)".to_owned(), Some(ModelReach::Reached)),
            ("deadline", "no answer".to_owned(), Some(ModelReach::Unknown)),
            ("crashed", format!("{words} api.model.test"), Some(ModelReach::Unknown)),
            ("paged", String::new(), Some(ModelReach::Unknown)),
        ];
        for (code, words, expected) in cases {
            assert_eq!(reach_of(code, &words), expected, "{code}: {words}");
        }
    }
}
