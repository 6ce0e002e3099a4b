//! `watchdog.*`: scans, stalls, and what was done about them.
//!
//! The author is `@tickle-1`, or the person whose word it was; never the agent that a line is about, so that no page and no
//! pong ever counts as that agent's evidence (decision 38). What reaches outside (a bell, a page, a notice) is recorded
//! before it is tried and after: a keeper that dies between the two does not page again.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::{AgentId, EpisodeId, EpochId, NoticeId, Timestamp};

event_group! {
    /// The watchdog's scans, episodes and notices.
    WatchdogEvent {
        /// All agents were looked at; one line a scan, whatever it found.
        Scanned(Scanned) = "watchdog.scanned" v 1,
        /// Time passed in which nobody could be watched: it counts as nobody's silence.
        Rebased(Rebased) = "watchdog.rebased" v 1,
        /// Agents cannot be judged from here on; nobody is paged for silence.
        Blinded(Blinded) = "watchdog.blinded" v 1,
        /// Agents can be judged again.
        Sighted(Sighted) = "watchdog.sighted" v 1,
        /// A person is to be told that agents have not been judged for a long time.
        Alarmed(Alarmed) = "watchdog.alarmed" v 1,
        /// An agent with something to do has been silent for too long: an episode begins.
        StallOpened(StallOpened) = "watchdog.stall_opened" v 1,
        /// First rung: the agent's process is about to be asked whether it breathes.
        BellRung(BellRung) = "watchdog.bell_rung" v 1,
        /// The process breathes, which ends no episode.
        BellAnswered(BellAnswered) = "watchdog.bell_answered" v 1,
        /// The bell reached nobody; the next rung follows at once.
        BellFailed(BellFailed) = "watchdog.bell_failed" v 1,
        /// Second rung: the agent is about to be paged on the channel.
        Paged(Paged) = "watchdog.paged" v 1,
        /// The channel took a page, for every agent that it names.
        PageDelivered(PageDelivered) = "watchdog.page_delivered" v 1,
        /// The channel did not take a page; the next rung follows at once.
        PageFailed(PageFailed) = "watchdog.page_failed" v 1,
        /// Third rung, once an episode: a person is to be told.
        Escalated(Escalated) = "watchdog.escalated" v 1,
        /// A further step of an escalation, each once an episode: others are to be told, too.
        Stepped(Stepped) = "watchdog.stepped" v 1,
        /// A person was told.
        Notified(Notified) = "watchdog.notified" v 1,
        /// Nobody could be told; it is tried again.
        NotifyFailed(NotifyFailed) = "watchdog.notify_failed" v 1,
        /// Those who had been told of something were told that it is over or in hand, or could not be.
        Closed(Closed) = "watchdog.closed" v 1,
        /// Evidence returned: the episode is over.
        Resolved(Resolved) = "watchdog.resolved" v 1,
        /// The agent is no longer in a state that can stall: the episode is over without evidence.
        Withdrawn(Withdrawn) = "watchdog.withdrawn" v 1,
        /// A person has an episode in hand: it climbs no further for a while.
        Acknowledged(Acknowledged) = "watchdog.acknowledged" v 1,
        /// An agent, or every agent where the line is the keeper's, is neither rung nor paged for a while.
        Silenced(Silenced) = "watchdog.silenced" v 1,
        /// A silence was ended before its time.
        Unsilenced(Unsilenced) = "watchdog.unsilenced" v 1,
        /// Maintenance began: scans go on, nobody is rung or paged.
        Paused(Paused) = "watchdog.paused" v 1,
        /// Maintenance is over.
        Resumed(Resumed) = "watchdog.resumed" v 1,
        /// The ladder was tried out, without an agent that stalled.
        Tested(Tested) = "watchdog.tested" v 1,
        /// People are to be told of matters that wait for them, beside stalls.
        AttentionRaised(AttentionRaised) = "watchdog.attention_raised" v 1,
        /// Matters that people were to be told of are over.
        AttentionEnded(AttentionEnded) = "watchdog.attention_ended" v 1,
    }
}

/// Data of `watchdog.attention_raised`: one notice about all that was due at one moment for the same services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttentionRaised {
    /// The notice that tells.
    pub notice: NoticeId,
    /// The services that tell, by name; every service where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// What waits for a person.
    pub matters: Vec<AttentionMatter>,
}

/// Something that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttentionMatter {
    /// The same for as long as it waits, such as `approval:…` or `budget:felix`.
    pub id: String,
    /// What it is: `approval`, `epoch_failed`, `budget`, `sleep`, …
    pub kind: String,
    /// The agent that it is about; none for the keeper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// One line, for people.
    pub summary: String,
}

