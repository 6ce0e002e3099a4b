//! Answers that are longer than what is said at once: cut into pages, and `!more` shows the next one where the question was asked.
//!
//! How far an answer was shown is only in memory; which answer was the last one at a place is in the ledger, so that a restart costs
//! no more than the place on its page.

use std::collections::HashMap;

use abide_channels::irc::{
    nick_for_agent,
    relay::{LineBudget, ReplyPage, reply_page},
};
use abide_domain::{
    AgentId, EpochId,
    envelope::Channel,
    event::{ChannelAsked, ChannelEvent, Event},
};
use abide_engine::Keeper;
use abide_ledger::{Ledger, Query, QueryOrder, ReadError};

use super::endpoint::ReplyTarget;
use crate::answer::format_answer;

/// Lines of an answer that are said by themselves.
pub(super) const LINES_MAX: usize = 15;
/// Lines that `!more` shows.
const MORE_LINES_MAX: usize = 40;
/// Places of which it is known how far an answer was shown.
const PLACES_MAX: usize = 1_000;
/// Questions that are read back for the last one at a place.
const EVENTS_MAX: usize = 5_000;

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

/// Some lines of an answer: in a room it begins with the nick of who asked.
pub(super) fn answer_page(
    question: &PendingQuestion,
    text: &str,
    from: usize,
    lines_max: usize,
) -> ReplyPage {
    let (target, text) = match &question.to {
        ReplyTarget::Room(room) => (room, format!("{}: {text}", question.asker)),
        ReplyTarget::Person { nick, .. } => (nick, text.to_owned()),
    };
    let budget = LineBudget::new(&format!("{0}!agent@agents.abide", question.nick), target);
    reply_page(&text, budget, from, lines_max)
}

/// The first line of each place's newest answer that was not shown.
#[derive(Debug, Default)]
pub(super) struct AnswerPages {
    places: HashMap<(String, AgentId), (PendingQuestion, Option<usize>)>,
    /// The agent whose answer was the newest at a place.
    newest: HashMap<String, AgentId>,
}

impl AnswerPages {
    /// Keeps how far an answer was shown.
    pub(super) fn note(&mut self, question: &PendingQuestion, next: Option<usize>) {
        let place = place(&question.to);
        if self.places.len() >= PLACES_MAX {
            // What is forgotten is found in the ledger, at its second page.
            self.places.clear();
            self.newest.clear();
        }
        self.newest.insert(place.clone(), question.agent.clone());
        self.places.insert((place, question.agent.clone()), (question.clone(), next));
    }

    /// The next page of the newest answer at a place, or of that agent's; why there is none.
    pub(super) async fn more(
        &mut self,
        (keeper, network): (&Keeper, Option<&str>),
        to: &ReplyTarget,
        agent: Option<&AgentId>,
    ) -> Result<(PendingQuestion, String), String> {
        const NOTHING: &str = "There is no more to show here.";
        let at = place(to);
        let agent = agent.or_else(|| self.newest.get(&at)).cloned();
        let known = agent.clone().and_then(|agent| self.places.get(&(at, agent)).cloned());
        let (question, next) = match known {
            Some((question, Some(next))) => (question, Some(next)),
            Some((_, None)) => return Err(NOTHING.to_owned()),
            None => {
                let ledger = keeper.ledger().clone();
                let (to, network) = (to.clone(), network.map(str::to_owned));
                let read = move || last_question(&ledger, network.as_deref(), &to, agent.as_ref());
                match tokio::task::spawn_blocking(read).await {
                    Ok(Ok(Some(question))) => (question, None),
                    Ok(Ok(None)) => return Err(NOTHING.to_owned()),
                    _ => return Err("The ledger cannot be read now; try again.".to_owned()),
                }
            }
        };
        let record = keeper.epoch(question.epoch).await;
        let record = record.map_err(|error| format!("The answer cannot be read now: {error}"))?;
        let Some(record) = record.filter(|record| record.ended_at.is_some()) else {
            return Err(format!("{} has not answered yet.", question.nick));
        };
        let text = format_answer(&record);
        let from =
            next.unwrap_or_else(|| answer_page(&question, &text, 0, LINES_MAX).next.unwrap_or(0));
        let page = answer_page(&question, &text, from, MORE_LINES_MAX);
        self.note(&question, page.next);
        Ok((question, page.lines.join("\n")))
    }
}

/// A name for where something is said.
fn place(to: &ReplyTarget) -> String {
    match to {
        ReplyTarget::Room(room) => room.to_ascii_lowercase(),
        ReplyTarget::Person { account: Some(account), .. } => format!("@{account}"),
        ReplyTarget::Person { account: None, nick } => nick.to_ascii_lowercase(),
    }
}

/// The last question that was asked at a place. Blocking.
fn last_question(
    ledger: &Ledger,
    network: Option<&str>,
    to: &ReplyTarget,
    wanted: Option<&AgentId>,
) -> Result<Option<PendingQuestion>, ReadError> {
    let kinds = vec!["channel.asked".to_owned()];
    let order = QueryOrder::NewestFirst;
    for record in ledger.query(Query { kinds, order, limit: EVENTS_MAX, ..Query::default() }) {
        let Ok(entry) = record?.entry() else { continue };
        let Ok(agent) = entry.entity.bare().parse::<AgentId>() else { continue };
        let (Event::Channel(ChannelEvent::Asked(asked)), Some(epoch)) = (entry.event, entry.epoch)
        else {
            continue;
        };
        let is_it = wanted.is_none_or(|wanted| *wanted == agent)
            && asked.channel == Channel::Irc
            && asked.network.as_deref() == network
            && is_at(&asked, to);
        if is_it {
            let nick = nick_for_agent(&agent);
            let (to, asker) = (to.clone(), asked.nick);
            return Ok(Some(PendingQuestion { epoch, agent, nick, to, asker }));
        }
    }
    Ok(None)
}

fn is_at(asked: &ChannelAsked, to: &ReplyTarget) -> bool {
    match (to, &asked.room) {
        (ReplyTarget::Room(room), Some(asked)) => room.eq_ignore_ascii_case(asked),
        (ReplyTarget::Person { account: Some(account), .. }, None) => *account == asked.account,
        _ => false,
    }
}
