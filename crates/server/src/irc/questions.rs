//! What was asked on IRC and is not answered there yet. The answer goes back to where the question came from, once, and
//! over restarts of the keeper: the ledger holds what was asked and what was answered.

use std::{collections::BTreeSet, time::Duration};

use abide_channels::irc::{
    SpokenKind, nick_for_agent,
    relay::{LineBudget, Wait, WaitLimits, WaitStep, reply_lines},
};
use abide_domain::{
    AgentId, EntityName, EpochId, Timestamp,
    envelope::Channel,
    event::{ChannelAnswered, ChannelAsked, ChannelEvent, Event},
};
use abide_engine::Keeper;
use abide_ledger::{Draft, Ledger, Query, QueryOrder, ReadError};

use super::endpoint::{IrcEndpoint, ReplyTarget};
use crate::answer::format_answer;

/// Questions that may be open at once.
const QUESTIONS_MAX: usize = 10_000;
/// Lines of an answer; the rest is where the last line says.
const LINES_MAX: usize = 15;
/// How long an answer is kept for somebody who is not there to read it.
const ANSWER_LIFE: Duration = Duration::from_hours(24);
/// Between two tries to find somebody there.
const RETRY_EVERY: Duration = Duration::from_secs(1);
/// Events that a start reads back for unanswered questions.
const EVENTS_MAX: usize = 20_000;

/// A question that is open.
#[derive(Clone, Debug)]
pub(super) struct PendingQuestion {
    /// The epoch that answers it.
    pub(super) epoch: EpochId,
    /// Who was asked.
    pub(super) agent: AgentId,
    /// The nick under which it answers.
    pub(super) nick: String,
    /// Where the answer goes.
    pub(super) to: ReplyTarget,
    /// The nick of who asked.
    pub(super) asker: String,
}

#[derive(Debug)]
struct OpenQuestion {
    question: PendingQuestion,
    wait: Wait,
    /// The answer, and since when it is ready.
    answer: Option<(String, Duration)>,
    try_at: Duration,
}

/// All questions that are open on an endpoint.
#[derive(Debug)]
pub(super) struct OpenQuestions {
    keeper: Keeper,
    open: Vec<OpenQuestion>,
}

impl OpenQuestions {
    /// None yet.
    pub(super) fn new(keeper: Keeper) -> Self {
        Self { keeper, open: Vec::new() }
    }

    /// Whether no question is open.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether no more questions can be held.
    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= QUESTIONS_MAX
    }

    /// Waits for an answer from here on.
    pub(super) fn push(&mut self, question: PendingQuestion) {
        let now = self.now();
        let wait = Wait::new(now, WaitLimits::default());
        self.open.push(OpenQuestion { question, wait, answer: None, try_at: now });
    }

    fn now(&self) -> Duration {
        self.keeper.services().clock.monotonic()
    }

    /// Loads what earlier keepers were asked and did not answer. Gives the events that close questions which cannot be
    /// answered any more.
    pub(super) async fn load_unanswered(&mut self, endpoint: &IrcEndpoint) -> Vec<Draft> {
        let mut closings = Vec::new();
        let (ledger, now) = (self.keeper.ledger().clone(), self.keeper.services().now());
        let read = move || unanswered_questions(&ledger, now);
        let unanswered = match tokio::task::spawn_blocking(read).await {
            Ok(Ok(unanswered)) => unanswered,
            Ok(Err(error)) => {
                tracing::error!(channel = "irc", event = "unanswered_unreadable", %error, "the ledger cannot be read for open questions; questions from before this start are not answered");
                return closings;
            }
            Err(_) => return closings,
        };
        for (epoch, agent, asked) in unanswered.into_iter().take(QUESTIONS_MAX) {
            if !endpoint.is_of(asked.network.as_deref(), &agent) {
                continue;
            }
            let to = match asked.room {
                Some(room) => ReplyTarget::Room(room),
                None if asked.network.is_none() => {
                    ReplyTarget::Person { account: Some(asked.account), nick: asked.nick.clone() }
                }
                // On an external network a nick may be somebody else's by now, and the question was private.
                None => {
                    closings.push(answered_event(epoch, &agent, 0));
                    continue;
                }
            };
            let nick = nick_for_agent(&agent);
            self.push(PendingQuestion { epoch, agent, nick, to, asker: asked.nick });
        }
        closings
    }

    /// Sends what is answered, and a notice about what takes long. Gives the events that record it.
    pub(super) async fn advance(&mut self, endpoint: &IrcEndpoint) -> Vec<Draft> {
        let now = self.now();
        let mut closings = Vec::new();
        let mut left = Vec::with_capacity(self.open.len());
        for mut open in std::mem::take(&mut self.open) {
            match self.advance_one(&mut open, endpoint, now).await {
                QuestionOutcome::Open => left.push(open),
                QuestionOutcome::Answered(people) => {
                    let PendingQuestion { epoch, agent, .. } = &open.question;
                    closings.push(answered_event(*epoch, agent, people));
                }
                QuestionOutcome::Unknown => {}
            }
        }
        self.open = left;
        closings
    }

    async fn advance_one(
        &self,
        open: &mut OpenQuestion,
        endpoint: &IrcEndpoint,
        now: Duration,
    ) -> QuestionOutcome {
        let end = self.keeper.state().epochs.get(&open.question.epoch).map(|span| span.end);
        let Some(end) = end else { return QuestionOutcome::Unknown };
        if end.is_none() {
            self.notify_waiting(open, endpoint, now).await;
            return QuestionOutcome::Open;
        }
        if now < open.try_at {
            return QuestionOutcome::Open;
        }
        open.try_at = now.saturating_add(RETRY_EVERY);
        let (text, since) = match open.answer.take() {
            Some(answer) => answer,
            None => match self.answer(&open.question).await {
                Some(text) => (text, now),
                None => return QuestionOutcome::Open,
            },
        };
        let PendingQuestion { nick, to, .. } = &open.question;
        let people = endpoint.say(nick, to, &text, SpokenKind::Speech).await;
        if people == 0 && now.saturating_sub(since) < ANSWER_LIFE {
            open.answer = Some((text, since));
            return QuestionOutcome::Open;
        }
        QuestionOutcome::Answered(people)
    }

    /// Notifies people once that it takes long, and once that they need not wait.
    async fn notify_waiting(&self, open: &mut OpenQuestion, endpoint: &IrcEndpoint, now: Duration) {
        let PendingQuestion { agent, nick, to, asker, .. } = &open.question;
        let text = match open.wait.look(now) {
            WaitStep::Quiet { .. } => return,
            WaitStep::Notice => {
                format!("{asker}: {agent} is still working on it. !abort {agent} stops it.")
            }
            WaitStep::Over => {
                // An answer that still comes is sent all the same.
                open.wait = Wait::new(now, WaitLimits { soft: ANSWER_LIFE, hard: ANSWER_LIFE });
                format!(
                    "{asker}: {agent} has not answered for half an hour. If an answer still comes, it is sent here."
                )
            }
        };
        endpoint.say(nick, to, &text, SpokenKind::Notice).await;
    }

    /// The text of an answer; none where it cannot be read, and is tried again.
    async fn answer(&self, question: &PendingQuestion) -> Option<String> {
        let record = match self.keeper.epoch(question.epoch).await {
            Ok(record) => record?,
            Err(error) => {
                tracing::warn!(agent = %question.agent, epoch = %question.epoch, channel = "irc", event = "answer_unreadable", %error, "an answer cannot be read from the ledger; it is tried again");
                return None;
            }
        };
        Some(answer_lines(question, &format_answer(&record)).join("\n"))
    }
}

