//! What a process is confined to: how strictly, and which files and network it reaches. Plain values, and the command line
//! on which they travel from the keeper over the shim to [`crate::confine`].
//!
//! A path that is granted here is opened by name when the process starts, so a caller must never grant one that lies in a
//! folder where a confined process writes, except that folder itself.

use std::{ffi::OsString, path::PathBuf};

/// How strictly a process is confined. Each level holds all that the one before it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfinementLevel {
    /// Level 1: files by Landlock, system calls by seccomp, no privileges; the same user, the same view of the system.
    Restricted,
    /// Level 2: the same in namespaces of its own, where other processes and files cannot be seen.
    Isolated,
}

impl ConfinementLevel {
    /// As people and the ledger count: 1 or 2; 0 is none.
    pub fn number(self) -> u8 {
        match self {
            Self::Restricted => 1,
            Self::Isolated => 2,
        }
    }

    fn from_number(number: &str) -> Option<Self> {
        [Self::Restricted, Self::Isolated]
            .into_iter()
            .find(|level| level.number().to_string() == number)
    }
}

/// What a confined process reaches over the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkAccess {
    /// Everything that the keeper reaches.
    Open,
    /// Nothing: it can make no socket but pairs within itself.
    None,
}

/// What one process is confined to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// How strictly.
    pub level: ConfinementLevel,
    /// What it reaches over the network.
    pub network: NetworkAccess,
    /// Absolute paths of files and folders that it reads and executes, besides those of the system.
    pub read: Vec<PathBuf>,
    /// Absolute paths of files and folders in which it does everything. Each must exist.
    pub write: Vec<PathBuf>,
}

const LEVEL: &str = "--level";
const OFFLINE: &str = "--offline";
const READ: &str = "--read";
const WRITE: &str = "--write";

impl Confinement {
    /// The arguments that [`Self::take`] reads.
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let mut args: Vec<OsString> = vec![LEVEL.into(), self.level.number().to_string().into()];
        if self.network == NetworkAccess::None {
            args.push(OFFLINE.into());
        }
        let paths = [(READ, &self.read), (WRITE, &self.write)];
        for (name, paths) in paths {
            args.extend(paths.iter().flat_map(|path| [name.into(), path.into()]));
        }
        args
    }

    /// Takes one argument, with its value from `rest`. `None` where it is not one of [`Self::to_args`]; the error names the
    /// argument whose value is missing or wrong. `confinement` is there from the first, which is the level.
    pub(crate) fn take(
        confinement: &mut Option<Self>,
        name: &str,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Option<Result<(), &'static str>> {
        let known = [LEVEL, OFFLINE, READ, WRITE].into_iter().find(|known| *known == name)?;
        Some(Self::take_known(confinement, known, rest).ok_or(known))
    }

    fn take_known(
        confinement: &mut Option<Self>,
        name: &'static str,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Option<()> {
        if name == LEVEL {
            let level = ConfinementLevel::from_number(rest.next()?.to_str()?)?;
            let network = NetworkAccess::Open;
            *confinement = Some(Self { level, network, read: Vec::new(), write: Vec::new() });
            return Some(());
        }
        let confinement = confinement.as_mut()?;
        match name {
            OFFLINE => confinement.network = NetworkAccess::None,
            READ => confinement.read.push(rest.next()?.into()),
            _ => confinement.write.push(rest.next()?.into()),
        }
        Some(())
    }
}
