//! What the frames of a process do to its run: the handshake, the answers, and everything on its way to the disk.

use abide_domain::{
    CheckpointId,
    event::{
        AgentCheckpointed, ExitReason, FaultSource, ProcessReady, ProcessResponsive, StateBegun,
    },
    turn::MindError,
};
use abide_wire::{
    CheckpointAck, CheckpointReason, DeframeEvent, EncodeError, ExpectedAgent, Frame, FromAgent,
    Heartbeat, Hello, KeeperError, KeeperErrorBody, KeeperStep, LinkLimits, LinkState, Message,
    RefusalError, Version, WalEntry, Welcome, limits::FRAME_BYTES_MAX,
};
use serde_json::json;
use std::time::Duration;

use crate::{
    checkpoint::StoredCheckpoint,
    format::{format_chain, millis},
    private::PrivateStateStatus,
    supervisor::{CheckpointStatus, ProcessState, StateProblemKind},
    wal::{Numbering, StoredEntry, WalAppendError, WalAppended},
};

use super::{
    AgentActor,
    disk::{CheckpointWithStatus, DiskResult, OpenedState},
    run::Run,
    turns::QueuedTurn,
};

/// How the keeper names itself.
const KEEPER: &str = concat!("abide/", env!("CARGO_PKG_VERSION"));

impl AgentActor {
    /// Notes that something came from the process.
    pub(super) fn note_heard(&mut self, run: &mut Run) {
        let (now, wall) = (self.now(), self.wall());
        let silent = run.clocks.heard(now);
        self.update_status(|status| status.last_heartbeat_at = Some(wall));
        if let Some(silent) = silent {
            self.record(ProcessResponsive { run: run.id, silent_ms: millis(silent) });
            self.show_ready(run);
        }
    }

    pub(super) fn show_ready(&self, run: &Run) {
        let state = match run.link.state() {
            LinkState::Ready if self.turns.is_open() => ProcessState::Busy,
            LinkState::Ready | LinkState::Older => ProcessState::Ready,
            _ => ProcessState::Starting,
        };
        if !run.clocks.is_unresponsive() {
            self.update_status(|status| status.state = state);
        }
    }

    pub(super) fn handle_event(&mut self, run: &mut Run, event: DeframeEvent) {
        run.link.take_received();
        self.note_heard(run);
        match event {
            DeframeEvent::Refused(refusal) => self.refuse_message(run, &refusal),
            DeframeEvent::Frame(frame) => self.handle_frame(run, &frame),
        }
    }

    fn handle_frame(&mut self, run: &mut Run, frame: &Frame) {
        match Message::<FromAgent>::decode(frame) {
            Ok(message) => self.handle_message(run, message),
            Err(refusal) => self.refuse_message(run, &refusal),
        }
    }

    pub(super) fn handle_message(&mut self, run: &mut Run, message: Message<FromAgent>) {
        match run.link.receive(&message) {
            Err(refusal) => {
                self.refuse_message(run, &refusal);
                if run.link.state() == LinkState::Closed {
                    self.end_for_violation(run, ExitReason::Protocol, &refusal.to_string());
                }
            }
            Ok(KeeperStep::Welcome(hello)) => self.send_welcome(run, &hello),
            Ok(KeeperStep::Older(version)) => {
                self.accept_older_version(run, version);
                self.handle_body(run, message);
            }
            Ok(KeeperStep::Restored(ack)) => self.check_restored(run, &ack),
            Ok(KeeperStep::RestoreFailed(ack)) => self.restore_failed(run, ack),
            Ok(KeeperStep::Ready) => self.handle_ready(run, Version::V3),
            Ok(KeeperStep::Pass) => self.handle_body(run, message),
        }
    }

    fn send_welcome(&mut self, run: &mut Run, hello: &Hello) {
        let next_sequence = run.durable.saturating_add(1);
        run.link.negotiate(hello, next_sequence);
        run.disk.begin_run(run.id.uuid(), Numbering::Continued);
        let restore = run.link.state() == LinkState::Restoring;
        let welcome = Welcome {
            keeper: KEEPER.into(),
            run: run.id.to_string(),
            limits: LinkLimits {
                frame_bytes_max: FRAME_BYTES_MAX as u64,
                extra: abide_wire::Extra::default(),
            },
            next_sequence,
            restore: Some(restore),
        };
        run.link.send(self.wall(), welcome);
        run.clocks.restart_ready_timer(self.now());
        self.send_restore(run, Version::V3);
        let sdk = run.link.sdk().to_owned();
        let takes_code = run.link.takes_code();
        self.update_status(|status| {
            (status.sdk, status.takes_code) = (Some(sdk), takes_code);
        });
    }