/// Data of `watchdog.attention_ended`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttentionEnded {
    /// The ids of the matters.
    pub matters: Vec<String>,
}

/// A rung of the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// The agent's process is asked whether it breathes.
    Bell,
    /// The agent is paged where others see it.
    Channel,
    /// A person is told.
    Human,
}

impl Rung {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bell => "bell",
            Self::Channel => "channel",
            Self::Human => "human",
        }
    }
}

/// The short name of a page, as people type it: four to eight hexadecimal digits, such as `7f3a`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageId(String);

impl PageId {
    /// The page of that many digits (4 to 8) of a number.
    pub fn of(number: u32, digits: usize) -> Self {
        let text = format!("{number:08x}");
        Self(text.chars().skip(8 - digits.clamp(4, 8)).collect())
    }

    /// The page that a person named.
    pub fn from_name(name: &str) -> Option<Self> {
        let fits = (4..=8).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_hexdigit());
        fits.then(|| Self(name.to_ascii_lowercase()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a scan found. The lists name agents; who was paged and escalated counts from the scan before this one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scanned {
    /// How many agents were judged.
    #[serde(rename = "scanned")]
    pub judged: u64,
    /// Who is stalled.
    pub stalled: Vec<AgentId>,
    /// Who was paged.
    pub paged: Vec<AgentId>,
    /// About whom a person was to be told.
    pub escalated: Vec<AgentId>,
    /// Why nobody was paged for silence, where agents could not be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blind: Option<BlindCause>,
    /// Whether it was asked for, not due.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
}

/// Nobody was watched between `from` and this line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebased {
    /// Why nobody was watched.
    pub cause: RebaseCause,
    /// When the watching stopped; the line's own time where it never had begun.
    pub from: Timestamp,
    /// Whether every silence begins anew, because work was cut and is asked for again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
}

/// Why nobody was watched for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RebaseCause {
    /// The keeper was down and has just started.
    Started,
    /// The keeper stood still, was slow, or could not write to the ledger.
    Late,
    /// The wall clock was set forward, or the machine slept.
    Clock,
}

/// Agents cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blinded {
    /// What is in the way.
    pub cause: BlindCause,
    /// The cause, for people.
    pub message: String,
}

/// What hides the silence of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlindCause {
    /// Evidence cannot be read.
    Evidence,
    /// The keeper itself cannot work, so no agent can.
    Keeper,
    /// The network is down, so no mind outside can answer.
    Network,
}

impl BlindCause {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Evidence => "evidence",
            Self::Keeper => "keeper",
            Self::Network => "network",
        }
    }
}

/// Agents can be judged again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighted {
    /// What had been in the way.
    pub cause: BlindCause,
}

/// A person is to be told that agents are not judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alarmed {
    /// The notice that tells.
    pub notice: NoticeId,
}

/// An episode begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StallOpened {
    /// Its id.
    pub episode: EpisodeId,
    /// How long the agent had been silent.
    pub silent_ms: u64,
    /// How long it might have been.
    pub threshold_ms: u64,
    /// The number of its newest evidence; 0 where it never was active. Only a higher one ends the episode.
    pub evidence_seq: u64,
}

/// The bell is about to ring.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BellRung {
    /// For which episode.
    pub episode: EpisodeId,
}

/// The process answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BellAnswered {
    /// In which episode.
    pub episode: EpisodeId,
    /// How long it took.
    pub after_ms: u64,
}

/// The bell reached nobody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BellFailed {
    /// In which episode.
    pub episode: EpisodeId,
    /// Why, for programs.
    pub code: BellFailure,
    /// Why, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Why a bell reached nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BellFailure {
    /// The agent's mind has no process.
    NoProcess,
    /// It could not be delivered.
    NotDelivered,
}

/// A page is about to go out. Agents that are paged together share it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paged {
    /// For which episode.
    pub episode: EpisodeId,
    /// Its short name.
    pub page: PageId,
    /// How long the agent has been silent.
    pub silent_ms: u64,
    /// Whether it answered the bell: alive, not moving.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alive: bool,
}

/// The channel took a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageDelivered {
    /// The page.
    pub page: PageId,
    /// How sure that is.
    pub proof: Proof,
    /// What took it, for people: the channel and who is there, or the agents themselves; empty where nobody noted it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
}

/// How sure a delivery is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// It was sent; nobody said that it arrived.
    Sent,
    /// The other side said that it has it.
    Confirmed,
}

