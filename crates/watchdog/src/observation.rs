//! What the watchdog sees of an agent: what any peer could see. Never what the agent thinks, never how its process is made.

use std::time::Duration;

use abide_domain::{
    AgentId, EpochId, KnownWait, Timestamp,
    envelope::Channel,
    event::watchdog::{AttentionMatter, BlindCause},
    format_age,
};

/// What one look gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// The registered agents.
    pub agents: Vec<ObservedAgent>,
    /// What hides the silence of all of them, if something does.
    pub outage: Option<Outage>,
    /// What waits for a person beside their silence.
    pub attention: Vec<ObservedMatter>,
}

/// Something that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedMatter {
    /// What it is, with an id that stays the same for as long as it waits.
    pub matter: AttentionMatter,
    /// Since when.
    pub since: Timestamp,
}

/// Something that keeps every agent from moving, so that none is to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// What.
    pub cause: BlindCause,
    /// In words.
    pub message: String,
}

/// One agent, from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedAgent {
    /// Which.
    pub agent: AgentId,
    /// How it is called on the channel.
    pub nick: String,
    /// When it was registered.
    pub registered_at: Timestamp,
    /// Its newest evidence; none where it never was active.
    pub last_evidence: Option<EvidenceMark>,
    /// Since when it has had something to do without a break: an open epoch, a queued stimulus, an obligation. Its silence
    /// counts from then at the earliest.
    pub work_since: Option<Timestamp>,
    /// The newest moment at which something beside it was seen to keep it from moving, or at which it was seen to work though
    /// that is no evidence yet, as a piece of an answer shows: its silence counts from then at the earliest.
    pub excused_at: Option<Timestamp>,
    /// How long it may be silent, where that is not as for all.
    pub threshold: Option<Duration>,
    /// Whether it is to be active even with nothing to do.
    pub always_active: bool,
    /// Whose message it answers, or whose waits for it, where that is known.
    pub task: Option<TaskOrigin>,
    /// The task of it that ended last of those without an answer.
    pub unanswered: Option<UnansweredTask>,
    /// What state it is in.
    pub condition: AgentCondition,
    /// Whether a process thinks for it, which the bell could reach.
    pub has_process: bool,
    /// How tired it says it is, 0 to 1; 0.5 where it does not say.
    pub fatigue: Option<f64>,
    /// How sure it says it is, 0 to 1; 0.5 where it does not say.
    pub confidence: Option<f64>,
}

/// A task that ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnansweredTask {
    /// Its epoch.
    pub epoch: EpochId,
    /// When it ended, by the ledger's time.
    pub at: Timestamp,
    /// Whose message was to be answered, where that is known.
    pub task: Option<TaskOrigin>,
    /// Why it ended, for people.
    pub why: String,
}

/// Where a task comes from. Notices go to services outside: they say this of a message, and the watchdog never has its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOrigin {
    /// The sender's id; none where the agent's own wake gave the task.
    pub sender: Option<String>,
    /// Where it came from.
    pub channel: Channel,
    /// When it was accepted.
    pub at: Timestamp,
}

impl TaskOrigin {
    /// Whose message it is, where it came from and how long ago: `a message of ann on Telegram, 12 min ago`.
    pub fn description(&self, now: Timestamp) -> String {
        let age = format_age(now, self.at).map(|age| format!(", {age}")).unwrap_or_default();
        let Some(sender) = &self.sender else { return format!("a wake of its own{age}") };
        let place = match self.channel {
            Channel::Telegram => "on Telegram",
            Channel::Direct => "in the browser or on the command line",
            Channel::Api => "over the API",
            Channel::System => "inside Abide",
            Channel::Manual => "in the manual loop",
            Channel::Irc => "on IRC",
        };
        format!("a message of {sender} {place}{age}")
    }
}

/// A piece of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvidenceMark {
    /// Its number in the ledger.
    pub seq: u64,
    /// Its time in the ledger.
    pub at: Timestamp,
}

/// What state an agent is in, as far as it excuses silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AgentCondition {
    /// It may move; whether it must is a matter of work.
    Awake,
    /// It distils its days.
    Asleep,
    /// Its process was put away for want of work.
    Hibernated,
    /// A person set it aside.
    Parked,
    /// A person is to decide first.
    WaitingApproval,
    /// Its budget is spent, or a person stopped it.
    Paused,
    /// Its model cannot be reached, nor by others that ask it.
    Unreachable,
    /// It waits for something that has an end.
    Waiting(KnownWait),
    /// The configuration says that it is not watched.
    Unwatched,
}
