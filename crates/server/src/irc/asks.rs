//! What was asked on IRC and is not answered there yet. The answer goes back to where the question came from, once, and
//! over restarts of the keeper: the ledger says what was asked and what was said.

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

use super::post::{Post, To};
use crate::answer::words;

/// Questions that may be open at once.
const ASKS_MAX: usize = 10_000;
/// Lines of an answer; the rest is where the last line says.
const LINES_MAX: usize = 15;
/// How long an answer is kept for somebody who is not there to hear it.
const KEPT: Duration = Duration::from_hours(24);
/// Between two tries to find somebody there.
const TRY_EVERY: Duration = Duration::from_secs(1);
/// Events that a start looks back through for answers that are owed.
const LOOKED_AT_MAX: usize = 20_000;

/// A question that is open.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The epoch that answers it.
    pub(super) epoch: EpochId,
    /// Who was asked.
    pub(super) agent: AgentId,
    /// By which nick it answers.
    pub(super) nick: String,
    /// Where the answer goes.
    pub(super) to: To,
    /// The nick of who asked.
    pub(super) asker: String,
}

#[derive(Debug)]
struct Open {
    asked: Asked,
    wait: Wait,
    /// The answer and since when it is there to be said.
    answer: Option<(String, Duration)>,
    try_at: Duration,
}

/// All questions that are open on a post.
#[derive(Debug)]
pub(super) struct Asks {
    keeper: Keeper,
    open: Vec<Open>,
}

impl Asks {
    /// None yet.
    pub(super) fn new(keeper: Keeper) -> Self {
        Self { keeper, open: Vec::new() }
    }

    /// Whether nothing is waited for.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether no more can be taken.
    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= ASKS_MAX
    }

    /// Waits for an answer from here on.
    pub(super) fn push(&mut self, asked: Asked) {
        let now = self.now();
        let wait = Wait::new(now, WaitLimits::default());
        self.open.push(Open { asked, wait, answer: None, try_at: now });
    }

    fn now(&self) -> Duration {
        self.keeper.services().clock.monotonic()
    }

    /// Takes up what keepers before this one were asked and did not answer. Gives the events of what nothing is owed for
    /// any more.
    pub(super) async fn take_up(&mut self, post: &Post) -> Vec<Draft> {
        let mut closings = Vec::new();
        let (ledger, now) = (self.keeper.ledger().clone(), self.keeper.services().now());
        let owed = match tokio::task::spawn_blocking(move || owed(&ledger, now)).await {
            Ok(Ok(owed)) => owed,
            Ok(Err(error)) => {
                tracing::error!(%error, "answers owed on irc are not known");
                return closings;
            }
            Err(_) => return closings,
        };
        for (epoch, agent, asked) in owed.into_iter().take(ASKS_MAX) {
            if !post.is_of(asked.network.as_deref(), &agent) {
                continue;
            }
            let to = match asked.room {
                Some(room) => To::Room(room),
                None if asked.network.is_none() => {
                    To::Person { account: Some(asked.account), nick: asked.nick.clone() }
                }
                // Outside, a nick may be somebody else's by now, and this was said to one person alone.
                None => {
                    closings.push(closing(epoch, &agent, 0));
                    continue;
                }
            };
            let nick = nick_for_agent(&agent);
            self.push(Asked { epoch, agent, nick, to, asker: asked.nick });
        }
        closings
    }

    /// Looks at all of them: says what is answered, and a word about what takes long. Gives the events that say so.
    pub(super) async fn look(&mut self, post: &Post) -> Vec<Draft> {
        let now = self.now();
        let mut closings = Vec::new();
        let mut left = Vec::with_capacity(self.open.len());
        for mut open in std::mem::take(&mut self.open) {
            match self.look_at(&mut open, post, now).await {
                Looked::Open => left.push(open),
                Looked::Said(people) => {
                    closings.push(closing(open.asked.epoch, &open.asked.agent, people));
                }
                Looked::Gone => {}
            }
        }
        self.open = left;
        closings
    }

    async fn look_at(&self, open: &mut Open, post: &Post, now: Duration) -> Looked {
        let end = self.keeper.house().epochs.get(&open.asked.epoch).map(|span| span.end);
        let Some(end) = end else { return Looked::Gone };
        if end.is_none() {
            self.be_patient(open, post, now).await;
            return Looked::Open;
        }
        if now < open.try_at {
            return Looked::Open;
        }
        open.try_at = now.saturating_add(TRY_EVERY);
        let (text, since) = match open.answer.take() {
            Some(answer) => answer,
            None => match self.answer(&open.asked).await {
                Some(text) => (text, now),
                None => return Looked::Open,
            },
        };
        let Asked { nick, to, .. } = &open.asked;
        let people = post.say(nick, to, &text, SpokenKind::Speech).await;
        if people == 0 && now.saturating_sub(since) < KEPT {
            open.answer = Some((text, since));
            return Looked::Open;
        }
        Looked::Said(people)
    }

    /// Tells people once that it takes long, and once that nobody need wait.
    async fn be_patient(&self, open: &mut Open, post: &Post, now: Duration) {
        let Asked { agent, nick, to, asker, .. } = &open.asked;
        let text = match open.wait.look(now) {
            WaitStep::Quiet { .. } => return,
            WaitStep::Notice => format!("{asker}: {agent} is still at it. !abort {agent} ends it."),
            WaitStep::Over => {
                // What still comes is said all the same; nobody need sit and wait for it.
                open.wait = Wait::new(now, WaitLimits { soft: KEPT, hard: KEPT });
                format!(
                    "{asker}: {agent} has not answered for half an hour. Should an answer still come, it is said here."
                )
            }
        };
        post.say(nick, to, &text, SpokenKind::Notice).await;
    }

    /// What is to be said; nothing where it could not be read, and is tried again.
    async fn answer(&self, asked: &Asked) -> Option<String> {
        let record = match self.keeper.epoch(asked.epoch).await {
            Ok(record) => record?,
            Err(error) => {
                tracing::warn!(%error, epoch = %asked.epoch, "an answer cannot be read");
                return None;
            }
        };
        Some(lines(asked, &words(&record)).join("\n"))
    }
}

