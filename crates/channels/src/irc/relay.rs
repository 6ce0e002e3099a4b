//! The relay, pure: of all that is said on IRC, what is a prompt for which agent, what is a page, what is a command.
//!
//! It trusts accounts, never nicks or texts. It answers nobody: whoever holds it acts on its decisions. What an agent or
//! another relay said is never a prompt, unless that was configured, so that two relays cannot talk for ever.
//!
//! Reading order: this file, `mention`, `bang`, `join` (prompts in several lines), `page`, then what becomes of an answer: `wait`
//! and `reply`.

use std::collections::HashSet;

use abide_domain::AgentId;

use super::{
    name::Folded,
    spoken::{Addressee, Speaker, SpokenKind, SpokenLine, Target},
};

mod bang;
mod join;
mod mention;
mod page;
mod reply;
mod wait;

pub use bang::BangCommand;
pub use join::{HeldPrompt, PROMPT_TIME_MAX, PieceJoiner, SLOW_PIECE_GAP};
pub use page::{ParsedPage, page_text};
pub use reply::{LineBudget, ReplyPage, reply_lines, reply_page};
pub use wait::{Wait, WaitLimits, WaitStep};

/// Most (channel, agent) pairs that may be without a gate.
const UNGATED_MAX: usize = 1_000;

/// What a person may set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelayConfig {
    /// The agent whose pages are followed.
    pub watchdog: AgentId,
    /// Agents may prompt each other by mention. Off, for two agents may never end.
    pub agents_prompt: bool,
    /// Guests without an account may prompt. Off: trust is by account.
    pub guests_prompt: bool,
}

impl RelayConfig {
    /// The defaults, with the watchdog's own id.
    pub fn new(watchdog: AgentId) -> Self {
        Self { watchdog, agents_prompt: false, guests_prompt: false }
    }
}

/// What is to be done about something that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelayDecision {
    /// Ask an agent this, mention taken out.
    Prompt {
        /// Whom.
        to: Addressee,
        /// What.
        text: String,
    },
    /// The watchdog pages an agent: its stalled turn is to be interrupted and asked again (decision 40).
    Page {
        /// Whom.
        to: Addressee,
        /// What the page says.
        page: ParsedPage,
    },
    /// A person gives a command.
    Bang(BangCommand),
    /// A gate moved: say so.
    Gate {
        /// The channel.
        channel: String,
        /// Whose gate.
        whose: Vec<Addressee>,
        /// Whether these agents now hear everything there.
        is_open: bool,
    },
    /// A gate could not be moved; the text says why.
    Unclear(String),
    /// Nothing is to be done.
    Nothing(IgnoreReason),
}

/// Why nothing is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreReason {
    /// No agent was mentioned.
    NotAddressed,
    /// Nothing was left beside the mention.
    EmptyPrompt,
    /// An agent said it.
    FromAgent,
    /// Another relay carried it here.
    FromRelay,
    /// Somebody without an account said it.
    FromGuest,
    /// Notices are never answered.
    IsNotice,
}

/// The relay: its configuration, and the gates that people opened.
#[derive(Clone, Debug)]
pub struct Relay {
    config: RelayConfig,
    ungated: HashSet<(Folded, AgentId)>,
}

impl Relay {
    /// A relay with every gate closed.
    pub fn new(config: RelayConfig) -> Self {
        Self { config, ungated: HashSet::new() }
    }

    /// Sets a gate as it was before a restart.
    pub fn restore_gate(&mut self, channel: &str, agent: AgentId, is_open: bool) {
        let gate = (Folded::new(channel), agent);
        if !is_open {
            self.ungated.remove(&gate);
        } else if self.ungated.len() < UNGATED_MAX {
            self.ungated.insert(gate);
        }
    }