    /// Versions 1 and 2 get their state and are ready at once, as far as they can be.
    fn accept_older_version(&mut self, run: &mut Run, version: Version) {
        run.disk.begin_run(run.id.uuid(), Numbering::AsItStarts);
        self.send_restore(run, version);
        self.handle_ready(run, version);
    }

    fn send_restore(&mut self, run: &mut Run, version: Version) {
        if let Some(restored) = run.restored.take() {
            let peer = (version, run.link.takes_zstd());
            run.disk.pack(restored, self.wall(), peer);
        }
    }

    fn handle_ready(&mut self, run: &mut Run, version: Version) {
        let now = self.now();
        run.clocks.ready(now);
        run.was_ready = true;
        self.end_state_problems(&[StateProblemKind::Restore]);
        run.active_at = now;
        let protocol = u32::try_from(version.number()).unwrap_or(0);
        let (checkpoint, wal_entries) = run.restored_from;
        self.record(ProcessReady {
            run: run.id,
            protocol,
            sdk: run.link.sdk().into(),
            checkpoint_id: checkpoint.map(CheckpointId::from_uuid),
            wal_entries,
            took_ms: millis(now.saturating_sub(run.began_at)),
        });
        self.update_status(|status| {
            status.protocol = Some(protocol);
            status.message = (version < Version::V3).then(|| {
                format!("it speaks version {version} of the protocol and cannot answer turns: version 3 can")
            });
        });
        self.show_ready(run);
    }

    fn handle_body(&mut self, run: &mut Run, message: Message<FromAgent>) {
        let timestamp = message.envelope.timestamp;
        match message.body {
            FromAgent::Heartbeat(heartbeat) => self.heartbeat(&heartbeat),
            FromAgent::Checkpoint(frame) => self.take_checkpoint(run, frame),
            FromAgent::WalEntry(entry) => self.append_entries(run, vec![entry], timestamp),
            FromAgent::WalBatch(entries) => self.append_entries(run, entries, timestamp),
            FromAgent::EvolutionIntent(hypothesis) => self.take_proposal(run, hypothesis),
            FromAgent::Metrics(metrics) => self.handle_metrics(run, &metrics),
            FromAgent::ProcessDelta(delta) => {
                let now = self.now();
                if self.turns.forward_delta(now, delta) {
                    run.clocks.answer_grew(now);
                }
            }
            FromAgent::ProcessResponse(response) => {
                if self.turns.take_answer(&response) {
                    self.finish_turn(run);
                }
            }
            FromAgent::Evidence(evidence) => self.record_evidence(run, evidence),
            FromAgent::Error(error) => self.handle_agent_error(run, error),
            FromAgent::HotReloadAck(ack) => self.take_reload_ack(run, &ack),
            FromAgent::Pong(pong) => run.pings.resolve(pong.nonce, self.now()),
            // Parts of the handshake, which is over.
            FromAgent::Hello(_) | FromAgent::RestoreAck(_) | FromAgent::Ready(_) => {}
        }
    }

    /// After the open turn was answered or given up.
    pub(super) fn finish_turn(&mut self, run: &mut Run) {
        run.clocks.answered();
        run.mark_active(self.now());
        self.show_ready(run);
    }

    fn heartbeat(&self, heartbeat: &Heartbeat) {
        let Some(progress) = heartbeat.progress else { return };
        let wall = self.wall();
        self.lifecycle.update_status_if(|status| {
            let has_moved = status.progress != Some(progress);
            if has_moved {
                // The first number of a run says where it stands, not that it moved.
                status.last_progress_at = status.progress.map(|_| wall);
                status.progress = Some(progress);
            }
            has_moved
        });
    }

    fn append_entries(&mut self, run: &mut Run, entries: Vec<WalEntry>, timestamp: i64) {
        match run.link.accept_entries(entries) {
            Err(gap) => self.refuse_message(run, &gap.refusal()),
            Ok(fresh) if fresh.is_empty() => {
                // What was sent again is durable, or will be acknowledged with what it waits for.
                if run.disk.is_idle() {
                    run.link.acknowledge(self.wall(), run.durable);
                }
            }
            Ok(fresh) => {
                run.mark_active(self.now());
                run.disk.append(fresh.into_iter().map(|e| stored(&e, timestamp)).collect());
            }
        }
    }

