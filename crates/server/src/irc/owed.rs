//! What people said on the built-in server just before an earlier keeper was killed, and what of it was asked, from the ledger.
//! Blocking.
//!
//! A line is durable at once, but its question waits in memory for what may follow it, and a kill ends that. Which lines were
//! asked is told by the question: it names its first line (`channel.asked`), and its stimulus holds the words of all. A line
//! that may have been asked is not asked again.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use abide_channels::irc::{
    Speaker, SpokenLine, Target,
    relay::{PROMPT_TIME_MAX, SLOW_PIECE_GAP},
};
use abide_domain::{
    AgentId, EpochId, Timestamp,
    envelope::Channel,
    event::{ChannelAsked, ChannelEvent, Event, StimulusEvent},
};
use abide_ledger::{Ledger, Query, QueryOrder, ReadError, Record};

use super::record;

/// Between a line and its question at most: all of a prompt comes within a time, and what it waits for then is short.
const OWED_WITHIN: Duration = PROMPT_TIME_MAX.saturating_add(SLOW_PIECE_GAP.saturating_mul(2));
/// How far back is read: a prompt that goes on among the lines that may be owed can have begun so long before the end.
const READ_WITHIN: Duration = OWED_WITHIN.saturating_mul(2);
/// Most events that are read. Of more in that time nobody can tell what was asked: none of it is owed.
const EVENTS_MAX: usize = 20_000;
/// What a start writes before it says that it happened.
const OF_THE_START: [&str; 2] = ["keeper.segment_opened", "keeper.tail_quarantined"];

/// Lines that an earlier keeper may owe a question, and its questions of that time.
#[derive(Debug, Default)]
pub(super) struct OwedLines {
    /// People's lines, oldest first, and whether they came late enough not to have been asked.
    pub(super) lines: Vec<(SpokenLine, bool)>,
    questions: Vec<AskedQuestion>,
}

/// A question that was asked, as its lines are found again.
#[derive(Debug)]
struct AskedQuestion {
    agent: AgentId,
    asked: ChannelAsked,
    content: Arc<str>,
    /// How much of the content was found in lines; none before the first one.
    found: Option<usize>,
}

impl OwedLines {
    /// Reads what the last keeper was told before it died; nothing where it stopped in good order.
    pub(super) fn read(ledger: &Ledger) -> Result<Self, ReadError> {
        let mut owed = Self::default();
        let newest_first = || Query { order: QueryOrder::NewestFirst, ..Query::default() };
        let kinds = vec!["keeper.started".to_owned()];
        let mut started = ledger.query(Query { kinds, limit: 1, ..newest_first() });
        let before = match started.next() {
            Some(record) => Some(record?.seq()),
            None => return Ok(owed),
        };
        let Some(end) = last_moment(ledger.query(Query { before, ..newest_first() }))? else {
            return Ok(owed);
        };
        let kinds = ["channel.said", "channel.asked", "stimulus.accepted", "keeper.stopped"];
        let kinds = kinds.map(str::to_owned).to_vec();
        let events = Query { kinds, before, limit: EVENTS_MAX, ..newest_first() };
        let (mut contents, mut asked, mut count) = (BTreeMap::new(), Vec::new(), 0);
        for record in ledger.query(events) {
            let record = record?;
            let at = record.timestamp().parse().unwrap_or(end);
            if record.kind() == "keeper.stopped" || end.since(at) > READ_WITHIN {
                break;
            }
            count += 1;
            let Ok(entry) = record.entry() else { continue };
            match (entry.event, entry.epoch) {
                (Event::Channel(ChannelEvent::Said(said)), _) => {
                    let line = record::line_of_event(&said);
                    let is_person = |line: &SpokenLine| matches!(line.speaker, Speaker::Person(_));
                    let line = line.filter(is_person);
                    owed.lines.extend(line.map(|line| (line, end.since(at) <= OWED_WITHIN)));
                }
                (Event::Channel(ChannelEvent::Asked(event)), Some(epoch)) => {
                    if let (Channel::Irc, Ok(agent)) = (event.channel, entry.entity.bare().parse())
                    {
                        asked.push((epoch, agent, event));
                    }
                }
                (Event::Stimulus(StimulusEvent::Accepted(stimulus)), Some(epoch)) => {
                    contents.insert(epoch, stimulus.content);
                }
                _ => {}
            }
        }
        if count >= EVENTS_MAX {
            return Ok(Self::default());
        }
        owed.lines.reverse();
        owed.questions = asked.into_iter().map(|asked| question(asked, &contents)).collect();
        Ok(owed)
    }

    /// Whether a line, with the words of it that would be asked, was asked before: of this agent, or of any where it names none.
    /// Lines are to be handed in in their order.
    pub(super) fn was_asked(
        &mut self,
        said: &SpokenLine,
        agent: Option<&AgentId>,
        text: &str,
    ) -> bool {
        let mut was_asked = false;
        for question in &mut self.questions {
            let is_meant = agent.is_none_or(|agent| *agent == question.agent);
            was_asked |= is_meant && question.take(said, text);
        }
        was_asked
    }
}

