//! Code that a process runs beside its own: sent after its state was restored and before its first turn, a candidate between two turns.
//!
//! Which code that is follows from the ledger, and is told from outside. No turn is answered by half of it: where a process does not
//! acknowledge what it was sent, its run ends, and the next begins with all code that is in force then.

use std::{collections::VecDeque, time::Duration};

use abide_domain::event::{ExitReason, StartCause};
use abide_wire::{HotReload, HotReloadAck, LinkState};
use tokio::sync::oneshot;

use crate::supervisor::{
    CodeProblem, LoadedCandidate, ProcessCommandError, ProgramCode, ProgramCodes, Reply, WithCodes,
};

use super::{AgentActor, IdleState, follow_up::FollowUp, loaded_code::OpenReload, run::Run};

/// Longest reason of a process in words for people, in characters.
const REASON_CHARS_MAX: usize = 400;
/// Why a run ends whose code is not what is in force.
const CODE_CHANGES: &str = "its code changes";

impl AgentActor {
    /// Whether a turn may be given to the run, as far as its code is concerned.
    pub(super) fn may_answer(&self, run: &Run) -> bool {
        let code = &run.code;
        let has_loaded = code.waiting.as_ref().is_some_and(VecDeque::is_empty);
        let is_quiet = code.open.is_none() && code.confirmation.is_none();
        has_loaded && is_quiet && !self.code.is_held && self.code.candidate.is_none()
    }

    /// Sends the run the next code that it lacks, between two turns.
    pub(super) fn load_next_code(&mut self, run: &mut Run) {
        let may_load = matches!(run.link.state(), LinkState::Ready | LinkState::Older)
            && run.ending.is_none()
            && !run.link.is_closed()
            && !self.turns.is_open()
            && run.code.open.is_none()
            && run.code.confirmation.is_none();
        let Some(in_force) = self.code.in_force.as_ref().filter(|_| may_load) else { return };
        let waiting = run.code.waiting.get_or_insert_with(|| in_force.modules.clone().into());
        if let Some(code) = waiting.pop_front() {
            self.send_code(run, code, None);
        } else if let Some((code, reply)) = self.code.candidate.take()
            && !reply.is_closed()
        {
            self.send_code(run, code, Some(reply));
        }
    }

    fn send_code(
        &mut self,
        run: &mut Run,
        code: ProgramCode,
        candidate: Option<Reply<LoadedCandidate>>,
    ) {
        let message = HotReload {
            code: code.code.to_string(),
            module: code.module.clone(),
            backup_checkpoint_id: code.backup.to_string(),
        };
        let until = self.now() + self.shared.settings.reload_limit;
        run.code.open = Some(OpenReload { code, until, candidate });
        if !run.link.takes_code() {
            let why = "the agent's process does not load code: its hello has no `hot_reload`";
            return self.fail_loading(run, why);
        }
        if let Err(error) = run.link.try_send(self.wall(), message) {
            self.fail_loading(run, &error.to_string());
        }
    }

    pub(super) fn take_reload_ack(&mut self, run: &mut Run, ack: &HotReloadAck) {
        let is_ours = |open: &mut OpenReload| open.code.module == ack.module;
        let Some(open) = run.code.open.take_if(is_ours) else {
            tracing::debug!(agent = %self.spec.id, run = %run.id, event = "reload_ack_ignored", module = ack.module, "agent acknowledged a reload that was not requested");
            return;
        };
        if !ack.ok {
            let said = ack.error.as_ref().map_or("it does not say why", |error| &error.message);
            let said: String = said.chars().take(REASON_CHARS_MAX).collect();
            run.code.open = Some(open);
            return self.fail_loading(run, &format!("it refused the code: {said}"));
        }
        run.mark_active(self.now());
        match open.candidate {
            None => {
                run.code.loaded.push(open.code);
                if run.code.waiting.as_ref().is_some_and(VecDeque::is_empty) {
                    self.code.failures = 0;
                    self.update_status(|status| status.code_problem = None);
                }
            }
            Some(reply) => {
                run.code.take_over(open.code);
                let (confirm, confirmation) = oneshot::channel();
                run.code.confirmation = Some(confirmation);
                // Whoever waited may be gone: then nobody confirms it.
                drop(reply.send(Ok(LoadedCandidate { confirm })));
            }
        }
    }

    /// A candidate that the run has loaded is in force, or never will be.
    pub(super) fn take_confirmation(&mut self, run: &mut Run, is_in_force: bool) {
        run.code.confirmation = None;
        if is_in_force {
            let kept = self.code.kept().into_iter().chain(run.code.loaded.iter().map(|c| c.backup));
            let codes = ProgramCodes { kept: kept.collect(), modules: run.code.loaded.clone() };
            self.set_code(Some(run), codes);
        } else {
            self.end_for_follow_up(run, FollowUp::Start(oneshot::channel().0), CODE_CHANGES);
        }
    }

