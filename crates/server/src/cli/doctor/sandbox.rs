//! Two rows of `abide doctor`: how agents' processes are confined here, and whether the running keeper's memory is closed to
//! them.

use std::os::unix::fs::MetadataExt as _;

use crate::{
    agents::{describe_sandbox, probe_sandbox},
    cli::{
        context::Context,
        finding::{Finding, Verdict},
    },
    config::{AgentSection, SandboxMode},
    presence::Presence,
};

/// Both, where the home is there.
pub(super) fn check(context: &Context) -> [Finding; 2] {
    [sandbox(context), memory(context)]
}

fn sandbox(context: &Context) -> Finding {
    const NAME: &str = "sandbox";
    let config = context.config();
    let mode = |agent: &AgentSection, all: SandboxMode| agent.sandbox.unwrap_or(all);
    let modes: Vec<_> = config
        .iter()
        .flat_map(|config| {
            let all = config.settings.supervisor.sandbox;
            config.settings.agents.iter().map(move |agent| mode(agent, all))
        })
        .collect();
    let is_required = modes.contains(&SandboxMode::Required);
    let probed = match probe_sandbox(&context.home) {
        Ok(probed) => probed,
        Err(error) => {
            let verdict = if is_required { Verdict::Fail } else { Verdict::Warn };
            return Finding::new(NAME, verdict, format!("it cannot be tried here: {error}"));
        }
    };
    let mut detail = describe_sandbox(&probed);
    let off = modes.iter().filter(|mode| **mode == SandboxMode::Off).count();
    if off > 0 {
        let all = modes.len();
        detail = format!("{detail}; {off} of {all} agents have it off by configuration");
    }
    let verdict = match probed.level {
        None if is_required => Verdict::Fail,
        None => Verdict::Warn,
        Some(_) if off > 0 => Verdict::Warn,
        Some(_) => Verdict::Ok,
    };
    Finding::new(NAME, verdict, detail)
}

/// The files of a process that is not dumpable are not its user's, but root's.
fn memory(context: &Context) -> Finding {
    const NAME: &str = "dumpable";
    let running = Presence::of(&context.home).filter(Presence::is_running);
    let Some(presence) = running else {
        let detail =
            "no keeper is running; a running one closes its memory to processes of its user";
        return Finding::new(NAME, Verdict::Ok, detail);
    };
    let user = rustix::process::geteuid();
    if user.is_root() {
        let detail = "the keeper runs as root, whose unconfined processes read all memory; run it as a user of its own";
        return Finding::new(NAME, Verdict::Warn, detail);
    }
    match std::fs::metadata(format!("/proc/{}/environ", presence.pid)) {
        Ok(found) if found.uid() != user.as_raw() => Finding::new(
            NAME,
            Verdict::Ok,
            "the keeper's memory is closed to processes of its user",
        ),
        Ok(_) => {
            let detail =
                "the keeper's memory can be read by every process of its user; restart the keeper";
            Finding::new(NAME, Verdict::Warn, detail)
        }
        Err(error) => Finding::new(NAME, Verdict::Warn, format!("it cannot be checked: {error}")),
    }
}
