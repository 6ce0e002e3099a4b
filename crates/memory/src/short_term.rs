//! Short-term memory: the agent's committed exchanges since the last reset (decisions 4, 11, 17 and 23).
//!
//! A pure fold: no I/O, no clock, the same value for the same ledger. What it costs an epoch does not grow with the
//! number of epochs: an exchange is added once, leaves once, and a window costs its own size. Texts are shared, never
//! copied; only the newest are held ([`TOKENS_KEPT_MAX`], [`EXCHANGES_KEPT_MAX`]), the older ones are counted. An
//! aborted epoch leaves nothing.
//!
//! Reading order: here the fold; `series` (one run of exchanges with its token sums); `window` (which of them go into a
//! prompt). What an epoch says before it ends is in `open_epoch`.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use abide_domain::{
    EntityName, EpochId,
    envelope::{Channel, DriverOutput},
    event::MemoryEvent,
    turn::Exchange,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

mod series;
mod window;

pub use window::{HistoryScope, Window};

use self::series::{ExchangeSeries, SeriesItem};
use crate::{
    DurableEvent, GroupMembers, Listener, Origin, estimate_tokens,
    open_epoch::OpenEpochs,
    staging::{MemoryStep, Staging},
};

/// What an exchange costs in a prompt beside its texts: the label with sender, channel and time.
pub const EXCHANGE_OVERHEAD_TOKENS: u64 = 16;
/// Texts of exchanges older than this many tokens are let go; more than any model's window.
pub const TOKENS_KEPT_MAX: u64 = 1_000_000;
/// Texts of at most this many exchanges are held.
pub const EXCHANGES_KEPT_MAX: usize = 20_000;
/// Sessions whose newest reply is held; beyond it the session that has been silent longest is forgotten.
pub const SESSIONS_MAX: usize = 4_096;

/// The short-term memory of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShortTerm {
    entity: EntityName,
    applied_seq: u64,
    open: OpenEpochs,
    resets: Staging<u64>,
    /// What open epochs take back.
    forgets: Staging<Vec<EpochId>>,
    /// Whether an exchange in the windows was taken back.
    has_bound: bool,
    /// Epochs that were taken back before they ended.
    bound_open: HashSet<EpochId>,
    #[serde(deserialize_with = "of_shared_names")]
    agent: ExchangeSeries<WindowExchange>,
    /// The ordinal of the first exchange whose text is held.
    first_held: u64,
    /// By session, the ordinals of its exchanges.
    sessions: HashMap<Arc<str>, ExchangeSeries<u64>>,
    /// By person, the ordinals of the exchanges that they had with the agent alone.
    people: HashMap<Arc<str>, ExchangeSeries<u64>>,
    members: GroupMembers,
    replies: Replies,
}

/// An exchange of the agent's run; its text is gone once it is far behind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WindowExchange {
    epoch: EpochId,
    session: Arc<str>,
    channel: Channel,
    sender: Arc<str>,
    exchange: Option<Arc<Exchange>>,
    /// Whether it was taken back: then it is neither shown nor counted as left out.
    is_bound: bool,
}

impl WindowExchange {
    fn origin(&self) -> Origin<'_> {
        Origin { channel: self.channel, session: &self.session, sender: &self.sender }
    }
}

impl ShortTerm {
    /// An empty memory of one agent; events of others are skipped.
    pub fn new(entity: EntityName) -> Self {
        Self {
            entity,
            applied_seq: 0,
            open: OpenEpochs::default(),
            resets: Staging::default(),
            forgets: Staging::default(),
            has_bound: false,
            bound_open: HashSet::new(),
            agent: ExchangeSeries::default(),
            first_held: 0,
            sessions: HashMap::new(),
            people: HashMap::new(),
            members: GroupMembers::default(),
            replies: Replies::default(),
        }
    }

