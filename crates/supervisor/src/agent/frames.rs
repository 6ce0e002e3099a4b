//! What the frames of a process do to its run: the handshake, the answers, and everything on its way to the disk.

use abide_domain::{
    CheckpointId,
    event::{AgentCheckpointed, ExitReason, FaultSource, ProcessReady, ProcessResponsive},
    turn::MindError,
};
use abide_wire::{
    CheckpointAck, CheckpointReason, DeframeEvent, EncodeError, ExpectedAgent, Frame, FromAgent,
    Heartbeat, Hello, KeeperError, KeeperErrorBody, KeeperStep, LinkLimits, LinkState, Message,
    RefusalError, RestoreAck, Version, WalEntry, Welcome, limits::FRAME_BYTES_MAX,
};
use serde_json::json;
use std::time::Duration;

use crate::{
    checkpoint::StoredCheckpoint,
    private::PrivateStateStatus,
    roster::{CheckpointStatus, ProcessState},
    wal::{Numbering, StoredEntry, WalAppendError, WalAppended},
};

use super::{
    Agent, Ask,
    disk::{Opened, Outcome, chain},
    live::millis,
    run::Run,
};

/// How the keeper names itself.
const KEEPER: &str = concat!("abide/", env!("CARGO_PKG_VERSION"));

impl Agent {
    /// Something came from the process.
    pub(super) fn heard(&mut self, run: &mut Run) {
        let (now, wall) = (self.now(), self.wall());
        let silent = run.clocks.heard(now);
        self.show(|status| status.last_heartbeat_at = Some(wall));
        if let Some(silent) = silent {
            self.record(ProcessResponsive { run: run.id, silent_ms: millis(silent) });
            self.show_ready(run);
        }
    }

    pub(super) fn show_ready(&self, run: &Run) {
        let state = match run.link.state() {
            LinkState::Ready if self.asks.is_open() => ProcessState::Busy,
            LinkState::Ready | LinkState::Older => ProcessState::Ready,
            _ => ProcessState::Starting,
        };
        if !run.clocks.is_unresponsive() {
            self.show(|status| status.state = state);
        }
    }

    pub(super) fn take_event(&mut self, run: &mut Run, event: DeframeEvent) {
        run.link.was_heard();
        self.heard(run);
        match event {
            DeframeEvent::Refused(refusal) => self.refuse(run, &refusal),
            DeframeEvent::Frame(frame) => self.take_frame(run, &frame),
        }
    }

    fn take_frame(&mut self, run: &mut Run, frame: &Frame) {
        match Message::<FromAgent>::decode(frame) {
            Ok(message) => self.take_message(run, message),
            Err(refusal) => self.refuse(run, &refusal),
        }
    }

    pub(super) fn take_message(&mut self, run: &mut Run, message: Message<FromAgent>) {
        match run.link.receive(&message) {
            Err(refusal) => {
                self.refuse(run, &refusal);
                if run.link.state() == LinkState::Closed {
                    self.cut(run, ExitReason::Protocol, &refusal.to_string());
                }
            }
            Ok(KeeperStep::Welcome(hello)) => self.welcome(run, &hello),
            Ok(KeeperStep::Older(version)) => {
                self.older(run, version);
                self.take_body(run, message);
            }
            Ok(KeeperStep::Restored(_)) => {}
            Ok(KeeperStep::RestoreFailed(ack)) => self.restore_failed(run, ack),
            Ok(KeeperStep::Ready) => self.ready(run, Version::V3),
            Ok(KeeperStep::Pass) => self.take_body(run, message),
        }
    }

    fn welcome(&mut self, run: &mut Run, hello: &Hello) {
        let next_sequence = run.durable.saturating_add(1);
        run.link.welcomed(hello, next_sequence);
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
        run.link.tell(self.wall(), welcome);
        run.clocks.starting_again(self.now());
        self.give_back(run, Version::V3);
        let sdk = run.link.sdk().to_owned();
        self.show(|status| status.sdk = Some(sdk));
    }

    /// Versions 1 and 2 are given their state and are ready at once, as far as they can be.
    fn older(&mut self, run: &mut Run, version: Version) {
        run.disk.begin_run(run.id.uuid(), Numbering::AsItStarts);
        self.give_back(run, version);
        self.ready(run, version);
    }

    fn give_back(&mut self, run: &mut Run, version: Version) {
        if let Some(restored) = run.restored.take() {
            let peer = (version, run.link.takes_zstd());
            run.disk.pack(restored, self.wall(), peer);
        }
    }

    fn restore_failed(&mut self, run: &mut Run, ack: RestoreAck) {
        let why = ack.error.map_or_else(|| "it does not say why".into(), |error| error.message);
        let message = format!("the agent could not take its state back: {why}");
        self.cut(run, ExitReason::RestoreFailed, &message);
    }

