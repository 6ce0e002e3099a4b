//! Polls Telegram: one poll after the other, each update handled before the next poll confirms it.
//!
//! What cannot be made durable is not confirmed: Telegram keeps it for a day and sends it again. A text that waits for its rest
//! keeps what is behind it from being confirmed as well; what would be done twice if it came again therefore waits with it.

use abide_channels::telegram::{
    AcceptedUpdate, BotCommand, ChatMessage, HeldText, MediaMessage, POLL_WAIT, TextJoiner,
    UPDATES_MAX, Update, UpdateFilter,
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
    changes,
    context::{AcceptedMessage, BotContext, ReplySpot},
    handled_updates::HandledUpdates,
    noted_once::NotedOnce,
    recent_pieces::RecentPieces,
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
    /// Messages that were joined.
    pieces: RecentPieces,
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
    /// It must come again, once nothing waits for its rest any more: it would be done twice if that came again.
    Later,
}

/// What came of a text.
enum TextOutcome {
    /// So many of its pieces are done with.
    Taken {
        /// How many.
        pieces: usize,
    },
    /// It must be tried again.
    Again,
    /// The same, once nothing waits for its rest any more.
    Later,
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
            pieces: RecentPieces::default(),
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
        let (mut open, mut later) = (None, None);
        for update in updates {
            if self.handled.contains(update.id) || self.joiner.holds(update.id) {
                continue;
            }
            match self.take(update).await {
                UpdateOutcome::Done => {}
                UpdateOutcome::Later => later = later.or(Some(update.id)),
                UpdateOutcome::Again => {
                    open = Some(update.id);
                    break;
                }
            }
        }
        // What is behind a full poll comes only when this one is confirmed.
        let is_full = u64::try_from(updates.len()).is_ok_and(|count| count >= UPDATES_MAX);
        let due = if is_full { self.joiner.take_all() } else { self.joiner.due(self.now()) };
        let mut is_refused = open.is_some();
        if let UpdateOutcome::Again = self.accept_held(due).await {
            is_refused = true;
        }
        let first = [open, later, self.reopened.take(), self.joiner.first_update()];
        self.handled.advance(first.into_iter().flatten().min());
        if is_refused {
            return Some(RETRY_AFTER);
        }
        if !self.joiner.is_empty() {
            return Some(REST_EVERY);
        }
        if later.is_some() {
            return None;
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
        if !self.joiner.is_empty() && is_done_twice(&accepted) {
            return UpdateOutcome::Later;
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
        let mut later = Vec::new();
        while let Some(held) = texts.next() {
            match self.accept_text(&held).await {
                TextOutcome::Taken { pieces } => {
                    for update in held.updates().iter().take(pieces) {
                        self.handled.note(*update);
                    }
                    let left = held.updates().iter().skip(pieces);
                    // Pieces that were not part of it are looked at again, by themselves.
                    self.reopened = left.copied().chain(self.reopened).min();
                    continue;
                }
                TextOutcome::Later => {
                    later.push(held);
                    continue;
                }
                TextOutcome::Again => {}
            }
            later.extend(std::iter::once(held).chain(texts));
            self.put_back(later);
            return UpdateOutcome::Again;
        }
        self.put_back(later);
        UpdateOutcome::Done
    }

    /// Holds texts again, in their order.
    fn put_back(&mut self, texts: Vec<HeldText>) {
        for held in texts.into_iter().rev() {
            self.joiner.put_back(held);
        }
    }

    /// Accepts a text.
    async fn accept_text(&mut self, held: &HeldText) -> TextOutcome {
        let said = held.whole().clone();
        let pieces = held.updates().len();
        if let Some(album) = &said.album {
            self.albums.note((said.location.chat, album.clone()));
        }
        let content = self.introduced(&said);
        let introduced = (said.location.chat, said.sender.id);
        let is_introduced = content != said.content();
        let epoch = match self.accept(said, content).await {
            (UpdateOutcome::Done, Some(epoch)) => epoch,
            (UpdateOutcome::Done, None) => return TextOutcome::Taken { pieces },
            (UpdateOutcome::Later, _) => return TextOutcome::Later,
            (UpdateOutcome::Again, _) => return TextOutcome::Again,
        };
        if is_introduced {
            self.introductions.note(introduced);
        }
        if pieces < 2 {
            return TextOutcome::Taken { pieces };
        }
        let Some(pieces) = self.joined_pieces(held, epoch).await else { return TextOutcome::Again };
        for piece in held.pieces().iter().take(pieces) {
            self.pieces.note(piece.location, &piece.content());
        }
        TextOutcome::Taken { pieces }
    }

    /// How many of its pieces a text was accepted with: one that came again may have been accepted with less of what followed
    /// it. None where that cannot be read.
    async fn joined_pieces(&self, held: &HeldText, epoch: EpochId) -> Option<usize> {
        let record = match self.context.keeper.epoch(epoch).await {
            Ok(record) => record,
            Err(error) => {
                tracing::warn!(channel = "telegram", event = "message_unreadable", %error, "with how much of it a message was accepted cannot be read; it is tried again");
                return None;
            }
        };
        let is_it = |part: &ChatMessage| {
            record.as_ref().is_some_and(|record| {
                self.given_words(part, &record.stimulus.content) == part.content()
            })
        };
        let joined = held.versions().iter().rposition(is_it);
        Some(joined.map_or_else(|| held.pieces().len(), |index| index.saturating_add(1)))
    }

    /// What the agent is told: who has no name here is introduced once in a conversation.
    fn introduced(&self, said: &ChatMessage) -> String {
        let content = said.content();
        let name = self.context.sender_name(&said.sender);
        // What begins with a command is to begin with it.
        let introduction = said.sender.introduction(&name).filter(|_| !content.starts_with('\\'));
        let Some(introduction) = introduction else { return content };
        let introduced = format!("{introduction}{content}");
        let fits = introduced.chars().count() <= CONTENT_CHARS_MAX;
        let is_new = !self.introductions.contains(&(said.location.chat, said.sender.id));
        if fits && is_new { introduced } else { content }
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
        let (piece, content) = (said.location, said.content());
        // Telegram also says that a message was changed where only its preview was.
        let is_part = match self.pieces.said(piece, &content) {
            Some(true) => return UpdateOutcome::Done,
            Some(false) => true,
            None => match self.changed_part(&said).await {
                Ok(Some(is_part)) => is_part,
                Ok(None) => return UpdateOutcome::Done,
                Err(error) => {
                    tracing::warn!(channel = "telegram", event = "message_unreadable", %error, "what a message said before it was changed cannot be read; it is tried again");
                    return UpdateOutcome::Again;
                }
            },
        };
        let changed = if is_part {
            texts::format_edited_part(&content)
        } else {
            texts::format_edited(&content)
        };
        let (outcome, epoch) = self.accept(said, changed).await;
        if is_part && epoch.is_some() {
            self.pieces.note(piece, &content);
        }
        outcome
    }

    /// Whether a message that was changed is the first part of a longer text; none where it was not taken, or says what it did.
    async fn changed_part(&self, said: &ChatMessage) -> Result<Option<bool>, ReadError> {
        let keeper = &self.context.keeper;
        let Some(epoch) = unanswered::newest_version(keeper, said.location) else {
            return Ok(None);
        };
        let Some(record) = keeper.epoch(epoch).await? else { return Ok(None) };
        let before = self.given_words(said, &record.stimulus.content);
        Ok(changes::changed_part(before, said))
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
            return (self.refuse(place, &refusal).await, None);
        }
        let envelope = match self.envelope(&said, &content) {
            Ok(envelope) => envelope,
            Err(invalid) => {
                return (self.refuse(place, &texts::format_invalid(&invalid)).await, None);
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
                return (self.refuse(place, &refusal).await, None);
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

    /// Says that a message was refused. It is known by no key, so that it waits where it would come again.
    async fn refuse(&self, place: ReplySpot, refusal: &str) -> UpdateOutcome {
        if self.joiner.waits(self.now()) {
            return UpdateOutcome::Later;
        }
        self.context.reply_now(place, refusal).await;
        UpdateOutcome::Done
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

/// Whether an update that comes again is answered again. What `/stop` ends is ended, and buttons decide once.
fn is_done_twice(update: &AcceptedUpdate) -> bool {
    match update {
        AcceptedUpdate::Command(order) => order.command != BotCommand::Stop,
        AcceptedUpdate::NoText(_) => true,
        _ => false,
    }
}
