//! A skill, and all skills of a folder.

use std::{
    collections::BTreeMap,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::front_matter::FrontMatter;
use crate::{
    beneath::{Missing, Place},
    folder::{FilePath, FolderAccess, NamedFolder},
};

/// The file that makes a folder a skill.
pub(super) const SKILL_FILE: &str = "SKILL.md";
/// Longest name, in bytes.
const NAME_BYTES_MAX: usize = 64;
/// Longest description, in Unicode scalar values.
const DESCRIPTION_CHARS_MAX: usize = 1_024;
/// Longest note on what it needs, in Unicode scalar values.
const COMPATIBILITY_CHARS_MAX: usize = 500;
/// Longest file of a skill, in bytes.
const SKILL_FILE_BYTES_MAX: u64 = 256 * 1024;
/// How the folder of a skill is called in what goes wrong with a file of it.
const FOLDER_NAME: &str = "skill";
/// Most skills of a folder.
const SKILLS_MAX: usize = 500;

/// A skill that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Its name, which is that of its folder.
    pub name: String,
    /// What it is for, on one line.
    pub description: String,
    /// What it needs, where it says so.
    pub compatibility: Option<String>,
    /// What it would like to use. Nothing is granted by it.
    pub allowed_tools: Option<String>,
    /// Where it is.
    pub folder: PathBuf,
}

/// Says why a folder is no skill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is no skill that can be used: {what}", folder.display())]
pub struct SkillError {
    /// The folder.
    pub folder: PathBuf,
    /// What is wrong, with the line where it is in the file.
    pub what: String,
}

/// The skills of some folders; one of an earlier folder hides those of its name in later ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skills {
    /// By their names.
    pub found: BTreeMap<String, Arc<Skill>>,
    /// What looks like a skill and is none.
    pub problems: Vec<SkillError>,
}

impl Skills {
    /// Reads the folders below each of these. One that is not there has none. Blocking.
    pub fn read(folders: &[PathBuf]) -> Self {
        let mut skills = Self::default();
        for folder in folders {
            for found in skill_folders(folder) {
                match check_skill(&found) {
                    Ok(skill) => {
                        skills.found.entry(skill.name.clone()).or_insert_with(|| Arc::new(skill));
                    }
                    Err(problem) => skills.problems.push(problem),
                }
            }
        }
        skills
    }
}

/// The folders in a folder, in the order of their names.
fn skill_folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    // A link is no folder here: nothing outside is a skill.
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let folders = entries.filter_map(Result::ok).filter(is_folder).map(|entry| entry.path());
    let mut folders: Vec<_> = folders.take(SKILLS_MAX).collect();
    folders.sort();
    folders
}

/// Reads one skill and checks it. Blocking.
pub fn check_skill(folder: &Path) -> Result<Skill, SkillError> {
    let failed = |what: String| SkillError { folder: folder.to_owned(), what };
    let text =
        read_file(folder, SKILL_FILE).map_err(|why| failed(format!("{SKILL_FILE}: {why}")))?;
    let head = FrontMatter::parse(&text)
        .map_err(|error| failed(format!("{SKILL_FILE}, line {}: {}", error.line, error.what)))?;
    let required = |key: &str| {
        let value = head.get(key).map(str::trim).filter(|value| !value.is_empty());
        value.ok_or_else(|| failed(format!("{SKILL_FILE} has no {key}")))
    };
    let (name, description) = (required("name")?, required("description")?);
    if !is_skill_name(name) {
        return Err(failed(format!(
            "the name `{name}` is not 1 to {NAME_BYTES_MAX} of a-z, 0-9 and single hyphens within"
        )));
    }
    if folder.file_name().is_none_or(|folder| folder != name) {
        return Err(failed(format!("its name is `{name}`, and its folder has another")));
    }
    let bounded = |what: &str, value: &str, max: usize| match value.chars().count() {
        count if count > max => {
            Err(failed(format!("{what} has {count} characters; at most {max}")))
        }
        _ => Ok(()),
    };
    bounded("description", description, DESCRIPTION_CHARS_MAX)?;
    let compatibility = head.get("compatibility").map(one_line);
    bounded(
        "compatibility",
        compatibility.as_deref().unwrap_or_default(),
        COMPATIBILITY_CHARS_MAX,
    )?;
    Ok(Skill {
        name: name.to_owned(),
        description: one_line(description),
        compatibility,
        allowed_tools: head.get("allowed-tools").map(one_line),
        folder: folder.to_owned(),
    })
}

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

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_skill_name(name: &str) -> bool {
    let fits = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    name.len() <= NAME_BYTES_MAX && name.split('-').all(fits)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::Path};

    use super::{Skills, check_skill};

    fn write(root: &Path, name: &str, text: &str) {
        fs::create_dir_all(root.join(name)).unwrap();
        fs::write(root.join(name).join("SKILL.md"), text).unwrap();
    }

    #[test]
    fn skills_are_found_by_their_folders_and_what_is_none_is_told() {
        let home = tempfile::tempdir().unwrap();
        let (first, second) = (home.path().join("a"), home.path().join("b"));
        write(
            &first,
            "pdf-forms",
            "---\nname: pdf-forms\ndescription: Fills forms: all [of] them\nallowed-tools: Bash(*)\n---\nDo it.",
        );
        write(&second, "pdf-forms", "---\nname: pdf-forms\ndescription: another\n---\n");
        write(&second, "other", "---\nname: another\ndescription: x\n---\n");
        write(&second, "a--b", "---\nname: a--b\ndescription: x\n---\n");
        write(&second, "none", "no head");
        fs::create_dir_all(second.join("empty")).unwrap();
        write(home.path(), "outside", "---\nname: outside\ndescription: x\n---\n");
        symlink(home.path().join("outside"), second.join("outside")).unwrap();
        fs::create_dir_all(second.join("linked")).unwrap();
        symlink(home.path().join("outside/SKILL.md"), second.join("linked/SKILL.md")).unwrap();
        let skills = Skills::read(&[first, second.clone(), home.path().join("missing")]);
        let names: Vec<_> = skills.found.keys().map(String::as_str).collect();
        assert_eq!(names, ["pdf-forms"]);
        assert_eq!(skills.found["pdf-forms"].description, "Fills forms: all [of] them");
        let mut problems: Vec<_> = skills
            .problems
            .iter()
            .map(|error| error.folder.file_name().unwrap().to_str().unwrap())
            .collect();
        problems.sort_unstable();
        assert_eq!(problems, ["a--b", "empty", "linked", "none", "other"]);
        assert!(check_skill(&second.join("none")).unwrap_err().what.contains("line 1"));
    }
}
