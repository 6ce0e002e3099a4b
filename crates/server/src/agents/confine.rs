//! What each process that is started beside the keeper shares once its level is known: what it is granted, where its temporary files
//! go, how much it may use. Agents' own processes, commands and servers of tools are confined here and nowhere else.

use std::path::{Path, PathBuf};

use abide_supervisor::{Confinement, ConfinementLevel, NetworkAccess};

use super::grants::{GrantError, GrantSource, Grants, grants};
use crate::config::NetworkKind;

/// What a process is confined to. `own` are folders that the keeper made for it alone.
pub(super) fn confine(
    level: ConfinementLevel,
    network: NetworkAccess,
    (source, own): (&GrantSource<'_>, &[PathBuf]),
) -> Result<Confinement, GrantError> {
    let Grants { read, write } = grants(source, own)?;
    Ok(Confinement { level, network, read, write })
}

/// Where it puts temporary files: a shared /tmp is not granted; at level 2 it has one of its own.
pub(super) fn temporary_files(level: ConfinementLevel, own: &Path) -> PathBuf {
    match level {
        ConfinementLevel::Restricted => own.to_owned(),
        ConfinementLevel::Isolated => PathBuf::from("/tmp"),
    }
}

/// A limit in bytes; none for 0.
pub(super) fn megabytes(mb: u64) -> Option<u64> {
    (mb > 0).then(|| mb.saturating_mul(1024 * 1024))
}

impl From<NetworkKind> for NetworkAccess {
    fn from(network: NetworkKind) -> Self {
        match network {
            NetworkKind::Open => Self::Open,
            NetworkKind::None => Self::None,
        }
    }
}
