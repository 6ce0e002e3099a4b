//! Polls Telegram: one poll after the other, each update handled before the next poll confirms it.
//!
//! What cannot be made durable is not confirmed: Telegram keeps it for a day and sends it again.

use std::sync::Arc;

use abide_channels::telegram::{
    AcceptedUpdate, ChatMessage, HeldText, MESSAGE_UNITS_MAX, MediaMessage, POLL_WAIT,
    TEXT_TIME_MAX, TextJoiner, UPDATES_MAX, Update, UpdateFilter, may_be_cut, utf16_len,
};
use abide_domain::{
    AgentId, EpochId,
    envelope::{Channel, EnvelopeError, EnvelopeRules, StimulusEnvelope},
    event::Idempotency,
    limits::CONTENT_CHARS_MAX,
};
use abide_engine::keeper::{AcceptError, AcceptOptions};
use abide_ledger::ReadError;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::{
    sync::mpsc,
    time::{Duration, Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    context::{AcceptedMessage, BotContext, ReplySpot},
    handled_updates::HandledUpdates,
    noted_once::NotedOnce,
    texts, unanswered,
    unknown_chats::UnknownChats,
};

/// Between two tries to make something durable, and after a poll that brought nothing.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Between two looks whether the rest of a text that was cut has come.
const REST_EVERY: Duration = Duration::from_millis(250);
/// How long a stop waits for the last confirmation.
const LAST_CONFIRMATION_MAX: Duration = Duration::from_secs(2);

/// Accepts what is written in allowed chats.
#[derive(Debug)]
pub(super) struct Poller {
    context: BotContext,
    filter: UpdateFilter,
    accepted: mpsc::Sender<AcceptedMessage>,
    unknown_chats: UnknownChats,
    /// Texts that wait for their rest, and since when the time is counted.
    joiner: TextJoiner,
    started_at: Instant,
    handled: HandledUpdates,
    /// The first update that is to be looked at again.
    reopened: Option<i64>,
    /// Albums that were answered.
    albums: NotedOnce<(i64, String)>,
    /// Who was introduced to the agent in which chat.
    introductions: NotedOnce<(i64, i64)>,
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
        Self {
            context,
            filter,
            accepted,
            unknown_chats: UnknownChats::default(),
            joiner: TextJoiner::default(),
            started_at: Instant::now(),
            handled: HandledUpdates::default(),
            reopened: None,
            albums: NotedOnce::default(),
            introductions: NotedOnce::default(),
            confirmed: None,
            failures: 0,
        }
    }

    /// Polls until told to stop. An update that was begun is finished.
    pub(super) async fn run(mut self, stop: &CancellationToken) {
        loop {
            let wait = if self.joiner.is_empty() { POLL_WAIT } else { Duration::ZERO };
            let polled = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                polled = self.context.bot.updates(self.handled.next(), wait) => polled,
            };
            let pause = match polled {
                Ok(updates) => {
                    self.note_polled();
                    self.handle_all(&updates).await
                }
                Err(error) => {
                    let Some(pause) = self.context.note_failure(&error, self.failures) else {
                        return;
                    };
                    self.failures = self.failures.saturating_add(1);
                    // What has come already does not wait for Telegram.
                    self.handle_all(&[]).await;
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
        self.confirmed = self.handled.next();
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
        let next = self.handled.next();
        if next != self.confirmed {
            let confirmed = self.context.bot.updates(next, Duration::ZERO);
            drop(timeout(LAST_CONFIRMATION_MAX, confirmed).await);
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

    /// Handles updates in their order, and what has waited long enough for more; says how long to wait where something must come
    /// again, or there was nothing.
    async fn handle_all(&mut self, updates: &[Update]) -> Option<Duration> {
        let before = self.handled.next();
        let mut open = None;
        for update in updates {
            if self.handled.contains(update.id) || self.joiner.holds(update.id) {
                continue;
            }
            if let UpdateOutcome::Again = self.take(update).await {
                open = Some(update.id);
                break;
            }
        }
        // What is behind a full poll comes only when this one is confirmed.
        let is_full = u64::try_from(updates.len()).is_ok_and(|count| count >= UPDATES_MAX);
        let due = if is_full { self.joiner.take_all() } else { self.joiner.due(self.now()) };
        let mut is_refused = open.is_some();
        if let UpdateOutcome::Again = self.accept_held(due).await {
            is_refused = true;
        }
        let first = [open, self.reopened.take(), self.joiner.first_update()];
        self.handled.advance(first.into_iter().flatten().min());
        if is_refused {
            return Some(RETRY_AFTER);
        }
        if !self.joiner.is_empty() {
            return Some(REST_EVERY);
        }
        // A poll that returns at once and brings nothing must not become a busy loop.
        (self.handled.next() == before).then_some(RETRY_AFTER)
    }

    /// Takes an update in: as more of a text, as one that may go on, or whole.
    async fn take(&mut self, update: &Update) -> UpdateOutcome {
        if self.joiner.take_more(&self.filter, update, self.now()) {
            return UpdateOutcome::Done;
        }
        let accepted = self.filter.classify(update);
        // What somebody wrote before is told before it, and what is about something in a chat comes behind all that was said there.
        let before = match &accepted {
            AcceptedUpdate::Message(said) => self.joiner.take_of_sender(said),
            AcceptedUpdate::Ignored => Vec::new(),
            _ => update.chat().map(|chat| self.joiner.take_of_chat(chat)).unwrap_or_default(),
        };
        if let UpdateOutcome::Again = self.accept_held(before).await {
            return UpdateOutcome::Again;
        }
        if let AcceptedUpdate::Message(said) = accepted {
            self.joiner.hold(said, update.id, self.now());
            return UpdateOutcome::Done;
        }
        let outcome = self.handle(accepted).await;
        if let UpdateOutcome::Done = outcome {
            self.handled.note(update.id);
        }
        outcome
    }

    /// Accepts texts in their order; what could not be accepted is held on.
    async fn accept_held(&mut self, texts: Vec<HeldText>) -> UpdateOutcome {
        let mut texts = texts.into_iter();
        while let Some(held) = texts.next() {
            if let Some(pieces) = self.accept_text(&held).await {
                for update in held.updates().iter().take(pieces) {
                    self.handled.note(*update);
                }
                let left = held.updates().iter().skip(pieces);
                // Pieces that were not part of it are looked at again, by themselves.
                self.reopened = left.copied().chain(self.reopened).min();
                continue;
            }
            let refused: Vec<_> = std::iter::once(held).chain(texts).collect();
            for held in refused.into_iter().rev() {
                self.joiner.put_back(held);
            }
            return UpdateOutcome::Again;
        }
        UpdateOutcome::Done
    }

    /// Accepts a text; how many of its pieces it is made of, or none where it must be tried again.
    async fn accept_text(&mut self, held: &HeldText) -> Option<usize> {
        let said = held.whole().clone();
        let pieces = held.updates().len();
        if let Some(album) = &said.album {
            self.albums.note((said.location.chat, album.clone()));
        }
        let content = self.introduced(&said);
        match self.accept(said, content).await {
            (UpdateOutcome::Again, _) => None,
            (UpdateOutcome::Done, Some(epoch)) if pieces > 1 => {
                // One that came again may have been accepted with less of what followed it.
                let record = self.context.keeper.epoch(epoch).await.ok().flatten();
                let accepted = record.map(|record| record.stimulus.content.clone());
                let is_it = |part: &ChatMessage| {
                    let accepted = accepted.as_deref();
                    accepted
                        .is_some_and(|accepted| self.given_words(part, accepted) == part.content())
                };
                let joined = held.versions().iter().rposition(is_it);
                Some(joined.map_or(pieces, |index| index.saturating_add(1)))
            }
            (UpdateOutcome::Done, _) => Some(pieces),
        }
    }

    /// What the agent is told: who has no name here is introduced once in a conversation.
    fn introduced(&mut self, said: &ChatMessage) -> String {
        let content = said.content();
        let name = self.context.sender_name(&said.sender);
        // What begins with a command is to begin with it.
        let introduction = said.sender.introduction(&name).filter(|_| !content.starts_with('\\'));
        let Some(introduction) = introduction else { return content };
        let introduced = format!("{introduction}{content}");
        let fits = introduced.chars().count() <= CONTENT_CHARS_MAX;
        if fits && self.introductions.note((said.location.chat, said.sender.id)) {
            return introduced;
        }
        content
    }

    /// The words of a message in what the agent was told: who said it may stand before them.
    fn given_words<'a>(&self, said: &ChatMessage, given: &'a str) -> &'a str {
        let name = self.context.sender_name(&said.sender);
        let introduction = said.sender.introduction(&name).unwrap_or_default();
        given.strip_prefix(&introduction).unwrap_or(given)
    }

    /// Since when texts wait: a clock of their own, which no test and no computer sets.
    fn now(&self) -> Duration {
        self.started_at.elapsed()
    }

    async fn handle(&mut self, update: AcceptedUpdate) -> UpdateOutcome {
        match update {
            AcceptedUpdate::Edited(said) => return self.accept_edited(said).await,
            AcceptedUpdate::Command(order) => self.context.run_command(order).await,
            AcceptedUpdate::ButtonPress(press) => self.context.answer_press(press).await,
            AcceptedUpdate::NoText(MediaMessage { location, topic, album }) => {
                // What was sent together is answered once.
                let is_first = album.is_none_or(|album| self.albums.note((location.chat, album)));
                if is_first {
                    self.context.reply_now(ReplySpot { location, topic }, texts::TEXT_ONLY).await;
                }
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
            // Messages are held before.
            AcceptedUpdate::Message(_) | AcceptedUpdate::Ignored => {}
        }
        UpdateOutcome::Done
    }

    /// A message that was changed is told as such, where it, or the text that it was a part of, had been taken, and it says
    /// something else than it did last. Whether it still names the bot does not matter.
    async fn accept_edited(&mut self, said: ChatMessage) -> UpdateOutcome {
        let keeper = &self.context.keeper;
        let known = match unanswered::newest_version(keeper, said.location) {
            Some(epoch) => self.given_before(epoch).await.map(|given| (given, false)),
            None => self.whole_of(&said).await.map(|given| (given, true)),
        };
        let (before, is_later_part) = match known {
            Ok((Some(before), is_later_part)) => (before, is_later_part),
            Ok((None, _)) => return UpdateOutcome::Done,
            Err(error) => {
                tracing::warn!(channel = "telegram", event = "message_unreadable", %error, "what a message said before it was changed cannot be read; it is tried again");
                return UpdateOutcome::Again;
            }
        };
        let content = said.content();
        let before = self.given_words(&said, &before);
        // More than a message holds: it was joined, and this is its first part.
        let is_joined = utf16_len(before) > MESSAGE_UNITS_MAX;
        let is_first_part = is_joined && said.may_continue() && before.starts_with(&content);
        let part = texts::format_edited_part(&content);
        let whole = texts::format_edited(&content);
        // Telegram also says that a message was changed where only its preview was.
        if is_first_part || [&content, &part, &whole].iter().any(|given| given.as_str() == before) {
            return UpdateOutcome::Done;
        }
        let is_part = is_later_part || is_joined || before.starts_with(texts::EDITED_PART);
        self.accept(said, if is_part { part } else { whole }).await.0
    }

    /// What the agent was told in an epoch.
    async fn given_before(&self, epoch: EpochId) -> Result<Option<Arc<str>>, ReadError> {
        let record = self.context.keeper.epoch(epoch).await?;
        Ok(record.map(|record| record.stimulus.content.clone()))
    }

    /// The text that a message was a later piece of; none where it was of none that was taken.
    async fn whole_of(&self, said: &ChatMessage) -> Result<Option<Arc<str>>, ReadError> {
        let context = &self.context;
        let Some(epoch) = unanswered::newest_before(&context.keeper, said.location) else {
            return Ok(None);
        };
        let Some(record) = context.keeper.epoch(epoch).await? else { return Ok(None) };
        let stimulus = &record.stimulus;
        let session =
            unanswered::session_id(context.moved.original(said.location.chat), said.topic);
        let is_it = stimulus.sender == context.sender_name(&said.sender)
            && stimulus.session_id == session
            && said.at.since(stimulus.sent_at) <= TEXT_TIME_MAX
            && may_be_cut(&stimulus.content);
        Ok(is_it.then(|| stimulus.content.clone()))
    }

    /// Makes a message a stimulus; its epoch, where it is one.
    async fn accept(
        &mut self,
        said: ChatMessage,
        content: String,
    ) -> (UpdateOutcome, Option<EpochId>) {
        let spot = said.location;
        let place = ReplySpot { location: spot, topic: said.topic };
        if let Some(refusal) = texts::format_too_long(&self.context.agent, &content) {
            self.context.reply_now(place, &refusal).await;
            return (UpdateOutcome::Done, None);
        }
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
            Err(AcceptError::QueueFull { queued, .. }) => {
                let refusal = texts::format_queue_full(&self.context.agent, queued);
                self.context.reply_now(place, &refusal).await;
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
        let sender = self.context.sender_name(&said.sender);
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
}