/// The channel did not take a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFailed {
    /// The page.
    pub page: PageId,
    /// Why, for people.
    pub message: String,
}

/// A person is to be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalated {
    /// About which episode.
    pub episode: EpisodeId,
    /// Why now.
    pub cause: EscalationCause,
    /// The notice that tells; agents that are escalated together share it.
    pub notice: NoticeId,
    /// The services that tell, by name; every service where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
}

/// A further step of an escalation: nobody has the episode in hand, and it is not over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stepped {
    /// About which episode.
    pub episode: EpisodeId,
    /// Which step, from 2: the first is the escalation itself.
    pub step: u32,
    /// The notice that tells; agents that take the same step together share it.
    pub notice: NoticeId,
    /// The services that tell, by name.
    pub to: Vec<String>,
}

/// Why a person is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EscalationCause {
    /// The page could not be delivered.
    PageFailed,
    /// The page was delivered, or may have been, and no evidence followed in time.
    NoEvidence,
}

impl EscalationCause {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PageFailed => "page-failed",
            Self::NoEvidence => "no-evidence",
        }
    }
}

/// A notice was delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notified {
    /// The notice.
    pub notice: NoticeId,
    /// At which attempt, from 1.
    pub attempt: u32,
    /// By what means.
    pub by: String,
    /// What each service made of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<ServiceAttempt>,
}

/// What one service made of a notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceAttempt {
    /// Its name.
    pub service: String,
    /// What came of it.
    pub outcome: AttemptOutcome,
    /// By what means, or why not, for people and without secrets.
    pub words: String,
    /// How long it took.
    pub took_ms: u64,
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptOutcome {
    /// It was sent; nobody said that it arrived.
    Sent,
    /// The other side said that it has it.
    Confirmed,
    /// It was not taken.
    Failed,
}

impl From<Proof> for AttemptOutcome {
    fn from(proof: Proof) -> Self {
        match proof {
            Proof::Sent => Self::Sent,
            Proof::Confirmed => Self::Confirmed,
        }
    }
}

/// A notice was not delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyFailed {
    /// The notice.
    pub notice: NoticeId,
    /// The attempt, from 1.
    pub attempt: u32,
    /// Why, for people.
    pub message: String,
    /// What each service made of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<ServiceAttempt>,
}

/// Those who had been told of something were told that it is over or in hand, or could not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// The notice that tells.
    pub notice: NoticeId,
    /// `resolved`, `sighted` or `acknowledged`.
    pub kind: String,
    /// The episodes that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub episodes: Vec<EpisodeId>,
    /// What each service made of it, in order; one that failed was tried again.
    pub attempts: Vec<ServiceAttempt>,
}

/// Evidence returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    /// Which episode is over.
    pub episode: EpisodeId,
    /// The rung after which it moved.
    pub rung: Rung,
    /// The evidence.
    pub evidence_seq: u64,
}

/// An episode is over without evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawn {
    /// The episode.
    pub episode: EpisodeId,
    /// What the agent is now, as verdicts are named; `gone` where it is registered no more.
    pub state: String,
    /// The epoch that ended without an answer meanwhile, and with it the stall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<EpochId>,
}

/// A person has it in hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledged {
    /// The episode.
    pub episode: EpisodeId,
    /// Until when it climbs no further.
    pub until: Timestamp,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Nobody is to be disturbed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Silenced {
    /// Until when.
    pub until: Timestamp,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A silence is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsilenced {}

/// Maintenance began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    /// When it ends by itself, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Maintenance is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumed {}

/// The ladder was tried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tested {
    /// The page that was sent.
    pub page: PageId,
    /// The notice that was sent.
    pub notice: NoticeId,
    /// Why the channel did not take it, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_failed: Option<String>,
    /// Why nobody could be told, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notify_failed: Option<String>,
    /// What each service made of the notice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<ServiceAttempt>,
}

#[cfg(test)]
mod tests {
    use super::PageId;

    #[test]
    fn a_page_has_a_name_that_people_can_type() {
        assert_eq!(PageId::of(0x0001_7f3a, 4).as_str(), "7f3a");
        assert_eq!(PageId::of(0x000a, 4).as_str(), "000a");
        assert_eq!(PageId::of(0x0001_7f3a, 20).as_str(), "00017f3a");
        assert_eq!(PageId::from_name("7F3A"), Some(PageId::of(0x7f3a, 4)));
        for name in ["", "7f3", "7f3g", "7f3a7f3a7"] {
            assert_eq!(PageId::from_name(name), None, "{name}");
        }
    }
}