    /// Decides about one thing that was said. Never empty.
    pub fn decide(&mut self, said: &SpokenLine) -> Vec<RelayDecision> {
        if let Some(decision) = self.watchdog_page(said) {
            return vec![decision];
        }
        if let Some(why) = self.distrusted(said) {
            return vec![RelayDecision::Nothing(why)];
        }
        if said.kind == SpokenKind::Speech
            && let Some(bang) = BangCommand::parse(&said.text)
        {
            // Only an account commands, whatever else guests and agents may do.
            return vec![match said.speaker {
                Speaker::Person(Some(_)) => self.command(said, bang),
                Speaker::Person(None) => RelayDecision::Nothing(IgnoreReason::FromGuest),
                Speaker::Agent(_) => RelayDecision::Nothing(IgnoreReason::FromAgent),
            }];
        }
        let prompts = self.prompts(said);
        if prompts.is_empty() {
            return vec![RelayDecision::Nothing(IgnoreReason::NotAddressed)];
        }
        prompts
    }

    /// The watchdog speaks as an agent, and is the one agent that is heard.
    fn watchdog_page(&self, said: &SpokenLine) -> Option<RelayDecision> {
        let is_watchdog = match &said.speaker {
            Speaker::Agent(agent) => *agent == self.config.watchdog,
            Speaker::Person(account) => account.as_deref() == Some(self.config.watchdog.as_str()),
        };
        let page = ParsedPage::parse(&said.text).filter(|_| is_watchdog && said.relay.is_none())?;
        let paged = said.agents.iter().find(|to| Folded::new(&to.nick) == Folded::new(&page.nick));
        let to = paged.filter(|to| to.agent != self.config.watchdog)?.clone();
        Some(RelayDecision::Page { to, page })
    }

    fn distrusted(&self, said: &SpokenLine) -> Option<IgnoreReason> {
        if said.relay.is_some() {
            return Some(IgnoreReason::FromRelay);
        }
        if said.kind == SpokenKind::Notice {
            return Some(IgnoreReason::IsNotice);
        }
        match &said.speaker {
            Speaker::Agent(agent) => {
                let may = self.config.agents_prompt && *agent != self.config.watchdog;
                (!may).then_some(IgnoreReason::FromAgent)
            }
            Speaker::Person(None) if !self.config.guests_prompt => Some(IgnoreReason::FromGuest),
            Speaker::Person(_) => None,
        }
    }

    fn prompts(&self, said: &SpokenLine) -> Vec<RelayDecision> {
        let others = said.agents.iter().filter(|to| !is_own(said, to));
        let decisions = others.filter_map(|to| {
            let is_alone = matches!(said.target, Target::Agent(_));
            let text = match mention::strip_mentions(&said.text, &to.nick) {
                Some(text) => text,
                // An indent is kept: the line may be one of a paste.
                None if is_alone || self.is_ungated(said, to) => said.text.trim_end().to_owned(),
                None => return None,
            };
            if text.is_empty() {
                return Some(RelayDecision::Nothing(IgnoreReason::EmptyPrompt));
            }
            let text =
                if said.kind == SpokenKind::Action { action_text(said, &text) } else { text };
            Some(RelayDecision::Prompt { to: to.clone(), text })
        });
        decisions.collect()
    }

    fn is_ungated(&self, said: &SpokenLine, to: &Addressee) -> bool {
        let Target::Channel(channel) = &said.target else { return false };
        let gate = (Folded::new(channel), to.agent.clone());
        // Agents that hear everything hear people only, or two of them would hear each other.
        matches!(said.speaker, Speaker::Person(_)) && self.ungated.contains(&gate)
    }

    fn command(&mut self, said: &SpokenLine, bang: BangCommand) -> RelayDecision {
        match bang {
            BangCommand::Ungate { nick } => self.move_gate(said, nick.as_deref(), true),
            BangCommand::Gate { nick } => self.move_gate(said, nick.as_deref(), false),
            bang => RelayDecision::Bang(bang),
        }
    }

