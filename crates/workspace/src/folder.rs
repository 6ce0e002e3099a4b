//! Which folders an agent has, and what a path in an argument means.
//!
//! A path is `name/relative/path`, where the name is that of a folder. Reading one touches no file: whether it leads through
//! a link is decided where it is opened.

use std::{fmt, path::PathBuf, sync::Arc};

use abide_domain::AgentId;
use abide_tools::{ToolError, ToolErrorKind};

use crate::limits::{
    FILE_NAME_BYTES_MAX, FILE_PATH_BYTES_MAX, FILE_PATH_PARTS_MAX, TEMPORARY_PREFIX,
};

/// What an agent may do in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderAccess {
    /// List, read and search.
    Read,
    /// Change as well.
    Write,
}

/// A folder as an agent knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFolder {
    /// How paths in arguments begin. Without `/`.
    pub name: String,
    /// Where it is, absolute. It is not made here.
    pub path: PathBuf,
    /// What may be done in it.
    pub access: FolderAccess,
}

/// Says which folders an agent has. Asked anew for each call, as all agents share the tools.
pub trait FolderResolver: Send + Sync + fmt::Debug {
    /// The folders of an agent: its own and those of the configuration.
    fn folders(&self, agent: &AgentId) -> Arc<[NamedFolder]>;

    /// Where what the agent changed is kept to be taken back. Made where it is missing; must be outside of the agent's folders.
    fn undo_folder(&self, agent: &AgentId) -> PathBuf;
}

/// A path of an argument: a folder and the way below it.
#[derive(Clone, Debug)]
pub(crate) struct FilePath {
    pub(crate) folder: NamedFolder,
    /// Names from the folder on, none of them `.` or `..` or with a `/` in it.
    pub(crate) parts: Vec<String>,
}

impl FilePath {
    /// Reads the path in an argument.
    pub(crate) fn parse(
        folders: &[NamedFolder],
        argument: &str,
        text: &str,
    ) -> Result<Self, ToolError> {
        let refused = |message: String| ToolError::new(format!("{argument}: {message}"));
        if text.len() > FILE_PATH_BYTES_MAX {
            return Err(refused(format!("is longer than {FILE_PATH_BYTES_MAX} bytes")));
        }
        if text.contains('\0') {
            return Err(refused("has a NUL character in it".to_owned()));
        }
        if text.starts_with('/') {
            return Err(ToolError::of(
                ToolErrorKind::Blocked,
                format!("{argument}: is absolute; {}", ways_to_begin(folders)),
            ));
        }
        let (name, rest) = text.split_once('/').unwrap_or((text, ""));
        let Some(folder) = folders.iter().find(|folder| folder.name == name) else {
            return Err(ToolError::of(
                ToolErrorKind::NotFound,
                format!("{argument}: there is no folder `{name}`; {}", ways_to_begin(folders)),
            ));
        };
        let parts: Vec<String> = rest
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .map(str::to_owned)
            .collect();
        if parts.iter().any(|part| part == "..") {
            return Err(ToolError::of(
                ToolErrorKind::Blocked,
                format!("{argument}: `..` is not followed; name the path from its folder on"),
            ));
        }
        if parts.iter().any(|part| part.len() > FILE_NAME_BYTES_MAX) {
            return Err(refused(format!("a name is longer than {FILE_NAME_BYTES_MAX} bytes")));
        }
        if parts.len() > FILE_PATH_PARTS_MAX {
            return Err(refused(format!("is deeper than {FILE_PATH_PARTS_MAX} folders")));
        }
        Ok(Self { folder: folder.clone(), parts })
    }

    /// The same, of something that is to be changed: a file or folder below a folder that may be written.
    pub(crate) fn parse_changed(
        folders: &[NamedFolder],
        argument: &str,
        text: &str,
    ) -> Result<Self, ToolError> {
        let path = Self::parse(folders, argument, text)?;
        if path.folder.access != FolderAccess::Write {
            let written: Vec<String> = folders
                .iter()
                .filter(|folder| folder.access == FolderAccess::Write)
                .map(|folder| format!("`{}`", folder.name))
                .collect();
            let others = if written.is_empty() { "none".to_owned() } else { written.join(", ") };
            let message = format!(
                "{argument}: `{}` may only be read; folders that may be changed: {others}",
                path.folder.name
            );
            return Err(ToolError::of(ToolErrorKind::Blocked, message));
        }
        if path.parts.is_empty() {
            let message = format!("{argument}: names the folder `{}` itself", path.folder.name);
            return Err(ToolError::of(ToolErrorKind::Blocked, message));
        }
        if path.parts.iter().any(|part| part.starts_with(TEMPORARY_PREFIX)) {
            let message =
                format!("{argument}: names that begin with `{TEMPORARY_PREFIX}` are reserved");
            return Err(ToolError::of(ToolErrorKind::Blocked, message));
        }
        Ok(path)
    }

