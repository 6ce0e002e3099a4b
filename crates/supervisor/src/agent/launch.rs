//! The start of a run: of a process that the keeper starts, or of one that connected by itself.

use abide_domain::{RunId, event::StartCause};

use crate::{
    clocks::TimeLimits,
    link::{Connection, Link},
    process::Spawn,
    supervisor::Launch,
};

use super::{AgentActor, run::Run};

impl AgentActor {
    /// Starts the process under its shim.
    pub(super) fn launch(&mut self, cause: StartCause) -> Result<Run, String> {
        let spec = &self.spec;
        let launched = self.lifecycle.launch(|run| {
            let (program, args, folder, environment) = match &spec.launch {
                Launch::Stdio { program, args, folder, environment } => {
                    (program.clone(), args.clone(), folder.clone(), environment.clone())
                }
                Launch::Socket { .. } => Default::default(),
            };
            let (limits, agent) = (spec.limits, spec.id.clone());
            let confinement = spec.sandbox.as_ref().and_then(|sandbox| sandbox.confinement.clone());
            Spawn { program, args, folder, environment, limits, confinement, agent, run }
        })?;
        let link = Link::new(Box::new(launched.stdout), Box::new(launched.stdin));
        let mut run = self.begin_run(launched.run, cause, link);
        run.process = Some(launched.process);
        let recorded = self.spec.sandbox.as_ref().map(|sandbox| &sandbox.recorded);
        self.lifecycle
            .update_status(|status| status.sandbox = recorded.map(|sandbox| sandbox.level));
        if let Some(event) = &mut run.start.event {
            event.sandbox = recorded.cloned();
        }
        run.last_words = launched.last_words;
        run.disk_watch = self.lifecycle.watch_disk();
        Ok(run)
    }

    /// Begins a run over the connection of a process that the keeper did not start.
    pub(super) fn begin_connected_run(&mut self, connection: Connection) -> Run {
        let id = self.lifecycle.begin_connected();
        let link = Link::new(connection.source, connection.sink);
        let mut run = self.begin_run(id, StartCause::Connected, link);
        run.start.is_pid_known = true;
        run.hello = Some(connection.hello);
        run
    }

    fn begin_run(&self, id: RunId, cause: StartCause, link: Link) -> Run {
        let limits = TimeLimits::from(&self.shared.settings);
        let mut run = Run::new(id, self.now(), limits, link);
        let is_first = self.lifecycle.starts() == 1;
        run.disk.open(self.state_location(), self.shared.ledger.clone().filter(|_| is_first));
        run.disk.keep(self.code.kept());
        run.start.event = Some(self.lifecycle.start_event(id, cause));
        run
    }
}
