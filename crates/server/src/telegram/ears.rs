//! What comes: one poll after the other, each update carried out before the next poll confirms it.
//!
//! What cannot be made durable is not confirmed: Telegram keeps it for a day and gives it again.

use abide_channels::telegram::{
    AcceptedUpdate, BotCommand, ButtonPress, ChatCommand, ChatMessage, POLL_WAIT, Update,
    UpdateFilter,
};
use abide_domain::{
    AgentId, EntityName, EpochId,
    envelope::{Channel, EnvelopeError, EnvelopeRules, StimulusEnvelope},
    event::{Decision, Idempotency},
    evidence::is_reserved_name,
};
use abide_engine::{
    keeper::{AcceptError, AcceptOptions},
    run_epoch::DecideError,
};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::{
    sync::mpsc,
    time::{Duration, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{Desk, Taken, owed, strangers::Strangers, words};
use crate::api::in_a_line;

/// Between two tries to make something durable, and after a poll that changed nothing.
const TRY_AGAIN: Duration = Duration::from_secs(1);
/// How long a stop waits for the last confirmation.
const FAREWELL: Duration = Duration::from_secs(2);

/// Hears what is written.
#[derive(Debug)]
pub(super) struct Poller {
    desk: Desk,
    hearing: UpdateFilter,
    taken: mpsc::Sender<Taken>,
    strangers: Strangers,
    /// The next update; what is before it is carried out.
    next: Option<i64>,
    /// What Telegram was told of that.
    confirmed: Option<i64>,
    failures: u32,
}

/// What became of an update.
enum Outcome {
    /// It is carried out and never needed again.
    Done,
    /// It must come again.
    Again,
}

impl Poller {
    pub(super) fn new(desk: Desk, hearing: UpdateFilter, taken: mpsc::Sender<Taken>) -> Self {
        let strangers = Strangers::default();
        Self { desk, hearing, taken, strangers, next: None, confirmed: None, failures: 0 }
    }

    /// Polls until told to stop. Nothing that was begun is cut.
    pub(super) async fn run(mut self, stop: &CancellationToken) {
        loop {
            let polled = tokio::select! { biased; () = stop.cancelled() => break, polled = self.desk.bot.updates(self.next, POLL_WAIT) => polled, };
            let pause = match polled {
                Ok(updates) => {
                    self.has_polled();
                    self.take_all(updates).await
                }
                Err(error) => {
                    let Some(pause) = self.desk.trouble(&error, self.failures) else { return };
                    self.failures = self.failures.saturating_add(1);
                    Some(pause)
                }
            };
            let Some(pause) = pause else { continue };
            tokio::select! { biased; () = stop.cancelled() => break, () = sleep(pause) => {} }
        }
        self.farewell().await;
    }

    fn has_polled(&mut self) {
        self.confirmed = self.next;
        if self.failures > 0 {
            tracing::info!(failures = self.failures, "Telegram is listened to again");
        }
        self.failures = 0;
        self.desk.online();
    }

    /// Confirms what is carried out, so that the next start does not see it again. Where that fails nothing is lost:
    /// messages are known again, and orders come with their place in the chat.
    async fn farewell(&mut self) {
        if self.next != self.confirmed {
            drop(timeout(FAREWELL, self.desk.bot.updates(self.next, Duration::ZERO)).await);
        }
        let unheard = self.strangers.messages();
        if unheard > 0 {
            tracing::info!(unheard, "messages of chats that are not allowed");
        }
    }

    /// Carries updates out in their order; says how long to wait where one must come again or nothing went on.
    async fn take_all(&mut self, updates: Vec<Update>) -> Option<Duration> {
        let before = self.next;
        for update in updates {
            if self.next.is_some_and(|next| update.id < next) {
                continue;
            }
            match self.take(&update).await {
                Outcome::Done => self.next = update.id.checked_add(1),
                Outcome::Again => return Some(TRY_AGAIN),
            }
        } // A poll that comes back at once and brings nothing must not become a storm.
        (self.next == before).then_some(TRY_AGAIN)
    }

    async fn take(&mut self, update: &Update) -> Outcome {
        match self.hearing.classify(update) {
            AcceptedUpdate::Message(said) => return self.said(said).await,
            AcceptedUpdate::Command(order) => self.ordered(order).await,
            AcceptedUpdate::ButtonPress(press) => self.pressed(press).await,
            AcceptedUpdate::NoText(spot) => self.desk.remark(spot, words::TEXT_ONLY).await,
            AcceptedUpdate::UnknownChat { chat } => {
                if self.strangers.note(chat) {
                    tracing::warn!(
                        chat,
                        "a chat that is not allowed wrote to the bot; it is heard once its number stands in telegram.chats"
                    );
                }
            }
            AcceptedUpdate::ChatMigrated { from, to } => tracing::warn!(
                from,
                to,
                "a group has a new number; put it in telegram.chats in place of the old one"
            ),
            AcceptedUpdate::Ignored => {}
        }
        Outcome::Done
    }

    /// Makes a message a stimulus.
    async fn said(&mut self, said: ChatMessage) -> Outcome {
        let spot = said.location;
        let envelope = match self.envelope(&said) {
            Ok(envelope) => envelope,
            Err(invalid) => {
                self.desk.remark(spot, &words::invalid(&invalid)).await;
                return Outcome::Done;
            }
        };
        let key = owed::key(spot); // The place is the message: its words may have been edited between two deliveries.
        let body_sha256 = hex::encode(Sha256::digest(&key));
        let idempotency = Some(Idempotency { key, body_sha256 });
        let how = AcceptOptions { interactive: true, idempotency, ..AcceptOptions::default() };
        let epoch: EpochId = match self.desk.keeper.accept(envelope, how).await {
            Ok(accepted) => accepted.epoch,
            Err(AcceptError::KeyReused { epoch }) => epoch,
            Err(error @ AcceptError::QueueFull { .. }) => {
                self.desk.remark(spot, &words::refused(&error)).await;
                return Outcome::Done;
            }
            Err(AcceptError::Stopping) => return Outcome::Again,
            Err(error) => {
                tracing::warn!(%error, "a message on Telegram could not be taken in; it is tried again");
                return Outcome::Again;
            }
        }; // Nobody waits for it any more only where the mouth has ended.
        drop(self.taken.send(Taken { epoch, spot }).await);
        Outcome::Done
    }

    fn envelope(&self, said: &ChatMessage) -> Result<StimulusEnvelope, EnvelopeError> {
        let keeper = &self.desk.keeper;
        let now = self.desk.clock.now();
        let sender = said.sender.name(|name| self.is_taken(name));
        let envelope = json!({ "stimulus": { "content": said.text, "sender": sender, "channel": Channel::Telegram, // Telegram's clock may be ahead of ours by more than an envelope's may.
"timestamp": said.at.min(now), }, "last_driver_output": null, "citizen": self.desk.agent, "session_id": owed::session(said.location.chat), });
        let is_citizen = |id: &AgentId| keeper.has_agent(id);
        StimulusEnvelope::from_json(&envelope, EnvelopeRules { now, is_citizen: &is_citizen })
    }

    /// Whether a name is not a person's here, whoever has it at Telegram.
    fn is_taken(&self, name: &str) -> bool {
        is_reserved_name(name) || self.desk.keeper.agent(name).is_some()
    }

    async fn ordered(&self, ChatCommand { location: spot, command }: ChatCommand) {
        let desk = &self.desk;
        let answer = match command {
            BotCommand::Help => words::help(&desk.agent),
            BotCommand::Status => in_a_line(&desk.front, &desk.keeper.house(), &desk.agent),
            BotCommand::Stop => self.stop(spot.chat, spot.message).await,
        };
        desk.remark(spot, &answer).await;
    }

    /// Ends what was asked in a chat before a message: an order that comes again ends nothing that came after it.
    async fn stop(&self, chat: i64, before: i64) -> String {
        let epochs: Vec<EpochId> = {
            let house = self.desk.keeper.house();
            let spots = house.running.values().filter_map(|record| {
                let spot = owed::spot(record)?;
                (spot.chat == chat && spot.message < before).then_some(record.id)
            });
            spots.collect()
        };
        let mut stopped = 0;
        for epoch in epochs {
            match self.desk.keeper.abort(epoch, "stopped on Telegram".to_owned()).await {
                Ok(()) => stopped += 1,
                Err(error) => tracing::info!(%epoch, %error, "an order to stop came too late"),
            }
        }
        words::stopped(stopped)
    }

    async fn pressed(&self, press: ButtonPress) {
        let answer = self.decide(&press).await;
        if let Err(error) = self.desk.bot.answer_button_press(&press.query, answer).await {
            tracing::info!(%error, "a press of a button was not answered");
        }
    }

    /// Decides, where the approval was asked for in the very chat of the button: what a button carries can be forged.
    async fn decide(&self, press: &ButtonPress) -> &'static str {
        let Some(choice) = press.choice else { return words::NO_BUTTON };
        let is_here = {
            let house = self.desk.keeper.house();
            let mut records = house.running.values();
            records.any(|record| {
                record.has_approval(choice.approval)
                    && owed::spot(record).is_some_and(|spot| spot.chat == press.location.chat)
            })
        };
        if !is_here {
            return words::DECIDED_BEFORE;
        }
        let sender = press.sender.name(|name| self.is_taken(name));
        let by = EntityName::sender(&sender).unwrap_or_else(|_| EntityName::keeper());
        let keeper = &self.desk.keeper;
        match keeper.decide(choice.approval, choice.decision, None, by).await {
            Ok(()) if choice.decision == Decision::Approve => words::APPROVED,
            Ok(()) => words::DENIED,
            Err(DecideError::NotFound | DecideError::AlreadyDecided) => words::DECIDED_BEFORE,
            Err(DecideError::Unavailable) => words::UNDECIDED,
        }
    }
}