    /// Sends a turn to the process.
    pub(super) fn send_turn(&mut self, run: &mut Run, mut turn: QueuedTurn, left: Duration) {
        if let Some(context) = &mut turn.request.input.context {
            let waited = turn.deadline.saturating_sub(left);
            context.deadline_ms = Some(millis(left));
            context.deadline_streaming_ms =
                Some(millis(turn.deadline_streaming.saturating_sub(waited)));
        }
        let (now, wall) = (self.now(), self.wall());
        let (sent, request) = run.link.send_request(wall, turn.request);
        let Some(request) = request else { return };
        turn.request = request;
        match sent {
            Ok(number) => {
                run.request_number = number;
                self.turns.open(turn);
                run.clocks.asked(now, left);
                run.mark_active(now);
                self.show_ready(run);
            }
            Err(error) => {
                let message = error.to_string();
                let error = match error {
                    EncodeError::TooLarge { .. } => MindError::ContextTooLong { message },
                    _ => MindError::Rejected { message },
                };
                drop(turn.reply.send(Err(error)));
            }
        }
    }

    pub(super) fn handle_disk_result(&mut self, run: &mut Run, result: DiskResult) {
        match result {
            DiskResult::Opened(Ok(opened)) => self.handle_state_opened(run, *opened),
            DiskResult::Opened(Err(error)) => {
                let message = format!("its private state cannot be opened: {error}");
                self.show_state_problem(StateProblemKind::Open, message.clone());
                run.kill_because(ExitReason::RestoreFailed, message);
                run.link.close();
            }
            DiskResult::Packed(Ok(frame)) => {
                run.link.outbox.push(frame);
                run.clocks.restart_ready_timer(self.now());
            }
            DiskResult::Packed(Err(error)) => run.kill_because(ExitReason::RestoreFailed, error),
            DiskResult::Appended(result, status) => self.handle_appended(run, result, status),
            DiskResult::Checkpointed(result, status) => {
                self.handle_checkpoint_result(run, result, status);
            }
        }
    }

    /// From here on frames of the process are read: it is known what it has to restore.
    fn handle_state_opened(&mut self, run: &mut Run, opened: OpenedState) {
        let OpenedState { restored, status, agent_status, last_run } = opened;
        self.end_state_problems(&[StateProblemKind::Open]);
        self.record_lost_run(last_run.as_ref());
        run.start.is_state_opened = true;
        self.record_start(run);
        self.report_state_problems(&restored.report);
        run.durable = restored.next_sequence.saturating_sub(1);
        let has_state = restored.snapshot.is_some() || !restored.entries.is_empty();
        run.restored_from =
            (restored.checkpoint.as_ref().map(|c| c.id), restored.entries.len() as u64);
        let checkpointed = restored.checkpoint.as_ref().map(|stored| stored.wal_sequence);
        let newest = restored.entries.last().map(|entry| entry.sequence).or(checkpointed);
        run.restored_through = (newest.unwrap_or(run.durable).min(run.durable), run.durable);
        let checkpoint = restored.checkpoint.as_ref().map(checkpoint_status);
        self.update_status(|status| {
            (status.checkpoint, status.agent_status) = (checkpoint, agent_status);
        });
        self.show_state_status(status);
        if has_state {
            run.restored = Some(restored);
        }
        run.link.expect(ExpectedAgent {
            agent: self.spec.id.clone(),
            run: run.id.to_string(),
            accepts_unnamed: !self.is_launched(),
            has_state,
        });
        if let Some(hello) = run.hello.take() {
            self.handle_message(run, hello);
        }
    }

    fn show_state_status(&self, state: PrivateStateStatus) {
        self.update_status(|status| {
            status.wal_sequence = state.wal_sequence;
            status.wal_entries = state.wal_entries;
            status.wal_bytes = state.wal_bytes;
        });
    }

    fn handle_appended(
        &mut self,
        run: &mut Run,
        result: Result<WalAppended, WalAppendError>,
        status: PrivateStateStatus,
    ) {
        self.show_state_status(status);
        match result {
            Ok(appended) => {
                run.durable = appended.durable;
                if appended.stored > 0 && !run.has_stored && run.restored_from == (None, 0) {
                    self.record(StateBegun { run: run.id, wal_sequence: appended.durable });
                }
                run.has_stored |= appended.stored > 0;
                self.end_state_problems(&[StateProblemKind::Log]);
                run.link.acknowledge(self.wall(), appended.durable);
            }
            Err(error @ WalAppendError::Broken { .. }) => {
                // Only the disk can say what it holds: the next run begins from that.
                let message = format_chain(&error);
                self.show_append_failure(&error, &message);
                run.kill_because(ExitReason::Fatal, message);
            }
            Err(error) => self.reject_entries(run, &error),
        }
        if status.wants_checkpoint {
            self.want_checkpoint(run, CheckpointReason::Wal);
        }
    }

