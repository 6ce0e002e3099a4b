//! Sends answers of epochs that have ended, asks for approvals, shows "is typing" while an epoch is open.
//!
//! One answer after the other, the oldest first, so that a chat reads in order. Where Telegram wants a pause, all wait.

use std::collections::{BTreeMap, BTreeSet};

use abide_channels::telegram::{ApprovalChoice, Button, MessageLocation, OutgoingMessage, Remedy};
use abide_domain::{ApprovalId, EpochId, epoch::EpochState, event::Decision};
use abide_engine::state::EpochRecord;
use futures_util::future::join_all;
use tokio::{
    sync::mpsc,
    time::{Duration, Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    context::{AcceptedMessage, BotContext},
    texts, unanswered,
};

/// Between two signs of typing; Telegram shows one for five seconds.
const TYPING_EVERY: Duration = Duration::from_secs(4);
/// Chats in which typing is shown at the same time.
const TYPING_CHATS_MAX: usize = 8;
/// Between two tries to read the ledger.
const READ_RETRY_AFTER: Duration = Duration::from_secs(5);
/// How long a stop waits for the answers of what has just ended.
const LAST_ANSWERS_MAX: Duration = Duration::from_secs(3);

/// Sends answers and questions.
#[derive(Debug)]
pub(super) struct Sender {
    context: BotContext,
    chats: BTreeSet<i64>,
    accepted: mpsc::Receiver<AcceptedMessage>,
    /// Epochs whose answers are not sent; by their ids, which is the order in which they were asked.
    pending: BTreeMap<EpochId, PendingReply>,
    /// Approvals that were asked for, and where the buttons are; none where the question could not be put.
    asked: BTreeMap<ApprovalId, Option<MessageLocation>>,
    /// Until when nothing is sent.
    paused_until: Option<Instant>,
    typed_at: Option<Instant>,
    failures: u32,
    /// Telegram no longer accepts the token.
    is_stopped: bool,
}

/// An answer that is to be sent.
#[derive(Clone, Copy, Debug)]
struct PendingReply {
    spot: MessageLocation,
    /// How many of its messages were sent since the start.
    sent: usize,
}

/// What came of an attempt.
enum SendOutcome {
    /// Telegram accepted it, under this number.
    Sent(i64),
    /// Telegram will never accept it.
    Rejected,
    /// To be tried later.
    Deferred,
}

impl Sender {
    pub(super) fn new(
        context: BotContext,
        chats: BTreeSet<i64>,
        accepted: mpsc::Receiver<AcceptedMessage>,
    ) -> Self {
        Self {
            context,
            chats,
            accepted,
            pending: BTreeMap::new(),
            asked: BTreeMap::new(),
            paused_until: None,
            typed_at: None,
            failures: 0,
            is_stopped: false,
        }
    }

    /// Follows the folded ledger until told to stop.
    pub(super) async fn run(mut self, stop: &CancellationToken) {
        let mut applications = self.context.keeper.services().view.applications();
        self.load_unanswered().await;
        loop {
            self.send_due().await;
            let wake = self.next_wake();
            tokio::select! { biased; () = stop.cancelled() => break, Some(message) = self.accepted.recv() => self.add(message).await, changed = applications.changed() => if changed.is_err() { break }, () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {} }
        } // The lanes have stopped; what they finished is sent while there is time.
        drop(timeout(LAST_ANSWERS_MAX, self.answer_all()).await);
    }

    /// Loads the answers that earlier keepers did not send.
    async fn load_unanswered(&mut self) {
        let now = self.context.clock.now();
        match unanswered::find_unanswered(&self.context.keeper, &self.chats, now).await {
            Ok(unanswered) => {
                self.pending.extend(
                    unanswered
                        .into_iter()
                        .map(|(epoch, spot)| (epoch, PendingReply { spot, sent: 0 })),
                );
            }
            Err(error) => {
                tracing::error!(channel = "telegram", event = "unanswered_unreadable", %error, "the ledger cannot be read for unsent answers; answers from before this start are not sent");
            }
        }
    }

    /// Adds a message that was accepted, now or, where it came again, before.
    async fn add(&mut self, AcceptedMessage { epoch, spot }: AcceptedMessage) {
        if !self.pending.contains_key(&epoch)
            && !unanswered::is_answered(&self.context.keeper, epoch).await.unwrap_or(false)
        {
            self.pending.insert(epoch, PendingReply { spot, sent: 0 });
        }
    }

    async fn send_due(&mut self) {
        self.answer_all().await;
        self.ask_all().await;
        self.show_typing().await;
    }

    fn may_send(&self) -> bool {
        !self.is_stopped && self.paused_until.is_none_or(|until| until <= Instant::now())
    }

    /// When to try again, should nothing happen before.
    fn next_wake(&self) -> Option<Instant> {
        if self.is_stopped || self.pending.is_empty() && self.asked.is_empty() {
            return None;
        }
        let paused = self.paused_until.filter(|until| *until > Instant::now());
        let typing = self.typed_at.map(|at| at + TYPING_EVERY);
        paused.or(typing)
    }

    /// Sends the answers of all epochs that have ended, the oldest first.
    async fn answer_all(&mut self) {
        while self.may_send() {
            let ended = {
                let state = self.context.keeper.state();
                let is_over =
                    |epoch: &EpochId| state.epochs.get(epoch).is_none_or(|span| span.end.is_some());
                self.pending.keys().copied().find(is_over)
            };
            let Some(epoch) = ended else { return };
            self.answer(epoch).await;
        }
    }

    /// Sends an answer, or as much of it as Telegram accepts now.
    async fn answer(&mut self, epoch: EpochId) {
        let record = match self.context.keeper.epoch(epoch).await {
            Ok(Some(record)) if unanswered::is_recent(epoch, self.context.clock.now()) => record,
            Ok(_) => {
                tracing::warn!(%epoch, channel = "telegram", event = "answer_too_old", "an answer is too old to be sent");
                self.pending.remove(&epoch);
                return;
            }
            Err(error) => {
                tracing::warn!(%epoch, channel = "telegram", event = "answer_unreadable", %error, "an answer cannot be read from the ledger; it is tried again");
                self.paused_until = Some(Instant::now() + READ_RETRY_AFTER);
                return;
            }
        };
        let messages = texts::format_answer_messages(&record);
        while let Some(PendingReply { spot, sent }) = self.pending.get(&epoch).copied() {
            let Some(text) = messages.get(sent) else {
                return self.settle(&record, 1).await;
            };
            let answers = (sent == 0).then_some(spot.message);
            match self
                .send(OutgoingMessage {
                    reply_to: answers,
                    ..OutgoingMessage::new(spot.chat, text)
                })
                .await
            {
                SendOutcome::Sent(_) => {
                    self.pending.insert(epoch, PendingReply { spot, sent: sent + 1 });
                }
                SendOutcome::Rejected => return self.settle(&record, 0).await,
                SendOutcome::Deferred => return,
            }
        }
    }

    /// Records that an epoch is answered, or given up (nobody was reached).
    async fn settle(&mut self, record: &EpochRecord, people: u64) {
        self.pending.remove(&record.id);
        if let Err(error) = unanswered::record_answered(&self.context.keeper, record, people).await
        {
            let epoch = record.id;
            tracing::warn!(%epoch, channel = "telegram", event = "answered_not_recorded", %error, "an answer was sent and that could not be recorded: after a restart it is sent again");
        }
    }

    async fn send(&mut self, message: OutgoingMessage<'_>) -> SendOutcome {
        let error = match self.context.bot.send(&message).await {
            Ok(message) => {
                self.failures = 0;
                self.paused_until = None;
                self.context.note_online();
                return SendOutcome::Sent(message);
            }
            Err(error) => error,
        };
        if error.remedy(self.failures) == Remedy::GiveUp {
            tracing::warn!(channel = "telegram", event = "message_rejected", %error, "Telegram rejects a message; it is not sent again");
            return SendOutcome::Rejected;
        }
        match self.context.note_failure(&error, self.failures) {
            Some(pause) => self.paused_until = Some(Instant::now() + pause),
            None => self.is_stopped = true,
        }
        self.failures = self.failures.saturating_add(1);
        SendOutcome::Deferred
    }

    /// Asks for approvals that wait, and takes the buttons off those that are decided.
    async fn ask_all(&mut self) {
        let waiting = self.waiting_approvals();
        let decided: Vec<_> = {
            let is_over = |id: &ApprovalId| !waiting.iter().any(|(waiting, ..)| waiting == id);
            self.asked.keys().copied().filter(is_over).collect()
        };
        for approval in decided {
            let Some(Some(spot)) = self.asked.remove(&approval) else { continue };
            if let Err(error) = self.context.bot.remove_buttons(spot.chat, spot.message).await {
                tracing::info!(channel = "telegram", event = "buttons_not_removed", %error, "the buttons of a decided question could not be removed");
            }
        }
        for (approval, spot, text) in waiting {
            if self.asked.contains_key(&approval) || !self.may_send() {
                continue;
            }
            let buttons = [("Approve", Decision::Approve), ("Deny", Decision::Deny)].map(
                |(label, decision)| Button { label, choice: ApprovalChoice { approval, decision } },
            );
            let question = OutgoingMessage {
                reply_to: Some(spot.message),
                ..OutgoingMessage::new(spot.chat, &text)
            };
            match self.send(OutgoingMessage { buttons: &buttons, ..question }).await {
                SendOutcome::Sent(message) => {
                    self.asked.insert(approval, Some(MessageLocation { chat: spot.chat, message }));
                } // It can be decided elsewhere, or its time runs out.
                SendOutcome::Rejected => {
                    self.asked.insert(approval, None);
                }
                SendOutcome::Deferred => return,
            }
        }
    }

    /// The approvals that epochs of our chats wait for.
    fn waiting_approvals(&self) -> Vec<(ApprovalId, MessageLocation, String)> {
        let state = self.context.keeper.state();
        let of = |(epoch, reply): (&EpochId, &PendingReply)| {
            let record = state.running.get(epoch)?;
            let approval = record.pending_approval()?;
            let text = texts::format_question(record, approval);
            Some((approval.requested.approval_id, reply.spot, text))
        };
        self.pending.iter().filter_map(of).collect()
    }

    /// Shows "is typing" in the chats whose epochs are open.
    async fn show_typing(&mut self) {
        let open = self.open_chats();
        if open.is_empty() {
            self.typed_at = None;
            return;
        }
        let is_shown = self.typed_at.is_some_and(|at| at.elapsed() < TYPING_EVERY);
        if is_shown || !self.may_send() {
            return;
        }
        self.typed_at = Some(Instant::now());
        let typed = join_all(open.into_iter().map(|chat| self.context.bot.typing(chat))).await;
        for error in typed.into_iter().filter_map(Result::err) {
            tracing::debug!(channel = "telegram", event = "typing_not_shown", %error, "typing is not shown");
        }
    }

    fn open_chats(&self) -> BTreeSet<i64> {
        let state = self.context.keeper.state();
        let is_open = |record: &EpochRecord| {
            record.state != EpochState::Queued && record.pending_approval().is_none()
        };
        let open =
            self.pending.iter().filter(|(epoch, _)| state.running.get(epoch).is_some_and(is_open));
        open.map(|(_, reply)| reply.spot.chat).take(TYPING_CHATS_MAX).collect()
    }
}
