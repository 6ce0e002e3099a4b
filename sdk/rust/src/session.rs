//! One session with a keeper, from `hello` to the end of the link.
//!
//! One task: the I/O thread hands in messages, the handler's future is polled here and dropped where its turn is
//! withdrawn, and [`Keeper`] handles queue what they want in the shared state. A session never outlives its link: what is
//! open then ends, and the keeper gives the state back at the next `welcome`.

use std::{collections::VecDeque, convert::Infallible};

use abide_wire::{
    AgentError, EvolutionResult, HotReload, HotReloadAck, KeeperError, ProcessRequest, Restore,
    RestoreAck, ToAgent,
};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until};

use crate::{
    checkpoint_sender::CheckpointSender,
    keeper::Keeper,
    limits::{JOBS_MAX, METRICS_INTERVAL},
    link::{Incoming, Link, LinkEnd},
    open_turn::{OpenTurn, TurnResult},
    restore::restore_state,
    sender::SendError,
    setup::SessionSetup,
    state::{State, StateError},
    turn::Turn,
    turn_error::{CANCELLED, EVAL_ERROR, TurnError},
    turn_metrics::{TurnMetrics, TurnOutcome},
    wal_queue::{FlushTime, WalError},
};

mod opening;

/// How a session ended.
#[derive(Debug)]
pub(crate) enum SessionEnd {
    /// The keeper shut the agent down.
    Shutdown,
    /// The keeper closed the link.
    Closed,
    /// The link failed, or both sides no longer agree on the log.
    Lost(String),
    /// The keeper refused this agent.
    Refused {
        /// Such as `STALE_RUN`.
        code: String,
        /// The keeper's message.
        message: String,
    },
    /// The state could not be restored, or could not apply an entry of the log.
    State(StateError),
}

/// A message that waits for the end of the open turn.
#[derive(Debug)]
enum Job {
    Restore(Box<Restore>),
    HotReload(HotReload),
    EvolutionResult(EvolutionResult),
}

/// How far a shutdown has come; the last checkpoint is its last phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShutdownPhase {
    None,
    /// The log's queue is sent, then perhaps a checkpoint.
    Draining {
        with_checkpoint: bool,
    },
    Checkpointing,
}

/// What the session waits for.
enum SessionEvent {
    Incoming(Incoming),
    TurnFinished(TurnResult),
    Woken,
    DeadlineReached,
    ReportDue,
}

/// A session; [`Session::run`] consumes it.
pub(crate) struct Session<'a, S> {
    setup: SessionSetup<'a, S>,
    link: Link,
    keeper: Keeper<S>,
    checkpoints: CheckpointSender,
    turn: Option<OpenTurn>,
    jobs: VecDeque<Job>,
    metrics: TurnMetrics,
    shutdown: ShutdownPhase,
}

impl<'a, S: State> Session<'a, S> {
    /// A session over a link that was just opened.
    pub(crate) fn new(setup: SessionSetup<'a, S>, link: Link, keeper: Keeper<S>) -> Self {
        Self {
            setup,
            link,
            keeper,
            checkpoints: CheckpointSender::default(),
            turn: None,
            jobs: VecDeque::new(),
            metrics: TurnMetrics::default(),
            shutdown: ShutdownPhase::None,
        }
    }

    /// Runs the session to its end and closes the link.
    pub(crate) async fn run(mut self) -> SessionEnd {
        let Err(end) = self.run_until_end().await;
        self.turn = None;
        self.keeper.shared.close();
        self.checkpoints.close();
        self.link.close().await;
        end
    }

