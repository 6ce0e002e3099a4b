//! The bridge: takes what is said on an endpoint, records it, asks the relay what it means, and does it.
//!
//! ```text
//! line → queue → channel.said → relay → stimulus with channel.asked → epoch → channel.sending → answer sent → channel.answered
//! ```
//!
//! A prompt waits a second or three for what may follow it, for programs send in lines what was one text.
//!
//! One line at a time and in order, so that whoever writes and then reads finds what was written. Each endpoint has a
//! bridge of its own, so that a slow network delays nobody elsewhere. What agents say is recorded and otherwise ignored:
//! only people's lines become stimuli. What unknown people say on an external network is neither recorded nor answered.

use std::time::Duration;

use abide_channels::irc::{
    Addressee, Speaker, SpokenKind, SpokenLine, Target,
    relay::{BangCommand, IgnoreReason, PieceJoiner, RelayDecision},
    server::ServerHandle,
};
use abide_domain::{
    EntityName,
    envelope::Channel,
    event::{ChannelGateMoved, ChannelJoined, ChannelParted, ChannelReadMarked, ChannelTopicSet},
    evidence::WATCHDOG,
};
use abide_engine::Keeper;
use abide_ledger::Draft;
use tokio::{
    sync::mpsc,
    time::{MissedTickBehavior, interval, sleep},
};
use tokio_util::sync::CancellationToken;

use super::{
    bang_commands, console,
    conversation::{nick, reply_target},
    endpoint::{IrcEndpoint, LINES_MAX, reply_nick},
    names::{KEEPER, KEEPER_NICK},
    places::Places,
    questions::OpenQuestions,
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
    pub(super) parts: BridgeParts,
    pub(super) questions: OpenQuestions,
    pub(super) joiner: PieceJoiner,
}

impl IrcBridge {
    /// A bridge with no open questions yet.
    pub(super) fn new(parts: BridgeParts) -> Self {
        let questions = OpenQuestions::new(parts.keeper.clone());
        Self { parts, questions, joiner: PieceJoiner::default() }
    }

    /// Works until told to stop. What was answered by then is sent; what waits to be asked is asked by the next keeper.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        self.restore().await;
        let mut applications = self.parts.keeper.services().view.applications();
        let mut ticks = interval(CHECK_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut inputs = Vec::with_capacity(BATCH);
        loop {
            // Not biased: neither many lines nor many answers delay the other.
            let wait = self.joiner.next_at().map(|at| at.saturating_sub(self.now()));
            tokio::select! {
                () = stop.cancelled() => break,
                () = sleep(wait.unwrap_or_default()), if wait.is_some() => self.ask_due().await,
                count = self.parts.queue.recv_many(&mut inputs, BATCH) => {
                    if count == 0 {
                        break;
                    }
                    self.process(std::mem::take(&mut inputs), Vec::new()).await;
                }
                changed = applications.changed() => {
                    if changed.is_err() {
                        break;
                    }
                    self.send_due().await;
                }
                _ = ticks.tick(), if !self.questions.is_empty() => self.send_due().await,
            }
        }
        self.send_due().await;
        let left = self.drain().await;
        self.process(left, Vec::new()).await;
        if self.parts.server.is_none() {
            // What was said on an external network is not asked later: who said it is told so.
            for held in self.joiner.take_all() {
                self.ask_held(held).await;
            }
        }
    }