    /// As it is written in arguments.
    pub(crate) fn to_text(&self) -> String {
        let mut text = self.folder.name.clone();
        for part in &self.parts {
            text.push('/');
            text.push_str(part);
        }
        text
    }

    /// The names of the folders above it, and its own; none where it is the folder itself.
    pub(crate) fn split_last(&self) -> Option<(&str, &[String])> {
        self.parts.split_last().map(|(name, above)| (name.as_str(), above))
    }
}

fn ways_to_begin(folders: &[NamedFolder]) -> String {
    if folders.is_empty() {
        return "you have no folders".to_owned();
    }
    let names: Vec<String> = folders.iter().map(|folder| format!("`{}/`", folder.name)).collect();
    format!("paths begin with one of: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use abide_tools::ToolErrorKind;

    use super::{FilePath, FolderAccess, NamedFolder};

    fn folders() -> Vec<NamedFolder> {
        let folder = |name: &str, access| NamedFolder {
            name: name.to_owned(),
            path: format!("/somewhere/{name}").into(),
            access,
        };
        vec![folder("work", FolderAccess::Write), folder("docs", FolderAccess::Read)]
    }

    #[test]
    fn a_path_is_a_folder_and_names_below_it() {
        for (text, parts) in [
            ("work", vec![]),
            ("work/", vec![]),
            ("work/a/b.md", vec!["a", "b.md"]),
            ("work//a/./b/", vec!["a", "b"]),
            ("work/a\nb", vec!["a\nb"]),
            ("work/...", vec!["..."]),
            ("work/wоrk", vec!["wоrk"]),
        ] {
            let path = FilePath::parse(&folders(), "path", text).unwrap();
            assert_eq!(path.parts, parts, "{text:?}");
        }
    }

    #[test]
    fn paths_that_lead_elsewhere_are_refused() {
        let long = format!("work/{}", "x".repeat(256));
        let longer = "work/x".repeat(1_000);
        let deep = format!("work/{}", "a/".repeat(65));
        for (text, kind, words) in [
            ("/etc/passwd", ToolErrorKind::Blocked, "is absolute"),
            ("work/../../etc", ToolErrorKind::Blocked, "`..`"),
            ("work/a/..", ToolErrorKind::Blocked, "`..`"),
            ("..", ToolErrorKind::NotFound, "no folder `..`"),
            ("", ToolErrorKind::NotFound, "`work/`, `docs/`"),
            ("work-evil/a", ToolErrorKind::NotFound, "no folder `work-evil`"),
            ("wоrk/a", ToolErrorKind::NotFound, "no folder"),
            ("Work/a", ToolErrorKind::NotFound, "no folder"),
            ("work/a\0b", ToolErrorKind::Invalid, "NUL"),
            (long.as_str(), ToolErrorKind::Invalid, "longer than 255"),
            (longer.as_str(), ToolErrorKind::Invalid, "longer than 4096"),
            (deep.as_str(), ToolErrorKind::Invalid, "deeper than"),
        ] {
            let error = FilePath::parse(&folders(), "path", text).unwrap_err();
            assert_eq!(error.kind, kind, "{text:?}: {error}");
            assert!(error.message.contains(words), "{text:?}: {error}");
        }
    }

    #[test]
    fn only_what_is_below_a_folder_that_may_be_written_is_changed() {
        for (text, words) in [
            ("docs/a", "may only be read; folders that may be changed: `work`"),
            ("work", "names the folder `work` itself"),
            ("work/.abide-tmp-1", "reserved"),
        ] {
            let error = FilePath::parse_changed(&folders(), "path", text).unwrap_err();
            assert_eq!(error.kind, ToolErrorKind::Blocked);
            assert!(error.message.contains(words), "{error}");
        }
        assert!(FilePath::parse_changed(&folders(), "path", "work/a").is_ok());
    }
}