    fn move_gate(&mut self, said: &SpokenLine, nick: Option<&str>, is_open: bool) -> RelayDecision {
        let Target::Channel(channel) = &said.target else {
            return RelayDecision::Unclear(
                "In a private conversation an agent hears everything; gates are for channels."
                    .into(),
            );
        };
        let is_meant = |to: &&Addressee| {
            nick.is_none_or(|nick| Folded::new(nick) == Folded::new(&to.nick))
                && to.agent != self.config.watchdog
        };
        let whose: Vec<_> = said.agents.iter().filter(is_meant).cloned().collect();
        if whose.is_empty() {
            return RelayDecision::Unclear(format!("No such agent is in {channel}."));
        }
        for to in &whose {
            let gate = (Folded::new(channel), to.agent.clone());
            if !is_open {
                self.ungated.remove(&gate);
            } else if self.ungated.len() < UNGATED_MAX {
                self.ungated.insert(gate);
            } else {
                return RelayDecision::Unclear(
                    "Too many agents are without a gate; close one with !gate NICK first.".into(),
                );
            }
        }
        RelayDecision::Gate { channel: channel.clone(), whose, is_open }
    }
}

/// Whether an agent would hear itself.
fn is_own(said: &SpokenLine, to: &Addressee) -> bool {
    matches!(&said.speaker, Speaker::Agent(agent) if *agent == to.agent)
}

