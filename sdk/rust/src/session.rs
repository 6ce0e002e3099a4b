//! One conversation with a keeper, from `hello` to the end of the link.
//!
//! One task: the I/O thread hands in messages, the handler's future is polled here and dropped where its turn is
//! withdrawn, handles leave what they want at the desk. A session never outlives its link: what is open then ends, and the
//! keeper gives the state back at the next `welcome`.

use std::{collections::VecDeque, convert::Infallible};

use abide_wire::{
    AgentError, EvolutionResult, HotReload, HotReloadAck, KeeperError, ProcessRequest, Restore,
    RestoreAck, ToAgent,
};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until};

use crate::{
    agent::{Callbacks, Identity},
    failed::{CANCELLED, EVAL_ERROR, TurnError},
    journal::{Due, WalError},
    keeper::Keeper,
    keeping::{Keeping, take_back},
    limits::{JOBS_MAX, METRICS_INTERVAL},
    link::{Ending, Incoming, Link},
    measure::{Measure, Outcome},
    open_turn::{Asking, OpenTurn, Replied},
    sender::SendError,
    state::{State, StateError},
    turn::Turn,
};

mod opening;

/// How a session ended.
#[derive(Debug)]
pub(crate) enum End {
    /// The keeper said so.
    Shutdown,
    /// The keeper closed the link.
    Closed,
    /// The link failed, or both sides no longer agree on the log.
    Lost(String),
    /// The keeper does not take this agent.
    Refused {
        /// Such as `STALE_RUN`.
        code: String,
        /// The keeper's words.
        message: String,
    },
    /// The state could not be taken back, or could not follow the log.
    State(StateError),
}

/// What waits for the end of the turn in hand.
#[derive(Debug)]
enum Job {
    Restore(Box<Restore>),
    HotReload(HotReload),
    Evolved(EvolutionResult),
}

/// How far a shutdown has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closing {
    No,
    /// The log is to be emptied, then perhaps a checkpoint to be made.
    Draining {
        with_checkpoint: bool,
    },
    /// The last checkpoint is on its way.
    Keeping,
}

/// What happened next.
enum Happened {
    Came(Incoming),
    Replied(Replied),
    Woken,
    Due,
    ReportDue,
}

/// The conversation.
pub(crate) struct Session<'a, S> {
    identity: &'a Identity,
    make: &'a (dyn Fn() -> S + Send + Sync),
    callbacks: &'a mut Callbacks<S>,
    asking: &'a mut Asking<S>,
    link: Link,
    keeper: Keeper<S>,
    keeping: Keeping,
    turn: Option<OpenTurn>,
    jobs: VecDeque<Job>,
    measure: Measure,
    closing: Closing,
}

/// What a session is made of beside its link.
pub(crate) struct Own<'a, S> {
    pub(crate) identity: &'a Identity,
    pub(crate) make: &'a (dyn Fn() -> S + Send + Sync),
    pub(crate) callbacks: &'a mut Callbacks<S>,
    pub(crate) asking: &'a mut Asking<S>,
}

impl<'a, S: State> Session<'a, S> {
    /// A conversation over a link that has just begun.
    pub(crate) fn new(own: Own<'a, S>, link: Link, keeper: Keeper<S>) -> Self {
        let Own { identity, make, callbacks, asking } = own;
        Self {
            identity,
            make,
            callbacks,
            asking,
            link,
            keeper,
            keeping: Keeping::default(),
            turn: None,
            jobs: VecDeque::new(),
            measure: Measure::default(),
            closing: Closing::No,
        }
    }

    /// Opens, works, ends.
    pub(crate) async fn run(mut self) -> End {
        let Err(end) = self.live().await;
        self.turn = None;
        self.keeper.desk.close();
        self.keeping.close();
        self.link.close().await;
        end
    }

