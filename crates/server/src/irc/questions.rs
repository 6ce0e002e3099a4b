//! What was asked on IRC and is not answered there yet. The answer goes back to where the question came from, once, and
//! over restarts of the keeper: the ledger holds what was asked and what was answered.
//!
//! That an answer leaves is durable before it does (`channel.sending`). What a crash leaves between that and
//! `channel.answered` may have been said: it is not said again, and whoever asked is told so.

use std::{collections::BTreeMap, time::Duration};

use abide_channels::irc::{
    SpokenKind, nick_for_agent,
    relay::{Wait, WaitLimits, WaitStep},
};
use abide_domain::{
    AgentId, EntityName, EpochId, Timestamp,
    envelope::Channel,
    event::{
        ChannelAnswered, ChannelAsked, ChannelEvent, ChannelMaybeSent, ChannelSending,
        ChannelUnsent, Event,
    },
};
use abide_engine::{Keeper, failpoint::Failpoint};
use abide_ledger::{Draft, Ledger, Query, QueryOrder, ReadError};

use super::{
    answer_pages::{AnswerPages, LINES_MAX, PendingQuestion, answer_page},
    endpoint::{IrcEndpoint, ReplyTarget, SayOutcome},
};
use crate::answer::format_answer;

/// Questions that may be open at once.
const QUESTIONS_MAX: usize = 10_000;
/// How long an answer is kept for somebody who is not there to read it.
const ANSWER_LIFE: Duration = Duration::from_hours(24);
/// Between two tries to find somebody there.
const RETRY_EVERY: Duration = Duration::from_secs(1);
/// Until the next try where an answer was about to leave and did not.
const UNSENT_PAUSE: Duration = Duration::from_secs(30);
/// Events that a start reads back for unanswered questions.
const EVENTS_MAX: usize = 20_000;

#[derive(Debug)]
struct OpenQuestion {
    question: PendingQuestion,
    wait: Wait,
    /// The answer, and since when it is ready.
    answer: Option<(String, Duration)>,
    /// It may have been said: only that is still to be told.
    is_unsure: bool,
    try_at: Duration,
}

/// All questions that are open on an endpoint.
#[derive(Debug)]
pub(super) struct OpenQuestions {
    keeper: Keeper,
    open: Vec<OpenQuestion>,
    /// How far the newest answer at each place was shown.
    pub(super) pages: AnswerPages,
}

impl OpenQuestions {
    /// None yet.
    pub(super) fn new(keeper: Keeper) -> Self {
        Self { keeper, open: Vec::new(), pages: AnswerPages::default() }
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
        self.push_as(question, false);
    }

