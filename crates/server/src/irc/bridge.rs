//! The bridge: takes what is said on an endpoint, records it, asks the relay what it means, and does it.
//!
//! ```text
//! line → queue → channel.said → relay → stimulus with channel.asked → epoch → answer sent → channel.answered
//! ```
//!
//! One line at a time and in order, so that whoever writes and then reads finds what was written. Each endpoint has a
//! bridge of its own, so that a slow network delays nobody elsewhere. What agents say is recorded and otherwise ignored:
//! only people's lines become stimuli. What unknown people say on an external network is neither recorded nor answered.

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
use abide_engine::{Keeper, keeper::AcceptOptions};
use abide_ledger::{Draft, Ledger, Query, ReadError};
use tokio::{
    sync::mpsc,
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

use super::{
    bang_commands, console,
    endpoint::{IrcEndpoint, LINES_MAX, ReplyTarget, reply_nick},
    names::{KEEPER, KEEPER_NICK},
    questions::{OpenQuestions, PendingQuestion},
    record,
    sink::{BridgeInput, QUEUE_MAX},
};
use crate::api::AppState;

/// Inputs that are taken at once, and recorded in one batch.
const BATCH: usize = 64;
/// Between two looks whether somebody came back for an answer, or waits too long for one.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// Lines of one answer of the keeper.
const ANSWER_LINES_MAX: usize = 200;

/// What a bridge is made of.
#[derive(Debug)]
pub(super) struct BridgeParts {
    /// Tokens, the watchdog, the health of the keeper.
    pub(super) app: AppState,
    /// Accepts stimuli.
    pub(super) keeper: Keeper,
    /// What comes in.
    pub(super) queue: mpsc::Receiver<BridgeInput>,
    /// Where lines come from and go to.
    pub(super) endpoint: IrcEndpoint,
    /// The built-in server, where the endpoint is that.
    pub(super) server: Option<ServerHandle>,
}

/// The bridge between one endpoint and the keeper.
#[derive(Debug)]
pub(super) struct IrcBridge {
    parts: BridgeParts,
    questions: OpenQuestions,
}

impl IrcBridge {
    /// A bridge with no open questions yet.
    pub(super) fn new(parts: BridgeParts) -> Self {
        let questions = OpenQuestions::new(parts.keeper.clone());
        Self { parts, questions }
    }

    /// Works until told to stop. What was answered by then is sent.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        self.restore().await;
        let mut applications = self.parts.keeper.services().view.applications();
        let mut ticks = interval(CHECK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut inputs = Vec::with_capacity(BATCH);
        loop {
            // Not biased: neither many lines nor many answers delay the other.
            tokio::select! { () = stop.cancelled() => break, count = self.parts.queue.recv_many(&mut inputs, BATCH) => { if count == 0 { break; } self.process(std::mem::take(&mut inputs), Vec::new()).await; } changed = applications.changed() => { if changed.is_err() { break; } self.send_due().await; } _ = ticks.tick(), if !self.questions.is_empty() => self.send_due().await, }
        }
        self.send_due().await;
        let left = self.drain().await;
        self.process(left, Vec::new()).await;
    }

    /// Sends what is answered. That it was sent is recorded with the lines that were sent, and what was said before them.
    async fn send_due(&mut self) {
        let closings = self.questions.advance(&self.parts.endpoint).await;
        if !closings.is_empty() {
            let inputs = self.drain().await;
            self.process(inputs, closings).await;
        }
    }

    /// What was said up to now and is not taken yet.
    async fn drain(&mut self) -> Vec<BridgeInput> {
        if let Some(server) = &self.parts.server {
            // The server works in order: when it answers, all that was said before is in the queue.
            drop(server.census().await);
        }
        let mut inputs = Vec::new();
        while let (true, Ok(next)) = (inputs.len() < QUEUE_MAX, self.parts.queue.try_recv()) {
            inputs.push(next);
        }
        inputs
    }

    /// Puts agents back into the rooms that they were invited to, and loads unanswered questions.
    async fn restore(&mut self) {
        if let Some(server) = &self.parts.server {
            let ledger = self.parts.keeper.ledger().clone();
            match tokio::task::spawn_blocking(move || rooms(&ledger)).await {
                Ok(Ok(rooms)) => {
                    for (agent, room) in rooms {
                        // An agent that is gone is in no room.
                        drop(server.join(&nick(&agent), &room).await);
                    }
                }
                Ok(Err(error)) => {
                    tracing::error!(channel = "irc", event = "rooms_unreadable", %error, "the ledger cannot be read for invitations; agents are not put back into their rooms");
                }
                Err(_) => {}
            }
        }
        let closings = self.questions.load_unanswered(&self.parts.endpoint).await;
        self.process(Vec::new(), closings).await;
    }

    /// Records inputs, and what else is to be recorded with them; then does what they mean.
    async fn process(&mut self, inputs: Vec<BridgeInput>, closings: Vec<Draft>) {
        let drafts = inputs.iter().filter_map(|input| self.draft(input));
        let drafts: Vec<_> = drafts.chain(closings).collect();
        if !drafts.is_empty()
            && let Err(error) = self.parts.keeper.ledger().append(drafts).await
        {
            tracing::warn!(channel = "irc", event = "lines_not_recorded", %error, "lines said on irc could not be recorded");
        }
        for input in inputs {
            if let BridgeInput::Said(said) = input {
                self.handle_line(*said).await;
            }
        }
    }

    fn draft(&self, input: &BridgeInput) -> Option<Draft> {
        match input {
            BridgeInput::Said(said) if self.is_unknown(said) => None,
            BridgeInput::Said(said) => {
                record::event_of_line(self.parts.endpoint.network.as_deref(), said)
            }
            BridgeInput::Moved { agent, room, is_in } => {
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

    /// Whether a line on an external network is of a person who is not configured there.
    fn is_unknown(&self, said: &SpokenLine) -> bool {
        let endpoint = &self.parts.endpoint;
        match &said.speaker {
            _ if endpoint.network.is_none() => false,
            Speaker::Person(Some(account)) => endpoint.person(account).is_none(),
            Speaker::Person(None) => true,
            Speaker::Agent(_) => false,
        }
    }

    async fn handle_line(&mut self, mut said: SpokenLine) {
        let endpoint = &mut self.parts.endpoint;
        let person = match &said.speaker {
            Speaker::Person(Some(account)) => endpoint.person(account),
            Speaker::Person(None) | Speaker::Agent(_) => None,
        };
        if person.is_none() && matches!(said.speaker, Speaker::Person(_)) {
            // Whoever is not configured is a guest, whatever the network says about the account.
            said.speaker = Speaker::Person(None);
        }
        for decision in endpoint.relay.decide(&said) {
            self.act((&said, person.as_ref()), decision).await;
        }
    }

    async fn act(
        &mut self,
        (said, person): (&SpokenLine, Option<&EntityName>),
        decision: RelayDecision,
    ) {
        let is_alone = matches!(said.target, Target::Agent(_));
        let words = match (decision, person) {
            (RelayDecision::Prompt { to, text }, Some(person)) => match to.agent.as_str() {
                KEEPER if is_alone && console::is_command(&text) => {
                    console::run_commands(&self.parts.keeper, person.clone(), &text).await
                }
                KEEPER if is_alone => console::HINT.to_owned(),
                KEEPER => format!(r"Commands work in a private message: /msg {KEEPER_NICK} \help"),
                WATCHDOG => {
                    "I watch the agents. !status shows their state, !ack acknowledges a stall."
                        .into()
                }
                _ => match self.ask((said, person), (to, text)).await {
                    Ok(()) => return,
                    Err(refusal) => refusal,
                },
            },
            (RelayDecision::Bang(bang), Some(person)) => {
                bang_commands::run_bang(&self.parts.app, bang, person).await.join("\n")
            }
            (RelayDecision::Gate { channel, nicks, is_open: true }, _) => {
                format!("{} now gets every line in {channel}; !gate ends it.", nicks.join(", "))
            }
            (RelayDecision::Gate { channel, nicks, is_open: false }, _) => {
                format!("{} now gets only mentions in {channel}.", nicks.join(", "))
            }
            (RelayDecision::Unclear(words), _) => words, // On an external network guests get no reply: they may be programs that reply as well.
            (RelayDecision::Nothing(IgnoreReason::FromGuest), _)
                if is_alone
                    && said.kind == SpokenKind::Speech
                    && self.parts.endpoint.network.is_none() =>
            {
                "I answer only people who are logged in: use a token (SASL, or PASS NAME:TOKEN)."
                    .into()
            } // What a page does to its agent is done by the watchdog; here it is only text, whoever says it.
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
        if self.questions.is_full() {
            return Err("Too many questions are waiting for answers; ask again later.".to_owned());
        }
        let network = self.parts.endpoint.network.as_deref();
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
            timestamp: said.at.min(self.parts.app.now()),
            sender_zone: None,
            last_driver_output: None,
            citizen: to.agent.clone(),
            session_id: Some(session(network, said, person)),
        };
        let how = AcceptOptions { beside: Some(asked.into()), ..AcceptOptions::default() };
        let accepted = self.parts.keeper.accept(envelope, how).await;
        let accepted =
            accepted.map_err(|error| format!("{} did not accept it: {error}", to.nick))?;
        self.questions.push(PendingQuestion {
            epoch: accepted.epoch,
            agent: to.agent,
            nick: to.nick,
            to: reply_target(said),
            asker: said.nick.clone(),
        });
        Ok(())
    }

    /// Answers where something was said, in the keeper's name.
    async fn reply(&self, said: &SpokenLine, words: &str) {
        let Some(nick) = reply_nick(&said.agents) else { return };
        let mut lines: Vec<_> = words.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.len() > ANSWER_LINES_MAX {
            lines.truncate(ANSWER_LINES_MAX - 1);
            lines.push("… (the rest: `abide stdout` on the keeper's machine)");
        }
        for lines in lines.chunks(LINES_MAX) {
            self.parts
                .endpoint
                .say(&nick, &reply_target(said), &lines.join("\n"), SpokenKind::Speech)
                .await;
        }
    }
}

/// The nick of an agent, or of the keeper.
fn nick(agent: &AgentId) -> String {
    if agent.as_str() == KEEPER { KEEPER_NICK.to_owned() } else { nick_for_agent(agent) }
}

/// Where what was said is answered.
fn reply_target(said: &SpokenLine) -> ReplyTarget {
    match &said.target {
        Target::Channel(room) => ReplyTarget::Room(room.clone()),
        Target::Agent(_) => {
            let account = Some(account(said)).filter(|account| !account.is_empty());
            ReplyTarget::Person { account, nick: said.nick.clone() }
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

/// The conversation: a room has one for everybody in it, a private message one for the person.
fn session(network: Option<&str>, said: &SpokenLine, person: &EntityName) -> String {
    let network = network.map(|network| format!("{network}/")).unwrap_or_default();
    let place = room(said).map(|room| room.to_lowercase());
    let place = place.unwrap_or_else(|| person.bare().to_owned());
    format!("{}:{network}{place}", Channel::Irc)
}

/// The rooms that agents were invited into, according to the ledger. Blocking.
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