    fn ready(&mut self, run: &mut Run, version: Version) {
        let now = self.now();
        run.clocks.ready(now);
        run.was_ready = true;
        run.active_at = now;
        let protocol = u32::try_from(version.number()).unwrap_or(0);
        let (checkpoint, wal_entries) = run.given_back;
        self.record(ProcessReady {
            run: run.id,
            protocol,
            sdk: run.link.sdk().into(),
            checkpoint_id: checkpoint.map(CheckpointId::from_uuid),
            wal_entries,
            took_ms: millis(now.saturating_sub(run.began_at)),
        });
        self.show(|status| {
            status.protocol = Some(protocol);
            status.message = (version < Version::V3).then(|| {
                format!("it speaks version {version} of the protocol and cannot be asked")
            });
        });
        self.show_ready(run);
    }

    fn take_body(&mut self, run: &mut Run, message: Message<FromAgent>) {
        let timestamp = message.envelope.timestamp;
        match message.body {
            FromAgent::Heartbeat(heartbeat) => self.heartbeat(&heartbeat),
            FromAgent::Checkpoint(frame) => run.disk.checkpoint(frame),
            FromAgent::WalEntry(entry) => self.entries(run, vec![entry], timestamp),
            FromAgent::WalBatch(entries) => self.entries(run, entries, timestamp),
            FromAgent::EvolutionIntent(hypothesis) => self.evolution(run, hypothesis),
            FromAgent::Metrics(metrics) => self.metrics(run, &metrics),
            FromAgent::ProcessDelta(delta) => self.asks.delta(delta),
            FromAgent::ProcessResponse(response) => {
                if self.asks.answer(&response) {
                    self.turn_over(run);
                }
            }
            FromAgent::Evidence(evidence) => self.evidence(run, evidence),
            FromAgent::Error(error) => self.agent_error(run, error),
            FromAgent::HotReloadAck(ack) => {
                tracing::debug!(agent = %self.spec.id, module = ack.module, "a reload was not asked for");
            }
            FromAgent::Pong(pong) => run.pings.answered(pong.nonce, self.now()),
            // A part of the handshake, which was taken.
            FromAgent::Hello(_) | FromAgent::RestoreAck(_) | FromAgent::Ready(_) => {}
        }
    }

    /// The open turn was answered or yielded.
    pub(super) fn turn_over(&mut self, run: &mut Run) {
        run.clocks.answered();
        run.worked(self.now());
        self.show_ready(run);
    }

    fn heartbeat(&self, heartbeat: &Heartbeat) {
        let Some(progress) = heartbeat.progress else { return };
        let wall = self.wall();
        self.status.send_if_modified(|status| {
            let has_moved = status.progress != Some(progress);
            if has_moved {
                // The first number of a run says where it stands, not that it moved.
                status.last_progress_at = status.progress.map(|_| wall);
                status.progress = Some(progress);
            }
            has_moved
        });
    }

    fn entries(&mut self, run: &mut Run, entries: Vec<WalEntry>, timestamp: i64) {
        match run.link.take_entries(entries) {
            Err(gap) => self.refuse(run, &gap.refusal()),
            Ok(fresh) if fresh.is_empty() => {
                // What was sent again is durable, or will be acknowledged with what it waits for.
                if run.disk.is_idle() {
                    run.link.acknowledge(self.wall(), run.durable);
                }
            }
            Ok(fresh) => {
                run.worked(self.now());
                run.disk.append(fresh.into_iter().map(|e| stored(&e, timestamp)).collect());
            }
        }
    }

    /// Asks the process a turn.
    pub(super) fn ask(&mut self, run: &mut Run, mut ask: Ask, left: Duration) {
        if let Some(context) = &mut ask.request.input.context {
            context.deadline_ms = Some(millis(left));
        }
        let (now, wall) = (self.now(), self.wall());
        let (sent, request) = run.link.send_request(wall, ask.request);
        let Some(request) = request else { return };
        ask.request = request;
        match sent {
            Ok(number) => {
                run.asked = number;
                self.asks.open(ask);
                run.clocks.asked(now, left);
                run.worked(now);
                self.show_ready(run);
            }
            Err(error) => {
                let message = error.to_string();
                let error = match error {
                    EncodeError::TooLarge { .. } => MindError::ContextTooLong { message },
                    _ => MindError::Rejected { message },
                };
                drop(ask.reply.send(Err(error)));
            }
        }
    }

    pub(super) fn take_outcome(&mut self, run: &mut Run, outcome: Outcome) {
        match outcome {
            Outcome::Opened(Ok(opened)) => self.opened(run, *opened),
            Outcome::Opened(Err(error)) => {
                let message = format!("its state cannot be opened: {error}");
                run.kill_for(ExitReason::RestoreFailed, message);
                run.link.close();
            }
            Outcome::Packed(Ok(frame)) => {
                run.link.outbox.push(frame);
                run.clocks.starting_again(self.now());
            }
            Outcome::Packed(Err(error)) => run.kill_for(ExitReason::RestoreFailed, error),
            Outcome::Appended(result, standing) => self.appended(run, result, standing),
            Outcome::Checkpointed(result, standing) => self.checkpointed(run, result, standing),
        }
    }

