//! What goes: answers of epochs that have ended, questions whether a call may run, "is typing" while an epoch is open.
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

use super::{Desk, Taken, owed, words};

/// Between two signs of typing; Telegram shows one for five seconds.
const TYPING_EVERY: Duration = Duration::from_secs(4);
/// Chats in which typing is shown at the same time.
const TYPING_CHATS_MAX: usize = 8;
/// Between two tries to read the ledger.
const READ_AGAIN: Duration = Duration::from_secs(5);
/// How long a stop waits for the answers of what has just ended.
const FAREWELL: Duration = Duration::from_secs(3);

/// Answers.
#[derive(Debug)]
pub(super) struct Sender {
    desk: Desk,
    chats: BTreeSet<i64>,
    taken: mpsc::Receiver<Taken>,
    /// Epochs whose answers are not sent; by their ids, which is the order in which they were asked.
    owed: BTreeMap<EpochId, Owed>,
    /// Approvals that were asked for, and where the buttons are; none where the question could not be put.
    asked: BTreeMap<ApprovalId, Option<MessageLocation>>,
    /// Until when nothing is sent.
    quiet_until: Option<Instant>,
    typed_at: Option<Instant>,
    failures: u32,
    /// The token is not known any more.
    is_mute: bool,
}

/// An answer that is to be sent.
#[derive(Clone, Copy, Debug)]
struct Owed {
    spot: MessageLocation,
    /// How many of its messages were sent in this life.
    sent: usize,
}

/// What came of an attempt.
enum Sent {
    /// Telegram took it, and gave it this number.
    As(i64),
    /// Telegram will never take it.
    Never,
    /// Later.
    NotNow,
}

impl Sender {
    pub(super) fn new(desk: Desk, chats: BTreeSet<i64>, taken: mpsc::Receiver<Taken>) -> Self {
        Self {
            desk,
            chats,
            taken,
            owed: BTreeMap::new(),
            asked: BTreeMap::new(),
            quiet_until: None,
            typed_at: None,
            failures: 0,
            is_mute: false,
        }
    }

