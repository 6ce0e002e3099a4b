//! What the shim is told to start, as its command line: the keeper writes it, the shim reads it, `ps` shows it.
//!
//! It never carries the environment, which would show secrets: that is inherited.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
};

use crate::confinement::Confinement;

/// How much a tree of processes may use. Each is held for every process of it; memory for all of them together where
/// the system has a control group for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Seconds of processor time over its whole life.
    pub cpu_seconds: Option<u64>,
    /// Open files.
    pub files: Option<u64>,
    /// Bytes on the disk. The shim holds one file to it; the supervisor holds `agents/<id>/work` and `agents/<id>/tmp` to it.
    pub disk_bytes: Option<u64>,
}

/// One program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) limits: ProcessLimits,
    /// The control group that the tree is put into, made by the keeper.
    pub(crate) cgroup: Option<PathBuf>,
    /// What the program is confined to, if to anything.
    pub(crate) confinement: Option<Confinement>,
    /// Where the program works.
    pub(crate) folder: PathBuf,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
}

/// The command line is not one that a keeper writes.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OrderError {
    #[error("unknown argument {0:?}")]
    Unknown(OsString),
    #[error("{0} needs a value")]
    Value(&'static str),
    #[error("--folder is missing")]
    Folder,
    #[error("there is no program behind --")]
    Program,
}

const MEMORY: &str = "--memory";
const CPU: &str = "--cpu";
const FILES: &str = "--files";
const DISK: &str = "--disk";
const CGROUP: &str = "--cgroup";
const FOLDER: &str = "--folder";

impl Order {
    /// The command line that [`Self::parse`] reads.
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let mut args = Vec::new();
        let numbers = [
            (MEMORY, self.limits.memory_bytes),
            (CPU, self.limits.cpu_seconds),
            (FILES, self.limits.files),
            (DISK, self.limits.disk_bytes),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                args.extend([name.into(), number.to_string().into()]);
            }
        }
        if let Some(cgroup) = &self.cgroup {
            args.extend([CGROUP.into(), cgroup.into()]);
        }
        args.extend(self.confinement.iter().flat_map(Confinement::to_args));
        args.extend([FOLDER.into(), (&self.folder).into(), "--".into(), (&self.program).into()]);
        args.extend(self.args.iter().cloned());
        args
    }

    pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<Self, OrderError> {
        let mut args = args;
        let mut limits = ProcessLimits::default();
        let mut cgroup = None;
        let mut folder = None;
        let mut confinement = None;
        loop {
            let Some(name) = args.next() else { return Err(OrderError::Program) };
            let text = name.to_str().unwrap_or_default();
            if let Some(taken) = Confinement::take(&mut confinement, text, &mut args) {
                taken.map_err(OrderError::Value)?;
                continue;
            }
            match name.to_str() {
                Some("--") => break,
                Some(MEMORY) => limits.memory_bytes = Some(number(MEMORY, args.next().as_deref())?),
                Some(CPU) => limits.cpu_seconds = Some(number(CPU, args.next().as_deref())?),
                Some(FILES) => limits.files = Some(number(FILES, args.next().as_deref())?),
                Some(DISK) => limits.disk_bytes = Some(number(DISK, args.next().as_deref())?),
                Some(CGROUP) => cgroup = Some(args.next().ok_or(OrderError::Value(CGROUP))?.into()),
                Some(FOLDER) => folder = Some(args.next().ok_or(OrderError::Value(FOLDER))?.into()),
                _ => return Err(OrderError::Unknown(name)),
            }
        }
        Ok(Self {
            limits,
            cgroup,
            confinement,
            folder: folder.ok_or(OrderError::Folder)?,
            program: args.next().ok_or(OrderError::Program)?.into(),
            args: args.collect(),
        })
    }
}

fn number(name: &'static str, value: Option<&OsStr>) -> Result<u64, OrderError> {
    let text = value.and_then(OsStr::to_str);
    text.and_then(|text| text.parse().ok()).ok_or(OrderError::Value(name))
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt as _};

    use super::{Order, OrderError, ProcessLimits};
    use crate::confinement::{Confinement, ConfinementLevel, NetworkAccess};

    fn parse(args: &[&str]) -> Result<Order, OrderError> {
        Order::parse(args.iter().map(OsString::from))
    }

    #[test]
    fn an_order_survives_its_command_line() {
        let plain = Order {
            limits: ProcessLimits::default(),
            cgroup: None,
            confinement: None,
            folder: "/srv/agents".into(),
            program: "python3".into(),
            args: Vec::new(),
        };
        let full = Order {
            limits: ProcessLimits {
                memory_bytes: Some(u64::MAX),
                cpu_seconds: Some(0),
                files: Some(64),
                disk_bytes: Some(4 << 30),
            },
            cgroup: Some("/sys/fs/cgroup/abide x".into()),
            confinement: Some(Confinement {
                level: ConfinementLevel::Isolated,
                network: NetworkAccess::None,
                read: vec!["--write".into(), "/usr/lib x".into()],
                write: vec!["/srv/felix".into()],
            }),
            folder: "--".into(),
            program: "--folder".into(),
            args: vec!["--".into(), "".into(), OsString::from_vec(vec![0xff, b'a'])],
        };
        for order in [plain, full] {
            assert_eq!(Order::parse(order.to_args().into_iter()), Ok(order));
        }
    }

    #[test]
    fn a_command_line_that_no_keeper_writes_is_refused() {
        let cases = [
            (vec![], OrderError::Program),
            (vec!["--folder", "/"], OrderError::Program),
            (vec!["--folder", "/", "--"], OrderError::Program),
            (vec!["--", "ls"], OrderError::Folder),
            (vec!["ls"], OrderError::Unknown("ls".into())),
            (vec!["--cpu", "much"], OrderError::Value("--cpu")),
            (vec!["--memory"], OrderError::Value("--memory")),
            (vec!["--level", "3"], OrderError::Value("--level")),
            (vec!["--read", "/"], OrderError::Value("--read")),
        ];
        for (args, error) in cases {
            assert_eq!(parse(&args), Err(error), "{args:?}");
        }
    }
}