    /// The state is known: from here on the process may speak.
    fn opened(&mut self, run: &mut Run, opened: Opened) {
        let Opened { restored, standing, last_life } = opened;
        self.close_books(last_life.as_ref());
        run.beginning.is_opened = true;
        self.tell_started(run);
        self.tell_troubles(&restored.report);
        run.durable = restored.next_sequence.saturating_sub(1);
        let has_state = restored.snapshot.is_some() || !restored.entries.is_empty();
        run.given_back =
            (restored.checkpoint.as_ref().map(|c| c.id), restored.entries.len() as u64);
        let checkpoint = restored.checkpoint.as_ref().map(checkpoint_status);
        self.show(|status| status.checkpoint = checkpoint);
        self.show_standing(standing);
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
            self.take_message(run, hello);
        }
    }

    fn show_standing(&self, standing: PrivateStateStatus) {
        self.show(|status| {
            status.wal_sequence = standing.wal_sequence;
            status.wal_entries = standing.wal_entries;
            status.wal_bytes = standing.wal_bytes;
        });
    }

    fn appended(
        &mut self,
        run: &mut Run,
        result: Result<WalAppended, WalAppendError>,
        standing: PrivateStateStatus,
    ) {
        self.show_standing(standing);
        match result {
            Ok(appended) => {
                run.durable = appended.durable;
                run.has_stored |= appended.stored > 0;
                run.link.acknowledge(self.wall(), appended.durable);
            }
            Err(error @ WalAppendError::Broken { .. }) => {
                // Only the disk can say what it holds: the next run begins from that.
                run.kill_for(ExitReason::Fatal, chain(&error));
            }
            Err(error) => self.not_appended(run, &error),
        }
        if standing.wants_checkpoint {
            self.want_checkpoint(run, CheckpointReason::Wal);
        }
    }

    /// Nothing of it was stored, and it may be sent again.
    fn not_appended(&mut self, run: &mut Run, error: &WalAppendError) {
        run.disk.drop_entries();
        let durable = run.disk.durable_sequence().unwrap_or(run.durable);
        run.durable = durable;
        run.link.back_to(durable, run.has_stored);
        let (code, message) = (error.code(), chain(error));
        let expected = durable.saturating_add(1);
        let told = KeeperErrorBody {
            code: code.into(),
            message: message.clone(),
            details: Some(json!({"next_sequence": expected})),
        };
        run.link.tell(self.wall(), KeeperError { error: told, request_id: None });
        self.fault(run.id, FaultSource::Protocol, code, &message);
        self.want_checkpoint(run, CheckpointReason::Wal);
    }

    fn checkpointed(
        &mut self,
        run: &mut Run,
        result: Result<StoredCheckpoint, (&'static str, String)>,
        standing: PrivateStateStatus,
    ) {
        self.show_standing(standing);
        run.keeping.asked_at = None;
        match result {
            Ok(checkpoint) => self.kept(run, &checkpoint),
            Err((code, message)) => {
                let told =
                    KeeperErrorBody { code: code.into(), message: message.clone(), details: None };
                run.link.tell(self.wall(), KeeperError { error: told, request_id: None });
                run.fail_waiters(&message);
                self.fault(run.id, FaultSource::Protocol, code, &message);
            }
        }
    }

    fn kept(&mut self, run: &mut Run, checkpoint: &StoredCheckpoint) {
        run.keeping.kept_at = self.now();
        run.keeping.is_dirty = false;
        let (checkpoint_id, size) = (checkpoint.id.to_string(), checkpoint.bytes);
        run.link.tell(self.wall(), CheckpointAck { checkpoint_id, size });
        self.record(AgentCheckpointed {
            run: Some(run.id),
            checkpoint_id: CheckpointId::from_uuid(checkpoint.id),
            wal_sequence: checkpoint.wal_sequence,
            bytes: checkpoint.bytes,
            sha256: checkpoint.sha256.clone(),
        });
        let status = checkpoint_status(checkpoint);
        self.show(|shown| shown.checkpoint = Some(status));
        for (reply, _) in run.keeping.waiters.drain(..) {
            drop(reply.send(Ok(checkpoint.clone())));
        }
    }

    /// Tells a process what was wrong with what it sent, and records it.
    pub(super) fn refuse(&mut self, run: &mut Run, refusal: &RefusalError) {
        self.tell_refusal(run, refusal);
        // Where the link is closed for it, the end of the run says so.
        if run.link.state() != LinkState::Closed {
            let code = refusal.code.as_str();
            self.fault(run.id, FaultSource::Protocol, code, &refusal.to_string());
        }
    }

    pub(super) fn tell_refusal(&self, run: &mut Run, refusal: &RefusalError) {
        run.link.tell(self.wall(), refusal.to_keeper_error());
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

/// An entry as it is kept: all of it, verbatim.
fn stored(entry: &WalEntry, timestamp: i64) -> StoredEntry {
    StoredEntry {
        sequence: entry.sequence,
        timestamp,
        operation: entry.operation.clone(),
        data: entry.to_raw().as_bytes().to_vec(),
    }
}