    /// Folds one durable event in. Events up to the newest seen are skipped.
    pub fn apply(&mut self, applied: &DurableEvent<'_>) {
        if applied.seq <= self.applied_seq || *applied.entity != self.entity {
            return;
        }
        self.applied_seq = applied.seq;
        match MemoryStep::of(applied) {
            MemoryStep::Stage(epoch, MemoryEvent::Reset(reset)) => {
                self.resets.hold(epoch, reset.through_seq);
            }
            MemoryStep::InForce(MemoryEvent::Reset(reset)) => self.reset(reset.through_seq),
            MemoryStep::Stage(epoch, MemoryEvent::Forgotten(forgotten)) => {
                self.forgets.hold(epoch, forgotten.epochs.clone());
            }
            MemoryStep::InForce(MemoryEvent::Forgotten(forgotten)) => {
                self.forget(&forgotten.epochs.iter().copied().collect());
            }
            MemoryStep::Commit(epoch, turn) => self.commit(epoch, turn, applied),
            MemoryStep::Abort(epoch) => {
                self.open.drop_epoch(epoch);
                self.resets.take(epoch);
                self.forgets.take(epoch);
                self.bound_open.remove(&epoch);
            }
            MemoryStep::Stage(..) | MemoryStep::InForce(_) => {}
            MemoryStep::Other => self.open.collect(applied),
        }
    }

    /// How many exchanges there are since the last reset.
    pub fn len(&self) -> usize {
        self.agent.len()
    }

    /// Whether nothing was exchanged since the last reset.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What all exchanges since the last reset would cost in a prompt: a sleep is asked for by it.
    pub fn tokens(&self) -> u64 {
        self.agent.tokens()
    }

    /// The exchanges since the last reset whose texts are held, oldest first.
    pub fn exchanges(&self) -> impl DoubleEndedIterator<Item = &Arc<Exchange>> {
        self.agent.since(self.first_held).filter_map(|item| item.item.exchange.as_ref())
    }

    /// How many exchanges a reset through that sequence would take out of the window.
    pub fn count_through(&self, through_seq: u64) -> u64 {
        self.agent.count_through(through_seq)
    }

    /// The agent's newest committed reply in a session, and its epoch. Resets do not touch it (decision 4).
    pub fn last_reply(&self, session: &str) -> Option<(EpochId, DriverOutput)> {
        self.last_reply_for(session, &Listener::OWNER)
    }

    /// The same, where who listens may be told what was answered there.
    pub fn last_reply_for(
        &self,
        session: &str,
        listener: &Listener<'_>,
    ) -> Option<(EpochId, DriverOutput)> {
        let reply = self.replies.of_session.get(session)?;
        let (channel, sender) = (reply.channel, &*reply.sender);
        let is_told = listener.hears(&Origin { channel, session, sender }, &self.members);
        is_told.then(|| (reply.epoch, reply.output.clone()))
    }

    /// Its part of `state_digest`: which epochs make it up, without texts and clocks.
    pub fn state_parts(&self) -> Value {
        let mut hash = Sha256::new();
        for item in self.agent.since(0) {
            hash.update(item.item.epoch.uuid().as_bytes());
        }
        let newest = self.agent.newest().map(|item| item.item.epoch);
        json!({"exchanges": self.len(), "newest": newest, "sha256": hex::encode(hash.finalize())})
    }

    fn commit(&mut self, epoch: EpochId, turn: u32, applied: &DurableEvent<'_>) {
        if let Some(ended) = self.open.ended(epoch, turn, applied.at) {
            self.add(ended.session, ended.exchange, applied.seq);
        }
        self.open.drop_epoch(epoch);
        let taken_back = self.forgets.take(epoch);
        if !taken_back.is_empty() || self.bound_open.remove(&epoch) {
            // Who asks to forget something says it once more.
            self.forget(&taken_back.into_iter().flatten().chain([epoch]).collect());
        }
        for through_seq in self.resets.take(epoch) {
            self.reset(through_seq);
        }
    }

    fn add(&mut self, session: Arc<str>, exchange: Exchange, seq: u64) {
        let output =
            DriverOutput { content: exchange.reply.clone(), timestamp: exchange.replied_at };
        let (epoch, channel) = (exchange.epoch, exchange.channel);
        // One text for all exchanges of a session, and of a person: they stay as long as the run.
        let session = known(&self.sessions, &session).unwrap_or(session);
        let sender = known(&self.people, &exchange.sender);
        let sender = sender.unwrap_or_else(|| exchange.sender.as_str().into());
        let reply = LastReply { seq, epoch, channel, sender: sender.clone(), output };
        self.replies.note(session.clone(), reply);
        let tokens = exchange_tokens(&exchange);
        let exchange = Some(Arc::new(exchange));
        let exchange = WindowExchange {
            epoch,
            session: session.clone(),
            channel,
            sender: sender.clone(),
            exchange,
            is_bound: false,
        };
        let origin = exchange.origin();
        self.members.note(&origin);
        let is_alone = origin.group().is_none();
        let person = is_alone.then(|| match origin.person() {
            person if *person == *sender => sender.clone(),
            person => person.into(),
        });
        let ordinal = self.agent.push(exchange, tokens, seq);
        self.sessions.entry(session).or_default().push(ordinal, tokens, seq);
        if let Some(person) = person {
            self.people.entry(person).or_default().push(ordinal, tokens, seq);
        }
        self.drop_old_texts();
    }