/// What a look at a question found.
enum Looked {
    /// It stays open.
    Open,
    /// Its answer was said to so many, or given up.
    Said(usize),
    /// It is none of ours.
    Gone,
}

/// The event that nothing is owed any more.
fn closing(epoch: EpochId, agent: &AgentId, people: usize) -> Draft {
    let people = u64::try_from(people).unwrap_or(u64::MAX);
    Draft {
        entity: agent.entity(),
        author: EntityName::keeper(),
        epoch: Some(epoch),
        event: ChannelAnswered { channel: Channel::Irc, people }.into(),
    }
}

/// An answer as lines: in a room it begins with the nick of who asked.
fn lines(asked: &Asked, words: &str) -> Vec<String> {
    let (target, text) = match &asked.to {
        To::Room(room) => (room, format!("{}: {words}", asked.asker)),
        To::Person { nick, .. } => (nick, words.to_owned()),
    };
    let budget = LineBudget::new(&format!("{0}!agent@agents.abide", asked.nick), target);
    reply_lines(&text, budget, LINES_MAX, &format!("abide epochs show {}", asked.epoch))
}

/// What was asked lately and has no answer on the record. Blocking.
fn owed(
    ledger: &Ledger,
    now: Timestamp,
) -> Result<Vec<(EpochId, AgentId, ChannelAsked)>, ReadError> {
    let kinds = vec!["channel.asked".to_owned(), "channel.answered".to_owned()];
    let order = QueryOrder::NewestFirst;
    let mut answered = BTreeSet::new();
    let mut owed = Vec::new();
    for record in ledger.query(Query { kinds, order, limit: LOOKED_AT_MAX, ..Query::default() }) {
        let Ok(entry) = record?.entry() else { continue };
        if now.since(entry.timestamp) > KEPT {
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
                owed.push((epoch, agent, asked));
            }
            _ => {}
        }
    }
    owed.reverse();
    Ok(owed)
}
