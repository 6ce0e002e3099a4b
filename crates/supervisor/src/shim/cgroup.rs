//! A control group of one tree, from inside: joined for the moment of the start, killed as a whole, removed.
//!
//! The shim itself does not stay in it, for then a tree that runs out of memory could take with it the one who reports that.
//! Every function takes the group's folder; the keeper made it (`process::cgroup`).

use std::{
    fs, io,
    path::{Path, PathBuf},
};

const PROCESSES: &str = "cgroup.procs";
/// "The writing process itself", to the kernel.
const MYSELF: &str = "0";

/// The shim while it is in the group.
#[derive(Debug)]
pub(super) struct CgroupMembership {
    home: PathBuf,
}

impl CgroupMembership {
    /// Moves the shim, and so whatever it starts, into the group.
    pub(super) fn new(group: &Path) -> io::Result<Self> {
        let home = own_folder()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the shim is in no group"))?;
        fs::write(group.join(PROCESSES), MYSELF)?;
        Ok(Self { home })
    }

    /// Moves the shim back.
    pub(super) fn leave(self) -> io::Result<()> {
        fs::write(self.home.join(PROCESSES), MYSELF)
    }
}

/// Kills everything in the group at once, where the kernel can (5.14).
pub(crate) fn kill(group: &Path) {
    fs::write(group.join("cgroup.kill"), "1").ok();
}

/// Whether the kernel ended anything in the group for want of memory.
pub(super) fn ran_out_of_memory(group: &Path) -> bool {
    fs::read_to_string(group.join("memory.events")).is_ok_and(|events| {
        events
            .lines()
            .filter_map(|line| line.strip_prefix("oom_kill "))
            .any(|count| count.trim() != "0")
    })
}

/// Removes the empty group; one that is not empty is left to the keeper.
pub(crate) fn remove(group: &Path) {
    fs::remove_dir(group).ok();
}

/// The folder of the group that this process is in, in the hierarchy of version 2.
pub(crate) fn own_folder() -> Option<PathBuf> {
    folder_in(
        &fs::read_to_string("/proc/self/mountinfo").ok()?,
        &fs::read_to_string("/proc/self/cgroup").ok()?,
    )
}

/// `mounts` as in `/proc/self/mountinfo`, `groups` as in `/proc/self/cgroup`.
fn folder_in(mounts: &str, groups: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let root = mounts.lines().find_map(|line| {
        let (before, behind) = line.split_once(" - ")?;
        behind.starts_with("cgroup2 ").then(|| before.split(' ').nth(4))?
    })?;
    // A group outside of the namespace cannot be reached.
    (!path.split('/').any(|part| part == "..")).then(|| Path::new(root).join(path))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use super::{folder_in, kill, ran_out_of_memory};

    const MOUNTS: &str = "\
25 31 0:23 / /proc rw,nosuid - proc proc rw
33 31 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
34 31 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
";

    #[test]
    fn the_own_group_is_found_among_old_and_new_ones() {
        let groups = "4:memory:/old\n0::/user.slice/abide.service\n";
        let folder = PathBuf::from("/sys/fs/cgroup/user.slice/abide.service");
        assert_eq!(folder_in(MOUNTS, groups), Some(folder));
        assert_eq!(folder_in(MOUNTS, "0::/\n"), Some("/sys/fs/cgroup/".into()));
    }

    #[test]
    fn without_a_reachable_group_there_is_none() {
        assert_eq!(folder_in(MOUNTS, "4:memory:/old\n"), None);
        assert_eq!(folder_in(MOUNTS, "0::/../other\n"), None);
        assert_eq!(folder_in("33 31 0:27 / /x rw - cgroup cgroup rw\n", "0::/\n"), None);
    }

    #[test]
    fn the_kernels_account_of_memory_is_read() -> std::io::Result<()> {
        let group = tempfile::tempdir()?;
        assert!(!ran_out_of_memory(group.path()));
        fs::write(group.path().join("memory.events"), "low 0\noom 1\noom_kill 0\n")?;
        assert!(!ran_out_of_memory(group.path()));
        fs::write(group.path().join("memory.events"), "low 0\noom 1\noom_kill 3\n")?;
        assert!(ran_out_of_memory(group.path()));
        kill(group.path());
        assert_eq!(fs::read_to_string(group.path().join("cgroup.kill"))?, "1");
        Ok(())
    }
}