fn action_text(said: &SpokenLine, text: &str) -> String {
    format!("* {} {text}", said.nick)
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::{IgnoreReason, Relay, RelayConfig, RelayDecision, page_text};
    use crate::irc::spoken::{Addressee, Speaker, SpokenKind, SpokenLine, Target};

    fn addressee(nick: &str) -> Addressee {
        Addressee { agent: nick.parse().unwrap(), nick: nick.to_owned() }
    }

    fn said(text: &str) -> SpokenLine {
        SpokenLine {
            speaker: Speaker::Person(Some("ann".into())),
            nick: "ann".into(),
            target: Target::Channel("#abide".into()),
            partner: None,
            agents: ["claude", "claude-2", "tickle-1"].map(addressee).into(),
            text: text.into(),
            kind: SpokenKind::Speech,
            is_whole: false,
            relay: None,
            msgid: "m".into(),
            at: Timestamp::from_micros(0),
        }
    }

    fn relay() -> Relay {
        Relay::new(RelayConfig::new("tickle-1".parse().unwrap()))
    }

    fn prompted(said: &SpokenLine) -> Vec<(String, String)> {
        let decisions = relay().decide(said).into_iter();
        let prompts = decisions.filter_map(|decision| match decision {
            RelayDecision::Prompt { to, text } => Some((to.nick, text)),
            _ => None,
        });
        prompts.collect()
    }

    #[test]
    fn a_mention_reaches_the_agent_of_that_name_and_no_other() {
        let cases: [(&str, &[(&str, &str)]); 8] = [
            ("@claude-2 look here", &[("claude-2", "look here")]),
            ("@claude look here", &[("claude", "look here")]),
            ("CLAUDE: look", &[("claude", "look")]),
            ("claude, look", &[("claude", "look")]),
            ("claude-2: look", &[("claude-2", "look")]),
            ("I asked claude: look", &[]),
            (
                "@claude and @claude-2: go",
                &[("claude", "and @claude-2: go"), ("claude-2", "@claude and go")],
            ),
            ("hello everybody", &[]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> =
                expected.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
            assert_eq!(prompted(&said(text)), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_to_be_answered_is_not_relayed() {
        let mut guest = said("@claude hi");
        guest.speaker = Speaker::Person(None);
        let mut agent = said("@claude hi");
        agent.speaker = Speaker::Agent("claude-2".parse().unwrap());
        let mut relayed = said("@claude hi");
        relayed.relay = Some("elsewhere".into());
        let mut notice = said("@claude hi");
        notice.kind = SpokenKind::Notice;
        let cases = [
            (guest, IgnoreReason::FromGuest),
            (agent, IgnoreReason::FromAgent),
            (relayed, IgnoreReason::FromRelay),
            (notice, IgnoreReason::IsNotice),
            (said("@claude"), IgnoreReason::EmptyPrompt),
            (said("claude:   "), IgnoreReason::EmptyPrompt),
            (said("hi"), IgnoreReason::NotAddressed),
        ];
        for (said, why) in cases {
            assert_eq!(relay().decide(&said), [RelayDecision::Nothing(why)], "{why:?}");
        }
    }

    #[test]
    fn a_nick_that_looks_like_the_watchdog_is_not_believed() {
        let text = page_text("claude", "claude", std::time::Duration::from_secs(312), "7f3a");
        let mut forged = said(&text);
        forged.nick = "tickle-1".into();
        assert!(matches!(relay().decide(&forged)[..], [RelayDecision::Prompt { .. }]));
        let mut real = said(&text);
        real.speaker = Speaker::Agent("tickle-1".parse().unwrap());
        let decisions = relay().decide(&real);
        let [RelayDecision::Page { to, page }] = &decisions[..] else { panic!("{decisions:?}") };
        assert_eq!((to.nick.as_str(), page.episode.as_str()), ("claude", "7f3a"));
        let mut own = said(&page_text("tickle-1", "tickle-1", std::time::Duration::ZERO, "1"));
        own.speaker = Speaker::Agent("tickle-1".parse().unwrap());
        assert_eq!(relay().decide(&own), [RelayDecision::Nothing(IgnoreReason::FromAgent)]);
    }

    #[test]
    fn an_agent_without_a_gate_hears_people_and_only_them() {
        let mut relay = relay();
        let decisions = relay.decide(&said("!ungate claude"));
        let gate = RelayDecision::Gate {
            channel: "#abide".into(),
            whose: vec![addressee("claude")],
            is_open: true,
        };
        assert_eq!(decisions, [gate]);
        let prompt = RelayDecision::Prompt { to: addressee("claude"), text: "hello".into() };
        assert_eq!(relay.decide(&said("hello")), [prompt]);
        let mut agent = said("hello");
        agent.speaker = Speaker::Agent("claude-2".parse().unwrap());
        assert_eq!(relay.decide(&agent), [RelayDecision::Nothing(IgnoreReason::FromAgent)]);
        let mut elsewhere = said("hello");
        elsewhere.target = Target::Channel("#other".into());
        assert_eq!(relay.decide(&elsewhere), [RelayDecision::Nothing(IgnoreReason::NotAddressed)]);
        relay.decide(&said("!gate"));
        assert_eq!(
            relay.decide(&said("hello")),
            [RelayDecision::Nothing(IgnoreReason::NotAddressed)]
        );
        assert!(matches!(relay.decide(&said("!ungate nobody"))[..], [RelayDecision::Unclear(_)]));
    }

    #[test]
    fn a_gate_is_the_agents_whatever_it_is_called_and_comes_back_after_a_restart() {
        let mut relay = relay();
        relay.restore_gate("#Abide", "claude".parse().unwrap(), true);
        let mut renamed = said("hello");
        renamed.agents[0].nick = "claude_".into();
        let [RelayDecision::Prompt { to, .. }] = &relay.decide(&renamed)[..] else { panic!() };
        assert_eq!(to.nick, "claude_");
        relay.restore_gate("#abide", "claude".parse().unwrap(), false);
        let nothing = [RelayDecision::Nothing(IgnoreReason::NotAddressed)];
        assert_eq!(relay.decide(&renamed), nothing);
    }

    #[test]
    fn two_agents_that_may_prompt_do_not_hear_themselves() {
        let mut config = RelayConfig::new("tickle-1".parse().unwrap());
        config.agents_prompt = true;
        let mut relay = Relay::new(config);
        let mut agent = said("@claude-2 and @claude, hm");
        agent.speaker = Speaker::Agent("claude-2".parse().unwrap());
        let decisions = relay.decide(&agent);
        let prompt =
            RelayDecision::Prompt { to: addressee("claude"), text: "@claude-2 and hm".into() };
        assert_eq!(decisions, [prompt]);
    }

    #[test]
    fn an_agent_that_is_spoken_to_alone_needs_no_mention() {
        let mut alone = said("how are you?");
        alone.target = Target::Agent("claude".parse().unwrap());
        alone.agents.truncate(1);
        assert_eq!(prompted(&alone), [("claude".to_owned(), "how are you?".to_owned())]);
        alone.text = "    return x  ".to_owned();
        assert_eq!(prompted(&alone), [("claude".to_owned(), "    return x".to_owned())]);
        alone.text = "how are you?".to_owned();
        alone.kind = SpokenKind::Action;
        assert_eq!(prompted(&alone), [("claude".to_owned(), "* ann how are you?".to_owned())]);
    }
}
