//! A row of `abide doctor`: whether the socket by which commands reach the running keeper is one, and its owner's alone.

use std::{
    fs::{FileType, Permissions},
    io,
    os::unix::fs::{FileTypeExt as _, PermissionsExt as _},
};

use crate::{
    cli::{
        context::Context,
        finding::{Finding, Verdict},
    },
    presence::Presence,
};

const NAME: &str = "socket";
/// The mode that the keeper gives it.
const MODE: u32 = 0o600;

/// Looks at it; sets its mode right where it may.
pub(super) fn check(context: &Context, may_fix: bool) -> Finding {
    let path = context.home.api_socket();
    let shown = path.display();
    let is_running = Presence::of(&context.home).is_some_and(|presence| presence.is_running());
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Finding::new(NAME, Verdict::Fail, format!("{shown} cannot be seen: {error}"));
        }
        Err(_) if is_running => {
            let detail = format!(
                "{shown} is gone, so that no command reaches the running keeper; restart the keeper"
            );
            return Finding::new(NAME, Verdict::Fail, detail);
        }
        Err(_) => return Finding::new(NAME, Verdict::Ok, "none; `abide up` makes it"),
    };
    if !found.file_type().is_socket() {
        let (verdict, next) = if is_running {
            (Verdict::Fail, "move it away and restart the keeper")
        } else if found.is_dir() {
            (Verdict::Fail, "move it away, or no keeper starts")
        } else {
            (Verdict::Warn, "the next start of the keeper puts its socket there instead")
        };
        let detail = format!("{shown} is {}, not a socket; {next}", what(found.file_type()));
        return Finding::new(NAME, verdict, detail);
    }
    let mode = found.permissions().mode() & 0o777;
    if mode == MODE {
        return Finding::new(NAME, Verdict::Ok, format!("{shown} is private to its owner"));
    }
    if may_fix && std::fs::set_permissions(&path, Permissions::from_mode(MODE)).is_ok() {
        return Finding::new(NAME, Verdict::Ok, format!("{shown} is private to its owner again"));
    }
    let detail = format!(
        "{shown} has mode {mode:o} instead of {MODE:o}; run `abide doctor --fix` to set it right"
    );
    Finding::new(NAME, Verdict::Warn, detail)
}

fn what(kind: FileType) -> &'static str {
    match kind {
        kind if kind.is_symlink() => "a symbolic link",
        kind if kind.is_file() => "a file",
        kind if kind.is_dir() => "a folder",
        _ => "a pipe or a device",
    }
}
