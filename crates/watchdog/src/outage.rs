//! Whether the network is down: told from how the newest askings of agents' minds ended, which the ledger shows to anybody.
//! An agent whose model cannot be reached is not to blame, and no page helps it.
//!
//! Pure. It asks nothing of the network itself: what a probe of ours could reach says little of what minds can. It must never
//! take one broken provider for a broken network while another model answers.

use std::collections::BTreeSet;

use abide_domain::{AgentId, Timestamp, event::watchdog::BlindCause};

use crate::{
    settings::{HOSTS_NAMED_MAX, UNREACHED_AGENTS, UNREACHED_MAX},
    standing::Outage,
};

/// How the newest asking of an agent's mind ended. Only agents whose model is on another machine count: what answers on this
/// one says nothing about the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelContact {
    /// Whose mind.
    pub agent: AgentId,
    /// When it ended.
    pub at: Timestamp,
    /// Whether the model was reached.
    pub way: ModelReach,
}

/// Whether a model was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelReach {
    /// It was, whatever it answered.
    Open,
    /// No connection could be made.
    Closed {
        /// To which host.
        host: String,
    },
    /// The end does not say: a deadline, a page, a process that died.
    Unknown,
}

/// The outage, if the network is down: the newest askings of two agents, or of all where there are fewer, found no connection
/// within the last minutes, and no asking of any agent has reached its model since the first of them.
pub fn network(now: Timestamp, askings: &[ModelContact]) -> Option<Outage> {
    let reached_at =
        askings.iter().filter(|asking| asking.way == ModelReach::Open).map(|a| a.at).max();
    let is_closed = |asking: &&ModelContact| {
        matches!(asking.way, ModelReach::Closed { .. })
            && reached_at.is_none_or(|reached| reached < asking.at)
            && now.since(asking.at) <= UNREACHED_MAX
    };
    let closed: Vec<&ModelContact> = askings.iter().filter(is_closed).collect();
    let agents: BTreeSet<&AgentId> = closed.iter().map(|asking| &asking.agent).collect();
    let all: BTreeSet<&AgentId> = askings.iter().map(|asking| &asking.agent).collect();
    if agents.is_empty() || agents.len() < all.len().min(UNREACHED_AGENTS) {
        return None;
    }
    let hosts = closed.iter().filter_map(|asking| match &asking.way {
        ModelReach::Closed { host } => Some(host.as_str()),
        ModelReach::Open | ModelReach::Unknown => None,
    });
    let hosts: BTreeSet<&str> = hosts.collect();
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

    use super::{ModelContact, ModelReach, network};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_micros(second * 1_000_000)
    }

    fn asking(agent: &str, second: i64, way: ModelReach) -> ModelContact {
        ModelContact { agent: agent.parse().unwrap(), at: at(second), way }
    }

    fn closed(host: &str) -> ModelReach {
        ModelReach::Closed { host: host.into() }
    }

    /// Whose asking, when, and how it ended.
    type Row = (&'static str, i64, char);

    /// Askings at given seconds: `x` found no connection, `o` reached its model, `?` is not known.
    fn found(askings: &[Row]) -> bool {
        let way = |letter| match letter {
            'o' => ModelReach::Open,
            'x' => closed("model.test"),
            _ => ModelReach::Unknown,
        };
        let askings: Vec<_> = askings
            .iter()
            .map(|(agent, second, letter)| asking(agent, *second, way(*letter)))
            .collect();
        network(at(1000), &askings).is_some()
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
        for (name, askings, expected) in cases {
            assert_eq!(found(askings), expected, "{name}");
        }
    }

    #[test]
    fn an_outage_names_hosts_and_not_without_end() {
        let one = [asking("ada", 900, closed("a.test")), asking("felix", 950, closed("b.test"))];
        let outage = network(at(1000), &one).unwrap();
        assert_eq!(outage.cause, BlindCause::Network);
        assert_eq!(
            outage.message,
            "no agent's model can be reached: no connection to a.test, b.test"
        );
        let many: Vec<_> = (0..40)
            .map(|n| asking(&format!("agent-{n}"), 900, closed(&format!("host-{n:02}.test"))))
            .collect();
        let outage = network(at(1000), &many).unwrap();
        assert!(outage.message.ends_with("host-04.test, others"), "{}", outage.message);
    }
}