    async fn live(&mut self) -> Result<Infallible, End> {
        self.open().await?;
        let mut reports = interval_at(Instant::now() + METRICS_INTERVAL, METRICS_INTERVAL);
        reports.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            self.advance()?;
            let happened = self.next(&mut reports).await;
            self.act(happened)?;
        }
    }

    /// Waits. Nothing is lost where a branch is dropped.
    async fn next(&mut self, reports: &mut Interval) -> Happened {
        let due = self.due();
        let desk = &self.keeper.desk;
        let incoming = async {
            // Answers to what comes wait for room: a keeper that does not read is not listened to.
            desk.sender.outbox.room().await;
            self.link.next().await
        };
        tokio::select! { biased;
            incoming = incoming => Happened::Came(incoming),
            replied = OpenTurn::replied(self.turn.as_mut()) => Happened::Replied(replied),
            () = desk.wake.notified() => Happened::Woken,
            () = until(due) => Happened::Due,
            _ = reports.tick() => Happened::ReportDue,
        }
    }

    fn act(&mut self, happened: Happened) -> Result<(), End> {
        match happened {
            Happened::Came(incoming) => self.take(incoming),
            Happened::Replied(replied) => {
                self.finish(replied);
                self.run_jobs()
            }
            Happened::Woken => Ok(()),
            Happened::Due => {
                self.keeping.look_at_clock();
                Ok(())
            }
            Happened::ReportDue => {
                self.report();
                Ok(())
            }
        }
    }

    /// Sends what is due: a group of entries, a checkpoint. Ends a shutdown that has nothing left to do.
    fn advance(&mut self) -> Result<(), End> {
        self.flush();
        self.start_checkpoint();
        match self.closing {
            Closing::Draining { with_checkpoint } if self.keeper.desk.journal().is_empty() => {
                self.closing = Closing::Keeping;
                if with_checkpoint && S::IS_KEPT {
                    self.keeping.ask();
                    self.start_checkpoint();
                }
            }
            _ => {}
        }
        let is_over = self.closing == Closing::Keeping && !self.keeping.is_busy();
        if is_over { Err(End::Shutdown) } else { Ok(()) }
    }

    fn flush(&self) {
        let mut journal = self.keeper.desk.journal();
        let is_due = match journal.due() {
            Due::Now => true,
            Due::At(at) => at <= Instant::now(),
            Due::Never => false,
        };
        if !is_due {
            return;
        }
        let mut group = journal.take_group();
        let sent = match (group.pop(), group.is_empty()) {
            (Some(only), true) => self.keeper.desk.sender.send_unread(only),
            (Some(last), false) => {
                group.push(last);
                self.keeper.desk.sender.send_unread(group)
            }
            (None, _) => Ok(()),
        };
        if let Err(SendError::Unfit(error)) = sent {
            journal.refuse(&WalError::TooLarge(error));
        }
    }

    fn start_checkpoint(&mut self) {
        if let Err(error) = self.keeping.start(&self.keeper.desk) {
            tracing::error!("no checkpoint: {error}");
            self.tell(AgentError::new(crate::error_code::CHECKPOINT_FAILED, error.to_string()));
        }
    }

    fn due(&self) -> Option<Instant> {
        let flush = match self.keeper.desk.journal().due() {
            Due::At(at) => Some(at),
            Due::Now => Some(Instant::now()),
            Due::Never => None,
        };
        flush.into_iter().chain(self.keeping.deadline()).min()
    }

    fn take(&mut self, incoming: Incoming) -> Result<(), End> {
        let message = match incoming {
            Incoming::Message(message) => message,
            Incoming::Refused(refusal) => {
                tracing::warn!("a frame of the keeper was refused: {refusal}");
                self.tell(refusal.to_agent_error());
                return Ok(());
            }
            Incoming::Ended(Ending::Closed) => return Err(End::Closed),
            Incoming::Ended(Ending::Failed(words)) => return Err(End::Lost(words)),
        };
        match message.body {
            ToAgent::WalAck(ack) => self.acknowledged(ack.sequence),
            ToAgent::CheckpointAck(ack) => {
                self.keeping.acknowledged(ack.checkpoint_id);
                Ok(())
            }
            ToAgent::ProcessRequest(request) => self.ask(request),
            ToAgent::ProcessCancel(cancel) => {
                if self.turn.as_ref().is_some_and(|turn| turn.request_id() == cancel.request_id) {
                    self.withdraw();
                }
                self.run_jobs()
            }
            ToAgent::CheckpointRequest(_) => {
                self.keeping.ask();
                Ok(())
            }
            ToAgent::MetricsRequest(_) => {
                self.report();
                Ok(())
            }
            ToAgent::Restore(restore) => self.add_job(Job::Restore(Box::new(restore))),
            ToAgent::HotReload(reload) => self.add_job(Job::HotReload(reload)),
            ToAgent::EvolutionResult(result) => self.add_job(Job::Evolved(result)),
            ToAgent::Shutdown(shutdown) => {
                self.shut_down(shutdown.create_checkpoint);
                Ok(())
            }
            ToAgent::Error(error) => self.hear(&error),
            ToAgent::Welcome(_) => {
                self.tell(AgentError::new(
                    crate::error_code::INVALID_MESSAGE,
                    "welcome came already",
                ));
                Ok(())
            }
            ToAgent::Ping(_) => Ok(()),
        }
    }

    /// Applies what is durable now, before whoever waits for it is woken.
    fn acknowledged(&mut self, sequence: u64) -> Result<(), End> {
        let desk = &self.keeper.desk;
        let durable = desk.journal().acknowledged(sequence);
        for pending in durable {
            desk.sender.progress.step();
            let sequence = pending.entry.sequence;
            match desk.with_kept_mut(|kept| kept.apply(&pending.entry)) {
                Ok(()) => pending.settle(Ok(sequence)),
                Err(error) => {
                    pending.settle(Err(WalError::NotApplied));
                    let words = format!("entry {sequence} cannot be applied: {error}");
                    return Err(End::State(StateError::new(words)));
                }
            }
        }
        Ok(())
    }

    /// Begins a turn. The newest attempt counts: an older one that is still open is withdrawn.
    fn ask(&mut self, request: ProcessRequest) -> Result<(), End> {
        self.withdraw();
        self.run_jobs()?;
        if self.closing != Closing::No {
            self.tell_withdrawn(&request.request_id);
            return Ok(());
        }
        let desk = &self.keeper.desk;
        desk.sender.progress.step();
        let request_id = request.request_id.clone();
        let turn = Turn::new(self.identity.agent.clone(), request, desk.sender.clone());
        self.turn = Some(OpenTurn::begin(request_id, || (self.asking)(turn, self.keeper.clone())));
        Ok(())
    }

    /// Drops the turn in hand where it waits.
    fn withdraw(&mut self) {
        if let Some(turn) = self.turn.take() {
            self.measure.add(Instant::now(), turn.took(), Outcome::Failed);
            self.tell_withdrawn(turn.request_id());
        }
    }

    fn tell_withdrawn(&self, request_id: &str) {
        self.keeper.desk.sender.progress.step();
        let withdrawn = TurnError::new(CANCELLED, "the turn was withdrawn");
        self.tell(withdrawn.into_error(request_id));
    }

    fn finish(&mut self, replied: Replied) {
        let Some(turn) = self.turn.take() else { return };
        let request_id = turn.request_id();
        self.keeper.desk.sender.progress.step();
        let outcome = if replied.is_ok() { Outcome::Answered } else { Outcome::Failed };
        self.measure.add(Instant::now(), turn.took(), outcome);
        let failed = match replied {
            Ok(answer) => {
                let response = answer.into_response(request_id);
                match self.keeper.desk.sender.send_now(response) {
                    Ok(()) | Err(SendError::LinkLost) => return,
                    Err(error) => {
                        TurnError::new(EVAL_ERROR, format!("the answer cannot be sent: {error}"))
                    }
                }
            }
            Err(failed) => {
                tracing::warn!("the handler failed: {failed:?}");
                failed
            }
        };
        self.tell(failed.into_error(request_id));
    }

    fn shut_down(&mut self, with_checkpoint: bool) {
        self.withdraw();
        self.jobs.clear();
        if self.closing == Closing::No {
            self.keeper.desk.journal().hurry();
            self.closing = Closing::Draining { with_checkpoint };
        }
    }

    /// Takes the keeper's word. What leaves it open which entries are stored ends the session: `restore` tells.
    fn hear(&mut self, heard: &KeeperError) -> Result<(), End> {
        use crate::error_code as code;
        let KeeperError { error, request_id } = heard;
        let (name, message) = (&*error.code, error.message.clone());
        tracing::warn!("the keeper reports {name}: {message}");
        let mut journal = self.keeper.desk.journal();
        match name {
            code::STALE_RUN | code::UNSUPPORTED_VERSION => {
                return Err(End::Refused { code: name.to_owned(), message });
            }
            code::CHECKPOINT_FAILED => self.keeping.refuse(message),
            code::WAL_FULL => journal.refuse(&WalError::Refused { code: name.to_owned(), message }),
            code::SEQUENCE_GAP | code::INVALID_MESSAGE | code::TOO_LARGE | code::NOT_READY
                if journal.is_busy() && request_id.is_none() =>
            {
                let words = format!(
                    "the keeper and this side no longer agree on the log: {name}: {message}"
                );
                return Err(End::Lost(words));
            }
            code::INVALID_MESSAGE | code::TOO_LARGE if request_id.is_none() => {
                self.keeping.refuse(message);
            }
            _ => {}
        }
        Ok(())
    }

    fn add_job(&mut self, job: Job) -> Result<(), End> {
        if self.jobs.len() >= JOBS_MAX {
            let words = format!("{JOBS_MAX} messages wait for the turn in hand");
            self.tell(AgentError::new("BUSY", words));
            return Ok(());
        }
        self.jobs.push_back(job);
        self.run_jobs()
    }

    fn run_jobs(&mut self) -> Result<(), End> {
        while self.turn.is_none()
            && let Some(job) = self.jobs.pop_front()
        {
            self.keeper.desk.sender.progress.step();
            match job {
                Job::Restore(restore) => self.restore(&restore)?,
                Job::HotReload(reload) => self.hot_reload(&reload),
                Job::Evolved(result) => {
                    if let Some(hear) = &mut self.callbacks.evolution_result {
                        hear(&result);
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes the state back. Without it the agent must not go on.
    fn restore(&mut self, restore: &Restore) -> Result<(), End> {
        let desk = &self.keeper.desk;
        if !desk.journal().is_empty() {
            return Err(End::Lost("a restore came while entries were on their way".into()));
        }
        match take_back((self.make)(), restore) {
            Ok(kept) => {
                let sequence = kept.sequence;
                desk.journal().continue_from(sequence.saturating_add(1));
                desk.with_kept_mut(|old| *old = kept);
                self.tell(RestoreAck { ok: true, sequence, error: None });
                Ok(())
            }
            Err(error) => {
                let error_frame = failure("RESTORE_FAILED", error.to_string());
                self.tell(RestoreAck { ok: false, sequence: 0, error: Some(error_frame) });
                Err(End::State(error))
            }
        }
    }

    fn hot_reload(&mut self, reload: &HotReload) {
        let error = match &mut self.callbacks.hot_reload {
            None => Some(failure("UNSUPPORTED", "this agent loads no code".into())),
            Some(load) => load(&reload.module, &reload.code)
                .err()
                .map(|error| failure("RELOAD_FAILED", error.to_string())),
        };
        self.tell(HotReloadAck { module: reload.module.clone(), ok: error.is_none(), error });
    }

    fn report(&mut self) {
        let mut metrics = self.measure.report(Instant::now());
        if let Some(measure) = &mut self.callbacks.metrics {
            self.keeper.desk.with_kept(|kept| measure(&kept.state, &mut metrics));
        }
        self.tell(metrics);
    }

    /// Says something small. A closed link shows elsewhere, and nothing that is refused here can be mended.
    fn tell(&self, body: impl Into<abide_wire::FromAgent>) {
        match self.keeper.desk.sender.send_now(body) {
            Ok(()) | Err(SendError::LinkLost) => {}
            Err(error) => tracing::error!("a message was not sent: {error}"),
        }
    }
}

fn failure(code: &str, message: String) -> abide_wire::Failure {
    abide_wire::Failure { code: Some(code.to_owned()), message }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}
