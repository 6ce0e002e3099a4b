//! The files of a skill, as texts.

use std::{fs, io::Read as _, path::Path};

use crate::{
    beneath::{Missing, Place},
    folder::{FilePath, FolderAccess, NamedFolder},
};

/// The file that makes a folder a skill.
pub(super) const SKILL_FILE: &str = "SKILL.md";
/// Longest file of a skill, in bytes.
pub(super) const SKILL_FILE_BYTES_MAX: u64 = 256 * 1024;
/// How the folder of a skill is called in what goes wrong with a file of it.
const FOLDER_NAME: &str = "skill";

/// A text file of a skill, never through a link. The error is for people and minds.
pub(super) fn read_file(folder: &Path, below: &str) -> Result<String, String> {
    let (name, access) = (FOLDER_NAME.to_owned(), FolderAccess::Read);
    let named = [NamedFolder { name, path: folder.to_owned(), access }];
    let path = FilePath::parse(&named, "file", &format!("{FOLDER_NAME}/{below}"));
    let opened = path.and_then(|path| Place::open(&path, Missing::Refuse)?.open_file());
    let (file, _) = opened.map_err(|error| error.message)?;
    let mut text = String::new();
    let bounded = fs::File::from(file).take(SKILL_FILE_BYTES_MAX + 1).read_to_string(&mut text);
    match bounded {
        Err(error) => Err(format!("it cannot be read as text: {error}")),
        Ok(bytes) if u64::try_from(bytes).unwrap_or(u64::MAX) > SKILL_FILE_BYTES_MAX => {
            Err(format!("it is longer than {SKILL_FILE_BYTES_MAX} bytes"))
        }
        Ok(_) => Ok(text),
    }
}
