//! Where all that is remembered was said, in memory: by it is decided, before a search ranks anything, what its listener may
//! be told (decision 54).
//!
//! Follows the tables like the other indexes and holds no texts. What it does not know is told to nobody but the owner. A
//! thing that was derived is for those who may be told all that it stems from.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use abide_domain::{
    EntityName, EpochId,
    envelope::Channel,
    graph::{Node, NodeKind},
};

use super::{
    items::{ExchangeStamps, NodeVersion},
    passage_rows::seq_and_part,
};
use crate::{
    Listener, Origin, Wording, audience::GroupMembers, foreign_author, graph::searchable_text,
    is_shared_matter, sets_a_rule,
};

/// The category of facts about persons.
const USER: &str = "user";

/// An origin that lasts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct KnownOrigin {
    channel: Channel,
    session: Box<str>,
    sender: Box<str>,
}

impl KnownOrigin {
    fn borrowed(&self) -> Origin<'_> {
        Origin { channel: self.channel, session: &self.session, sender: &self.sender }
    }
}

/// How a fact came to be known.
#[derive(Clone, Debug, Default)]
pub(super) struct FactTelling {
    pub(super) category: String,
    /// Who told it first.
    pub(super) told_by: Option<EntityName>,
    /// The epochs that it was first learnt in.
    pub(super) sources: Vec<EpochId>,
    /// Those in which it was told again.
    pub(super) again: Vec<EpochId>,
}

#[derive(Clone, Debug)]
struct KnownFact {
    telling: FactTelling,
    is_shared: bool,
    is_of_person: bool,
}

/// Where everything was said.
#[derive(Debug, Default)]
pub(super) struct Provenance {
    origins: Vec<KnownOrigin>,
    numbers: HashMap<KnownOrigin, u32>,
    of_exchange: HashMap<u64, u32>,
    of_epoch: HashMap<EpochId, u32>,
    /// Rows of passages that tell of the project and the world.
    shared: HashSet<u64>,
    /// Exchanges that speak of a person, by the sequence of their commit.
    of_person: HashSet<u64>,
    /// Exchanges in which the sender passed on words of somebody else.
    foreign: HashSet<u64>,
    /// Rows of passages that set a rule.
    rules: HashSet<u64>,
    facts: HashMap<u64, KnownFact>,
    pub(super) members: GroupMembers,
}

/// What one listener may be told.
#[derive(Debug)]
pub(super) struct HeardBy<'a> {
    provenance: &'a Provenance,
    listener: Listener<'a>,
    /// Of each origin, whether it may be told.
    hears: Vec<bool>,
    /// Whether only what is about one person may be told, and who that is: they ask about themselves.
    oneself: Option<&'a str>,
}

impl Provenance {
    /// Takes a passage of a part in, by its row.
    pub(super) fn add_passage(&mut self, stamps: &ExchangeStamps, part: u32, row: u64, text: &str) {
        let number = match self.of_exchange.get(&stamps.seq) {
            Some(number) => *number,
            None => self.add_exchange(stamps),
        };
        let origin = self.origin(number);
        let is_of_person = origin.is_some_and(|origin| origin.borrowed().is_of_person());
        let is_among_people = origin.is_some_and(|origin| origin.borrowed().is_among_people());
        let by_agent = part >= stamps.stimulus_parts;
        // What the agent answered in private may repeat what was said there, whatever its words.
        let wording = Wording::of(text, is_of_person);
        if !(by_agent && is_among_people) && wording.is_shared_matter {
            self.shared.insert(row);
        }
        if wording.speaks_of_a_person {
            self.of_person.insert(stamps.seq);
            if !by_agent && foreign_author(text).is_some() {
                self.foreign.insert(stamps.seq);
            }
        }
        if !by_agent && sets_a_rule(text) {
            self.rules.insert(row);
        }
    }

    fn add_exchange(&mut self, stamps: &ExchangeStamps) -> u32 {
        let origin = KnownOrigin {
            channel: stamps.channel,
            session: stamps.session.as_str().into(),
            sender: stamps.sender.as_str().into(),
        };
        self.members.note(&origin.borrowed());
        let next = u32::try_from(self.origins.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(origin.clone()).or_insert(next);
        if number == next {
            self.origins.push(origin);
        }
        self.of_exchange.insert(stamps.seq, number);
        self.of_epoch.insert(stamps.epoch, number);
        number
    }

    /// Lets go of the passages of an exchange that was taken back. Where it was said stays known: what stems from it does.
    pub(super) fn forget_exchange(&mut self, seq: u64, rows: Range<u64>) {
        for row in rows {
            self.shared.remove(&row);
            self.rules.remove(&row);
        }
        self.of_person.remove(&seq);
        self.foreign.remove(&seq);
    }

    /// Takes a fact in.
    pub(super) fn add_fact(&mut self, seq: u64, content: &str, telling: FactTelling) {
        let wording = Wording::of(content, true);
        let is_shared = telling.category != USER && wording.is_shared_matter;
        let is_of_person = telling.category == USER || wording.speaks_of_a_person;
        self.facts.insert(seq, KnownFact { telling, is_shared, is_of_person });
    }

    /// Notes that a fact was told again.
    pub(super) fn tell_again(&mut self, seq: u64, sources: &[EpochId]) {
        if let Some(known) = self.facts.get_mut(&seq) {
            known.telling.again.extend(sources);
        }
    }

    /// Forgets a fact.
    pub(super) fn close_fact(&mut self, seq: u64) {
        self.facts.remove(&seq);
    }

    fn origin(&self, number: u32) -> Option<&KnownOrigin> {
        self.origins.get(usize::try_from(number).ok()?)
    }

    /// What a listener may be told. `oneself` is whose matters a question about the one who asks means.
    pub(super) fn heard_by<'a>(
        &'a self,
        listener: Listener<'a>,
        oneself: Option<&'a str>,
    ) -> HeardBy<'a> {
        let hears = self.origins.iter().map(|said| listener.hears(&said.borrowed(), &self.members));
        HeardBy { provenance: self, listener, hears: hears.collect(), oneself }
    }
}