    /// Tells the process that nothing of a batch was stored: it may send it again.
    fn reject_entries(&mut self, run: &mut Run, error: &WalAppendError) {
        run.disk.drop_entries();
        let durable = run.disk.durable_sequence().unwrap_or(run.durable);
        run.durable = durable;
        run.link.rewind_to(durable, run.has_stored);
        let (code, message) = (error.code(), format_chain(error));
        let expected = durable.saturating_add(1);
        let body = KeeperErrorBody {
            code: code.into(),
            message: message.clone(),
            details: Some(json!({"next_sequence": expected})),
        };
        run.link.send(self.wall(), KeeperError { error: body, request_id: None });
        self.record_fault(run.id, FaultSource::Protocol, code, &message);
        self.show_append_failure(error, &message);
        self.want_checkpoint(run, CheckpointReason::Wal);
    }

    fn handle_checkpoint_result(
        &mut self,
        run: &mut Run,
        result: Result<CheckpointWithStatus, (&'static str, String)>,
        status: PrivateStateStatus,
    ) {
        self.show_state_status(status);
        run.checkpoints.requested_at = None;
        match result {
            Ok((checkpoint, agent_status)) => {
                self.end_state_problems(&[StateProblemKind::Log, StateProblemKind::Checkpoint]);
                self.update_status(|status| status.agent_status = agent_status);
                self.announce_checkpoint(run, &checkpoint);
            }
            Err((code, message)) => {
                let body =
                    KeeperErrorBody { code: code.into(), message: message.clone(), details: None };
                run.link.send(self.wall(), KeeperError { error: body, request_id: None });
                run.fail_waiters(&message);
                self.show_checkpoint_failure(code, &message);
                self.record_fault(run.id, FaultSource::Protocol, code, &message);
            }
        }
    }

    fn announce_checkpoint(&mut self, run: &mut Run, checkpoint: &StoredCheckpoint) {
        run.checkpoints.stored_at = self.now();
        run.checkpoints.is_dirty = false;
        let (checkpoint_id, size) = (checkpoint.id.to_string(), checkpoint.bytes);
        run.link.send(self.wall(), CheckpointAck { checkpoint_id, size });
        self.record(AgentCheckpointed {
            run: Some(run.id),
            checkpoint_id: CheckpointId::from_uuid(checkpoint.id),
            wal_sequence: checkpoint.wal_sequence,
            bytes: checkpoint.bytes,
            sha256: checkpoint.sha256.clone(),
        });
        let status = checkpoint_status(checkpoint);
        self.update_status(|shown| shown.checkpoint = Some(status));
        for (reply, _) in run.checkpoints.waiters.drain(..) {
            drop(reply.send(Ok(checkpoint.clone())));
        }
    }

    /// Tells the process what is wrong with what it sent, and records it.
    pub(super) fn refuse_message(&mut self, run: &mut Run, refusal: &RefusalError) {
        self.send_refusal(run, refusal);
        // Where the link was closed for it, the end of the run says so.
        if run.link.state() != LinkState::Closed {
            let code = refusal.code.as_str();
            self.record_fault(run.id, FaultSource::Protocol, code, &refusal.to_string());
        }
    }

    pub(super) fn send_refusal(&self, run: &mut Run, refusal: &RefusalError) {
        run.link.send(self.wall(), refusal.to_keeper_error());
    }
}

fn checkpoint_status(checkpoint: &StoredCheckpoint) -> CheckpointStatus {
    CheckpointStatus {
        id: CheckpointId::from_uuid(checkpoint.id),
        created_at: checkpoint.created,
        bytes: checkpoint.bytes,
        wal_sequence: checkpoint.wal_sequence,
    }
}

/// An entry as it is stored: all of it, verbatim.
fn stored(entry: &WalEntry, timestamp: i64) -> StoredEntry {
    StoredEntry {
        sequence: entry.sequence,
        timestamp,
        operation: entry.operation.clone(),
        data: entry.to_raw().as_bytes().to_vec(),
    }
}