    /// The monotonic clock.
    pub(super) fn now(&self) -> Duration {
        self.parts.keeper.services().clock.monotonic()
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

    /// Puts back what people arranged before a restart: rooms, gates, topics, how far they have read; loads unanswered
    /// questions, and asks those that the end of a keeper kept from being asked.
    async fn restore(&mut self) {
        let ledger = self.parts.keeper.ledger().clone();
        let network = self.parts.endpoint.network.clone();
        let read = move || Places::read(&ledger, network.as_deref());
        match tokio::task::spawn_blocking(read).await {
            Ok(Ok(places)) => self.put_back(places).await,
            Ok(Err(error)) => {
                tracing::error!(channel = "irc", event = "rooms_unreadable", %error, "the ledger cannot be read for rooms, gates and topics; they are as on a new server");
            }
            Err(_) => {}
        }
        let closings = self.questions.load_unanswered(&self.parts.endpoint).await;
        self.process(Vec::new(), closings).await;
        self.ask_owed().await;
    }

    async fn put_back(&mut self, places: Places) {
        for (agent, room) in places.open_gates {
            self.parts.endpoint.relay.restore_gate(&room, agent, true);
        }
        let Some(server) = &self.parts.server else { return };
        for (agent, room) in places.rooms {
            // An agent that is gone is in no room.
            drop(server.join(&nick(&agent), &room).await);
        }
        for (topic, at) in places.topics {
            let set = (topic.topic.as_str(), topic.nick.as_str(), at);
            drop(server.restore_topic(&topic.room, set).await);
        }
        drop(server.restore_read_markers(places.read_markers).await);
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
            BridgeInput::Topic(topic) => {
                let person = EntityName::sender(&topic.account).ok()?;
                let event = ChannelTopicSet {
                    channel: Channel::Irc,
                    room: topic.channel.clone(),
                    topic: topic.topic.clone(),
                    nick: topic.nick.clone(),
                };
                Some(Draft {
                    entity: person.clone(),
                    author: person,
                    epoch: None,
                    event: event.into(),
                })
            }
            BridgeInput::Read(marker) => {
                let person = EntityName::sender(&marker.account).ok()?;
                let event = ChannelReadMarked {
                    channel: Channel::Irc,
                    target: marker.target.clone(),
                    account: marker.account.clone(),
                    at: marker.at,
                };
                Some(Draft {
                    entity: person.clone(),
                    author: person,
                    epoch: None,
                    event: event.into(),
                })
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
        if matches!(said.speaker, Speaker::Person(_)) {
            self.joiner.note_people([said.nick.as_str()]);
        }
        let decisions = endpoint.relay.decide(&said);
        let is_unaddressed =
            matches!(decisions[..], [RelayDecision::Nothing(IgnoreReason::NotAddressed)]);
        if is_unaddressed {
            self.take_unaddressed(&said).await;
            return;
        }
        for decision in decisions {
            if !matches!(decision, RelayDecision::Prompt { .. } | RelayDecision::Nothing(_)) {
                // What was said before a command is asked before it.
                for held in self.joiner.take_of(&said) {
                    self.ask_held(held).await;
                }
            }
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
                    console::run_commands(&self.parts.keeper, person.clone(), text.trim()).await
                }
                KEEPER if is_alone => console::HINT.to_owned(),
                KEEPER => format!(r"Commands work in a private message: /msg {KEEPER_NICK} \help"),
                WATCHDOG => {
                    "I watch the agents. !status shows their state, !ack acknowledges a stall."
                        .into()
                }
                _ => {
                    if let Some(held) = self.joiner.take(said, (to, text), self.now()) {
                        self.ask_held(held).await;
                    }
                    return;
                }
            },
            (RelayDecision::Bang(BangCommand::More { nick }), Some(_)) => {
                match self.more(said, nick.as_deref()).await {
                    Ok(()) => return,
                    Err(words) => words,
                }
            }
            (RelayDecision::Bang(bang), Some(person)) => {
                bang_commands::run_bang(&self.parts.app, bang, person).await.join("\n")
            }
            (RelayDecision::Gate { channel, whose, is_open }, Some(person)) => {
                self.record_gates((&channel, person), &whose, is_open).await;
                let nicks: Vec<_> = whose.into_iter().map(|to| to.nick).collect();
                let nicks = nicks.join(", ");
                if is_open {
                    format!("{nicks} now gets every line in {channel}; !gate ends it.")
                } else {
                    format!("{nicks} now gets only mentions in {channel}.")
                }
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
            | (RelayDecision::Bang(_) | RelayDecision::Gate { .. }, None) => return,
        };
        self.reply(said, &words).await;
    }

    /// Writes down whose gates a person moved.
    async fn record_gates(
        &self,
        (room, person): (&str, &EntityName),
        whose: &[Addressee],
        is_open: bool,
    ) {
        let network = self.parts.endpoint.network.as_deref().map(str::to_owned);
        let moved = whose.iter().map(|to| Draft {
            entity: to.agent.entity(),
            author: person.clone(),
            epoch: None,
            event: ChannelGateMoved {
                channel: Channel::Irc,
                network: network.clone(),
                room: room.to_owned(),
                is_open,
            }
            .into(),
        });
        if let Err(error) = self.parts.keeper.ledger().append(moved.collect()).await {
            tracing::warn!(channel = "irc", event = "gate_not_recorded", %error, "a gate could not be recorded; after a restart it is as before");
        }
    }

    /// Says the next page of a long answer where it was asked.
    async fn more(&mut self, said: &SpokenLine, nick: Option<&str>) -> Result<(), String> {
        let to = reply_target(said);
        let named = |nick: &str| {
            let found = said.agents.iter().find(|agent| agent.nick.eq_ignore_ascii_case(nick));
            found.map(|agent| agent.agent.clone()).ok_or_else(|| format!("{nick} is not here."))
        };
        let agent = nick.map(named).transpose()?;
        let alone = match &said.target {
            Target::Agent(agent) if agent.as_str() != KEEPER => Some(agent.clone()),
            _ => None,
        };
        let agent = agent.or(alone);
        let network = self.parts.endpoint.network.as_deref();
        let scope = (&self.parts.keeper, network);
        let (question, page) = self.questions.pages.more(scope, &to, agent.as_ref()).await?;
        self.parts.endpoint.say(&question.nick, &to, &page, SpokenKind::Speech).await;
        Ok(())
    }

    /// Answers where something was said, in the keeper's name.
    pub(super) async fn reply(&self, said: &SpokenLine, words: &str) {
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
