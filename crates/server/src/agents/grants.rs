//! Which files an agent's process is granted: its own folders, its program with what that needs to run, and what the
//! configuration names besides.
//!
//! A process is never granted a folder that holds the home or the user's own folder as a whole, nor anything of the
//! keeper's: what would contain them is narrowed to the file that was named, or refused where a person named it.

use std::{
    ffi::{OsStr, OsString},
    fs,
    io::Read as _,
    path::{Component, Path, PathBuf},
};

use crate::home::{KEEPERS_NAMES, LinkRule, open_regular};

/// Links of a program that are followed, such as those of a Python environment.
const LINKS_MAX: usize = 8;
/// Bytes of a program that may hold the name of its interpreter.
const FIRST_LINE_BYTES: u64 = 256;
/// Beside a folder `bin`, what programs in it use. Not `share`: people's own data is there, too.
const BESIDE_BIN: &[&str] = &["bin", "lib", "lib64", "libexec", "include", "pyvenv.cfg"];
/// Of the user's own folder, where package managers put code for this user.
const USER_LIBRARIES: &str = ".local/lib";
/// What marks the folder that a script belongs to.
const PROJECT_MARKS: &[&str] = &["package.json", "pyproject.toml", "node_modules"];
/// The folder of packages of Node.
const PACKAGES: &str = "node_modules";
/// How far above a script that folder is looked for.
const PROJECT_DEPTH: usize = 3;
/// Variables whose values are lists of paths with code, or certificates.
const PATH_VARIABLES: &[&str] = &[
    "PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "NODE_PATH",
    "NODE_EXTRA_CA_CERTS",
    "PERL5LIB",
    "RUBYLIB",
    "GEM_PATH",
    "LD_LIBRARY_PATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
];

/// What grants are worked out from.
#[derive(Clone, Copy)]
pub(super) struct GrantSource<'a> {
    /// The keeper's home.
    pub(super) home: &'a Path,
    /// The user's own folder (`HOME`), where it is known.
    pub(super) user: Option<&'a Path>,
    /// The program and its arguments.
    pub(super) program: &'a Path,
    /// Its arguments.
    pub(super) args: &'a [String],
    /// Where it works.
    pub(super) folder: &'a Path,
    /// Its environment.
    pub(super) environment: &'a [(OsString, OsString)],
    /// Paths that the configuration lets it read.
    pub(super) read: &'a [String],
    /// Paths that the configuration lets it write.
    pub(super) write: &'a [String],
}

impl<'a> GrantSource<'a> {
    fn variable(&self, name: &str) -> Option<&'a OsStr> {
        let found = self.environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str())
    }
}

/// Paths for one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Grants {
    /// To read and execute.
    pub(super) read: Vec<PathBuf>,
    /// To do everything.
    pub(super) write: Vec<PathBuf>,
}

/// Says why a path of the configuration cannot be granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} cannot be granted: {why}", path.display())]
pub(crate) struct GrantError {
    /// The path.
    pub(crate) path: PathBuf,
    /// Why, in words.
    pub(crate) why: &'static str,
}

/// Works the grants out. `own` are folders that the keeper made for this agent alone.
pub(super) fn grants(source: &GrantSource<'_>, own: &[PathBuf]) -> Result<Grants, GrantError> {
    let mut collected = Collected { source, read: Vec::new() };
    let named = |paths: &[String]| -> Result<Vec<PathBuf>, GrantError> {
        paths.iter().map(|path| collected.named(path)).collect()
    };
    let (named_read, named_write) = (named(source.read)?, named(source.write)?);
    let mut write = own.to_vec();
    if !own.iter().any(|own| own == source.folder) {
        write.push(collected.checked(source.folder.to_owned())?);
    }
    write.extend(named_write);
    collected.program(source.program);
    for word in source.args {
        collected.argument(word);
    }
    if let Some(user) = source.user {
        collected.add(&user.join(USER_LIBRARIES));
    }
    for name in PATH_VARIABLES {
        for path in std::env::split_paths(source.variable(name).unwrap_or_default()) {
            collected.folder_of_programs(&path);
        }
    }
    let mut read = collected.read;
    read.extend(named_read);
    Ok(Grants { read: without_covered(read, &write), write: without_covered(write, &[]) })
}

