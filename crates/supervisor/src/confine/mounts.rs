//! Level 2: what can be seen. A root of its own with the system's folders, what was granted, a few devices, a bounded
//! `/tmp` and `/dev/shm`, and the processes of its own namespace; everything else is not there.
//!
//! The order matters: what is to be seen is taken hold of while the old root is there, laid out in the new one, and the old
//! one is let go of. It must never leave a way back to it.

use std::{
    fs, io,
    os::{fd::OwnedFd, unix::fs::symlink},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, StatVfsMountFlags, statvfs},
    io::Errno,
    mount::{
        MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount,
        mount_change, mount_remount, move_mount, open_tree, unmount,
    },
    process::{chdir, pivot_root},
};

use super::{error::ConfineError, files};
use crate::confinement::Confinement;

/// Bytes of `/tmp` and of `/dev/shm`, which are memory, and of the folders that lead to what is granted.
const TMP: &std::ffi::CStr = c"mode=1777,size=536870912";
const SHARED_MEMORY: &std::ffi::CStr = c"mode=1777,size=67108864";
const ROOT: &std::ffi::CStr = c"mode=755,size=4194304";
const TERMINALS: &std::ffi::CStr = c"newinstance,ptmxmode=0666,mode=0620";
/// Links that programs expect.
const LINKS: &[(&str, &str)] = &[
    ("dev/fd", "/proc/self/fd"),
    ("dev/stdin", "/proc/self/fd/0"),
    ("dev/stdout", "/proc/self/fd/1"),
    ("dev/stderr", "/proc/self/fd/2"),
    ("dev/ptmx", "pts/ptmx"),
    ("var/tmp", "../tmp"),
];

/// Something of the old root that is to be seen in the new one.
struct Visible {
    path: PathBuf,
    tree: OwnedFd,
    is_folder: bool,
    is_read_only: bool,
}

/// Gives this process's namespace a root with nothing in it but what `confinement` allows.
pub(super) fn make(confinement: &Confinement) -> Result<(), ConfineError> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(ConfineError::at("make the mounts private"))?;
    let visible = take_hold(confinement)?;
    // Any folder that is there will do: it is covered in this namespace alone, and what is below it is held already.
    let root = confinement
        .write
        .iter()
        .find(|path| path.is_dir())
        .map_or_else(|| Path::new("/tmp"), PathBuf::as_path);
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", root, "tmpfs", flags, ROOT).map_err(ConfineError::at("make a new root"))?;
    special(root)?;
    // After /tmp was made: what was granted may lie in the old one.
    for seen in &visible {
        let step = format!("show {}", seen.path.display());
        show(root, seen).map_err(ConfineError::at(step))?;
    }
    enter(root).map_err(ConfineError::at("enter the new root"))
}

fn take_hold(confinement: &Confinement) -> Result<Vec<Visible>, ConfineError> {
    let read = files::system_paths().chain(confinement.read.iter().cloned());
    let devices = files::devices().iter().map(PathBuf::from);
    let paths = read
        .map(|path| (path, true))
        .chain(devices.chain(confinement.write.iter().cloned()).map(|path| (path, false)));
    let mut paths: Vec<_> = paths.filter(|(path, _)| path != Path::new("/proc")).collect();
    // A folder before what lies in it; of the same folder, the one that may be written last.
    paths.sort_by(|(a, a_reads), (b, b_reads)| a.cmp(b).then(b_reads.cmp(a_reads)));
    let mut visible: Vec<Visible> = Vec::new();
    for (path, is_read_only) in paths {
        let is_there_already =
            |seen: &Visible| path.starts_with(&seen.path) && (is_read_only || !seen.is_read_only);
        if visible.iter().any(is_there_already) {
            continue;
        }
        let Ok(found) = fs::metadata(&path) else { continue };
        let step = format!("take hold of {}", path.display());
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        let tree = open_tree(CWD, &path, flags).map_err(ConfineError::at(step))?;
        visible.push(Visible { path, tree, is_folder: found.is_dir(), is_read_only });
    }
    Ok(visible)
}

fn show(root: &Path, seen: &Visible) -> io::Result<()> {
    let place = inside(root, &seen.path);
    if seen.is_folder {
        fs::create_dir_all(&place)?;
    } else if !place.exists() {
        place.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::File::create(&place)?;
    }
    move_mount(&seen.tree, "", CWD, &place, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    if seen.is_read_only {
        // What the system had forbidden of this mount cannot be allowed again, so it is said again.
        let held = statvfs(&place)?.f_flag;
        let mut flags = MountFlags::BIND | MountFlags::RDONLY;
        for (had, flag) in [
            (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
            (StatVfsMountFlags::NODEV, MountFlags::NODEV),
            (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        ] {
            if held.contains(had) {
                flags |= flag;
            }
        }
        mount_remount(&place, flags, "")?;
    }
    Ok(())
}

/// File systems of its own, and the links into them.
fn special(root: &Path) -> Result<(), ConfineError> {
    let plain = MountFlags::NOSUID | MountFlags::NODEV;
    let mounts = [
        ("tmp", "tmpfs", plain, Some(TMP)),
        ("dev/shm", "tmpfs", plain | MountFlags::NOEXEC, Some(SHARED_MEMORY)),
        ("dev/pts", "devpts", MountFlags::NOSUID | MountFlags::NOEXEC, Some(TERMINALS)),
        ("proc", "proc", plain | MountFlags::NOEXEC, None),
    ];
    for (name, kind, flags, options) in mounts {
        let place = root.join(name);
        let step = format!("mount /{name}");
        fs::create_dir_all(&place).map_err(ConfineError::at(step.clone()))?;
        mount(kind, &place, kind, flags, options).map_err(ConfineError::at(step))?;
    }
    fs::create_dir_all(root.join("var")).map_err(ConfineError::at("make /var"))?;
    for (name, target) in LINKS {
        match symlink(target, root.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(ConfineError::at(format!("link /{name}"))(error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn enter(root: &Path) -> Result<(), Errno> {
    chdir(root)?;
    // The old root comes to lie over the new one, and is let go of.
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir("/")
}

fn inside(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}
