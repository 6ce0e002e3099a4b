//! Asks agents what people said to them: once nothing more of it can follow, and what the end of earlier keepers kept from being
//! asked. What is refused is on the record, so that no later keeper asks it.

use abide_channels::irc::{
    Addressee, Speaker, SpokenKind, SpokenLine, Target, nick_for_agent,
    relay::{BangCommand, HeldPrompt, IgnoreReason, PieceJoiner, RelayDecision},
    server::Census,
};
use abide_domain::{
    AgentId, EntityName, Timestamp,
    envelope::{Channel, StimulusEnvelope},
    event::ChannelAsked,
    evidence::WATCHDOG,
    limits::CONTENT_CHARS_MAX,
};
use abide_engine::keeper::{AcceptError, AcceptOptions};
use abide_ledger::Draft;

use super::{
    answer_pages::PendingQuestion,
    bridge::IrcBridge,
    conversation::{account, reply_target, room, session},
    names::KEEPER,
    owed::{LineAge, OwedLines},
};

/// Why something was not asked.
enum NotAsked {
    /// The keeper stops.
    Stopping,
    /// In these words.
    Refused(String),
}

impl IrcBridge {
    /// Asks what nothing more will be said to.
    pub(super) async fn ask_due(&mut self) {
        for held in self.joiner.due(self.now()) {
            self.ask_held(held).await;
        }
    }

    /// Takes a line that names no agent: as more of a prompt, or as one that comes too late for one, which its speaker is told.
    pub(super) async fn take_unaddressed(&mut self, said: &SpokenLine) {
        if let (true, Some(server)) = (self.joiner.must_know_people(said), &self.parts.server) {
            let census = server.census().await.unwrap_or_default();
            let people = census.channels.iter().flat_map(|channel| &channel.people);
            self.joiner.note_people(people.map(String::as_str));
        }
        let now = self.now();
        if self.joiner.take_more(said, now) {
            return;
        }
        let asked = self.joiner.take_late(said, now);
        if !asked.is_empty() {
            let is_pace_known = self.joiner.is_pace_known(said, now);
            self.reply(said, &format_late(said, &asked, is_pace_known)).await;
        }
    }

    /// Asks what people said to agents just before earlier keepers ended, and was not asked by then.
    pub(super) async fn ask_owed(&mut self) {
        let Some(server) = self.parts.server.clone() else { return };
        let ledger = self.parts.keeper.ledger().clone();
        let now = self.parts.app.now();
        let read = move || OwedLines::read(&ledger, now);
        let owed = match tokio::task::spawn_blocking(read).await {
            Ok(Ok(owed)) => owed,
            Ok(Err(error)) => {
                tracing::error!(channel = "irc", event = "owed_unreadable", %error, "the ledger cannot be read for what was said just before the last keeper ended; what of it was not asked is not asked");
                return;
            }
            Err(_) => return,
        };
        if owed.lines.is_empty() {
            return;
        }
        let census = server.census().await.unwrap_or_default();
        let mut gathering = OwedGathering { owed, joiner: PieceJoiner::for_replay(), too_old: 0 };
        let lines = std::mem::take(&mut gathering.owed.lines);
        gathering.joiner.note_people(lines.iter().map(|(said, _)| said.nick.as_str()));
        for (mut said, age) in lines {
            said.is_whole = false;
            said.agents = self.addressees(&census, &said.target);
            let is_speech = said.kind == SpokenKind::Speech;
            let is_command = is_speech && BangCommand::parse(&said.text).is_some();
            let decisions =
                if is_command { None } else { Some(self.parts.endpoint.relay.decide(&said)) };
            for held in gathering.take(&said, age, decisions) {
                self.ask_held(held).await;
            }
        }
        for held in gathering.joiner.take_all() {
            self.ask_held(held).await;
        }
        let too_old = gathering.too_old;
        if too_old > 0 {
            tracing::warn!(
                channel = "irc",
                event = "questions_too_old",
                lines = too_old,
                "what people said just before a keeper ended is too old to be asked now; they have to say it again"
            );
        }
    }

    /// The agents that hear what is said at a place now; neither the keeper nor the watchdog, which answer at once or not at all.
    fn addressees(&self, census: &Census, target: &Target) -> Vec<Addressee> {
        let room = match target {
            Target::Channel(room) => Some(room),
            Target::Agent(_) => None,
        };
        let found = census
            .channels
            .iter()
            .find(|found| room.is_some_and(|room| found.name.eq_ignore_ascii_case(room)));
        let agents = self.parts.keeper.agents();
        let agents = agents
            .iter()
            .map(|agent| Addressee { agent: agent.id.clone(), nick: nick_for_agent(&agent.id) });
        let hears = |to: &Addressee| match target {
            Target::Agent(agent) => *agent == to.agent,
            Target::Channel(_) => found.is_some_and(|found| found.agents.contains(&to.nick)),
        };
        let is_built_in = |to: &Addressee| matches!(to.agent.as_str(), KEEPER | WATCHDOG);
        agents.filter(|to| !is_built_in(to) && hears(to)).collect()
    }

    /// Asks all of a prompt, or says why not.
    pub(super) async fn ask_held(&mut self, held: HeldPrompt) {
        let lines = held.lines();
        let HeldPrompt { first, to, text, .. } = held;
        let person = match &first.speaker {
            Speaker::Person(Some(account)) => self.parts.endpoint.person(account),
            Speaker::Person(None) | Speaker::Agent(_) => None,
        };
        let Some(person) = person else { return };
        let refusal = match self.ask((&first, &person), (to.clone(), text)).await {
            Ok(()) => return,
            // The next keeper finds it in the ledger and asks it.
            Err(NotAsked::Stopping) if self.parts.server.is_some() => return,
            Err(NotAsked::Stopping) => format!("{} did not accept it: I am stopping.", to.nick),
            Err(NotAsked::Refused(refusal)) => {
                self.record_refusal((&first, lines), (&to.agent, person)).await;
                refusal
            }
        };
        self.reply(&first, &refusal).await;
    }