    fn push_as(&mut self, question: PendingQuestion, is_unsure: bool) {
        let now = self.now();
        let wait = Wait::new(now, WaitLimits::default());
        self.open.push(OpenQuestion { question, wait, answer: None, is_unsure, try_at: now });
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
        for UnansweredQuestion { epoch, agent, asked, sent } in
            unanswered.into_iter().take(QUESTIONS_MAX)
        {
            if !endpoint.is_of(asked.network.as_deref(), &agent) {
                continue;
            }
            if sent == SendState::Sending {
                closings.push(maybe_sent_event(epoch, &agent));
            }
            let is_unsure = sent != SendState::Not;
            let to = match asked.room {
                Some(room) => ReplyTarget::Room(room),
                None if asked.network.is_none() => {
                    ReplyTarget::Person { account: Some(asked.account), nick: asked.nick.clone() }
                }
                // On an external network a nick may be somebody else's by now, and the question was private.
                None => {
                    closings.push(answered_event(epoch, &agent, (0, is_unsure)));
                    continue;
                }
            };
            let nick = nick_for_agent(&agent);
            let question = PendingQuestion { epoch, agent, nick, to, asker: asked.nick };
            self.push_as(question, is_unsure);
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
                    closings.push(answered_event(*epoch, agent, (people, open.is_unsure)));
                }
                QuestionOutcome::Unknown => {}
            }
        }
        self.open = left;
        closings
    }

    async fn advance_one(
        &mut self,
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
            None => match self.words(open).await {
                Some(text) => (text, now),
                None => return QuestionOutcome::Open,
            },
        };
        let PendingQuestion { nick, to, .. } = &open.question;
        if endpoint.is_heard(nick, to).await {
            return self.send(open, endpoint, (text, since)).await;
        }
        if now.saturating_sub(since) >= ANSWER_LIFE {
            return QuestionOutcome::Answered(0);
        }
        open.answer = Some((text, since));
        QuestionOutcome::Open
    }

    /// What is to be said now: the answer, or that it may have been said.
    async fn words(&self, open: &OpenQuestion) -> Option<String> {
        if open.is_unsure {
            let agent = &open.question.agent;
            return Some(format!(
                "My answer may have been said here before Abide was started again, so I do not repeat it. !more {agent} shows it."
            ));
        }
        self.answer(&open.question).await
    }

    /// Says it, with that on the record before and after.
    async fn send(
        &mut self,
        open: &mut OpenQuestion,
        endpoint: &IrcEndpoint,
        (text, since): (String, Duration),
    ) -> QuestionOutcome {
        let question = &open.question;
        let failpoints = &self.keeper.services().failpoints;
        let sending = ChannelSending { channel: Channel::Irc, part: None };
        let is_on_record = open.is_unsure
            || self.record(question, sending.into()).await
                && failpoints.pass(Failpoint::AnswerSending).await.is_ok();
        if !is_on_record {
            open.try_at = open.try_at.saturating_add(UNSENT_PAUSE);
            open.answer = Some((text, since));
            return QuestionOutcome::Open;
        }
        // A word about an answer starts where the answer starts, so that what follows it shows all of it.
        let page = answer_page(question, &text, 0, LINES_MAX);
        let lines = page.lines.join("\n");
        let said = endpoint.say(&question.nick, &question.to, &lines, SpokenKind::Speech).await;
        let _ = failpoints.pass(Failpoint::AnswerSent).await;
        match said {
            SayOutcome::Said(people) => {
                let next = if open.is_unsure { Some(0) } else { page.next };
                self.pages.note(question, next);
                QuestionOutcome::Answered(people)
            }
            SayOutcome::Refused => QuestionOutcome::Answered(0),
            SayOutcome::MaybeSaid if open.is_unsure => QuestionOutcome::Answered(0),
            SayOutcome::MaybeSaid => {
                self.record(question, ChannelMaybeSent { channel: Channel::Irc }.into()).await;
                open.is_unsure = true;
                QuestionOutcome::Open
            }
            SayOutcome::NotSaid => {
                if !open.is_unsure {
                    self.record(question, ChannelUnsent { channel: Channel::Irc }.into()).await;
                }
                open.try_at = open.try_at.saturating_add(UNSENT_PAUSE);
                open.answer = Some((text, since));
                QuestionOutcome::Open
            }
        }
    }

    /// Writes down what becomes of an answer; false where that cannot be written.
    async fn record(&self, question: &PendingQuestion, event: Event) -> bool {
        let PendingQuestion { epoch, agent, .. } = question;
        match self.keeper.ledger().append(vec![draft(*epoch, agent, event)]).await {
            Ok(_) => true,
            Err(error) => {
                tracing::warn!(%agent, %epoch, channel = "irc", event = "answer_not_recorded", %error, "what becomes of an answer could not be recorded; an answer that has not left is tried again");
                false
            }
        }
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
        Some(format_answer(&record))
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

/// The event that a question is answered, or given up; whether only that it may have been answered was said.
fn answered_event(epoch: EpochId, agent: &AgentId, (people, maybe_sent): (usize, bool)) -> Draft {
    let people = u64::try_from(people).unwrap_or(u64::MAX);
    draft(epoch, agent, ChannelAnswered { channel: Channel::Irc, people, maybe_sent }.into())
}

fn maybe_sent_event(epoch: EpochId, agent: &AgentId) -> Draft {
    draft(epoch, agent, ChannelMaybeSent { channel: Channel::Irc }.into())
}

fn draft(epoch: EpochId, agent: &AgentId, event: Event) -> Draft {
    Draft { entity: agent.entity(), author: EntityName::keeper(), epoch: Some(epoch), event }
}

/// A question that has no recorded answer.
struct UnansweredQuestion {
    epoch: EpochId,
    agent: AgentId,
    asked: ChannelAsked,
    sent: SendState,
}

/// How far the sending of an answer came before a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SendState {
    /// It did not leave.
    Not,
    /// It was about to leave.
    Sending,
    /// It is on the record that nobody can know.
    Unsure,
    /// It is answered.
    Answered,
}

/// What was asked recently and has no recorded answer. Blocking.
fn unanswered_questions(
    ledger: &Ledger,
    now: Timestamp,
) -> Result<Vec<UnansweredQuestion>, ReadError> {
    let kinds = ["asked", "sending", "unsent", "maybe_sent", "answered"];
    let kinds = kinds.map(|kind| format!("channel.{kind}")).to_vec();
    let order = QueryOrder::NewestFirst;
    // The newest word on each counts.
    let mut sent: BTreeMap<EpochId, SendState> = BTreeMap::new();
    let mut unanswered = Vec::new();
    for record in ledger.query(Query { kinds, order, limit: EVENTS_MAX, ..Query::default() }) {
        let Ok(entry) = record?.entry() else { continue };
        if now.since(entry.timestamp) > ANSWER_LIFE {
            break;
        }
        let (Event::Channel(event), Some(epoch)) = (entry.event, entry.epoch) else { continue };
        let state = match event {
            ChannelEvent::Answered(_) => SendState::Answered,
            ChannelEvent::Sending(_) => SendState::Sending,
            ChannelEvent::MaybeSent(_) => SendState::Unsure,
            ChannelEvent::Unsent(_) => SendState::Not,
            ChannelEvent::Asked(asked) if asked.channel == Channel::Irc => {
                let sent = sent.get(&epoch).copied().unwrap_or(SendState::Not);
                let agent = entry.entity.bare().parse().ok();
                if let Some(agent) = agent.filter(|_| sent != SendState::Answered) {
                    unanswered.push(UnansweredQuestion { epoch, agent, asked, sent });
                }
                continue;
            }
            _ => continue,
        };
        sent.entry(epoch).or_insert(state);
    }
    unanswered.reverse();
    Ok(unanswered)
}
