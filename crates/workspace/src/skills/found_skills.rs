//! All skills of some folders, as the keeper finds them at its start. No link leads out of a folder; what is no skill is a problem with
//! its reason and keeps no other from being one.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    head::check_head,
    skill::Skill,
    skill_file::{SKILL_FILE, read_file},
};
use crate::limits::TEMPORARY_PREFIX;

/// Most skills of a folder.
const SKILLS_MAX: usize = 500;

/// Says why a folder is no skill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is no skill that can be used: {what}", folder.display())]
pub struct SkillError {
    /// The folder.
    pub folder: PathBuf,
    /// What is wrong, with the line where it is in the file.
    pub what: String,
}

/// The skills of some folders; one of a later folder is used in the place of that of its name in an earlier one, such as an
/// agent's own in the place of the home's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skills {
    /// By their names.
    pub found: BTreeMap<String, Arc<Skill>>,
    /// What looks like a skill and is none, and what is not used because another one is.
    pub problems: Vec<SkillError>,
}

impl Skills {
    /// Reads the folders below each of these: the home's, then an agent's own. One that is not there has none. Blocking.
    pub fn read(folders: &[PathBuf]) -> Self {
        let mut skills = Self::default();
        for folder in folders {
            for found in skill_folders(folder) {
                match Skill::read(&found) {
                    Ok(skill) => skills.add(skill),
                    Err(problem) => skills.problems.push(problem),
                }
            }
        }
        skills
    }

    fn add(&mut self, skill: Skill) {
        let skill = Arc::new(skill);
        let Some(hidden) = self.found.insert(skill.name.clone(), Arc::clone(&skill)) else {
            return;
        };
        let what = format!("{} has the same name and is used instead", skill.folder.display());
        self.problems.push(SkillError { folder: hidden.folder.clone(), what });
    }
}

/// The folders in a folder, in the order of their names.
fn skill_folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    // A link is no folder here: nothing outside is a skill. One that is not wholly copied yet is none either.
    let is_folder = |entry: &fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_dir())
            && !entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX)
    };
    let folders = entries.filter_map(Result::ok).filter(is_folder).map(|entry| entry.path());
    let mut folders: Vec<_> = folders.take(SKILLS_MAX).collect();
    folders.sort();
    folders
}

impl Skill {
    /// Reads one skill. Blocking.
    pub(super) fn read(folder: &Path) -> Result<Self, SkillError> {
        let failed = |what: String| SkillError { folder: folder.to_owned(), what };
        let text =
            read_file(folder, SKILL_FILE).map_err(|why| failed(format!("{SKILL_FILE}: {why}")))?;
        check_head(folder, &text).map_err(|problems| {
            let first =
                problems.first().map(|problem| format!("{}: {}", problem.place, problem.what));
            failed(first.unwrap_or_default())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::Path};

    use super::{Skill, Skills};

    fn write(root: &Path, name: &str, text: &str) {
        fs::create_dir_all(root.join(name)).unwrap();
        fs::write(root.join(name).join("SKILL.md"), text).unwrap();
    }

    #[test]
    fn skills_are_found_by_their_folders_and_what_is_none_is_named() {
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
        let mut problems: Vec<_> = skills
            .problems
            .iter()
            .map(|error| error.folder.strip_prefix(home.path()).unwrap().to_str().unwrap())
            .collect();
        problems.sort_unstable();
        assert_eq!(problems, ["a/pdf-forms", "b/a--b", "b/empty", "b/linked", "b/none", "b/other"]);
        assert!(Skill::read(&second.join("none")).unwrap_err().what.contains("line 1"));
    }
}