/// When the last thing happened before a start; none where that was a stop in good order, or nothing.
fn last_moment(
    records: impl Iterator<Item = Result<Record, ReadError>>,
) -> Result<Option<Timestamp>, ReadError> {
    for record in records {
        let record = record?;
        if !OF_THE_START.contains(&record.kind()) {
            let is_stop = record.kind() == "keeper.stopped";
            return Ok(record.timestamp().parse().ok().filter(|_| !is_stop));
        }
    }
    Ok(None)
}

fn question(
    (epoch, agent, asked): (EpochId, AgentId, ChannelAsked),
    contents: &BTreeMap<EpochId, Arc<str>>,
) -> AskedQuestion {
    let content = contents.get(&epoch).cloned().unwrap_or_default();
    AskedQuestion { agent, asked, content, found: None }
}

impl AskedQuestion {
    /// Takes a line that is one of its own.
    fn take(&mut self, said: &SpokenLine, text: &str) -> bool {
        if !said.msgid.is_empty() && self.asked.msgid == said.msgid {
            // Where the words are other ones, all that follows counts as asked.
            let rest = self.content.strip_prefix(text);
            self.found = Some(rest.map_or(usize::MAX, |rest| self.content.len() - rest.len()));
            return true;
        }
        let Some(found) = self.found.filter(|_| self.is_of_same_speaker(said)) else {
            return false;
        };
        let Some(left) = self.content.get(found..) else { return true };
        let rest = ["\n", " ", ""].iter().find_map(|seam| {
            let piece = left.strip_prefix(seam)?;
            piece.strip_prefix(text)
        });
        let Some(rest) = rest else { return false };
        self.found = Some(self.content.len() - rest.len());
        true
    }

    /// Whether a line was said by who asked, where it was asked.
    fn is_of_same_speaker(&self, said: &SpokenLine) -> bool {
        let Speaker::Person(account) = &said.speaker else { return false };
        let is_there = match (&self.asked.room, &said.target) {
            (Some(room), Target::Channel(said_in)) => room.eq_ignore_ascii_case(said_in),
            (None, Target::Agent(agent)) => *agent == self.agent,
            _ => false,
        };
        is_there
            && self.asked.network.is_none()
            && self.asked.nick == said.nick
            && account.as_deref() == Some(&self.asked.account)
    }
}

#[cfg(test)]
mod tests {
    use abide_channels::irc::{Speaker, SpokenKind, SpokenLine, Target};
    use abide_domain::{AgentId, Timestamp, envelope::Channel, event::ChannelAsked};

    use super::{AskedQuestion, OwedLines};

    fn said(msgid: &str, text: &str) -> SpokenLine {
        SpokenLine {
            speaker: Speaker::Person(Some("ann".into())),
            nick: "ann".into(),
            target: Target::Channel("#abide".into()),
            partner: None,
            agents: Vec::new(),
            text: text.into(),
            kind: SpokenKind::Speech,
            is_whole: false,
            relay: None,
            msgid: msgid.into(),
            at: Timestamp::from_micros(0),
        }
    }

    fn felix() -> AgentId {
        "felix".parse().unwrap()
    }

    fn owed(msgid: &str, content: &str) -> OwedLines {
        let asked = ChannelAsked {
            channel: Channel::Irc,
            network: None,
            room: Some("#Abide".into()),
            account: "ann".into(),
            nick: "ann".into(),
            msgid: msgid.into(),
        };
        let question =
            AskedQuestion { agent: felix(), asked, content: content.into(), found: None };
        OwedLines { lines: Vec::new(), questions: vec![question] }
    }

    #[test]
    fn the_lines_of_a_question_are_found_again_and_no_other_is_taken_for_one_of_them() {
        let mut owed = owed("m1", "fn main() {\n    hello();\n}");
        let mut was_asked =
            |msgid: &str, text: &str| owed.was_asked(&said(msgid, text), Some(&felix()), text);
        assert!(!was_asked("m0", "fn main() {"), "said before it");
        assert!(was_asked("m1", "fn main() {"));
        assert!(was_asked("m2", "    hello();"));
        assert!(!was_asked("m3", "goodbye();"));
        assert!(was_asked("m4", "}"));
        assert!(!was_asked("m5", "}"), "nothing is left of it");
    }

    #[test]
    fn what_is_for_another_agent_or_of_somebody_else_was_not_asked() {
        let mut owed = owed("m1", "look\nhere");
        let ada = "ada".parse().unwrap();
        assert!(!owed.was_asked(&said("m1", "look"), Some(&ada), "look"));
        assert!(owed.was_asked(&said("m1", "look"), Some(&felix()), "look"));
        let mut bob = said("m2", "here");
        bob.speaker = Speaker::Person(Some("bob".into()));
        assert!(!owed.was_asked(&bob, None, "here"));
        assert!(owed.was_asked(&said("m3", "here"), None, "here"), "it names no agent");
    }

    #[test]
    fn where_the_words_of_a_question_are_gone_all_that_follows_counts_as_asked() {
        let mut owed = owed("m1", "");
        assert!(owed.was_asked(&said("m1", "look"), Some(&felix()), "look"));
        assert!(owed.was_asked(&said("m2", "here"), Some(&felix()), "here"));
    }
}
