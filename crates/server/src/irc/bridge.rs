//! The bridge: hears what is said on a post, writes it down, asks the relay what it means, and does it.
//!
//! ```text
//! line → queue → channel.said → relay → stimulus with channel.asked → epoch → answer said → channel.answered
//! ```
//!
//! One thing at a time and in order, so that who writes and then reads finds what it wrote. Each post has a bridge of its
//! own, so that a slow network keeps nobody waiting elsewhere. What agents say is on the record and otherwise left alone:
//! only people's words become stimuli. What strangers say on a network outside is neither kept nor answered.

use std::time::Duration;

use abide_channels::irc::{
    Addressee, Speaker, SpokenKind, SpokenLine, Target, nick_for_agent,
    relay::{IgnoreReason, RelayDecision},
    server::ServerHandle,
};
use abide_domain::{
    AgentId, EntityName,
    envelope::{Channel, StimulusEnvelope},
    event::{ChannelAsked, ChannelEvent, ChannelJoined, ChannelParted, Event},
    evidence::WATCHDOG,
};
use abide_engine::{Keeper, keeper::Acceptance};
use abide_ledger::{Draft, Ledger, Query, ReadError};
use tokio::{
    sync::mpsc,
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

use super::{
    KEEPER, KEEPER_NICK,
    asks::{Asked, Asks},
    bangs, console,
    house::{HEARD_MAX, Heard},
    post::{LINES_MAX, Post, To, voice},
    record,
};
use crate::api::AppState;

/// What is heard in one go, and written in one batch.
const BATCH: usize = 64;
/// How often it is looked whether somebody came back for an answer, or waits too long for one.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Lines of one answer of the house.
const ANSWER_LINES_MAX: usize = 200;

/// What a bridge is made of.
#[derive(Debug)]
pub(super) struct Parts {
    /// Tokens, the watchdog, how the keeper is.
    pub(super) front: AppState,
    /// The house.
    pub(super) keeper: Keeper,
    /// What is heard.
    pub(super) queue: mpsc::Receiver<Heard>,
    /// Where.
    pub(super) post: Post,
    /// The house's own server, where it is that.
    pub(super) server: Option<ServerHandle>,
}

/// The bridge between IRC and the house.
#[derive(Debug)]
pub(super) struct Bridge {
    parts: Parts,
    asks: Asks,
}

impl Bridge {
    /// A bridge that has heard nothing yet.
    pub(super) fn new(parts: Parts) -> Self {
        let asks = Asks::new(parts.keeper.clone());
        Self { parts, asks }
    }

    /// Works until told to stop. What was answered by then is said.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        self.take_up().await;
        let mut applications = self.parts.keeper.services().view.applications();
        let mut ticks = interval(LOOK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Vec::with_capacity(BATCH);
        loop {
            // Not biased: neither who talks much nor who answers much keeps the other waiting.
            tokio::select! {
                () = stop.cancelled() => break,
                count = self.parts.queue.recv_many(&mut heard, BATCH) => {
                    if count == 0 {
                        break;
                    }
                    self.hear(std::mem::take(&mut heard), Vec::new()).await;
                }
                changed = applications.changed() => {
                    if changed.is_err() {
                        break;
                    }
                    self.look().await;
                }
                _ = ticks.tick(), if !self.asks.is_empty() => self.look().await,
            }
        }
        self.look().await;
        let left = self.drain().await;
        self.hear(left, Vec::new()).await;
    }

    /// Says what is answered. That it was said is written with the lines that said it, and what was said before them.
    async fn look(&mut self) {
        let closings = self.asks.look(&self.parts.post).await;
        if !closings.is_empty() {
            let heard = self.drain().await;
            self.hear(heard, closings).await;
        }
    }

    /// What was said up to now and is not heard yet.
    async fn drain(&mut self) -> Vec<Heard> {
        if let Some(server) = &self.parts.server {
            // The server does one thing after the other: when it answers, all that was said before is in the queue.
            drop(server.census().await);
        }
        let mut heard = Vec::new();
        while let (true, Ok(next)) = (heard.len() < HEARD_MAX, self.parts.queue.try_recv()) {
            heard.push(next);
        }
        heard
    }

    /// Puts agents back where they were invited, and takes up what is owed.
    async fn take_up(&mut self) {
        if let Some(server) = &self.parts.server {
            let ledger = self.parts.keeper.ledger().clone();
            match tokio::task::spawn_blocking(move || rooms(&ledger)).await {
                Ok(Ok(rooms)) => {
                    for (agent, room) in rooms {
                        // An agent that is not here any more has no place to be put back to.
                        drop(server.join(&nick(&agent), &room).await);
                    }
                }
                Ok(Err(error)) => tracing::error!(%error, "invitations on irc are not known"),
                Err(_) => {}
            }
        }
        let closings = self.asks.take_up(&self.parts.post).await;
        self.hear(Vec::new(), closings).await;
    }

    /// Writes down what was said, and what else is to be written with it; then does what it means.
    async fn hear(&mut self, heard: Vec<Heard>, closings: Vec<Draft>) {
        let drafts = heard.iter().filter_map(|heard| self.draft(heard));
        let drafts: Vec<_> = drafts.chain(closings).collect();
        if !drafts.is_empty()
            && let Err(error) = self.parts.keeper.ledger().append(drafts).await
        {
            tracing::warn!(%error, "what was said on irc is not on the record");
        }
        for heard in heard {
            if let Heard::Said(said) = heard {
                self.judge(*said).await;
            }
        }
    }

    fn draft(&self, heard: &Heard) -> Option<Draft> {
        match heard {
            Heard::Said(said) if self.is_stranger(said) => None,
            Heard::Said(said) => record::draft(self.parts.post.network.as_deref(), said),
            Heard::Moved { agent, room, is_in } => {
                let room = room.clone();
                let (channel, network) = (Channel::Irc, None);
                let event = if *is_in {
                    ChannelJoined { channel, network, room }.into()
                } else {
                    ChannelParted { channel, network, room }.into()
                };
                let author = EntityName::keeper();
                Some(Draft { entity: agent.entity(), author, epoch: None, event })
            }
        }
    }

    /// Whether somebody on a network outside speaks whom the house does not know.
    fn is_stranger(&self, said: &SpokenLine) -> bool {
        let post = &self.parts.post;
        match &said.speaker {
            _ if post.network.is_none() => false,
            Speaker::Person(Some(account)) => post.person(account).is_none(),
            Speaker::Person(None) => true,
            Speaker::Agent(_) => false,
        }
    }

    async fn judge(&mut self, mut said: SpokenLine) {
        let post = &mut self.parts.post;
        let person = match &said.speaker {
            Speaker::Person(Some(account)) => post.person(account),
            Speaker::Person(None) | Speaker::Agent(_) => None,
        };
        if person.is_none() && matches!(said.speaker, Speaker::Person(_)) {
            // Whom the house does not know is a guest, whatever its network vouches for.
            said.speaker = Speaker::Person(None);
        }
        for verdict in post.relay.decide(&said) {
            self.act((&said, person.as_ref()), verdict).await;
        }
    }

    async fn act(
        &mut self,
        (said, person): (&SpokenLine, Option<&EntityName>),
        verdict: RelayDecision,
    ) {
        let is_alone = matches!(said.target, Target::Agent(_));
        let words = match (verdict, person) {
            (RelayDecision::Prompt { to, text }, Some(person)) => match to.agent.as_str() {
                KEEPER if is_alone && console::is_command(&text) => {
                    console::carry_out(&self.parts.keeper, person.clone(), &text).await
                }
                KEEPER if is_alone => console::HINT.to_owned(),
                KEEPER => format!(r"Commands are for us two alone: /msg {KEEPER_NICK} \help"),
                WATCHDOG => {
                    "I watch and page. !status shows what I see, !ack takes a stall on.".into()
                }
                _ => match self.ask((said, person), (to, text)).await {
                    Ok(()) => return,
                    Err(why) => why,
                },
            },
            (RelayDecision::Bang(bang), Some(person)) => {
                bangs::carry_out(&self.parts.front, bang, person).await.join("\n")
            }
            (RelayDecision::Gate { channel, nicks, is_open: true }, _) => {
                format!("{} hears everything in {channel} now; !gate ends it.", nicks.join(", "))
            }
            (RelayDecision::Gate { channel, nicks, is_open: false }, _) => {
                format!("{} hears mentions only in {channel} now.", nicks.join(", "))
            }
            (RelayDecision::Unclear(words), _) => words,
            // Outside nothing is said to strangers: they may be programs that answer as well.
            (RelayDecision::Nothing(IgnoreReason::FromGuest), _)
                if is_alone
                    && said.kind == SpokenKind::Speech
                    && self.parts.post.network.is_none() =>
            {
                "I answer people whom I know: log in with a token (SASL, or PASS NAME:TOKEN)."
                    .into()
            }
            // What a page does to its agent the watchdog does itself; here it is words, whoever says them.
            (
                RelayDecision::Page { .. }
                | RelayDecision::Nothing(_)
                | RelayDecision::Prompt { .. },
                _,
            )
            | (RelayDecision::Bang(_), None) => return,
        };
        self.reply(said, &words).await;
    }

    /// Makes a stimulus of what a person said to an agent.
    async fn ask(
        &mut self,
        (said, person): (&SpokenLine, &EntityName),
        (to, text): (Addressee, String),
    ) -> Result<(), String> {
        if self.asks.is_full() {
            return Err("Too many questions wait for their answers; ask again later.".to_owned());
        }
        let network = self.parts.post.network.as_deref();
        let asked = ChannelAsked {
            channel: Channel::Irc,
            network: network.map(str::to_owned),
            room: room(said),
            account: account(said),
            nick: said.nick.clone(),
            msgid: said.msgid.clone(),
        };
        let envelope = StimulusEnvelope {
            content: text.into(),
            sender: person.bare().to_owned(),
            channel: Channel::Irc,
            timestamp: said.at.min(self.parts.front.now()),
            last_driver_output: None,
            citizen: to.agent.clone(),
            session_id: Some(session(network, said, person)),
        };
        let how = Acceptance { beside: Some(asked.into()), ..Acceptance::default() };
        let accepted = self.parts.keeper.accept(envelope, how).await;
        let accepted = accepted.map_err(|error| format!("{} did not take it: {error}", to.nick))?;
        self.asks.push(Asked {
            epoch: accepted.epoch,
            agent: to.agent,
            nick: to.nick,
            to: place(said),
            asker: said.nick.clone(),
        });
        Ok(())
    }

    /// Answers where something was said, in the house's name.
    async fn reply(&self, said: &SpokenLine, words: &str) {
        let Some(voice) = voice(&said.agents) else { return };
        let mut lines: Vec<_> = words.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.len() > ANSWER_LINES_MAX {
            lines.truncate(ANSWER_LINES_MAX - 1);
            lines.push("… (the rest: `abide stdout` on the keeper's machine)");
        }
        for lines in lines.chunks(LINES_MAX) {
            self.parts.post.say(&voice, &place(said), &lines.join("\n"), SpokenKind::Speech).await;
        }
    }
}

/// The nick of an agent, or of the house itself.
fn nick(agent: &AgentId) -> String {
    if agent.as_str() == KEEPER { KEEPER_NICK.to_owned() } else { nick_for_agent(agent) }
}

/// Where what was said is answered.
fn place(said: &SpokenLine) -> To {
    match &said.target {
        Target::Channel(room) => To::Room(room.clone()),
        Target::Agent(_) => {
            let account = Some(account(said)).filter(|account| !account.is_empty());
            To::Person { account, nick: said.nick.clone() }
        }
    }
}

fn room(said: &SpokenLine) -> Option<String> {
    match &said.target {
        Target::Channel(room) => Some(room.clone()),
        Target::Agent(_) => None,
    }
}

fn account(said: &SpokenLine) -> String {
    match &said.speaker {
        Speaker::Person(account) => account.clone().unwrap_or_default(),
        Speaker::Agent(_) => String::new(),
    }
}

/// The conversation: a room's is everybody's in it, a query's the person's.
fn session(network: Option<&str>, said: &SpokenLine, person: &EntityName) -> String {
    let network = network.map(|network| format!("{network}/")).unwrap_or_default();
    let place = room(said).map(|room| room.to_lowercase());
    let place = place.unwrap_or_else(|| person.bare().to_owned());
    format!("{}:{network}{place}", Channel::Irc)
}

/// The rooms that agents were brought into, as the ledger has it. Blocking.
fn rooms(ledger: &Ledger) -> Result<Vec<(AgentId, String)>, ReadError> {
    let kinds = vec!["channel.joined".to_owned(), "channel.parted".to_owned()];
    let mut rooms: Vec<(AgentId, String)> = Vec::new();
    for record in ledger.query(Query { kinds, ..Query::default() }) {
        let Ok(entry) = record?.entry() else { continue };
        let Ok(agent) = entry.entity.bare().parse::<AgentId>() else { continue };
        let (room, is_in) = match entry.event {
            Event::Channel(ChannelEvent::Joined(joined)) if joined.network.is_none() => {
                (joined.room, true)
            }
            Event::Channel(ChannelEvent::Parted(parted)) if parted.network.is_none() => {
                (parted.room, false)
            }
            _ => continue,
        };
        rooms.retain(|(known, other)| *known != agent || !other.eq_ignore_ascii_case(&room));
        if is_in {
            rooms.push((agent, room));
        }
    }
    Ok(rooms)
}