    /// Lets texts go that are too far behind. The newest is always held.
    fn drop_old_texts(&mut self) {
        let end = self.agent.end_ordinal();
        while self.first_held + 1 < end {
            let held = usize::try_from(end - self.first_held).unwrap_or(usize::MAX);
            let tokens = self.agent.tokens_since(self.first_held);
            if held <= EXCHANGES_KEPT_MAX && tokens <= TOKENS_KEPT_MAX {
                return;
            }
            if let Some(item) = self.agent.get_mut(self.first_held) {
                item.item.exchange = None;
            }
            self.first_held += 1;
        }
    }

    /// Takes the exchanges of these epochs out of all windows, and what was said last in them. Their places stay, so that
    /// no other exchange moves.
    fn forget(&mut self, epochs: &HashSet<EpochId>) {
        for item in self.agent.iter_mut() {
            if epochs.contains(&item.item.epoch) {
                item.item.exchange = None;
                item.item.is_bound = true;
                self.has_bound = true;
            }
        }
        self.replies.forget(epochs);
        self.bound_open.extend(epochs.iter().filter(|epoch| self.open.is_open(**epoch)));
    }

    fn reset(&mut self, through_seq: u64) {
        while let Some(SeriesItem { item: gone, .. }) = self.agent.pop_through(through_seq) {
            drop_through(&mut self.sessions, &gone.session, through_seq);
            drop_through(&mut self.people, gone.origin().person(), through_seq);
        }
        self.first_held = self.first_held.max(self.agent.first_ordinal());
    }
}

/// Reads the exchanges of a run so that each name is held once, however many exchanges have it.
fn of_shared_names<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<ExchangeSeries<WindowExchange>, D::Error> {
    let mut series = ExchangeSeries::<WindowExchange>::deserialize(from)?;
    let mut names = HashSet::<Arc<str>>::new();
    for item in series.iter_mut() {
        for name in [&mut item.item.session, &mut item.item.sender] {
            match names.get(&**name) {
                Some(held) => *name = Arc::clone(held),
                None => drop(names.insert(Arc::clone(name))),
            }
        }
    }
    Ok(series)
}

/// The name under which something is known already.
fn known<T>(all: &HashMap<Arc<str>, T>, name: &str) -> Option<Arc<str>> {
    all.get_key_value(name).map(|(known, _)| Arc::clone(known))
}

/// What an exchange costs in a prompt.
fn exchange_tokens(exchange: &Exchange) -> u64 {
    estimate_tokens(&exchange.stimulus)
        + estimate_tokens(&exchange.reply)
        + EXCHANGE_OVERHEAD_TOKENS
}

/// Takes what was committed up to a sequence out of one series, and the series where nothing is left of it.
fn drop_through(all: &mut HashMap<Arc<str>, ExchangeSeries<u64>>, name: &str, through_seq: u64) {
    let Some(series) = all.get_mut(name) else { return };
    while series.pop_through(through_seq).is_some() {}
    if series.len() == 0 {
        all.remove(name);
    }
}

/// What an agent said last in a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct LastReply {
    seq: u64,
    epoch: EpochId,
    channel: Channel,
    sender: Arc<str>,
    output: DriverOutput,
}

/// The newest reply of each session, with the oldest of them at hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Replies {
    of_session: HashMap<Arc<str>, LastReply>,
    by_seq: BTreeMap<u64, Arc<str>>,
}

impl Replies {
    fn forget(&mut self, epochs: &HashSet<EpochId>) {
        let by_seq = &mut self.by_seq;
        self.of_session.retain(|_, reply| {
            let is_bound = epochs.contains(&reply.epoch);
            if is_bound {
                by_seq.remove(&reply.seq);
            }
            !is_bound
        });
    }

    fn note(&mut self, session: Arc<str>, reply: LastReply) {
        let seq = reply.seq;
        let older = self.of_session.insert(session.clone(), reply);
        if let Some(older) = older {
            self.by_seq.remove(&older.seq);
        }
        self.by_seq.insert(seq, session);
        if self.by_seq.len() > SESSIONS_MAX
            && let Some((_, session)) = self.by_seq.pop_first()
        {
            self.of_session.remove(&session);
        }
    }
}
