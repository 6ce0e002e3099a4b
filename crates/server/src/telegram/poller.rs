//! Polls Telegram: one poll after the other, each update handled before the next poll confirms it.
//!
//! What cannot be made durable is not confirmed: Telegram keeps it for a day and sends it again.

use abide_channels::telegram::{
    AcceptedUpdate, BotCommand, ButtonPress, ChatCommand, ChatMessage, MessageLocation, POLL_WAIT,
    Update, UpdateFilter,
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
    context::{AcceptedMessage, BotContext, ReplySpot},
    texts, unanswered,
    unknown_chats::UnknownChats,
};
use crate::api::agent_summary;

/// Between two tries to make something durable, and after a poll that brought nothing.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Between two looks whether the rest of a text that was cut has come, and how often it is looked for.
const REST_EVERY: Duration = Duration::from_millis(250);
const REST_LOOKS_MAX: usize = 20;
/// Looks without anything new after which nothing more is waited for: a second.
const REST_LOOKS_EMPTY: usize = 4;
/// Answers that `/again` looks at for the one that is meant.
const AGAIN_LOOKS_MAX: usize = 50;
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
            let polled = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                polled = self.context.bot.updates(self.next, POLL_WAIT) => polled,
            };
            let pause = match polled {
                Ok(updates) => {
                    self.note_polled();
                    let updates = self.with_rest(updates).await;
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
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = sleep(pause) => {}
            }
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

    /// Waits a moment for the rest of a text that its program cut: nothing is confirmed yet, so that a poll gives all of it.
    async fn with_rest(&self, mut updates: Vec<Update>) -> Vec<Update> {
        let mut empty_looks = 0;
        for _ in 0..REST_LOOKS_MAX {
            let is_cut = updates.last().is_some_and(|last| match self.filter.classify(last) {
                AcceptedUpdate::Message(said) => said.may_continue(),
                // The rest of a text in a group names nobody.
                AcceptedUpdate::Ignored => self.filter.is_long_text(last),
                _ => false,
            });
            if !is_cut || empty_looks >= REST_LOOKS_EMPTY {
                break;
            }
            sleep(REST_EVERY).await;
            match self.context.bot.updates(self.next, Duration::ZERO).await {
                Ok(more) if more.len() > updates.len() => {
                    updates = more;
                    empty_looks = 0;
                }
                _ => empty_looks += 1,
            }
        }
        updates
    }

    /// Handles updates in their order; says how long to wait where one must come again or there was none.
    async fn handle_all(&mut self, updates: Vec<Update>) -> Option<Duration> {
        let before = self.next;
        let mut updates = updates.as_slice();
        while let [update, behind @ ..] = updates {
            updates = behind;
            if self.next.is_some_and(|next| update.id < next) {
                continue;
            }
            let handled = match self.filter.classify(update) {
                AcceptedUpdate::Message(said) => self.accept_with_more(said, behind).await,
                other => {
                    let outcome = self.handle(other).await;
                    matches!(outcome, UpdateOutcome::Done).then_some(0)
                }
            };
            let Some(more) = handled else { return Some(RETRY_AFTER) };
            let (joined, behind) = behind.split_at_checked(more).unwrap_or((behind, &[]));
            updates = behind;
            self.next = joined.last().unwrap_or(update).id.checked_add(1);
        }
        // A poll that returns at once and brings nothing must not become a busy loop.
        (self.next == before).then_some(RETRY_AFTER)
    }

    /// Accepts a message with the updates behind it that are more of it; how many those are, or none where it must come again.
    async fn accept_with_more(&mut self, said: ChatMessage, behind: &[Update]) -> Option<usize> {
        let mut whole = vec![said.clone()];
        let mut last = said;
        for update in behind {
            let Some(more) = self.filter.more_of(&last, update) else { break };
            let joined = whole.last()?.clone().with_more(&last, &more);
            whole.push(joined);
            last = more;
        }
        let said = whole.last()?.clone();
        match self.accept(said.clone(), said.content()).await {
            (UpdateOutcome::Again, _) => None,
            (UpdateOutcome::Done, None) => Some(whole.len().saturating_sub(1)),
            (UpdateOutcome::Done, Some(epoch)) if whole.len() > 1 => {
                // One that came again may have been accepted with less of what followed it.
                let record = self.context.keeper.epoch(epoch).await.ok().flatten();
                let accepted = record.map(|record| record.stimulus.content.clone());
                let is_it = |part: &ChatMessage| {
                    Some(part.content()) == accepted.as_deref().map(str::to_owned)
                };
                let joined = whole.iter().rposition(is_it);
                Some(joined.unwrap_or_else(|| whole.len().saturating_sub(1)))
            }
            (UpdateOutcome::Done, Some(_)) => Some(0),
        }
    }

    async fn handle(&mut self, update: AcceptedUpdate) -> UpdateOutcome {
        match update {
            AcceptedUpdate::Message(said) => {
                let content = said.content();
                return self.accept(said, content).await.0;
            }
            AcceptedUpdate::Edited(said) => return self.accept_edited(said).await,
            AcceptedUpdate::Command(order) => self.run_command(order).await,
            AcceptedUpdate::ButtonPress(press) => self.answer_press(press).await,
            AcceptedUpdate::NoText(location) => {
                let spot = ReplySpot { location, topic: None };
                self.context.reply_now(spot, texts::TEXT_ONLY).await;
            }
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
            AcceptedUpdate::ChatMigrated { from, to } => {
                self.filter.follow_chat(to);
                self.context.moved.record(&self.context.keeper, from, to).await;
            }
            AcceptedUpdate::Ignored => {}
        }
        UpdateOutcome::Done
    }

    /// A message that was changed is told as such, where it had been taken and says something else than it did last.
    async fn accept_edited(&mut self, said: ChatMessage) -> UpdateOutcome {
        let known = unanswered::newest_version(&self.context.keeper, said.location);
        let Some(epoch) = known else { return UpdateOutcome::Done };
        let content = said.content();
        let before = match self.context.keeper.epoch(epoch).await {
            Ok(record) => record.map(|record| record.stimulus.content.clone()),
            Err(error) => {
                tracing::warn!(channel = "telegram", event = "message_unreadable", %error, "what a message said before it was changed cannot be read; it is tried again");
                return UpdateOutcome::Again;
            }
        };
        let edited = texts::format_edited(&content);
        // Telegram also says that a message was changed where only its preview was.
        if before.is_some_and(|before| *before == *content || *before == *edited) {
            return UpdateOutcome::Done;
        }
        self.accept(said, edited).await.0
    }

    /// Makes a message a stimulus; its epoch, where it is one.
    async fn accept(
        &mut self,
        said: ChatMessage,
        content: String,
    ) -> (UpdateOutcome, Option<EpochId>) {
        let spot = said.location;
        let place = ReplySpot { location: spot, topic: said.topic };
        let envelope = match self.envelope(&said, &content) {
            Ok(envelope) => envelope,
            Err(invalid) => {
                self.context.reply_now(place, &texts::format_invalid(&invalid)).await;
                return (UpdateOutcome::Done, None);
            }
        };
        let key = unanswered::idempotency_key(spot, said.edited); // The message is its place: its text may have been edited between two deliveries.
        let body_sha256 = hex::encode(Sha256::digest(&key));
        let idempotency = Some(Idempotency { key, body_sha256 });
        let how = AcceptOptions { interactive: true, idempotency, ..AcceptOptions::default() };
        let epoch: EpochId = match self.context.keeper.accept(envelope, how).await {
            Ok(accepted) => accepted.epoch,
            Err(AcceptError::KeyReused { epoch }) => epoch,
            Err(error @ AcceptError::QueueFull { .. }) => {
                self.context.reply_now(place, &texts::format_refused(&error)).await;
                return (UpdateOutcome::Done, None);
            }
            Err(AcceptError::Stopping) => return (UpdateOutcome::Again, None),
            Err(error) => {
                tracing::warn!(channel = "telegram", event = "message_not_recorded", %error, "a message could not be recorded; it is tried again");
                return (UpdateOutcome::Again, None);
            }
        }; // The receiver is gone only where the sender has ended.
        drop(self.accepted.send(AcceptedMessage { epoch, spot }).await);
        (UpdateOutcome::Done, Some(epoch))
    }

    fn envelope(
        &self,
        said: &ChatMessage,
        content: &str,
    ) -> Result<StimulusEnvelope, EnvelopeError> {
        let keeper = &self.context.keeper;
        let now = self.context.clock.now();
        let sender = said.sender.name(|name| self.is_reserved(name));
        let chat = self.context.moved.original(said.location.chat);
        let envelope = json!({
            "stimulus": {
                "content": content,
                "sender": sender,
                "channel": Channel::Telegram,
                // Telegram's clock may be ahead of ours by more than an envelope allows.
                "timestamp": said.at.min(now),
            },
            "last_driver_output": null,
            "citizen": self.context.agent,
            "session_id": unanswered::session_id(chat, said.topic),
        });
        let is_citizen = |id: &AgentId| keeper.has_agent(id);
        StimulusEnvelope::from_json(&envelope, EnvelopeRules { now, is_citizen: &is_citizen })
    }

    /// Whether a name is reserved here or an agent's, whoever has it at Telegram.
    fn is_reserved(&self, name: &str) -> bool {
        is_reserved_agent_name(name) || self.context.keeper.agent(name).is_some()
    }

    async fn run_command(&self, order: ChatCommand) {
        let ChatCommand { location, topic, about, command } = order;
        let (context, spot) = (&self.context, ReplySpot { location, topic });
        let answer = match command {
            BotCommand::Help => texts::format_help(&context.agent),
            BotCommand::Status => {
                agent_summary(&context.app, &context.keeper.state(), &context.agent)
            }
            BotCommand::Stop => self.stop(location, topic).await,
            BotCommand::Again => return self.show_again(spot, about).await,
        };
        context.reply_now(spot, &answer).await;
    }

    /// Shows an answer once more, because somebody asks for it: the newest in the conversation, or the one to a message.
    async fn show_again(&self, spot: ReplySpot, about: Option<i64>) {
        let keeper = &self.context.keeper;
        let chat = spot.location.chat;
        // An answer to what is no question of this chat, such as to the bot's own remark, means the newest.
        let mut candidates = unanswered::ended_answers(keeper, chat, about);
        if candidates.is_empty() {
            candidates = unanswered::ended_answers(keeper, chat, None);
        }
        for epoch in candidates.into_iter().take(AGAIN_LOOKS_MAX) {
            let Ok(Some(record)) = keeper.epoch(epoch.0).await else { continue };
            if unanswered::topic_of(&record) != spot.topic {
                continue;
            }
            for text in texts::format_answer_messages(&record) {
                self.context.reply_now(spot, &text).await;
            }
            return;
        }
        self.context.reply_now(spot, texts::NOTHING_AGAIN).await;
    }

    /// Aborts what was asked in a chat, or a topic of it, before a message: a command that comes again aborts nothing that came
    /// after it.
    async fn stop(&self, location: MessageLocation, topic: Option<i64>) -> String {
        let MessageLocation { chat, message: before } = location;
        let epochs: Vec<EpochId> = {
            let state = self.context.keeper.state();
            let epochs = state.running.values().filter_map(|record| {
                let spot = unanswered::location_of(record)?;
                let is_here = spot.chat == chat && unanswered::topic_of(record) == topic;
                (is_here && spot.message < before).then_some(record.id)
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
            let (state, moved) = (self.context.keeper.state(), &self.context.moved);
            let mut records = state.running.values();
            records.any(|record| {
                record.has_approval(choice.approval)
                    && unanswered::location_of(record)
                        .is_some_and(|spot| moved.current(spot.chat) == press.location.chat)
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
