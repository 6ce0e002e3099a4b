//! What goes out: pages, which agents and the relay read, and notices, which people do. Words are made here and in
//! `notice_text`, and nowhere else; the ledger holds only what they are made of.

use std::time::Duration;

use abide_domain::{
    AgentId, EntityName, EpisodeId, NoticeId, Timestamp, Zone,
    event::watchdog::{AttentionMatter, EscalationCause, PageId},
};

use crate::observation::TaskOrigin;

mod notice_text;

/// A page: one line an agent, all under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its short name.
    pub id: PageId,
    /// Who is paged; nobody where the channel is only tried out.
    pub lines: Vec<PageLine>,
}

/// One agent's line of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLine {
    /// Who is paged.
    pub agent: AgentId,
    /// How it is called on the channel.
    pub nick: String,
    /// The episode.
    pub episode: EpisodeId,
    /// How long it has been silent.
    pub silent: Duration,
    /// Whether it answered the bell.
    pub is_alive: bool,
}

impl Page {
    /// The lines as they go to the channel (decision 40), each for itself, so that the relay finds each mention.
    pub fn texts(&self) -> Vec<String> {
        if self.lines.is_empty() {
            return vec![format!("tickle test page: nobody is stalled [page {}]", self.id)];
        }
        self.lines.iter().map(|line| line.text(&self.id)).collect()
    }
}

impl PageLine {
    fn text(&self, page: &PageId) -> String {
        let Self { nick, agent, silent, .. } = self;
        let seconds = silent.as_secs();
        let alive = if self.is_alive { "; alive, not moving" } else { "" };
        format!(
            "@{nick} tickle paging {agent}: no recent activity observed (silent {seconds} s{alive}) [page {page}]"
        )
    }
}

/// A message to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Its id: attempts to deliver one notice share it, so that whoever receives it twice can tell.
    pub id: NoticeId,
    /// What it is about.
    pub kind: NoticeKind,
    /// When it was decided on.
    pub at: Timestamp,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The step of the escalation that tells, from 1; 1 where it is not about a stall.
    pub step: u32,
    /// The services that tell, by name; every service where none is named.
    pub to: Vec<String>,
    /// Whether others have taken it, and it is tried again for those that did not.
    pub is_rest: bool,
    /// The agents that it is about.
    pub items: Vec<NoticeItem>,
    /// The matters that it is about, of a notice about other things than silence.
    pub matters: Vec<AttentionMatter>,
    /// The zone in which its times are shown.
    pub zone: Zone,
}

/// What a notice is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// Agents are stalled.
    Stalled,
    /// Stalls that a person was told of have ended: [`NoticeItem::end`] says how each.
    Resolved,
    /// Agents have not been judged for a long time: why.
    Blind(String),
    /// A person has it in hand.
    Acknowledged {
        /// Who.
        by: EntityName,
        /// Until when.
        until: Timestamp,
    },
    /// Agents are judged again.
    Sighted,
    /// Something waits for a person.
    Attention,
    /// What a person was told of waits no more.
    AttentionOver,
    /// The watchdog is only tried out.
    Test,
}

impl NoticeKind {
    /// The name on the wire.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Stalled => "stalled",
            Self::Resolved => "resolved",
            Self::Acknowledged { .. } => "acknowledged",
            Self::Blind(_) => "blind",
            Self::Sighted => "sighted",
            Self::Attention => "attention",
            Self::AttentionOver => "attention_over",
            Self::Test => "test",
        }
    }
}

/// One agent of a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeItem {
    /// Which.
    pub agent: AgentId,
    /// The episode: what a person's answer is about, and what services count by.
    pub episode: EpisodeId,
    /// How long it has been silent; of an ended episode, how long it lasted.
    pub silent: Duration,
    /// The page before it.
    pub page: Option<PageId>,
    /// Why a person is told; none where the episode is over.
    pub cause: Option<EscalationCause>,
    /// Whether it answered the bell.
    pub is_alive: bool,
    /// Whether it never was active.
    pub is_never_active: bool,
    /// Whose message it answers, or whose waits for it, where that is known; never the words of it.
    pub task: Option<TaskOrigin>,
    /// How the episode ended; none while it is open.
    pub end: Option<StallEnd>,
}

/// How a stall ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StallEnd {
    /// The agent moves again.
    Moved,
    /// Its task ended without an answer.
    Unanswered {
        /// Why, for people; empty where that is not known.
        why: String,
    },
    /// It is in a state in which it cannot stall, named as verdicts are; `gone` where it is registered no more.
    Other(String),
}

impl Notice {
    /// A notice for every service, about nothing yet.
    pub fn new(id: NoticeId, kind: NoticeKind, at: Timestamp) -> Self {
        let (to, items, matters) = (Vec::new(), Vec::new(), Vec::new());
        let zone = Zone::utc();
        Self { id, kind, at, attempt: 1, step: 1, to, is_rest: false, items, matters, zone }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::{EpisodeId, event::watchdog::PageId};

    use super::{Page, PageLine};

    fn episode() -> EpisodeId {
        "019a0000-0000-7000-8000-000000000001".parse().unwrap()
    }

    #[test]
    fn a_page_reads_as_decision_40_has_it() {
        let line = |agent: &str, seconds: u64, is_alive| PageLine {
            agent: agent.parse().unwrap(),
            nick: agent.to_owned(),
            episode: episode(),
            silent: Duration::from_millis(seconds * 1000 + 900),
            is_alive,
        };
        let page = Page {
            id: PageId::of(0x7f3a, 4),
            lines: vec![line("claude-1", 312, false), line("ada", 400, true)],
        };
        assert_eq!(
            page.texts(),
            [
                "@claude-1 tickle paging claude-1: no recent activity observed (silent 312 s) [page 7f3a]",
                "@ada tickle paging ada: no recent activity observed (silent 400 s; alive, not moving) [page 7f3a]",
            ]
        );
        let test = Page { id: PageId::of(0x7f3a, 4), lines: Vec::new() };
        assert!(test.texts().iter().all(|text| !text.contains('@')), "a test mentions nobody");
    }
}
