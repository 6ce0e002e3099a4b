//! What the kernel answers, in words for a mind.

use abide_tools::{ToolError, ToolErrorKind};
use rustix::{fs::FileType, io::Errno};

/// Says why something could not be done to a path. Nothing was changed.
pub(crate) fn refusal(doing: &str, path: &str, errno: Errno) -> ToolError {
    let (kind, why) = match errno {
        Errno::NOENT => (ToolErrorKind::NotFound, "there is nothing".to_owned()),
        Errno::NOTDIR => (ToolErrorKind::NotFound, "a part of the path is not a folder".to_owned()),
        Errno::LOOP => (
            ToolErrorKind::Blocked,
            "it is a link, or lies behind one; links are not followed, wherever they lead"
                .to_owned(),
        ),
        Errno::XDEV => (ToolErrorKind::Blocked, "it leads out of its folder".to_owned()),
        Errno::ACCESS | Errno::PERM | Errno::ROFS => {
            (ToolErrorKind::Blocked, format!("the system does not permit it ({errno})"))
        }
        Errno::NAMETOOLONG | Errno::INVAL | Errno::ILSEQ => {
            (ToolErrorKind::Invalid, format!("the file system does not take it ({errno})"))
        }
        Errno::EXIST => (ToolErrorKind::Conflict, "there is something already".to_owned()),
        Errno::NOTEMPTY => (ToolErrorKind::Conflict, "the folder is not empty".to_owned()),
        other => (ToolErrorKind::Upstream, other.to_string()),
    };
    ToolError::of(kind, format!("`{path}` could not be {doing}: {why}"))
}

/// Says that something is not the kind of thing that was asked for.
pub(crate) fn wrong_kind(path: &str, kind: FileType, wanted: &str) -> ToolError {
    ToolError::of(
        ToolErrorKind::Blocked,
        format!("`{path}` is {}, not {wanted}", kind_with_article(kind)),
    )
}

fn kind_with_article(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "a file",
        FileType::Directory => "a folder",
        FileType::Symlink => "a link (links are not followed)",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "of an unknown kind",
    }
}

/// The kind of an entry of a listing.
pub(crate) fn kind_word(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "file",
        FileType::Directory => "folder",
        FileType::Symlink => "link",
        FileType::Fifo => "pipe",
        FileType::Socket => "socket",
        FileType::CharacterDevice | FileType::BlockDevice => "device",
        FileType::Unknown => "unknown",
    }
}
