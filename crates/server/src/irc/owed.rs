//! What people said on the built-in server just before earlier keepers ended, and what of it was asked, from the ledger.
//! Blocking.
//!
//! A line is durable at once, but its question waits in memory for what may follow it, and the end of a keeper ends that. Which
//! lines were asked is told by the question: it names its first line (`channel.asked`), and its stimulus holds the words of all;
//! where it was refused, the number of its lines. A line that may have been asked is not asked again.
//!
//! A keeper may end before it has asked what it found, so that the ends of all keepers of the last hour count.

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
use abide_ledger::{Entry, Ledger, Query, QueryOrder, ReadError};

use super::record;

/// What a keeper takes to stop in good order, at most.
const STOP_TIME_MAX: Duration = Duration::from_mins(1);
/// Between a line and its question, or the end of its keeper, at most: all of a prompt comes within a time, and what it waits
/// for then is short.
const OWED_WITHIN: Duration =
    PROMPT_TIME_MAX.saturating_add(SLOW_PIECE_GAP.saturating_mul(2)).saturating_add(STOP_TIME_MAX);
/// How far back the end of a keeper is read: a prompt that goes on among the lines that may be owed can have begun so long before.
const READ_WITHIN: Duration = OWED_WITHIN.saturating_mul(2);
/// What was said longer ago is not asked any more: nobody waits for it, and "now" is another time by then.
const ASKED_WITHIN: Duration = Duration::from_hours(1);
/// How far back is read, beside the end of the last keeper.
const ALL_READ_WITHIN: Duration = ASKED_WITHIN.saturating_add(READ_WITHIN);
/// Most events and most keepers that are read. Of what was said before those nobody can tell whether it was asked.
const EVENTS_MAX: usize = 20_000;
const KEEPERS_MAX: usize = 100;
const STARTED: &str = "keeper.started";
/// What a start writes before it says that it happened.
const OF_THE_START: [&str; 2] = ["keeper.segment_opened", "keeper.tail_quarantined"];

/// Lines that earlier keepers may owe a question, and their questions of that time.
#[derive(Debug, Default)]
pub(super) struct OwedLines {
    /// People's lines, oldest first.
    pub(super) lines: Vec<(SpokenLine, LineAge)>,
    questions: Vec<AskedQuestion>,
}

/// When a line was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineAge {
    /// So long before its keeper ended that it was asked, if it was to be.
    Settled,
    /// Just before its keeper ended.
    Owed,
    /// The same, but nobody waits for it any more.
    TooOld,
}

/// A question that was asked, as its lines are found again.
#[derive(Debug)]
struct AskedQuestion {
    agent: AgentId,
    asked: ChannelAsked,
    content: Arc<str>,
    /// How much of it was found in lines; none before the first one. In bytes of the content, in lines of what was refused.
    found: Option<usize>,
}

/// What is read, the newest first.
#[derive(Default)]
struct Reading {
    lines: Vec<(SpokenLine, LineAge)>,
    asked: Vec<(Option<EpochId>, AgentId, ChannelAsked)>,
    contents: BTreeMap<EpochId, Arc<str>>,
}

