//! What holds on this machine: the whole way to confinement, tried in throwaway children before any agent runs.
//!
//! Each level is tried from the strictest down with a child that is confined as an agent's process is, and then attacks
//! ([`crate::confine`]'s check). A level counts only where the child came to run and none of its attacks succeeded; what an
//! interface promised counts for nothing. It changes nothing of the system.

use std::{
    fs, io,
    io::Read as _,
    os::{
        fd::OwnedFd,
        unix::{
            fs::{DirBuilderExt as _, OpenOptionsExt as _},
            net::{UnixListener, UnixStream},
        },
    },
    path::{Path, PathBuf},
    process,
};

use crate::{
    confine::{
        CHECK, CONFINE_COMMAND, CheckReport, ConfineOrder, ConfineReport, ConfineStage, INTRUDER,
        command,
    },
    confinement::{Confinement, ConfinementLevel, NetworkAccess},
    shim::control::{Stdio, send_stdio},
};

/// What holds on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbedSandbox {
    /// The strictest level that holds, if one does.
    pub level: Option<ConfinementLevel>,
    /// Whether a process at that level is kept from signalling others.
    pub holds_signals: bool,
    /// Why each stricter level does not hold, the strictest first.
    pub failures: Vec<ProbeFailure>,
}

/// Why a level does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeFailure {
    /// The level.
    pub level: ConfinementLevel,
    /// The step and the system's error, or the attack that succeeded.
    pub reason: String,
    /// What a person can do about it.
    pub remedy: &'static str,
}

/// Tries the levels from `strictest` down with `program`, which must run [`crate::confine::run`] under `confine`. `folder` is made for the time
/// of it, with its parents' modes untouched, and removed. Blocking, for some 10 ms.
///
/// Errors: the folder cannot be made or used; nothing is known then.
pub fn probe_sandbox(
    program: &Path,
    folder: &Path,
    strictest: ConfinementLevel,
) -> io::Result<ProbedSandbox> {
    let scene = Scene::make(folder)?;
    let mut failures = Vec::new();
    let levels = [ConfinementLevel::Isolated, ConfinementLevel::Restricted];
    for level in levels.into_iter().filter(|level| *level <= strictest) {
        match scene.attempt(program, level) {
            Ok(report) => {
                let holds_signals = report.holds_signals;
                return Ok(ProbedSandbox { level: Some(level), holds_signals, failures });
            }
            Err(reason) => {
                let remedy = remedy(&reason);
                failures.push(ProbeFailure { level, reason, remedy });
            }
        }
    }
    Ok(ProbedSandbox { level: None, holds_signals: false, failures })
}

/// What a child may not reach, and the folder where it works.
struct Scene {
    folder: PathBuf,
    work: PathBuf,
    /// The one that the child may not connect to.
    _socket: Option<UnixListener>,
}

impl Scene {
    fn make(folder: &Path) -> io::Result<Self> {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let work = folder.join("work");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&work)?;
        let mut secret = fs::OpenOptions::new();
        let secret = secret.write(true).create_new(true).mode(0o600).open(folder.join("secret"))?;
        io::Write::write_all(&mut &secret, b"secret")?;
        // A deep home has no room for the name of a socket; that attack is left out then.
        let socket = UnixListener::bind(folder.join("socket")).ok();
        Ok(Self { folder: folder.to_owned(), work, _socket: socket })
    }

    /// A confined child attacks. The error says which step could not be done, or which attack succeeded.
    fn attempt(&self, program: &Path, level: ConfinementLevel) -> Result<CheckReport, String> {
        let order = ConfineOrder {
            stage: ConfineStage::Enter,
            confinement: Confinement {
                level,
                network: NetworkAccess::Open,
                read: vec![program.to_owned()],
                write: vec![self.work.clone()],
            },
            program: program.to_owned(),
            args: vec![
                CONFINE_COMMAND.into(),
                CHECK.into(),
                self.folder.clone().into(),
                process::id().to_string().into(),
            ],
        };
        let report = self.run(&order).map_err(|error| error.to_string())?;
        if self.folder.join(INTRUDER).exists() {
            return Err("a confined process could write in the keeper's folder".into());
        }
        Ok(report)
    }

    fn run(&self, order: &ConfineOrder) -> io::Result<CheckReport> {
        let (socket, input) = UnixStream::pair()?;
        let (mut output, to_output) = io::pipe()?;
        let nothing = || fs::OpenOptions::new().read(true).write(true).open("/dev/null");
        let stdio = Stdio {
            stdin: nothing()?.into(),
            stdout: OwnedFd::from(to_output),
            stderr: nothing()?.into(),
        };
        let mut command = command(&order.program, order, ConfineStage::Enter, input.into());
        let mut child = command.current_dir(&self.work).env_clear().spawn()?;
        drop(command);
        send_stdio(&socket, &stdio)?;
        drop(stdio);
        let report = ConfineReport::receive(&socket);
        let mut text = String::new();
        match report {
            None => {
                output.by_ref().take(CheckReport::BYTES_MAX).read_to_string(&mut text).map(drop)?;
            }
            Some(_) => child.kill()?,
        }
        child.wait()?;
        match report {
            Some(ConfineReport::Step(step)) => Err(io::Error::other(step)),
            Some(ConfineReport::Exec(errno)) => Err(io::Error::from_raw_os_error(errno)),
            None => CheckReport::parse(&text).map_err(io::Error::other),
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // Left behind, it does no harm and is removed by the next one.
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// What a person can do about a step that failed.
fn remedy(reason: &str) -> &'static str {
    let remedies = [
        (
            "user namespace",
            "allow unprivileged user namespaces: on Ubuntu an AppArmor profile with `userns,` for this program, elsewhere \
             user.max_user_namespaces or kernel.unprivileged_userns_clone; in a container they are its host's to allow",
        ),
        ("make namespaces", "give the container the privilege to make namespaces (CAP_SYS_ADMIN)"),
        (
            "mount /proc",
            "a container that masks /proc forbids a new one; run with an unmasked /proc (systempaths=unconfined)",
        ),
        (
            "Landlock",
            "use Linux 6.2 or newer with `landlock` among the security modules (the boot parameter lsm=)",
        ),
        ("seccomp", "use a kernel with seccomp filters, on x86-64, aarch64 or riscv64"),
    ];
    let found = remedies.into_iter().find(|(word, _)| reason.contains(word));
    found.map_or("see docs/sandbox.md", |(_, remedy)| remedy)
}