/// What came of a question.
enum QuestionOutcome {
    /// It stays open.
    Open,
    /// Its answer was sent to so many people, or given up.
    Answered(usize),
    /// Its epoch is not known.
    Unknown,
}

/// The event that a question is answered, or given up.
fn answered_event(epoch: EpochId, agent: &AgentId, people: usize) -> Draft {
    let people = u64::try_from(people).unwrap_or(u64::MAX);
    Draft {
        entity: agent.entity(),
        author: EntityName::keeper(),
        epoch: Some(epoch),
        event: ChannelAnswered { channel: Channel::Irc, people }.into(),
    }
}

/// An answer as lines: in a room it begins with the nick of who asked.
fn answer_lines(question: &PendingQuestion, answer: &str) -> Vec<String> {
    let (target, text) = match &question.to {
        ReplyTarget::Room(room) => (room, format!("{}: {answer}", question.asker)),
        ReplyTarget::Person { nick, .. } => (nick, answer.to_owned()),
    };
    let budget = LineBudget::new(&format!("{0}!agent@agents.abide", question.nick), target);
    reply_lines(&text, budget, LINES_MAX, &format!("abide epochs show {}", question.epoch))
}

/// What was asked recently and has no recorded answer. Blocking.
fn unanswered_questions(
    ledger: &Ledger,
    now: Timestamp,
) -> Result<Vec<(EpochId, AgentId, ChannelAsked)>, ReadError> {
    let kinds = vec!["channel.asked".to_owned(), "channel.answered".to_owned()];
    let order = QueryOrder::NewestFirst;
    let mut answered = BTreeSet::new();
    let mut unanswered = Vec::new();
    for record in ledger.query(Query { kinds, order, limit: EVENTS_MAX, ..Query::default() }) {
        let Ok(entry) = record?.entry() else { continue };
        if now.since(entry.timestamp) > ANSWER_LIFE {
            break;
        }
        let agent = entry.entity.bare().parse().ok();
        match (entry.event, entry.epoch, agent) {
            (Event::Channel(ChannelEvent::Answered(_)), Some(epoch), _) => {
                answered.insert(epoch);
            }
            (Event::Channel(ChannelEvent::Asked(asked)), Some(epoch), Some(agent))
                if asked.channel == Channel::Irc && !answered.contains(&epoch) =>
            {
                unanswered.push((epoch, agent, asked));
            }
            _ => {}
        }
    }
    unanswered.reverse();
    Ok(unanswered)
}