impl OwedLines {
    /// Reads what earlier keepers heard before they ended.
    pub(super) fn read(ledger: &Ledger, now: Timestamp) -> Result<Self, ReadError> {
        let kinds = [STARTED, "channel.said", "channel.asked", "stimulus.accepted"];
        let kinds = kinds.map(str::to_owned).to_vec();
        let order = QueryOrder::NewestFirst;
        let events = Query { kinds, order, limit: EVENTS_MAX, ..Query::default() };
        let mut reading = Reading::default();
        let (mut keepers, mut end, mut count, mut complete_since) = (0, None, 0, None);
        for record in ledger.query(events) {
            let record = record?;
            let at = record.timestamp().parse().unwrap_or(now);
            count += 1;
            let is_of_last_end =
                keepers == 1 && end.is_some_and(|end: Timestamp| end.since(at) <= READ_WITHIN);
            if now.since(at) > ALL_READ_WITHIN && keepers > 0 && !is_of_last_end {
                break;
            }
            if count >= EVENTS_MAX || keepers > KEEPERS_MAX {
                complete_since = Some(at);
                break;
            }
            if record.kind() == STARTED {
                keepers += 1;
                end = last_moment(ledger, record.seq())?;
            } else if let (Some(end), Ok(entry)) = (end, record.entry()) {
                reading.take(entry, end.since(at) <= OWED_WITHIN);
            }
        }
        Ok(reading.finish(now, complete_since))
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

impl Reading {
    /// Takes an event, and whether that was just before its keeper ended.
    fn take(&mut self, entry: Entry, is_owed: bool) {
        match (entry.event, entry.epoch) {
            (Event::Channel(ChannelEvent::Said(said)), _) => {
                let is_person = |line: &SpokenLine| matches!(line.speaker, Speaker::Person(_));
                let line = record::line_of_event(&said).filter(is_person);
                let age = if is_owed { LineAge::Owed } else { LineAge::Settled };
                self.lines.extend(line.map(|line| (line, age)));
            }
            (Event::Channel(ChannelEvent::Asked(event)), epoch) => {
                if let (Channel::Irc, Ok(agent)) = (event.channel, entry.entity.bare().parse()) {
                    self.asked.push((epoch, agent, event));
                }
            }
            (Event::Stimulus(StimulusEvent::Accepted(stimulus)), Some(epoch)) => {
                self.contents.insert(epoch, stimulus.content);
            }
            _ => {}
        }
    }

    /// All of it. Where not all was read: since when it is complete.
    fn finish(self, now: Timestamp, complete_since: Option<Timestamp>) -> OwedLines {
        let Self { mut lines, asked, contents } = self;
        lines.reverse();
        for (line, age) in &mut lines {
            // Its question may have begun before what was read.
            if complete_since.is_some_and(|since| line.at.since(since) <= OWED_WITHIN) {
                *age = LineAge::Settled;
            }
            if *age == LineAge::Owed && now.since(line.at) > ASKED_WITHIN {
                *age = LineAge::TooOld;
            }
        }
        let question = |(epoch, agent, asked): (Option<EpochId>, AgentId, ChannelAsked)| {
            let content = epoch.and_then(|epoch| contents.get(&epoch).cloned()).unwrap_or_default();
            AskedQuestion { agent, asked, content, found: None }
        };
        OwedLines { lines, questions: asked.into_iter().map(question).collect() }
    }
}

/// When the last thing happened before a start; none where there was nothing.
fn last_moment(ledger: &Ledger, start: u64) -> Result<Option<Timestamp>, ReadError> {
    let (before, order) = (Some(start), QueryOrder::NewestFirst);
    for record in ledger.query(Query { before, order, ..Query::default() }) {
        let record = record?;
        if !OF_THE_START.contains(&record.kind()) {
            return Ok(record.timestamp().parse().ok());
        }
    }
    Ok(None)
}

impl AskedQuestion {
    /// Takes a line that is one of its own.
    fn take(&mut self, said: &SpokenLine, text: &str) -> bool {
        let is_first = !said.msgid.is_empty() && self.asked.msgid == said.msgid;
        if let Some(lines) = self.asked.refused_lines {
            let found = self.found.filter(|found| {
                u64::try_from(*found).is_ok_and(|found| found < lines)
                    && self.is_of_same_speaker(said)
            });
            let is_of_it = is_first || found.is_some();
            if is_of_it {
                self.found = Some(found.unwrap_or(0).saturating_add(1));
            }
            return is_of_it;
        }
        if is_first {
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
    use std::{sync::Arc, time::Duration};

    use abide_channels::irc::{Speaker, SpokenKind, SpokenLine, Target};
    use abide_domain::{
        AgentId, Clock, EntityName, Timestamp,
        envelope::Channel,
        event::{ChannelAsked, KeeperStarted, KeeperStopped},
    };
    use abide_ledger::{Draft, FileStorage, Ledger, LedgerOptions};

    use super::{super::record, AskedQuestion, LineAge, OwedLines};

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
            refused_lines: None,
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

    #[test]
    fn the_lines_of_a_question_that_was_refused_count_as_asked_and_no_more() {
        let mut owed = owed("m1", "");
        owed.questions[0].asked.refused_lines = Some(2);
        let mut was_asked =
            |msgid: &str, text: &str| owed.was_asked(&said(msgid, text), Some(&felix()), text);
        assert!(!was_asked("m0", "before"));
        assert!(was_asked("m1", "look"));
        assert!(was_asked("m2", "here"));
        assert!(!was_asked("m3", "and now?"));
    }

    /// A clock that a test moves, in seconds.
    #[derive(Clone, Debug, Default)]
    struct Seconds(Arc<std::sync::atomic::AtomicI64>);

    impl Seconds {
        fn set(&self, seconds: i64) {
            self.0.store(seconds, std::sync::atomic::Ordering::Relaxed);
        }
    }

    impl Clock for Seconds {
        fn now(&self) -> Timestamp {
            let seconds = self.0.load(std::sync::atomic::Ordering::Relaxed);
            Timestamp::from_micros(seconds * 1_000_000)
        }

        fn monotonic(&self) -> Duration {
            Duration::from_micros(u64::try_from(self.now().as_micros()).unwrap())
        }
    }

    /// What happens at a second.
    enum Step {
        Start,
        Stop,
        Say(&'static str),
        Ask(&'static str),
    }

    /// The texts that are found after these steps, as of a moment.
    async fn found(steps: &[(i64, Step)], now: i64) -> Vec<(String, LineAge)> {
        let clock = Seconds::default();
        let folder = tempfile::tempdir().unwrap();
        let storage = Arc::new(FileStorage::create(&folder.path().join("ledger")).unwrap());
        let options = LedgerOptions::new(Arc::new(clock.clone()));
        let (ledger, committer) = Ledger::open(storage, options).unwrap();
        let committer = committer.spawn().unwrap();
        let keeper = EntityName::keeper;
        for (second, step) in steps {
            clock.set(*second);
            let event = match step {
                Step::Start => {
                    KeeperStarted { version: "1".into(), remembers_failures: true }.into()
                }
                Step::Stop => KeeperStopped { reason: "asked".into() }.into(),
                Step::Say(text) => {
                    let mut line = said(text, text);
                    line.at = clock.now();
                    record::event_of_line(None, &line).unwrap().event
                }
                Step::Ask(first) => {
                    let mut asked = owed(first, "").questions.remove(0).asked;
                    asked.refused_lines = Some(1);
                    asked.into()
                }
            };
            let entity = if matches!(step, Step::Ask(_)) { felix().entity() } else { keeper() };
            let draft = Draft { entity, author: keeper(), epoch: None, event };
            ledger.append(vec![draft]).await.unwrap();
        }
        clock.set(now);
        let mut owed = OwedLines::read(&ledger, clock.now()).unwrap();
        let lines = std::mem::take(&mut owed.lines);
        let lines = lines.into_iter().filter(|(said, _)| !owed.was_asked(said, None, &said.text));
        let found = lines.map(|(said, age)| (said.text, age)).collect();
        ledger.close().await;
        committer.join().unwrap();
        found
    }

    #[tokio::test]
    async fn what_the_last_keepers_heard_before_they_ended_is_owed_however_each_ended() {
        use LineAge::{Owed, Settled};
        use Step::{Ask, Say, Start, Stop};
        let steps = [(0, Start), (10, Say("a")), (900, Say("b")), (901, Say("c")), (902, Ask("c"))];
        let mut died_twice = Vec::from(steps);
        // The next one dies before it has asked anything, the third one asks.
        died_twice.extend([(1_800, Start), (2_700, Start)]);
        let expected = vec![("a".to_owned(), Settled), ("b".to_owned(), Owed)];
        assert_eq!(found(&died_twice, 2_701).await, expected);
        let stopped = [(0, Start), (5, Say("b")), (9, Stop), (600, Start)];
        assert_eq!(found(&stopped, 601).await, [("b".to_owned(), Owed)]);
        let asked = [(0, Start), (5, Say("b")), (9, Stop), (600, Start), (601, Ask("b"))];
        let mut again = Vec::from(asked);
        again.push((700, Start));
        assert_eq!(found(&again, 701).await, [], "once");
    }

    #[tokio::test]
    async fn what_nobody_waits_for_any_more_is_too_old() {
        use Step::{Say, Start};
        let steps = [(0, Start), (10, Say("deploy it now")), (200_000, Start)];
        let expected = [("deploy it now".to_owned(), LineAge::TooOld)];
        assert_eq!(found(&steps, 200_001).await, expected);
    }
}