    async fn run_until_end(&mut self) -> Result<Infallible, SessionEnd> {
        self.open().await?;
        let mut reports = interval_at(Instant::now() + METRICS_INTERVAL, METRICS_INTERVAL);
        reports.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            self.advance()?;
            let event = self.next(&mut reports).await;
            self.handle(event)?;
        }
    }

    /// Waits for the next event. Dropping a branch loses nothing.
    async fn next(&mut self, reports: &mut Interval) -> SessionEvent {
        let deadline = self.next_deadline();
        let shared = &self.keeper.shared;
        let incoming = async {
            // A keeper that does not read is not read from either: answers to its messages need room.
            shared.sender.outbox.room().await;
            self.link.next().await
        };
        tokio::select! { biased;
            incoming = incoming => SessionEvent::Incoming(incoming),
            result = OpenTurn::finished(self.turn.as_mut()) => SessionEvent::TurnFinished(result),
            () = shared.wake.notified() => SessionEvent::Woken,
            () = sleep_until_deadline(deadline) => SessionEvent::DeadlineReached,
            _ = reports.tick() => SessionEvent::ReportDue,
        }
    }

    fn handle(&mut self, event: SessionEvent) -> Result<(), SessionEnd> {
        match event {
            SessionEvent::Incoming(incoming) => self.receive(incoming),
            SessionEvent::TurnFinished(result) => {
                self.finish(result);
                self.run_jobs()
            }
            SessionEvent::Woken => Ok(()),
            SessionEvent::DeadlineReached => {
                self.checkpoints.check_timeout();
                Ok(())
            }
            SessionEvent::ReportDue => {
                self.report();
                Ok(())
            }
        }
    }

    /// Sends what is due: a group of entries, a checkpoint. Ends a shutdown that has nothing left to do.
    fn advance(&mut self) -> Result<(), SessionEnd> {
        self.flush();
        self.start_checkpoint();
        match self.shutdown {
            ShutdownPhase::Draining { with_checkpoint } if self.keeper.shared.wal().is_empty() => {
                self.shutdown = ShutdownPhase::Checkpointing;
                if with_checkpoint && S::IS_KEPT {
                    self.checkpoints.request();
                    self.start_checkpoint();
                }
            }
            _ => {}
        }
        let is_over = self.shutdown == ShutdownPhase::Checkpointing && !self.checkpoints.is_busy();
        if is_over { Err(SessionEnd::Shutdown) } else { Ok(()) }
    }

    fn flush(&self) {
        let mut wal = self.keeper.shared.wal();
        let is_due = match wal.flush_time() {
            FlushTime::Now => true,
            FlushTime::At(at) => at <= Instant::now(),
            FlushTime::Never => false,
        };
        if !is_due {
            return;
        }
        let mut group = wal.take_group();
        let sent = match (group.pop(), group.is_empty()) {
            (Some(only), true) => self.keeper.shared.sender.send_unchecked(only),
            (Some(last), false) => {
                group.push(last);
                self.keeper.shared.sender.send_unchecked(group)
            }
            (None, _) => Ok(()),
        };
        if let Err(SendError::Encode(error)) = sent {
            wal.refuse(&WalError::TooLarge(error));
        }
    }

    fn start_checkpoint(&mut self) {
        if let Err(error) = self.checkpoints.start(&self.keeper.shared) {
            tracing::error!(event = "checkpoint_failed", agent = %self.setup.identity.agent, %error, "checkpoint failed");
            self.send(AgentError::new(crate::error_code::CHECKPOINT_FAILED, error.to_string()));
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        let flush = match self.keeper.shared.wal().flush_time() {
            FlushTime::At(at) => Some(at),
            FlushTime::Now => Some(Instant::now()),
            FlushTime::Never => None,
        };
        flush.into_iter().chain(self.checkpoints.deadline()).min()
    }

    fn receive(&mut self, incoming: Incoming) -> Result<(), SessionEnd> {
        let message = match incoming {
            Incoming::Message(message) => message,
            Incoming::Refused(refusal) => {
                tracing::warn!(event = "frame_refused", agent = %self.setup.identity.agent, %refusal, "frame from the keeper refused");
                self.send(refusal.to_agent_error());
                return Ok(());
            }
            Incoming::Ended(LinkEnd::Closed) => return Err(SessionEnd::Closed),
            Incoming::Ended(LinkEnd::Failed(reason)) => return Err(SessionEnd::Lost(reason)),
        };
        match message.body {
            ToAgent::WalAck(ack) => self.acknowledged(ack.sequence),
            ToAgent::CheckpointAck(ack) => {
                self.checkpoints.acknowledged(ack.checkpoint_id);
                Ok(())
            }
            ToAgent::ProcessRequest(request) => self.begin_turn(request),
            ToAgent::ProcessCancel(cancel) => {
                if self.turn.as_ref().is_some_and(|turn| turn.request_id() == cancel.request_id) {
                    self.withdraw();
                }
                self.run_jobs()
            }
            ToAgent::CheckpointRequest(_) => {
                self.checkpoints.request();
                Ok(())
            }
            ToAgent::MetricsRequest(_) => {
                self.report();
                Ok(())
            }
            ToAgent::Restore(restore) => self.add_job(Job::Restore(Box::new(restore))),
            ToAgent::HotReload(reload) => self.add_job(Job::HotReload(reload)),
            ToAgent::EvolutionResult(result) => self.add_job(Job::EvolutionResult(result)),
            ToAgent::Shutdown(shutdown) => {
                self.shut_down(shutdown.create_checkpoint);
                Ok(())
            }
            ToAgent::Error(error) => self.handle_keeper_error(&error),
            ToAgent::Welcome(_) => {
                self.send(AgentError::new(
                    crate::error_code::INVALID_MESSAGE,
                    "welcome was already received",
                ));
                Ok(())
            }
            ToAgent::Ping(_) => Ok(()),
        }
    }

    /// Applies the entries that are durable now, and then wakes the handlers that wait for them.
    fn acknowledged(&mut self, sequence: u64) -> Result<(), SessionEnd> {
        let shared = &self.keeper.shared;
        let durable = shared.wal().acknowledged(sequence);
        for pending in durable {
            shared.sender.progress.step();
            let sequence = pending.entry.sequence;
            match shared.with_state_mut(|state| state.apply(&pending.entry)) {
                Ok(()) => pending.complete(&Ok(sequence)),
                Err(error) => {
                    pending.complete(&Err(WalError::NotApplied));
                    let message = format!("entry {sequence} cannot be applied: {error}");
                    return Err(SessionEnd::State(StateError::new(message)));
                }
            }
        }
        Ok(())
    }

    /// Begins a turn. The newest attempt counts: an older one that is still open is withdrawn.
    fn begin_turn(&mut self, request: ProcessRequest) -> Result<(), SessionEnd> {
        self.withdraw();
        self.run_jobs()?;
        if self.shutdown != ShutdownPhase::None {
            self.send_cancelled(&request.request_id);
            return Ok(());
        }
        let shared = &self.keeper.shared;
        shared.sender.progress.step();
        let request_id = request.request_id.clone();
        let turn = Turn::new(self.setup.identity.agent.clone(), request, shared.sender.clone());
        self.turn =
            Some(OpenTurn::begin(request_id, || (self.setup.handler)(turn, self.keeper.clone())));
        Ok(())
    }

    /// Drops the open turn, wherever its handler waits.
    fn withdraw(&mut self) {
        if let Some(turn) = self.turn.take() {
            self.metrics.add(Instant::now(), turn.took(), TurnOutcome::Failed);
            self.send_cancelled(turn.request_id());
        }
    }

    fn send_cancelled(&self, request_id: &str) {
        self.keeper.shared.sender.progress.step();
        let cancelled = TurnError::new(CANCELLED, "the turn was withdrawn");
        self.send(cancelled.into_frame(request_id));
    }

    fn finish(&mut self, result: TurnResult) {
        let Some(turn) = self.turn.take() else { return };
        let request_id = turn.request_id();
        self.keeper.shared.sender.progress.step();
        let outcome = if result.is_ok() { TurnOutcome::Answered } else { TurnOutcome::Failed };
        self.metrics.add(Instant::now(), turn.took(), outcome);
        let error = match result {
            Ok(answer) => {
                let response = answer.into_response(request_id);
                match self.keeper.shared.sender.send_now(response) {
                    Ok(()) | Err(SendError::LinkLost) => return,
                    Err(error) => {
                        TurnError::new(EVAL_ERROR, format!("the answer cannot be sent: {error}"))
                    }
                }
            }
            Err(error) => {
                tracing::warn!(event = "turn_failed", agent = %self.setup.identity.agent, request_id, code = error.code(), "handler failed");
                error
            }
        };
        self.send(error.into_frame(request_id));
    }

    fn shut_down(&mut self, with_checkpoint: bool) {
        self.withdraw();
        self.jobs.clear();
        if self.shutdown == ShutdownPhase::None {
            self.keeper.shared.wal().request_flush();
            self.shutdown = ShutdownPhase::Draining { with_checkpoint };
        }
    }

    /// Handles an error of the keeper. One that leaves it open which entries are stored ends the session: the next restore
    /// decides.
    fn handle_keeper_error(&mut self, error: &KeeperError) -> Result<(), SessionEnd> {
        use crate::error_code as code;
        let KeeperError { error, request_id } = error;
        let (name, message) = (&*error.code, error.message.clone());
        tracing::warn!(event = "keeper_error", agent = %self.setup.identity.agent, code = name, detail = message, "keeper reported an error");
        let mut wal = self.keeper.shared.wal();
        match name {
            code::STALE_RUN | code::UNSUPPORTED_VERSION => {
                return Err(SessionEnd::Refused { code: name.to_owned(), message });
            }
            code::CHECKPOINT_FAILED => self.checkpoints.refuse(message),
            code::WAL_FULL => wal.refuse(&WalError::Refused { code: name.to_owned(), message }),
            code::SEQUENCE_GAP | code::INVALID_MESSAGE | code::TOO_LARGE | code::NOT_READY
                if wal.is_busy() && request_id.is_none() =>
            {
                let reason = format!(
                    "the keeper and the agent no longer agree on the log: {name}: {message}"
                );
                return Err(SessionEnd::Lost(reason));
            }
            code::INVALID_MESSAGE | code::TOO_LARGE if request_id.is_none() => {
                self.checkpoints.refuse(message);
            }
            _ => {}
        }
        Ok(())
    }

    fn add_job(&mut self, job: Job) -> Result<(), SessionEnd> {
        if self.jobs.len() >= JOBS_MAX {
            let message = format!("{JOBS_MAX} messages already wait for the end of the open turn");
            self.send(AgentError::new("BUSY", message));
            return Ok(());
        }
        self.jobs.push_back(job);
        self.run_jobs()
    }

    fn run_jobs(&mut self) -> Result<(), SessionEnd> {
        while self.turn.is_none()
            && let Some(job) = self.jobs.pop_front()
        {
            self.keeper.shared.sender.progress.step();
            match job {
                Job::Restore(restore) => self.restore(&restore)?,
                Job::HotReload(reload) => self.hot_reload(&reload),
                Job::EvolutionResult(result) => {
                    if let Some(notify) = &mut self.setup.callbacks.evolution_result {
                        notify(&result);
                    }
                }
            }
        }
        Ok(())
    }

    /// Restores the state. Without it the agent must not go on.
    fn restore(&mut self, restore: &Restore) -> Result<(), SessionEnd> {
        let shared = &self.keeper.shared;
        if !shared.wal().is_empty() {
            return Err(SessionEnd::Lost(
                "the keeper sent a restore while entries waited for their acknowledgement".into(),
            ));
        }
        match restore_state((self.setup.make)(), restore) {
            Ok(state) => {
                let sequence = state.sequence;
                shared.wal().continue_from(sequence.saturating_add(1));
                shared.wal().restore_once(state.once.clone());
                shared.with_state_mut(|old| *old = state);
                self.send(RestoreAck { ok: true, sequence, error: None });
                Ok(())
            }
            Err(error) => {
                let error_frame = failure("RESTORE_FAILED", error.to_string());
                self.send(RestoreAck { ok: false, sequence: 0, error: Some(error_frame) });
                Err(SessionEnd::State(error))
            }
        }
    }

    fn hot_reload(&mut self, reload: &HotReload) {
        let error = match &mut self.setup.callbacks.hot_reload {
            None => Some(failure("UNSUPPORTED", "this agent does not load code".into())),
            Some(load) => load(&reload.module, &reload.code)
                .err()
                .map(|error| failure("RELOAD_FAILED", error.to_string())),
        };
        self.send(HotReloadAck { module: reload.module.clone(), ok: error.is_none(), error });
    }

    fn report(&mut self) {
        let mut metrics = self.metrics.report(Instant::now());
        if let Some(measure) = &mut self.setup.callbacks.metrics {
            self.keeper.shared.with_state(|state| measure(&state.state, &mut metrics));
        }
        self.send(metrics);
    }

    /// Sends a small message. A closed link shows elsewhere; a refused message is only logged.
    fn send(&self, body: impl Into<abide_wire::FromAgent>) {
        match self.keeper.shared.sender.send_now(body) {
            Ok(()) | Err(SendError::LinkLost) => {}
            Err(error) => {
                tracing::error!(event = "message_not_sent", agent = %self.setup.identity.agent, %error, "message to the keeper not sent");
            }
        }
    }
}

fn failure(code: &str, message: String) -> abide_wire::Failure {
    abide_wire::Failure { code: Some(code.to_owned()), message }
}

async fn sleep_until_deadline(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
