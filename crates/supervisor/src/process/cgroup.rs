//! Where control groups for trees of processes can be made, and one for each tree whose memory is limited.
//!
//! Version 2 only, and only below the keeper's own group or the group that the system delegated to it (systemd marks that
//! with `user.delegate`): groups of others are never touched. Without such a group, limits of memory are held for each
//! process by itself, which the log says once.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use abide_domain::RunId;

use crate::shim::{cgroup::own_folder, order::ProcessLimits};

const CONTROLLERS: &str = "cgroup.controllers";
const SUBTREE: &str = "cgroup.subtree_control";
const MEMORY: &str = "memory";
/// What systemd writes on a group that it leaves to its owner.
const DELEGATED: &str = "user.delegate";

/// Makes the group of one run; `None` where its memory is not limited, or where no group can be had.
pub(super) fn create(run: RunId, limits: &ProcessLimits) -> Option<PathBuf> {
    let bytes = limits.memory_bytes?;
    let group = parent()?.join(format!("abide-{run}"));
    match fill(&group, bytes) {
        Ok(()) => Some(group),
        Err(error) => {
            tracing::warn!(event = "cgroup_failed", group = %group.display(), %error, "cannot create a control group");
            fs::remove_dir(&group).ok();
            None
        }
    }
}

/// Whether the memory of a tree of processes can be limited as a whole here. Blocking at first; the answer stays.
pub fn limits_memory_of_trees() -> bool {
    parent().is_some()
}

/// The folder for groups, looked for once.
fn parent() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let parent = FOLDER.get_or_init(|| {
        let folder = own_folder().and_then(|own| parent_folder(&own));
        if let Some(folder) = &folder {
            tracing::info!(event = "memory_cgroups_used", folder = %folder.display(), "memory of agents is limited by control groups");
        } else {
            tracing::info!(
                event = "memory_cgroups_unavailable",
                "no control group can count memory here: it is limited for each process by itself"
            );
        }
        folder
    });
    parent.as_deref()
}

/// The folder in which groups with a memory limit can be made.
fn parent_folder(own: &Path) -> Option<PathBuf> {
    let delegated = own.parent().filter(|parent| is_delegated(parent));
    [Some(own), delegated]
        .into_iter()
        .flatten()
        .find(|folder| counts_memory(folder))
        .map(Path::to_path_buf)
}

fn is_delegated(folder: &Path) -> bool {
    let mut value = [0_u8; 8];
    rustix::fs::getxattr(folder, DELEGATED, &mut value)
        .is_ok_and(|count| value.get(..count) == Some(b"1".as_slice()))
}

/// Whether groups in `folder` count memory, or can be made to.
fn counts_memory(folder: &Path) -> bool {
    let lists = |file: &str| {
        fs::read_to_string(folder.join(file))
            .is_ok_and(|text| text.split_ascii_whitespace().any(|word| word == MEMORY))
    };
    lists(CONTROLLERS)
        && (lists(SUBTREE) || fs::write(folder.join(SUBTREE), format!("+{MEMORY}")).is_ok())
}

fn fill(group: &Path, bytes: u64) -> io::Result<()> {
    fs::create_dir(group)?;
    fs::write(group.join("memory.max"), bytes.to_string())?;
    // Not every kernel counts swap; and a tree of which one process was killed for memory is broken as a whole.
    fs::write(group.join("memory.swap.max"), "0").ok();
    fs::write(group.join("memory.oom.group"), "1").ok();
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{fill, parent_folder};

    #[test]
    fn a_group_that_counts_memory_can_hold_others() -> std::io::Result<()> {
        let own = tempfile::tempdir()?;
        assert_eq!(parent_folder(own.path()), None);
        fs::write(own.path().join("cgroup.controllers"), "cpu pids\n")?;
        assert_eq!(parent_folder(own.path()), None);
        fs::write(own.path().join("cgroup.controllers"), "cpu memory pids\n")?;
        assert_eq!(parent_folder(own.path()).as_deref(), Some(own.path()));
        assert_eq!(fs::read_to_string(own.path().join("cgroup.subtree_control"))?, "+memory");
        Ok(())
    }

    #[test]
    fn the_group_above_cannot_hold_others_unless_it_was_delegated() -> std::io::Result<()> {
        let above = tempfile::tempdir()?;
        fs::write(above.path().join("cgroup.controllers"), "memory\n")?;
        let own = above.path().join("keeper");
        fs::create_dir(&own)?;
        assert_eq!(parent_folder(&own), None);
        let marked = rustix::fs::setxattr(
            above.path(),
            super::DELEGATED,
            b"1",
            rustix::fs::XattrFlags::empty(),
        );
        // Some file systems keep no such marks.
        if marked.is_ok() {
            assert_eq!(parent_folder(&own).as_deref(), Some(above.path()));
        }
        Ok(())
    }

    #[test]
    fn a_group_holds_its_limit() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let group = folder.path().join("abide-x");
        fill(&group, 64 << 20)?;
        assert_eq!(fs::read_to_string(group.join("memory.max"))?, "67108864");
        assert_eq!(fs::read_to_string(group.join("memory.oom.group"))?, "1");
        assert!(fill(&group, 1).is_err());
        Ok(())
    }
}