    /// Ends a run whose process is late with an answer.
    pub(super) fn check_loading(&mut self, run: &mut Run, now: Duration) {
        if run.code.due().is_some_and(|until| now >= until) {
            let limit = self.shared.settings.reload_limit;
            self.fail_loading(run, &format!("it did not acknowledge the code within {limit:?}"));
        }
    }

    fn fail_loading(&mut self, run: &mut Run, why: &str) {
        self.note_failed_loading(run, why);
        run.kill_because(ExitReason::Fatal, why);
    }

    /// What was being loaded when a run ended was not.
    pub(super) fn end_loading(&mut self, run: &mut Run, exit: &str) {
        self.note_failed_loading(
            run,
            &format!("its process ended while it loaded the code: {exit}"),
        );
        // Whether the candidate is in force now, only whoever would have confirmed it knows.
        self.code.is_held |= run.code.confirmation.take().is_some();
    }

    fn note_failed_loading(&mut self, run: &mut Run, why: &str) {
        let Some(open) = run.code.open.take() else { return };
        if let Some(reply) = open.candidate {
            self.code.is_held = true;
            drop(reply.send(Err(ProcessCommandError::failed(why))));
            return;
        }
        self.code.failures = self.code.failures.saturating_add(1);
        let message = format!("{}: {why}", open.code.module);
        tracing::warn!(agent = %self.spec.id, run = %run.id, event = "code_not_loaded", detail = message, "agent process cannot load the code in force");
        let module = open.code.module;
        let problem = CodeProblem { times: self.code.failures, module, message };
        self.update_status(|status| status.code_problem = Some(problem));
    }

    /// A candidate is to be loaded as soon as a run is between two turns.
    pub(super) fn reload_next(&mut self, code: ProgramCode, reply: Reply<LoadedCandidate>) {
        if let Some((_, earlier)) = self.code.candidate.replace((code, reply)) {
            let error = ProcessCommandError::conflict("a later candidate replaced this one");
            drop(earlier.send(Err(error)));
        }
    }

    /// The same while no run is on: one is begun for it.
    pub(super) fn reload_when_idle(&mut self, code: ProgramCode, reply: Reply<LoadedCandidate>) {
        match self.wake() {
            Ok(()) => self.reload_next(code, reply),
            Err(error) => drop(reply.send(Err(error))),
        }
    }

    /// Has the process started, where the keeper starts it and nobody has parked it.
    pub(super) fn wake(&mut self) -> Result<(), ProcessCommandError> {
        if self.idle == IdleState::Parked {
            return Err(ProcessCommandError::conflict("the agent is parked: resume it first"));
        }
        if !self.is_launched() {
            return Err(ProcessCommandError::conflict(self.not_connected()));
        }
        self.schedule_start(StartCause::Stimulus);
        Ok(())
    }

    fn set_code(&mut self, run: Option<&mut Run>, codes: ProgramCodes) {
        if let Some(run) = run {
            run.disk.keep(codes.kept.clone());
        }
        if self.code.in_force.as_ref().is_none_or(|before| before.modules != codes.modules) {
            self.code.failures = 0;
            self.update_status(|status| status.code_problem = None);
        }
        self.code.in_force = Some(codes);
        self.code.is_held = false;
    }

    /// Other code is in force while no run is on.
    pub(super) async fn run_code_next(&mut self, codes: ProgramCodes, with: WithCodes) {
        self.set_code(None, codes);
        match with {
            WithCodes::Nothing(reply) => drop(reply.send(Ok(()))),
            WithCodes::Restore(id, reply) => drop(reply.send(self.restore(id).await)),
        }
    }

    /// Other code is in force while a run is on: one that has loaded something else ends.
    pub(super) fn run_code_now(&mut self, run: &mut Run, codes: ProgramCodes, with: WithCodes) {
        let before = self.code.in_force.as_ref();
        let is_same = before.is_some_and(|before| before.modules == codes.modules);
        // A candidate that is being loaded meanwhile is another matter, and stays.
        let fits = run.ending.is_none()
            && (is_same && !self.code.is_held || run.code.comes_to(&codes.modules));
        self.set_code(Some(run), codes);
        match with {
            WithCodes::Nothing(reply) if fits => drop(reply.send(Ok(()))),
            WithCodes::Nothing(reply) => {
                self.end_for_follow_up(run, FollowUp::Start(reply), CODE_CHANGES);
            }
            WithCodes::Restore(id, reply) => {
                self.end_for_follow_up(run, FollowUp::Restore(id, reply), CODE_CHANGES);
            }
        }
    }
}