/// Without what lies in another of them: a process that may write a folder could put a link in its place there.
fn without_covered(mut paths: Vec<PathBuf>, writable: &[PathBuf]) -> Vec<PathBuf> {
    paths.sort();
    paths.dedup();
    let all = paths.clone();
    let is_covered = |path: &PathBuf| {
        let covers = |other: &&PathBuf| path.starts_with(other.as_path());
        writable.iter().any(|other| covers(&other))
            || all.iter().filter(|other| *other != path).any(|other| covers(&other))
    };
    paths.retain(|path| !is_covered(path));
    paths
}

/// Why a folder is given to no agent as a whole; none where it may be.
pub(super) fn refusal(home: &Path, user: Option<&Path>, path: &Path) -> Option<&'static str> {
    let (place, home) = (real(path), real(home));
    if home.starts_with(&place) {
        return Some("the keeper's home folder, with its token and its ledger, lies in it");
    }
    if place.starts_with(&home) {
        return Some("it lies in the keeper's home folder");
    }
    user.map(real)
        .is_some_and(|user| user.starts_with(&place))
        .then_some("the user's own folder lies in it, with all that is there")
}

/// Paths to read, while they are worked out.
struct Collected<'a> {
    source: &'a GrantSource<'a>,
    read: Vec<PathBuf>,
}