    /// Writes down that a prompt was refused: the next keeper is not to ask it.
    async fn record_refusal(
        &self,
        (first, lines): (&SpokenLine, usize),
        (agent, person): (&AgentId, EntityName),
    ) {
        if self.parts.server.is_none() {
            return;
        }
        let refused_lines = Some(u64::try_from(lines).unwrap_or(u64::MAX));
        let refused = ChannelAsked { refused_lines, ..self.asked(first) };
        let event = refused.into();
        let draft = Draft { entity: agent.entity(), author: person, epoch: None, event };
        if let Err(error) = self.parts.keeper.ledger().append(vec![draft]).await {
            tracing::warn!(channel = "irc", event = "refusal_not_recorded", %error, "that a question was refused could not be recorded; a keeper that is started within the hour may ask it");
        }
    }

    /// How a question is recorded beside its stimulus.
    fn asked(&self, said: &SpokenLine) -> ChannelAsked {
        ChannelAsked {
            channel: Channel::Irc,
            network: self.parts.endpoint.network.as_deref().map(str::to_owned),
            room: room(said),
            account: account(said),
            nick: said.nick.clone(),
            msgid: said.msgid.clone(),
            refused_lines: None,
        }
    }

    /// Makes a stimulus of what a person said to an agent.
    async fn ask(
        &mut self,
        (said, person): (&SpokenLine, &EntityName),
        (to, text): (Addressee, String),
    ) -> Result<(), NotAsked> {
        if self.questions.is_full() {
            let refusal = "Too many questions are waiting for answers; ask again later.";
            return Err(NotAsked::Refused(refusal.to_owned()));
        }
        let chars = text.chars().count();
        if chars > CONTENT_CHARS_MAX {
            return Err(NotAsked::Refused(format!(
                "{} was not asked: that has more than {CONTENT_CHARS_MAX} characters ({chars}). Say less at once.",
                to.nick
            )));
        }
        let network = self.parts.endpoint.network.as_deref();
        let asked = self.asked(said);
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
        let accepted = accepted.map_err(|error| match error {
            AcceptError::Stopping => NotAsked::Stopping,
            error => NotAsked::Refused(format!("{} did not accept it: {error}", to.nick)),
        })?;
        self.questions.push(PendingQuestion {
            epoch: accepted.epoch,
            agent: to.agent,
            nick: to.nick,
            to: reply_target(said),
            asker: said.nick.clone(),
        });
        Ok(())
    }
}

/// What is left to be asked of what earlier keepers heard, while its lines are gone through.
struct OwedGathering {
    owed: OwedLines,
    joiner: PieceJoiner,
    /// Lines to agents that are too old to be asked.
    too_old: usize,
}

impl OwedGathering {
    /// Takes the next line in and gives what is whole by then. Without decisions it is a command, which is not carried out late:
    /// what its speaker said before it ended there.
    fn take(
        &mut self,
        said: &SpokenLine,
        age: LineAge,
        decisions: Option<Vec<RelayDecision>>,
    ) -> Vec<HeldPrompt> {
        let now = said.at.since(Timestamp::from_micros(0));
        let mut due = self.joiner.due(now);
        if decisions.is_none() {
            due.extend(self.joiner.take_of(said));
        }
        for decision in decisions.into_iter().flatten() {
            match (self.prompt(said, decision), age) {
                (None, _) | (Some((Some(_), _)), LineAge::Settled) => {}
                (Some((None, _)), _) => {
                    self.joiner.take_more(said, now);
                }
                (Some((Some(to), text)), LineAge::Owed) => {
                    due.extend(self.joiner.take(said, (to, text), now));
                }
                (Some((Some(_), _)), LineAge::TooOld) => {
                    self.too_old = self.too_old.saturating_add(1);
                }
            }
        }
        due
    }

    /// What is left to be asked of a line: for whom, where it names somebody, and the words.
    fn prompt(
        &mut self,
        said: &SpokenLine,
        decision: RelayDecision,
    ) -> Option<(Option<Addressee>, String)> {
        match decision {
            RelayDecision::Prompt { to, text } => {
                let was_asked = self.owed.was_asked(said, Some(&to.agent), &text);
                (!was_asked).then_some((Some(to), text))
            }
            RelayDecision::Nothing(IgnoreReason::NotAddressed) => {
                self.owed.was_asked(said, None, &said.text);
                Some((None, said.text.clone()))
            }
            _ => None,
        }
    }
}

/// What is said to whom sent more of a question after it was asked, which happens to programs that throttle. Once the pace of
/// one is known pasting it once more helps.
fn format_late(said: &SpokenLine, asked: &[Addressee], is_pace_known: bool) -> String {
    let nicks: Vec<_> = asked.iter().map(|to| to.nick.as_str()).collect();
    let (asker, nicks) = (&said.nick, nicks.join(" and "));
    let help = if is_pace_known {
        "for the next hour I wait longer for lines from your program, which sends them slowly."
    } else {
        "where your program sends lines slowly, I wait longer for them once a second one has come late."
    };
    format!(
        "{asker}: this line came too late to be part of your question, which {nicks} already got without it. \
         If it belongs to it, paste all of it again, from the line that names the agent: {help} \
         How to send a paste at once: docs/irc.md."
    )
}
