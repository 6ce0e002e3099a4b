//! What a person should know of a skill before agents read it: what keeps it from being one, what to look at, its files.
//!
//! It reads a folder and changes nothing. A warning is no verdict: a skill grants nothing, but an agent does what it says.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use rustix::fs::FileType;

use super::{
    finding::SkillFinding,
    head::check_head,
    skill::Skill,
    skill_file::{SKILL_FILE, SKILL_FILE_BYTES_MAX, read_file},
    text_checks::check_text,
};
use crate::{
    beneath::kind,
    folder::{FilePath, FolderAccess, NamedFolder},
    walk::{FolderWalk, WalkEntry},
};

/// Most files and folders of a skill.
pub(super) const SKILL_ENTRIES_MAX: usize = 500;
/// Deepest folder of a skill.
pub(super) const SKILL_DEPTH_MAX: usize = 8;
/// Most warnings in a report; of further ones the number is said.
const WARNINGS_MAX: usize = 100;
/// How names of programs end, beside those that say so in their first line or their mode.
const SCRIPT_ENDS: [&str; 22] = [
    "bash", "bat", "cjs", "cmd", "com", "dll", "dylib", "exe", "fish", "js", "lua", "mjs", "php",
    "pl", "ps1", "py", "rb", "sh", "so", "ts", "vbs", "zsh",
];
/// Any permission to execute.
const EXECUTABLE: u32 = 0o111;

/// A file of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFile {
    /// Its path below the skill.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Whether it is a program, by its mode, its name or its first line.
    pub is_script: bool,
}

/// What a person should know of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillReport {
    /// The folder.
    pub folder: PathBuf,
    /// The skill, where it can be used.
    pub skill: Option<Skill>,
    /// What keeps it from being used; empty where it can be.
    pub problems: Vec<SkillFinding>,
    /// What to look at before it is used.
    pub warnings: Vec<SkillFinding>,
    /// Its files, in the order of their paths.
    pub files: Vec<SkillFile>,
}

impl SkillReport {
    fn warn(
        &mut self,
        place: impl Into<String>,
        what: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.warnings.push(SkillFinding::new(place, what, advice));
    }
}

/// Looks at the folder of a skill. Blocking.
pub fn check_skill(folder: &Path) -> SkillReport {
    let mut report = SkillReport { folder: folder.to_owned(), ..SkillReport::default() };
    match read_file(folder, SKILL_FILE) {
        Ok(text) => match check_head(folder, &text) {
            Ok(skill) => report.skill = Some(skill),
            Err(problems) => report.problems = problems,
        },
        Err(why) => {
            let advice = format!("a skill is a folder with a file {SKILL_FILE}");
            report.problems.push(SkillFinding::new(SKILL_FILE, why, advice));
        }
    }
    find_files(folder, &mut report);
    check_files(folder, &mut report);
    let more = report.warnings.len().saturating_sub(WARNINGS_MAX);
    if more > 0 {
        report.warnings.truncate(WARNINGS_MAX);
        let what = format!("at least {more} more warnings are not shown");
        report.warn("the skill", what, "look at its files yourself");
    }
    report
}

/// Lists the files; warns of what is none.
fn find_files(folder: &Path, report: &mut SkillReport) {
    let named = NamedFolder {
        name: "skill".to_owned(),
        path: folder.to_owned(),
        access: FolderAccess::Read,
    };
    let path = FilePath { folder: named, parts: Vec::new() };
    // That it cannot be opened is said already.
    let Ok(opened) = crate::beneath::open_folder(&path) else { return };
    let mut walk = FolderWalk::new(SKILL_DEPTH_MAX, true);
    let flow = walk.run(&opened, &mut |entry| {
        if report.files.len() == SKILL_ENTRIES_MAX {
            return ControlFlow::Break(());
        }
        note_entry(entry, report);
        ControlFlow::Continue(())
    });
    if flow.is_break() || walk.is_cut() {
        let what = format!("it has more than {SKILL_ENTRIES_MAX} files");
        report.warn("the skill", what, "take out what it does not need; it cannot be added so");
    }
    if walk.unreadable > 0 {
        let what = format!("{} of its names cannot be read", walk.unreadable);
        report.warn("the skill", what, "use names of plain text that you may read");
    }
}

fn note_entry(entry: &WalkEntry<'_>, report: &mut SkillReport) {
    let place = abide_domain::visible_line(entry.path).into_owned();
    match kind(entry.stat) {
        FileType::Directory => {}
        FileType::RegularFile => {
            let bytes = u64::try_from(entry.stat.st_size).unwrap_or_default();
            let is_script = entry.stat.st_mode & EXECUTABLE != 0 || has_script_end(entry.name);
            report.files.push(SkillFile { path: entry.path.to_owned(), bytes, is_script });
        }
        FileType::Symlink => {
            let advice =
                "put the file itself there; nothing is read through it, and it cannot be added so";
            report.warn(place, "is a link", advice);
        }
        _ => report.warn(
            place,
            "is neither a file nor a folder",
            "take it out; it cannot be added so",
        ),
    }
}

fn has_script_end(name: &str) -> bool {
    let end = Path::new(name).extension().and_then(|end| end.to_str());
    end.is_some_and(|end| SCRIPT_ENDS.contains(&end.to_ascii_lowercase().as_str()))
}

/// Looks into the files, and warns of the scripts among them.
fn check_files(folder: &Path, report: &mut SkillReport) {
    let mut files = std::mem::take(&mut report.files);
    // What is in the texts comes last, so that it never crowds out which files are scripts.
    let mut of_texts = Vec::new();
    let paths: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    for file in &mut files {
        let place = abide_domain::visible_line(&file.path).into_owned();
        if file.bytes > SKILL_FILE_BYTES_MAX {
            let what = format!(
                "has {} bytes; agents are shown {SKILL_FILE_BYTES_MAX} at most",
                file.bytes
            );
            report.warn(place.as_str(), what, "split it, where agents are to read it");
        } else if let Ok(text) = read_file(folder, &file.path) {
            file.is_script |= text.starts_with("#!");
            of_texts.extend(check_text(&file.path, &text, &paths));
        } else {
            report.warn(place.as_str(), "is no text", "make sure that you know what it is");
        }
        if file.is_script {
            let advice = "read it; agents may run it as any command, by `shell.run`";
            report.warn(place, "is a script or program", advice);
        }
    }
    report.warnings.extend(of_texts);
    report.files = files;
}
