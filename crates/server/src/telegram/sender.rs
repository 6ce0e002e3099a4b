//! Sends answers of epochs that have ended, asks for approvals and what servers of tools ask, shows "is typing" while an epoch is open.
//!
//! That a part of an answer leaves is on the record before it does. What may have been sent is not sent again: a remark says so
//! instead, and the parts behind it follow.
//! One answer after the other, the oldest first, so that a chat reads in order. Where Telegram wants a pause, all wait.

use std::collections::{BTreeMap, BTreeSet};

use abide_channels::telegram::{
    ApprovalChoice, Button, ButtonChoice, CallError, MessageLocation, OutgoingMessage, Remedy,
};
use abide_domain::{ApprovalId, EpochId, QuestionId, epoch::EpochState, event::Decision};
use abide_engine::{failpoint::Failpoint, state::EpochRecord};
use abide_ledger::{Feed, Record};
use futures_util::future::join_all;
use tokio::{
    sync::mpsc,
    time::{Duration, Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    context::{AcceptedMessage, BotContext},
    decisions::decided_text,
    server_questions, texts,
    unanswered::{self, SendProgress, SendState, SendStep},
};

/// Between two signs of typing; Telegram shows one for five seconds.
const TYPING_EVERY: Duration = Duration::from_secs(4);
/// Chats in which typing is shown at the same time.
const TYPING_CHATS_MAX: usize = 8;
/// Between two tries to read the ledger.
const READ_RETRY_AFTER: Duration = Duration::from_secs(5);
/// Lines of the ledger that are looked at in one go.
const RECORDS_MAX: usize = 256;
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
    /// What was asked, and the question; none where it could not be put.
    asked: BTreeMap<AskedId, Option<AskedQuestion>>,
    /// Until when nothing is sent.
    paused_until: Option<Instant>,
    typed_at: Option<Instant>,
    failures: u32,
    /// Telegram no longer accepts the token.
    is_stopped: bool,
}

/// What a question with buttons is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AskedId {
    /// Whether a call may run.
    Approval(ApprovalId),
    /// What a server asks in a call.
    Server(QuestionId),
}

/// What people of our chats are waited for.
#[derive(Debug)]
struct WaitingQuestion {
    id: AskedId,
    epoch: EpochId,
    /// Where the epoch was asked.
    place: (MessageLocation, Option<i64>),
    text: String,
    buttons: Vec<Button>,
}

/// A question with buttons.
#[derive(Clone, Debug)]
struct AskedQuestion {
    epoch: EpochId,
    spot: MessageLocation,
    text: String,
}

/// An answer that is to be sent.
#[derive(Clone, Copy, Debug)]
struct PendingReply {
    spot: MessageLocation,
    progress: SendProgress,
}

impl PendingReply {
    const fn new(spot: MessageLocation) -> Self {
        Self { spot, progress: SendProgress::NONE }
    }
}