    /// Follows the house until told to stop.
    pub(super) async fn run(mut self, stop: &CancellationToken) {
        let mut applications = self.desk.keeper.services().view.applications();
        self.take_up().await;
        loop {
            self.look().await;
            let wake = self.wake();
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(taken) = self.taken.recv() => self.take(taken).await,
                changed = applications.changed() => if changed.is_err() { break },
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
            }
        }
        // The lanes have put their pens down; what they finished is said while there is time.
        drop(timeout(FAREWELL, self.answer_all()).await);
    }

    /// What the keepers before this one left unsaid.
    async fn take_up(&mut self) {
        let now = self.desk.clock.now();
        match owed::all(&self.desk.keeper, &self.chats, now).await {
            Ok(owed) => {
                self.owed
                    .extend(owed.into_iter().map(|(epoch, spot)| (epoch, Owed { spot, sent: 0 })));
            }
            Err(error) => {
                tracing::error!(%error, "it is not known which answers Telegram has; those of before are not sent");
            }
        }
    }

    /// A message that was taken in, now or, where it came again, before.
    async fn take(&mut self, Taken { epoch, spot }: Taken) {
        if !self.owed.contains_key(&epoch)
            && !owed::is_paid(&self.desk.keeper, epoch).await.unwrap_or(false)
        {
            self.owed.insert(epoch, Owed { spot, sent: 0 });
        }
    }

    async fn look(&mut self) {
        self.answer_all().await;
        self.ask_all().await;
        self.type_along().await;
    }

    fn may_send(&self) -> bool {
        !self.is_mute && self.quiet_until.is_none_or(|until| until <= Instant::now())
    }

    /// When to look again, should nothing happen before.
    fn wake(&self) -> Option<Instant> {
        if self.is_mute || self.owed.is_empty() && self.asked.is_empty() {
            return None;
        }
        let quiet = self.quiet_until.filter(|until| *until > Instant::now());
        let typing = self.typed_at.map(|at| at + TYPING_EVERY);
        quiet.or(typing)
    }

    /// Sends the answers of all epochs that have ended, the oldest first.
    async fn answer_all(&mut self) {
        while self.may_send() {
            let ended = {
                let house = self.desk.keeper.house();
                let is_over =
                    |epoch: &EpochId| house.epochs.get(epoch).is_none_or(|span| span.end.is_some());
                self.owed.keys().copied().find(is_over)
            };
            let Some(epoch) = ended else { return };
            self.answer(epoch).await;
        }
    }

    /// Sends an answer, or as much of it as Telegram takes now.
    async fn answer(&mut self, epoch: EpochId) {
        let record = match self.desk.keeper.epoch(epoch).await {
            Ok(Some(record)) if owed::is_recent(epoch, self.desk.clock.now()) => record,
            Ok(_) => {
                tracing::warn!(%epoch, "an answer on Telegram is too old to be sent");
                self.owed.remove(&epoch);
                return;
            }
            Err(error) => {
                tracing::warn!(%epoch, %error, "an answer could not be read; it is tried again");
                self.quiet_until = Some(Instant::now() + READ_AGAIN);
                return;
            }
        };
        let messages = words::answer(&record);
        while let Some(Owed { spot, sent }) = self.owed.get(&epoch).copied() {
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
                Sent::As(_) => {
                    self.owed.insert(epoch, Owed { spot, sent: sent + 1 });
                }
                Sent::Never => return self.settle(&record, 0).await,
                Sent::NotNow => return,
            }
        }
    }

    /// Nothing more is owed for an epoch.
    async fn settle(&mut self, record: &EpochRecord, people: u64) {
        self.owed.remove(&record.id);
        if let Err(error) = owed::pay(&self.desk.keeper, record, people).await {
            let epoch = record.id;
            tracing::warn!(%epoch, %error, "an answer was sent and that could not be written down: after a restart it is sent again");
        }
    }

    async fn send(&mut self, letter: OutgoingMessage<'_>) -> Sent {
        let error = match self.desk.bot.send(&letter).await {
            Ok(message) => {
                self.failures = 0;
                self.quiet_until = None;
                self.desk.online();
                return Sent::As(message);
            }
            Err(error) => error,
        };
        if error.remedy(self.failures) == Remedy::GiveUp {
            tracing::warn!(%error, "a message on Telegram is given up");
            return Sent::Never;
        }
        match self.desk.trouble(&error, self.failures) {
            Some(pause) => self.quiet_until = Some(Instant::now() + pause),
            None => self.is_mute = true,
        }
        self.failures = self.failures.saturating_add(1);
        Sent::NotNow
    }

    /// Puts the questions that wait, and takes the buttons off those that are decided.
    async fn ask_all(&mut self) {
        let pending = self.pending();
        let decided: Vec<_> = {
            let is_over = |id: &ApprovalId| !pending.iter().any(|(pending, ..)| pending == id);
            self.asked.keys().copied().filter(is_over).collect()
        };
        for approval in decided {
            let Some(Some(spot)) = self.asked.remove(&approval) else { continue };
            if let Err(error) = self.desk.bot.remove_buttons(spot.chat, spot.message).await {
                tracing::info!(%error, "buttons of a decided question stay");
            }
        }
        for (approval, spot, text) in pending {
            if self.asked.contains_key(&approval) || !self.may_send() {
                continue;
            }
            let buttons = [("Approve", Decision::Approve), ("Deny", Decision::Deny)].map(
                |(label, decision)| Button { label, choice: ApprovalChoice { approval, decision } },
            );
            let letter = OutgoingMessage {
                reply_to: Some(spot.message),
                ..OutgoingMessage::new(spot.chat, &text)
            };
            match self.send(OutgoingMessage { buttons: &buttons, ..letter }).await {
                Sent::As(message) => {
                    self.asked.insert(approval, Some(MessageLocation { chat: spot.chat, message }));
                }
                // It can be decided elsewhere, or its time runs out.
                Sent::Never => {
                    self.asked.insert(approval, None);
                }
                Sent::NotNow => return,
            }
        }
    }

    /// What epochs asked in our chats wait for.
    fn pending(&self) -> Vec<(ApprovalId, MessageLocation, String)> {
        let house = self.desk.keeper.house();
        let of = |(epoch, owed): (&EpochId, &Owed)| {
            let record = house.running.get(epoch)?;
            let approval = record.pending_approval()?;
            let text = words::question(record, approval);
            Some((approval.requested.approval_id, owed.spot, text))
        };
        self.owed.iter().filter_map(of).collect()
    }

    /// Shows that something is written in the chats whose epochs are open.
    async fn type_along(&mut self) {
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
        let typed = join_all(open.into_iter().map(|chat| self.desk.bot.typing(chat))).await;
        for error in typed.into_iter().filter_map(Result::err) {
            tracing::debug!(%error, "typing is not shown");
        }
    }

    fn open_chats(&self) -> BTreeSet<i64> {
        let house = self.desk.keeper.house();
        let is_open = |record: &EpochRecord| {
            record.state != EpochState::Queued && record.pending_approval().is_none()
        };
        let open =
            self.owed.iter().filter(|(epoch, _)| house.running.get(epoch).is_some_and(is_open));
        open.map(|(_, owed)| owed.spot.chat).take(TYPING_CHATS_MAX).collect()
    }
}
