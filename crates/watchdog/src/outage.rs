//! Whether agents' models can be reached: told from how the newest askings of agents' minds ended, which the ledger shows to anybody.
//! An agent whose model cannot be reached is not to blame, and no page helps it.
//!
//! Pure. It asks nothing of the network itself: what a probe of ours could reach says little of what minds can. It must never
//! take one broken provider for a broken network while another model answers.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::{AgentId, Timestamp, event::watchdog::BlindCause};

use crate::{
    observation::Outage,
    settings::{HOSTS_NAMED_MAX, UNREACHED_AGENTS, UNREACHED_MAX},
};

/// How the newest asking of an agent's mind ended. Only agents whose model is on another machine count: what answers on this
/// one says nothing about the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelContact {
    /// Whose mind.
    pub agent: AgentId,
    /// The service that it asks, by its address: agents with one service say something of each other's.
    pub service: String,
    /// When it ended.
    pub at: Timestamp,
    /// Whether the model was reached.
    pub reach: ModelReach,
}

/// Whether a model was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelReach {
    /// It was, whatever it answered.
    Reached,
    /// No connection could be made.
    Unreachable {
        /// To which host.
        host: String,
    },
    /// The end does not say: a deadline, a page, a process that died.
    Unknown,
}

/// A model that cannot be reached, as an agent met it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachableModel {
    /// The host that no connection could be made to.
    pub host: String,
    /// When that was found last.
    pub at: Timestamp,
}

/// The agents whose models cannot be reached, which none of them is to blame for: of those that use one service, the newest
/// askings of two (of all, where there are fewer) found no connection within the last minutes, and no asking of any has reached
/// it since the first of them.
pub fn unreachable_agents(
    now: Timestamp,
    contacts: &[ModelContact],
) -> BTreeMap<AgentId, UnreachableModel> {
    let services: BTreeSet<&str> = contacts.iter().map(|contact| &*contact.service).collect();
    let of = |service| contacts.iter().filter(move |contact| contact.service == service);
    services
        .into_iter()
        .flat_map(|service| unreachable_of(now, &of(service).collect::<Vec<_>>()))
        .collect()
}

fn unreachable_of(
    now: Timestamp,
    contacts: &[&ModelContact],
) -> BTreeMap<AgentId, UnreachableModel> {
    let reached = contacts.iter().filter(|contact| contact.reach == ModelReach::Reached);
    let reached_at = reached.map(|contact| contact.at).max();
    let unreachable = |contact: &&ModelContact| match &contact.reach {
        ModelReach::Unreachable { host }
            if reached_at.is_none_or(|reached| reached < contact.at)
                && now.since(contact.at) <= UNREACHED_MAX =>
        {
            let (host, at) = (host.clone(), contact.at);
            Some((contact.agent.clone(), UnreachableModel { host, at }))
        }
        _ => None,
    };
    let all: BTreeSet<&AgentId> = contacts.iter().map(|contact| &contact.agent).collect();
    let found: BTreeMap<_, _> = contacts.iter().filter_map(unreachable).collect();
    if found.len() < all.len().min(UNREACHED_AGENTS) { BTreeMap::new() } else { found }
}

/// The outage of a keeper none of whose agents can reach its model.
pub fn network_outage(unreachable: &BTreeMap<AgentId, UnreachableModel>) -> Option<Outage> {
    let hosts: BTreeSet<&str> = unreachable.values().map(|model| &*model.host).collect();
    if hosts.is_empty() {
        return None;
    }
    let mut named: Vec<&str> = hosts.iter().copied().take(HOSTS_NAMED_MAX).collect();
    if hosts.len() > named.len() {
        named.push("others");
    }
    let message = format!("no agent's model can be reached: no connection to {}", named.join(", "));
    Some(Outage { cause: BlindCause::Network, message })
}

#[cfg(test)]
mod tests {
    use abide_domain::{Timestamp, event::watchdog::BlindCause};

