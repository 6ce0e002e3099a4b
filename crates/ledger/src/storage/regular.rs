//! Opening a file that is a file. Whoever can write to a folder can put something else in a file's place: a link to a file
//! of somebody else, a pipe that nobody reads, a device. Every file of a home is opened here.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use rustix::{fs::OFlags, io::Errno};

/// What is done about a symbolic link in place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRule {
    /// It is an error: nobody but Abide makes this file.
    Refuse,
    /// It is followed: a person may keep the file elsewhere.
    Follow,
}

/// Opens a regular file, made with mode 0600 where the options make one. It never waits, whatever stands in its place.
///
/// Errors: those of the system; `InvalidInput` where a link that is not followed, a pipe, a socket, a device or a folder
/// stands in its place.
pub fn open_regular(options: &mut OpenOptions, path: &Path, links: LinkRule) -> io::Result<File> {
    let follow = match links {
        LinkRule::Refuse => OFlags::NOFOLLOW,
        LinkRule::Follow => OFlags::empty(),
    };
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | follow;
    let opened = options.mode(0o600).custom_flags(flags.bits().cast_signed()).open(path);
    let file = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => not_regular("a symbolic link"),
        // A pipe that nobody reads, a socket.
        Some(Errno::NXIO) => not_regular("a pipe, a socket or a device"),
        _ => error,
    })?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok(file) } else { Err(not_regular(kind_of(&metadata))) }
}

/// Opens a folder, to lock it or to make its entries durable. It never waits, and follows no link in the last place.
///
/// Errors: those of the system; `NotADirectory` with the path and what stands there, where it is no folder.
pub fn open_folder(path: &Path) -> io::Result<File> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    opened.map_err(|error| match require_folder(path) {
        Err(reason) if reason.kind() == io::ErrorKind::NotADirectory => reason,
        _ => error,
    })
}

/// Whether a folder stands at a path: false where nothing does.
///
/// Errors: `NotADirectory` with the path, what stands there instead and what to do; those of the system.
pub fn require_folder(path: &Path) -> io::Result<bool> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let what = match metadata.file_type() {
        kind if kind.is_dir() => return Ok(true),
        kind if kind.is_symlink() => "a symbolic link",
        kind if kind.is_file() => "a file",
        _ => "a pipe, a socket or a device",
    };
    let problem = format!(
        "{} is {what}, where Abide keeps a folder; put the folder back, or move away what stands there",
        path.display()
    );
    Err(io::Error::new(io::ErrorKind::NotADirectory, problem))
}

fn kind_of(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() { "a folder" } else { "a pipe, a socket or a device" }
}

fn not_regular(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, not a regular file"))
}