impl HeardBy<'_> {
    fn hears_number(&self, number: u32) -> bool {
        usize::try_from(number).ok().and_then(|at| self.hears.get(at).copied()).unwrap_or(false)
    }

    fn hears_epoch(&self, epoch: &EpochId) -> bool {
        self.provenance.of_epoch.get(epoch).is_some_and(|number| self.hears_number(*number))
    }

    /// Whether a passage may be told.
    pub(super) fn has_passage(&self, row: u64) -> bool {
        let (seq, _) = seq_and_part(row);
        let number = self.provenance.of_exchange.get(&seq).copied();
        let is_heard = number.is_some_and(|number| self.hears_number(number));
        let is_shared =
            self.listener.hears_shared_matters() && self.provenance.shared.contains(&row);
        (is_heard || self.listener.hears_all() || is_shared) && self.is_of_asker(seq, number)
    }

    /// Whether a passage sets a rule and may be told.
    pub(super) fn has_rule(&self, row: u64) -> bool {
        self.provenance.rules.contains(&row) && self.has_passage(row)
    }

    /// Whether the whole exchange of a passage may be told, and not that passage alone.
    pub(super) fn has_exchange(&self, seq: u64) -> bool {
        let number = self.provenance.of_exchange.get(&seq).copied();
        let is_heard = number.is_some_and(|number| self.hears_number(number));
        (is_heard || self.listener.hears_all()) && self.is_of_asker(seq, number)
    }

    /// Who asks about themselves is not told what is said about another.
    fn is_of_asker(&self, seq: u64, number: Option<u32>) -> bool {
        let Some(asker) = self.oneself else { return true };
        let origin = number.and_then(|number| self.provenance.origin(number));
        let is_own = origin.is_some_and(|origin| &*origin.sender == asker)
            && !self.provenance.foreign.contains(&seq);
        is_own || !self.provenance.of_person.contains(&seq)
    }

    /// Whether a fact may be told.
    pub(super) fn has_fact(&self, seq: u64) -> bool {
        let Some(known) = self.provenance.facts.get(&seq) else { return self.listener.hears_all() };
        let FactTelling { category, told_by, sources, again } = &known.telling;
        let teller = told_by.as_ref().map(EntityName::bare);
        if let Some(asker) = self.oneself
            && known.is_of_person
            && teller != Some(asker)
        {
            return false;
        }
        if self.listener.hears_all() {
            return true;
        }
        let here = self.listener.origin();
        if sources.is_empty() {
            // Somebody wrote it down outside a conversation: of a person, for that person alone.
            let is_teller =
                here.is_some_and(|here| teller == Some(here.person()) && here.group().is_none());
            return category != USER || is_teller;
        }
        let all = |epochs: &[EpochId]| epochs.iter().all(|epoch| self.hears_epoch(epoch));
        let is_shared = known.is_shared && self.listener.hears_shared_matters();
        is_shared || all(sources) || (!again.is_empty() && all(again))
    }

    /// Whether the listener is the one who told a fact, or the keeper's owner.
    pub(super) fn is_from_listener(&self, seq: u64) -> bool {
        let Some(here) = self.listener.origin() else { return true };
        let Some(known) = self.provenance.facts.get(&seq) else { return false };
        let FactTelling { told_by, sources, .. } = &known.telling;
        if sources.is_empty() {
            return told_by.as_ref().is_some_and(|teller| teller.bare() == here.person());
        }
        sources.iter().any(|epoch| {
            let number = self.provenance.of_epoch.get(epoch);
            let said = number.and_then(|number| self.provenance.origin(*number));
            said.is_some_and(|said| {
                let said = said.borrowed();
                said.person() == here.person() && said.is_of_person() == here.is_of_person()
            })
        })
    }

    /// Whether a node may be told. `is_listener` says whether a name is that of the listener.
    pub(super) fn has_node(
        &self,
        version: &NodeVersion,
        is_listener: impl Fn(&str) -> bool,
    ) -> bool {
        if self.listener.hears_all() {
            return true;
        }
        let partner = match &*version.node {
            Node::Partnership(with) => Some(with.partner_name.as_str()),
            Node::Conversation(talk) => Some(talk.partner.as_str()),
            _ => None,
        };
        if version.sources.is_empty() {
            let is_in_private = self.listener.origin().is_some_and(|here| here.group().is_none());
            return partner.is_none_or(|partner| {
                partner.is_empty() || (is_in_private && is_listener(partner))
            });
        }
        let is_of_work = !matches!(
            version.node.kind(),
            NodeKind::Partnership | NodeKind::Conversation | NodeKind::Person | NodeKind::Emotion
        );
        let is_shared = is_of_work
            && self.listener.hears_shared_matters()
            && is_shared_matter(&searchable_text(&version.node), true);
        is_shared || version.sources.iter().all(|epoch| self.hears_epoch(epoch))
    }
}
