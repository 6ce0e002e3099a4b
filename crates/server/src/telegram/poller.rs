//! Polls Telegram: one poll after the other, each update handled before the next poll confirms it.
//!
//! What cannot be made durable is not confirmed: Telegram keeps it for a day and sends it again.

use abide_channels::telegram::{
    AcceptedUpdate, BotCommand, ButtonPress, ChatCommand, ChatMessage, POLL_WAIT, Update,
    UpdateFilter,
};
use abide_domain::{
    AgentId, EntityName, EpochId,
    envelope::{Channel, EnvelopeError, EnvelopeRules, StimulusEnvelope},
    event::{Decision, Idempotency},
    is_reserved_agent_name,
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

use super::{
    context::{AcceptedMessage, BotContext},
    texts, unanswered,
    unknown_chats::UnknownChats,
};
use crate::api::agent_summary;

/// Between two tries to make something durable, and after a poll that brought nothing.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How long a stop waits for the last confirmation.
const LAST_CONFIRMATION_MAX: Duration = Duration::from_secs(2);

/// Accepts what is written in allowed chats.
#[derive(Debug)]
pub(super) struct Poller {
    context: BotContext,
    filter: UpdateFilter,
    accepted: mpsc::Sender<AcceptedMessage>,
    unknown_chats: UnknownChats,
    /// The next update; what is before it is handled.
    next: Option<i64>,
    /// Up to where handled updates are confirmed to Telegram.
    confirmed: Option<i64>,
    failures: u32,
}

/// What came of an update.
enum UpdateOutcome {
    /// It is handled and never needed again.
    Done,
    /// It must come again.
    Again,
}

impl Poller {
    pub(super) fn new(
        context: BotContext,
        filter: UpdateFilter,
        accepted: mpsc::Sender<AcceptedMessage>,
    ) -> Self {
        let unknown_chats = UnknownChats::default();
        Self { context, filter, accepted, unknown_chats, next: None, confirmed: None, failures: 0 }
    }

    /// Polls until told to stop. An update that was begun is finished.
    pub(super) async fn run(mut self, stop: &CancellationToken) {
        loop {
            let polled = tokio::select! { biased; () = stop.cancelled() => break, polled = self.context.bot.updates(self.next, POLL_WAIT) => polled, };
            let pause = match polled {
                Ok(updates) => {
                    self.note_polled();
                    self.handle_all(updates).await
                }
                Err(error) => {
                    let Some(pause) = self.context.note_failure(&error, self.failures) else {
                        return;
                    };
                    self.failures = self.failures.saturating_add(1);
                    Some(pause)
                }
            };
            let Some(pause) = pause else { continue };
            tokio::select! { biased; () = stop.cancelled() => break, () = sleep(pause) => {} }
        }
        self.confirm_last().await;
    }

    fn note_polled(&mut self) {
        self.confirmed = self.next;
        if self.failures > 0 {
            tracing::info!(
                channel = "telegram",
                event = "bot_recovered",
                failures = self.failures,
                "polling works again"
            );
        }
        self.failures = 0;
        self.context.note_online();
    }

    /// Confirms what is handled, so that the next start does not see it again. Where that fails nothing is lost: messages
    /// are known by their keys, and commands come with their place in the chat.
    async fn confirm_last(&mut self) {
        if self.next != self.confirmed {
            drop(
                timeout(LAST_CONFIRMATION_MAX, self.context.bot.updates(self.next, Duration::ZERO))
                    .await,
            );
        }
        let messages = self.unknown_chats.messages();
        if messages > 0 {
            tracing::info!(
                channel = "telegram",
                event = "messages_ignored",
                messages,
                "messages of chats that are not allowed were ignored"
            );
        }
    }

    /// Handles updates in their order; says how long to wait where one must come again or there was none.
    async fn handle_all(&mut self, updates: Vec<Update>) -> Option<Duration> {
        let before = self.next;
        for update in updates {
            if self.next.is_some_and(|next| update.id < next) {
                continue;
            }
            match self.handle(&update).await {
                UpdateOutcome::Done => self.next = update.id.checked_add(1),
                UpdateOutcome::Again => return Some(RETRY_AFTER),
            }
        } // A poll that returns at once and brings nothing must not become a busy loop.
        (self.next == before).then_some(RETRY_AFTER)
    }

    async fn handle(&mut self, update: &Update) -> UpdateOutcome {
        match self.filter.classify(update) {
            AcceptedUpdate::Message(said) => return self.accept(said).await,
            AcceptedUpdate::Command(order) => self.run_command(order).await,
            AcceptedUpdate::ButtonPress(press) => self.answer_press(press).await,
            AcceptedUpdate::NoText(spot) => self.context.reply_now(spot, texts::TEXT_ONLY).await,
            AcceptedUpdate::UnknownChat { chat } => {
                if self.unknown_chats.note(chat) {
                    tracing::warn!(
                        channel = "telegram",
                        event = "chat_not_allowed",
                        chat,
                        "a chat that is not allowed wrote to the bot; add its number to telegram.chats to allow it"
                    );
                }
            }
            AcceptedUpdate::ChatMigrated { from, to } => tracing::warn!(
                channel = "telegram",
                event = "chat_moved",
                from,
                to,
                "a group has a new number; replace the old one in telegram.chats"
            ),
            AcceptedUpdate::Ignored => {}
        }
        UpdateOutcome::Done
    }

    /// Makes a message a stimulus.
    async fn accept(&mut self, said: ChatMessage) -> UpdateOutcome {
        let spot = said.location;
        let envelope = match self.envelope(&said) {
            Ok(envelope) => envelope,
            Err(invalid) => {
                self.context.reply_now(spot, &texts::format_invalid(&invalid)).await;
                return UpdateOutcome::Done;
            }
        };
        let key = unanswered::idempotency_key(spot); // The message is its place: its text may have been edited between two deliveries.
        let body_sha256 = hex::encode(Sha256::digest(&key));
        let idempotency = Some(Idempotency { key, body_sha256 });
        let how = AcceptOptions { interactive: true, idempotency, ..AcceptOptions::default() };
        let epoch: EpochId = match self.context.keeper.accept(envelope, how).await {
            Ok(accepted) => accepted.epoch,
            Err(AcceptError::KeyReused { epoch }) => epoch,
            Err(error @ AcceptError::QueueFull { .. }) => {
                self.context.reply_now(spot, &texts::format_refused(&error)).await;
                return UpdateOutcome::Done;
            }
            Err(AcceptError::Stopping) => return UpdateOutcome::Again,
            Err(error) => {
                tracing::warn!(channel = "telegram", event = "message_not_recorded", %error, "a message could not be recorded; it is tried again");
                return UpdateOutcome::Again;
            }
        }; // The receiver is gone only where the sender has ended.
        drop(self.accepted.send(AcceptedMessage { epoch, spot }).await);
        UpdateOutcome::Done
    }

    fn envelope(&self, said: &ChatMessage) -> Result<StimulusEnvelope, EnvelopeError> {
        let keeper = &self.context.keeper;
        let now = self.context.clock.now();
        let sender = said.sender.name(|name| self.is_reserved(name));
        let envelope = json!({ "stimulus": { "content": said.text, "sender": sender, "channel": Channel::Telegram, // Telegram's clock may be ahead of ours by more than an envelope allows.
"timestamp": said.at.min(now), }, "last_driver_output": null, "citizen": self.context.agent, "session_id": unanswered::session_id(said.location.chat), });
        let is_citizen = |id: &AgentId| keeper.has_agent(id);
        StimulusEnvelope::from_json(&envelope, EnvelopeRules { now, is_citizen: &is_citizen })
    }

    /// Whether a name is reserved here or an agent's, whoever has it at Telegram.
    fn is_reserved(&self, name: &str) -> bool {
        is_reserved_agent_name(name) || self.context.keeper.agent(name).is_some()
    }

    async fn run_command(&self, ChatCommand { location: spot, command }: ChatCommand) {
        let context = &self.context;
        let answer = match command {
            BotCommand::Help => texts::format_help(&context.agent),
            BotCommand::Status => {
                agent_summary(&context.app, &context.keeper.state(), &context.agent)
            }
            BotCommand::Stop => self.stop(spot.chat, spot.message).await,
        };
        context.reply_now(spot, &answer).await;
    }

    /// Aborts what was asked in a chat before a message: a command that comes again aborts nothing that came after it.
    async fn stop(&self, chat: i64, before: i64) -> String {
        let epochs: Vec<EpochId> = {
            let state = self.context.keeper.state();
            let epochs = state.running.values().filter_map(|record| {
                let spot = unanswered::location_of(record)?;
                (spot.chat == chat && spot.message < before).then_some(record.id)
            });
            epochs.collect()
        };
        let mut stopped = 0;
        for epoch in epochs {
            match self.context.keeper.abort(epoch, "stopped on Telegram".to_owned()).await {
                Ok(()) => stopped += 1,
                Err(error) => {
                    tracing::info!(%epoch, channel = "telegram", event = "stop_refused", %error, "an epoch could not be stopped; it has probably ended");
                }
            }
        }
        texts::format_stopped(stopped)
    }

    async fn answer_press(&self, press: ButtonPress) {
        let answer = self.decide(&press).await;
        if let Err(error) = self.context.bot.answer_button_press(&press.query, answer).await {
            tracing::info!(channel = "telegram", event = "press_not_answered", %error, "a press of a button was not answered");
        }
    }

    /// Decides, if the approval was asked for in the chat of the button: what a button carries can be forged.
    async fn decide(&self, press: &ButtonPress) -> &'static str {
        let Some(choice) = press.choice else { return texts::UNKNOWN_BUTTON };
        let is_here = {
            let state = self.context.keeper.state();
            let mut records = state.running.values();
            records.any(|record| {
                record.has_approval(choice.approval)
                    && unanswered::location_of(record)
                        .is_some_and(|spot| spot.chat == press.location.chat)
            })
        };
        if !is_here {
            return texts::DECIDED_BEFORE;
        }
        let sender = press.sender.name(|name| self.is_reserved(name));
        let by = EntityName::sender(&sender).unwrap_or_else(|_| EntityName::keeper());
        let keeper = &self.context.keeper;
        match keeper.decide(choice.approval, choice.decision, None, by).await {
            Ok(()) if choice.decision == Decision::Approve => texts::APPROVED,
            Ok(()) => texts::DENIED,
            Err(DecideError::NotFound | DecideError::AlreadyDecided) => texts::DECIDED_BEFORE,
            Err(DecideError::Unavailable) => texts::NOT_RECORDED,
        }
    }
}