    use super::{ModelContact, ModelReach, network_outage, unreachable_agents};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_micros(second * 1_000_000)
    }

    fn contact(agent: &str, second: i64, reach: ModelReach) -> ModelContact {
        ModelContact { agent: agent.parse().unwrap(), service: "one".into(), at: at(second), reach }
    }

    fn unreachable(host: &str) -> ModelReach {
        ModelReach::Unreachable { host: host.into() }
    }

    /// Whose asking, when, and how it ended.
    type Row = (&'static str, i64, char);

    /// Askings at given seconds: `x` found no connection, `o` reached its model, `?` is not known.
    fn found(contacts: &[Row]) -> bool {
        let reach = |letter| match letter {
            'o' => ModelReach::Reached,
            'x' => unreachable("model.test"),
            _ => ModelReach::Unknown,
        };
        let contacts: Vec<_> = contacts
            .iter()
            .map(|(agent, second, letter)| contact(agent, *second, reach(*letter)))
            .collect();
        !unreachable_agents(at(1000), &contacts).is_empty()
    }

    #[test]
    fn the_network_is_down_when_nobody_s_model_can_be_reached() {
        let cases: [(&str, &[Row], bool); 14] = [
            ("nobody asked", &[], false),
            ("all reached", &[("ada", 900, 'o'), ("felix", 950, 'o')], false),
            ("two found no way", &[("ada", 900, 'x'), ("felix", 950, 'x')], true),
            ("the only one found none", &[("ada", 900, 'x')], true),
            ("one of two found none", &[("ada", 500, 'o'), ("felix", 950, 'x')], false),
            (
                "two of three, the third before",
                &[("ada", 900, 'x'), ("felix", 950, 'x'), ("iris", 899, 'o')],
                true,
            ),
            (
                "two of three, the third since",
                &[("ada", 900, 'x'), ("felix", 950, 'x'), ("iris", 951, 'o')],
                false,
            ),
            (
                "the third between the two",
                &[("ada", 900, 'x'), ("felix", 950, 'x'), ("iris", 920, 'o')],
                false,
            ),
            (
                "and two more after it",
                &[("ada", 930, 'x'), ("felix", 950, 'x'), ("iris", 920, 'o')],
                true,
            ),
            (
                "at the same moment counts as reached",
                &[("ada", 950, 'x'), ("felix", 950, 'o')],
                false,
            ),
            ("long ago", &[("ada", 600, 'x'), ("felix", 650, 'x')], false),
            ("one of them long ago", &[("ada", 600, 'x'), ("felix", 950, 'x')], false),
            ("as long ago as may be", &[("ada", 700, 'x'), ("felix", 950, 'x')], true),
            ("ends that say nothing", &[("ada", 900, '?'), ("felix", 950, '?')], false),
        ];
        for (name, contacts, expected) in cases {
            assert_eq!(found(contacts), expected, "{name}");
        }
    }

    #[test]
    fn one_service_that_is_away_says_nothing_of_another() {
        let of = |service: &str, agent: &str, reach| ModelContact {
            service: service.into(),
            ..contact(agent, 950, reach)
        };
        let contacts = [
            of("a", "ada", unreachable("a.test")),
            of("b", "felix", ModelReach::Reached),
            of("b", "iris", unreachable("b.test")),
            of("c", "luca", ModelReach::Unknown),
        ];
        let found = unreachable_agents(at(1000), &contacts);
        let found: Vec<_> =
            found.iter().map(|(agent, model)| (agent.as_str(), &*model.host)).collect();
        assert_eq!(found, [("ada", "a.test")], "iris is one of two, and felix reached b");
    }

    #[test]
    fn an_outage_names_hosts_and_not_without_end() {
        let one = [
            contact("ada", 900, unreachable("a.test")),
            contact("felix", 950, unreachable("b.test")),
        ];
        let outage = network_outage(&unreachable_agents(at(1000), &one)).unwrap();
        assert_eq!(outage.cause, BlindCause::Network);
        assert_eq!(
            outage.message,
            "no agent's model can be reached: no connection to a.test, b.test"
        );
        let many: Vec<_> = (0..40)
            .map(|n| contact(&format!("agent-{n}"), 900, unreachable(&format!("host-{n:02}.test"))))
            .collect();
        let outage = network_outage(&unreachable_agents(at(1000), &many)).unwrap();
        assert!(outage.message.ends_with("host-04.test, others"), "{}", outage.message);
    }
}