/// What came of an attempt.
enum SendOutcome {
    /// Telegram accepted it, under this number.
    Sent(i64),
    /// Telegram will never accept it.
    Rejected,
    /// It was not sent; to be tried later.
    Deferred,
    /// Nobody can know whether it was sent.
    Unknown,
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
        // What comes from here on is seen here, what came before is loaded.
        let from = self.context.keeper.state().seq;
        let mut feed = Some(self.context.keeper.ledger().feed(from));
        self.load_unanswered().await;
        loop {
            self.send_due().await;
            let wake = self.next_wake();
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(message) = self.accepted.recv() => self.add(message).await,
                records = next_records(&mut feed) => self.add_by_clock(&records).await,
                changed = applications.changed() => {
                    if changed.is_err() {
                        break;
                    }
                }
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
            }
        }
        // The lanes have stopped; what they finished is sent while there is time.
        drop(timeout(LAST_ANSWERS_MAX, self.answer_all()).await);
    }

    /// Loads the answers that earlier keepers did not send.
    async fn load_unanswered(&mut self) {
        let now = self.context.clock.now();
        match unanswered::find_unanswered(&self.context.keeper, &self.chats, now).await {
            Ok(unanswered) => {
                for (epoch, (spot, progress)) in unanswered {
                    self.pending.insert(epoch, PendingReply { spot, progress });
                    if progress.state == SendState::Sending {
                        self.note_unsure(epoch).await;
                    }
                }
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
            self.pending.insert(epoch, PendingReply::new(spot));
        }
    }

    /// Adds what the clock brought up in our chats.
    async fn add_by_clock(&mut self, records: &[Record]) {
        for record in records {
            let Some(spot) = unanswered::clock_location(record) else { continue };
            // An epoch that the state does not have yet looks like one that is long over.
            self.context.keeper.services().view.applied(record.seq()).await;
            let epoch = record.epoch().and_then(|epoch| epoch.parse().ok());
            if let Some(epoch) = epoch.filter(|_| self.chats.contains(&spot.chat)) {
                self.pending.entry(epoch).or_insert_with(|| PendingReply::new(spot));
            }
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
        let parts = texts::format_answer_messages(&record);
        while let Some(PendingReply { spot, progress }) = self.pending.get(&epoch).copied() {
            let Some(part) = parts.get(progress.parts) else {
                return self.settle(&record, 1, progress.is_in_doubt).await;
            };
            if progress.state == SendState::AllUnsure {
                if self.remark(&record, spot, (0, 1)).await {
                    self.settle(&record, 1, true).await;
                }
                return;
            }
            if progress.state == SendState::Unsure {
                if !self.remark(&record, spot, (progress.parts, parts.len())).await {
                    return;
                }
                continue;
            }
            if progress.state == SendState::Not && !self.begin(&record, progress.parts).await {
                return;
            }
            match self.send_to(spot, &record, (part, progress.parts == 0)).await {
                SendOutcome::Sent(_) => {
                    self.pass_part(epoch);
                    let _ = self.failpoint(Failpoint::AnswerSent).await;
                }
                SendOutcome::Rejected => {
                    return self.settle(&record, 0, progress.is_in_doubt).await;
                }
                SendOutcome::Deferred => return self.take_back(&record).await,
                SendOutcome::Unknown => return self.note_unsure(epoch).await,
            }
        }
    }

    /// Puts on the record that a part of an answer is about to leave; false where that cannot be written, and nothing leaves.
    async fn begin(&mut self, record: &EpochRecord, part: usize) -> bool {
        let is_recorded = self.record(record.id, SendStep::Sending { part }).await
            && self.failpoint(Failpoint::AnswerSending).await;
        if is_recorded {
            self.mark(record.id, SendState::Sending);
        } else {
            self.paused_until = Some(Instant::now() + READ_RETRY_AFTER);
        }
        is_recorded
    }

    /// A part of an answer that was about to leave did not.
    async fn take_back(&mut self, record: &EpochRecord) {
        if self.record(record.id, SendStep::Unsent).await {
            self.mark(record.id, SendState::Not);
        }
    }

    /// Nobody can know whether a part of an answer was sent: a remark says so from here on.
    async fn note_unsure(&mut self, epoch: EpochId) {
        self.record(epoch, SendStep::MaybeSent).await;
        self.mark(epoch, SendState::Unsure);
        if let Some(reply) = self.pending.get_mut(&epoch) {
            reply.progress.is_in_doubt = true;
        }
    }

    /// Says which part of an answer may have been sent, and goes on behind it; false where it is to be said later, or the answer
    /// is given up.
    async fn remark(
        &mut self,
        record: &EpochRecord,
        spot: MessageLocation,
        (part, parts): (usize, usize),
    ) -> bool {
        let text = texts::format_maybe_sent(part, parts);
        let is_last = part.saturating_add(1) >= parts;
        match self.send_to(spot, record, (&text, true)).await {
            SendOutcome::Deferred => return false,
            SendOutcome::Rejected => {
                self.settle(record, 0, true).await;
                return false;
            }
            SendOutcome::Unknown if is_last => {
                self.settle(record, 0, true).await;
                return false;
            }
            SendOutcome::Sent(_) | SendOutcome::Unknown => {}
        }
        self.pass_part(record.id);
        true
    }

    /// Goes on to the next part of an answer.
    fn pass_part(&mut self, epoch: EpochId) {
        if let Some(PendingReply { progress, .. }) = self.pending.get_mut(&epoch) {
            progress.parts = progress.parts.saturating_add(1);
            progress.state = SendState::Not;
        }
    }

    fn mark(&mut self, epoch: EpochId, state: SendState) {
        if let Some(reply) = self.pending.get_mut(&epoch) {
            reply.progress.state = state;
        }
    }

    async fn failpoint(&self, point: Failpoint) -> bool {
        self.context.keeper.services().failpoints.pass(point).await.is_ok()
    }

    /// Writes down what becomes of an answer; false where that cannot be written.
    async fn record(&self, epoch: EpochId, step: SendStep) -> bool {
        let of = (epoch, &self.context.agent);
        match unanswered::record_step(&self.context.keeper, of, step).await {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(%epoch, channel = "telegram", event = "answer_not_recorded", %error, "what becomes of an answer could not be recorded; one that has not left is tried again");
                false
            }
        }
    }

    /// Records that an epoch is answered, or given up (nobody was reached).
    async fn settle(&mut self, record: &EpochRecord, people: u64, maybe_sent: bool) {
        self.pending.remove(&record.id);
        self.record(record.id, SendStep::Answered { people, maybe_sent }).await;
    }

    /// Sends something to where an epoch was asked.
    async fn send_to(
        &mut self,
        spot: MessageLocation,
        record: &EpochRecord,
        what: (&str, bool),
    ) -> SendOutcome {
        let context = self.context.clone();
        let topic = unanswered::topic_of(record);
        let sent = self.send(context.outgoing(spot, topic, what)).await;
        let is_moved = context.moved.current(spot.chat) != spot.chat;
        if matches!(sent, SendOutcome::Deferred) && is_moved && self.may_send() {
            // The group has just got another number, and Telegram did nothing under the old one.
            return self.send(context.outgoing(spot, topic, what)).await;
        }
        sent
    }

    async fn send(&mut self, message: OutgoingMessage<'_>) -> SendOutcome {
        let error = match self.context.send(&message).await {
            Ok(message) => {
                self.failures = 0;
                self.paused_until = None;
                self.context.note_online();
                return SendOutcome::Sent(message);
            }
            Err(error) => error,
        };
        if let CallError::ChatMigrated { to, .. } = error
            && self.context.moved.current(to) != message.chat
        {
            self.context.moved.record(&self.context.keeper, message.chat, to).await;
            return SendOutcome::Deferred;
        }
        if error.remedy(self.failures) == Remedy::GiveUp {
            tracing::warn!(channel = "telegram", event = "message_rejected", %error, "Telegram rejects a message; it is not sent again");
            return SendOutcome::Rejected;
        }
        let may_have_arrived = error.may_have_arrived();
        match self.context.note_failure(&error, self.failures) {
            Some(pause) => self.paused_until = Some(Instant::now() + pause),
            None => self.is_stopped = true,
        }
        self.failures = self.failures.saturating_add(1);
        if may_have_arrived { SendOutcome::Unknown } else { SendOutcome::Deferred }
    }

    /// Asks what waits for people, and takes the buttons off what is decided.
    async fn ask_all(&mut self) {
        let mut waiting = self.waiting_approvals();
        waiting.extend(self.waiting_server_questions().await);
        let decided: Vec<_> = {
            let is_over = |id: &AskedId| !waiting.iter().any(|waiting| waiting.id == *id);
            self.asked.keys().copied().filter(is_over).collect()
        };
        for id in decided {
            let Some(Some(question)) = self.asked.remove(&id) else { continue };
            self.close_question(id, question).await;
        }
        for WaitingQuestion { id, epoch, place: (spot, topic), text, buttons } in waiting {
            if self.asked.contains_key(&id) || !self.may_send() {
                continue;
            }
            let context = self.context.clone();
            let question = context.outgoing(spot, topic, (&text, true));
            let chat = question.chat;
            match self.send(OutgoingMessage { buttons: &buttons, ..question }).await {
                SendOutcome::Sent(message) => {
                    let spot = MessageLocation { chat, message };
                    self.asked.insert(id, Some(AskedQuestion { epoch, spot, text }));
                } // It can be decided elsewhere, or its time runs out.
                SendOutcome::Rejected => {
                    self.asked.insert(id, None);
                }
                // A question may stand there twice: the first press decides.
                SendOutcome::Deferred | SendOutcome::Unknown => return,
            }
        }
    }

    /// Puts who decided what below a question, and takes its buttons off.
    async fn close_question(&self, id: AskedId, question: AskedQuestion) {
        let AskedQuestion { epoch, spot, text } = question;
        let (bot, place) = (&self.context.bot, (spot.chat, spot.message));
        let keeper = &self.context.keeper;
        let text = match id {
            AskedId::Approval(approval) => decided_text(keeper, (epoch, approval), &text).await,
            AskedId::Server(question) => {
                server_questions::ended_text(keeper, question, &text).await
            }
        };
        let Err(error) = bot.replace_text(place, &text).await else { return };
        tracing::info!(channel = "telegram", event = "decision_not_shown", %error, "who decided could not be put below a question");
        if let Err(error) = bot.remove_buttons(spot.chat, spot.message).await {
            tracing::info!(channel = "telegram", event = "buttons_not_removed", %error, "the buttons of a decided question could not be removed");
        }
    }

    /// The approvals that epochs of our chats wait for.
    fn waiting_approvals(&self) -> Vec<WaitingQuestion> {
        let state = self.context.keeper.state();
        let now = self.context.clock.now();
        let of = |(epoch, reply): (&EpochId, &PendingReply)| {
            let record = state.running.get(epoch)?;
            let approval = record.pending_approval()?;
            let id = approval.requested.approval_id;
            let button = |(label, decision): (&str, Decision)| {
                let choice = ApprovalChoice { approval: id, decision };
                Button { label: label.to_owned(), choice: ButtonChoice::Approval(choice) }
            };
            Some(WaitingQuestion {
                id: AskedId::Approval(id),
                epoch: *epoch,
                place: (reply.spot, unanswered::topic_of(record)),
                text: texts::format_question(record, approval, now),
                buttons: [("Approve", Decision::Approve), ("Deny", Decision::Deny)]
                    .map(button)
                    .to_vec(),
            })
        };
        self.pending.iter().filter_map(of).collect()
    }

    /// What servers ask in calls of epochs of our chats.
    async fn waiting_server_questions(&self) -> Vec<WaitingQuestion> {
        let Some(servers) = self.context.app.servers() else { return Vec::new() };
        // What the ledger has said already is to be found.
        servers.questions().settle().await;
        let state = self.context.keeper.state();
        let now = self.context.clock.now();
        let waiting = servers.questions().waiting().into_iter().filter_map(|question| {
            let epoch = question.origin.as_ref()?.epoch;
            let reply = self.pending.get(&epoch)?;
            let topic = state.running.get(&epoch).and_then(unanswered::topic_of);
            Some(WaitingQuestion {
                id: AskedId::Server(question.id),
                epoch,
                place: (reply.spot, topic),
                text: server_questions::format(&question, now),
                buttons: server_questions::buttons(&question),
            })
        });
        waiting.collect()
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
        let bot = &self.context.bot;
        let typed = join_all(open.into_iter().map(|(chat, topic)| bot.typing(chat, topic))).await;
        for error in typed.into_iter().filter_map(Result::err) {
            tracing::debug!(channel = "telegram", event = "typing_not_shown", %error, "typing is not shown");
        }
    }

    fn open_chats(&self) -> BTreeSet<(i64, Option<i64>)> {
        let state = self.context.keeper.state();
        let open = self.pending.iter().filter_map(|(epoch, reply)| {
            let record = state.running.get(epoch)?;
            let is_open = record.state != EpochState::Queued && record.pending_approval().is_none();
            let chat = self.context.moved.current(reply.spot.chat);
            is_open.then(|| (chat, unanswered::topic_of(record)))
        });
        open.take(TYPING_CHATS_MAX).collect()
    }
}

/// The next lines of the ledger. Where they cannot be read any more, that is said once, and nothing comes.
async fn next_records(feed: &mut Option<Feed>) -> Vec<Record> {
    let Some(following) = feed else { return std::future::pending().await };
    match following.next_batch(RECORDS_MAX).await {
        Ok(records) => records,
        Err(error) => {
            tracing::error!(channel = "telegram", event = "feed_unreadable", %error, "the ledger cannot be followed; what wakes and schedules say in chats is sent after the next start");
            *feed = None;
            Vec::new()
        }
    }
}
