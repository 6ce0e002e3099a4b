//! Goes through a folder and what is below it, by descriptors: no link is followed, names come in their order.
//!
//! Passes over what is hidden, what tools make, and what a `.gitignore` names, unless all is asked for.

use std::ops::ControlFlow;

use abide_tools::ToolError;
use globset::{GlobBuilder, GlobMatcher};
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use rustix::{
    fd::{AsFd as _, BorrowedFd, OwnedFd},
    fs::{Dir, FileType, Stat},
};

use crate::{
    beneath::{kind, open_regular, open_subfolder, stat_entry},
    limits::{
        FOLDERS_PASSED_OVER, GITIGNORE_BYTES_MAX, SEARCH_PATTERN_BYTES_MAX, TEMPORARY_PREFIX,
        WALK_DEPTH_MAX, WALK_ENTRIES_MAX,
    },
    old_file::read_start,
};

/// Something on the way.
#[derive(Debug)]
pub(crate) struct WalkEntry<'a> {
    pub(crate) parent: BorrowedFd<'a>,
    pub(crate) name: &'a str,
    /// From where the walk began.
    pub(crate) path: &'a str,
    pub(crate) stat: &'a Stat,
}

/// A walk, and what it left out.
#[derive(Debug)]
pub(crate) struct FolderWalk {
    /// 1: only what is in the folder itself.
    pub(crate) depth_max: usize,
    /// Whether what is hidden or ignored is looked at.
    pub(crate) all: bool,
    pub(crate) passed_over: usize,
    /// Names that are not text, or could not be looked at.
    pub(crate) unreadable: usize,
    pub(crate) seen: usize,
    /// The rules of the folders above, with how many names their path has.
    ignored: Vec<(usize, Gitignore)>,
    parts: Vec<String>,
}

impl FolderWalk {
    pub(crate) fn new(depth_max: usize, all: bool) -> Self {
        Self {
            depth_max: depth_max.min(WALK_DEPTH_MAX),
            all,
            passed_over: 0,
            unreadable: 0,
            seen: 0,
            ignored: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Whether it ended because there was too much.
    pub(crate) const fn is_cut(&self) -> bool {
        self.seen >= WALK_ENTRIES_MAX
    }

    /// Goes through an open folder.
    pub(crate) fn run(
        &mut self,
        folder: &OwnedFd,
        visit: &mut dyn FnMut(&WalkEntry<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let has_rules = !self.all && self.push_rules(folder.as_fd());
        let flow = self.go_through(folder, visit);
        if has_rules {
            self.ignored.pop();
        }
        flow
    }

    fn go_through(
        &mut self,
        folder: &OwnedFd,
        visit: &mut dyn FnMut(&WalkEntry<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for name in self.names(folder) {
            if self.is_cut() {
                return ControlFlow::Break(());
            }
            self.seen += 1;
            let Ok(stat) = stat_entry(folder.as_fd(), &name) else {
                self.unreadable += 1;
                continue;
            };
            let is_folder = kind(&stat) == FileType::Directory;
            self.parts.push(name);
            let flow = self.enter(folder, &stat, is_folder, visit);
            self.parts.pop();
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Visits the entry that `parts` names, and what is in it.
    fn enter(
        &mut self,
        folder: &OwnedFd,
        stat: &Stat,
        is_folder: bool,
        visit: &mut dyn FnMut(&WalkEntry<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.is_passed_over(is_folder) {
            self.passed_over += 1;
            return ControlFlow::Continue(());
        }
        let path = self.parts.join("/");
        let Some(name) = self.parts.last().cloned() else { return ControlFlow::Continue(()) };
        visit(&WalkEntry { parent: folder.as_fd(), name: &name, path: &path, stat })?;
        if !is_folder || self.parts.len() >= self.depth_max {
            return ControlFlow::Continue(());
        }
        let Ok(below) = open_subfolder(folder.as_fd(), &name) else {
            self.unreadable += 1;
            return ControlFlow::Continue(());
        };
        self.run(&below, visit)
    }

    fn names(&mut self, folder: &OwnedFd) -> Vec<String> {
        let Ok(entries) = Dir::read_from(folder) else {
            self.unreadable += 1;
            return Vec::new();
        };
        let mut names: Vec<String> = Vec::new();
        for entry in entries.flatten().take(WALK_ENTRIES_MAX) {
            match entry.file_name().to_str() {
                Ok("." | "..") => {}
                Ok(name) if name.starts_with(TEMPORARY_PREFIX) => {}
                Ok(name) => names.push(name.to_owned()),
                Err(_) => self.unreadable += 1,
            }
        }
        names.sort_unstable();
        names
    }

    fn is_passed_over(&self, is_folder: bool) -> bool {
        let Some(name) = self.parts.last() else { return false };
        if self.all {
            return false;
        }
        if name.starts_with('.') || (is_folder && FOLDERS_PASSED_OVER.contains(&name.as_str())) {
            return true;
        }
        // The rule that is nearest decides.
        let decided = self.ignored.iter().rev().find_map(|(above, rules)| {
            let path = self.parts.get(*above..)?.join("/");
            match rules.matched(path, is_folder) {
                Match::None => None,
                Match::Ignore(_) => Some(true),
                Match::Whitelist(_) => Some(false),
            }
        });
        decided.unwrap_or(false)
    }

    fn push_rules(&mut self, folder: BorrowedFd<'_>) -> bool {
        let Ok(Some((file, _))) = open_regular(folder, ".gitignore") else { return false };
        let Ok(bytes) = read_start(file, GITIGNORE_BYTES_MAX) else { return false };
        let mut builder = GitignoreBuilder::new("");
        for line in String::from_utf8_lossy(&bytes).lines() {
            // A line that git would not understand ignores nothing.
            drop(builder.add_line(None, line));
        }
        let Ok(rules) = builder.build() else { return false };
        self.ignored.push((self.parts.len(), rules));
        true
    }
}

/// Which names are meant: a pattern with a `/` is about the whole path, one without about the name alone.
#[derive(Debug)]
pub(crate) struct NamePattern {
    matcher: GlobMatcher,
    is_path: bool,
}

impl NamePattern {
    pub(crate) fn parse(text: &str) -> Result<Self, ToolError> {
        if text.len() > SEARCH_PATTERN_BYTES_MAX {
            let message = format!("glob: is longer than {SEARCH_PATTERN_BYTES_MAX} bytes");
            return Err(ToolError::new(message));
        }
        let glob = GlobBuilder::new(text)
            .literal_separator(true)
            .build()
            .map_err(|error| ToolError::new(format!("glob: is not a pattern: {}", error.kind())))?;
        Ok(Self { matcher: glob.compile_matcher(), is_path: text.contains('/') })
    }

    /// Whether an entry is meant.
    pub(crate) fn matches(&self, entry: &WalkEntry<'_>) -> bool {
        self.matcher.is_match(if self.is_path { entry.path } else { entry.name })
    }
}