impl Collected<'_> {
    /// A path that the configuration names; `~/` is the user's own folder.
    fn named(&self, text: &str) -> Result<PathBuf, GrantError> {
        let path = match (text.strip_prefix("~/"), self.source.user) {
            (Some(rest), Some(user)) => user.join(rest),
            _ => PathBuf::from(text),
        };
        if !path.is_absolute() {
            return Err(GrantError { path, why: "it is not absolute and does not begin with ~/" });
        }
        self.checked(path)
    }

    fn checked(&self, path: PathBuf) -> Result<PathBuf, GrantError> {
        let Some(why) = self.refusal(&path) else { return Ok(path) };
        Err(GrantError { path, why })
    }

    /// Why a folder is not granted as a whole.
    fn refusal(&self, path: &Path) -> Option<&'static str> {
        refusal(self.source.home, self.source.user, path)
    }

    /// Adds a path that is there and may be granted.
    fn add(&mut self, path: &Path) {
        if path.is_absolute() && path.exists() && self.refusal(path).is_none() {
            self.read.push(path.to_owned());
        }
    }

    /// A file that a person named as code: the file itself even where its folder is too much.
    fn add_code(&mut self, file: &Path) {
        let folder = file.parent().unwrap_or(file);
        if self.refusal(folder).is_none() {
            self.add(project_of(folder, |path| self.refusal(path).is_none()).as_path());
        } else if !self.is_keepers(file) && file.exists() {
            self.read.push(file.to_owned());
        }
    }

    /// Whether a file is one that the keeper made.
    fn is_keepers(&self, file: &Path) -> bool {
        let home = real(self.source.home);
        let Ok(inside) = real(file).strip_prefix(&home).map(Path::to_owned) else { return false };
        let first = inside.components().next().map(Component::as_os_str).map(OsStr::to_owned);
        first.is_none_or(|first| KEEPERS_NAMES.iter().any(|name| first == *name))
    }

    /// The program, what its links lead to, and its interpreter.
    fn program(&mut self, program: &Path) {
        let Some(mut path) = self.find(program) else { return };
        for _ in 0..LINKS_MAX {
            self.executable(&path);
            let Ok(target) = fs::read_link(&path) else { break };
            path = clean(&path.parent().unwrap_or_else(|| Path::new("/")).join(target));
        }
        if let Some(interpreter) = interpreter_of(&path).and_then(|name| self.find(&name)) {
            self.executable(&interpreter);
        }
    }

    fn executable(&mut self, path: &Path) {
        let Some(folder) = path.parent() else { return };
        let is_named = |name: &str| folder.file_name().is_some_and(|found| found == name);
        if is_named("bin") {
            self.folder_of_programs(folder);
        } else if is_named(".bin") {
            self.add(folder.parent().unwrap_or(folder));
        } else {
            self.add_code(path);
        }
        // Where the folder was too much.
        if !self.is_keepers(path) && path.exists() {
            self.read.push(path.to_owned());
        }
    }

    /// A folder of programs, and what lies beside it where it is a `bin`; the base of a Python environment with it.
    fn folder_of_programs(&mut self, folder: &Path) {
        self.add(folder);
        let prefix =
            folder.parent().filter(|_| folder.file_name().is_some_and(|name| name == "bin"));
        let Some(prefix) = prefix else { return };
        for name in BESIDE_BIN {
            self.add(&prefix.join(name));
        }
        let settings = fs::read_to_string(prefix.join("pyvenv.cfg")).unwrap_or_default();
        let base = settings
            .lines()
            .find_map(|line| line.strip_prefix("home")?.trim_start().strip_prefix('='));
        if let Some(base) = base.map(|base| PathBuf::from(base.trim())) {
            self.add(&base);
            for name in BESIDE_BIN {
                self.add(&base.parent().unwrap_or(&base).join(name));
            }
        }
    }

    /// An argument that names a file or a folder, as itself or behind `NAME=`.
    fn argument(&mut self, word: &str) {
        let value = word.split_once('=').map_or(word, |(_, value)| value);
        for text in [word, value] {
            if !text.contains('/') {
                continue;
            }
            let path = clean(&self.source.folder.join(text));
            match fs::metadata(&path) {
                Ok(found) if found.is_dir() => self.add(&path),
                Ok(found) if found.is_file() => self.add_code(&path),
                _ => {}
            }
        }
    }

    /// Where a program is, as the system will find it.
    fn find(&self, program: &Path) -> Option<PathBuf> {
        if program.components().count() > 1 {
            return Some(clean(&self.source.folder.join(program)));
        }
        let path = self.source.variable("PATH")?;
        std::env::split_paths(path).map(|folder| folder.join(program)).find(|path| path.exists())
    }
}

/// The folder that a script belongs to: the nearest above it that is marked as one and allowed, else its own.
fn project_of(folder: &Path, is_allowed: impl Fn(&Path) -> bool) -> PathBuf {
    let is_project = |path: &&Path| PROJECT_MARKS.iter().any(|mark| path.join(mark).exists());
    // A package of Node is code together with those that it was installed with.
    let is_packages = |path: &&Path| path.file_name().is_some_and(|name| name == PACKAGES);
    if let Some(packages) =
        folder.ancestors().filter(is_packages).last().filter(|path| is_allowed(path))
    {
        return packages.to_owned();
    }
    let found = folder.ancestors().take(PROJECT_DEPTH).find(is_project);
    found.filter(|path| is_allowed(path)).unwrap_or(folder).to_owned()
}

/// The interpreter that a script's first line names.
fn interpreter_of(program: &Path) -> Option<PathBuf> {
    let mut start = Vec::new();
    let file = open_regular(fs::OpenOptions::new().read(true), program, LinkRule::Follow).ok()?;
    file.take(FIRST_LINE_BYTES).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let first = Path::new(words.next()?);
    if first.file_name()? == "env" {
        return words.find(|word| !word.starts_with('-')).map(PathBuf::from);
    }
    Some(first.to_owned())
}

/// Without `.` and `..`, by its words alone.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(cleaned.pop()),
            part => cleaned.push(part),
        }
    }
    cleaned
}

/// Where a path leads; as it stands, where it leads nowhere yet.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| clean(path))
}

#[cfg(test)]
mod tests;
