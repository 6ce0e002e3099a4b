//! The desktop of whoever runs the keeper: `notify-send`, which speaks to the notification service of freedesktop.org.
//!
//! The program is called with arguments, never through a shell, and gets the variables that it needs to find the desktop,
//! not the keeper's: among those are keys. That it went well says that the desktop has it, not that anybody looked.

use std::{path::PathBuf, process::Stdio};

use abide_domain::event::watchdog::Proof;
use abide_watchdog::{Delivery, Notice, NoticeKind, Notifier};
use futures_util::future::BoxFuture;
use tokio::{io::AsyncReadExt as _, process::Command, time::timeout};

use super::{
    ATTEMPT_MAX,
    text::{characters, entity, fit, line},
};

/// The variables by which a program finds its desktop.
pub const DESKTOP_VARIABLES: [&str; 8] = [
    "PATH",
    "HOME",
    "LANG",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];
const SUMMARY_CHARS_MAX: usize = 120;
const BODY_CHARS_MAX: usize = 1_000;
/// What of the program's own complaint is read, and shown.
const COMPLAINT_BYTES_MAX: u64 = 4_096;
const COMPLAINT_CHARS_MAX: usize = 200;

/// One desktop.
#[derive(Clone, Debug)]
pub struct Desktop {
    program: PathBuf,
    variables: Vec<(String, String)>,
}

impl Desktop {
    /// Calls `program`, which is `notify-send` or takes its arguments, with these variables and no others
    /// ([`DESKTOP_VARIABLES`], as far as they are set). A bare name is looked for on their `PATH`.
    pub fn new(program: PathBuf, variables: Vec<(String, String)>) -> Self {
        Self { program, variables }
    }

    async fn call(&self, notice: &Notice) -> Result<(), String> {
        let mut child = Command::new(self.found())
            .args(arguments(notice))
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("{} cannot be run: {error}", self.program.display()))?;
        let mut complaint = Vec::new();
        if let Some(stderr) = child.stderr.take() {
            let mut stderr = stderr.take(COMPLAINT_BYTES_MAX);
            // What cannot be read is not shown; the status counts.
            let _unread = stderr.read_to_end(&mut complaint).await;
        }
        let ended = child.wait().await;
        let status =
            ended.map_err(|error| format!("its exit status could not be read: {error}"))?;
        if status.success() {
            return Ok(());
        }
        let complaint = line(String::from_utf8_lossy(&complaint).trim(), COMPLAINT_CHARS_MAX);
        let joint = if complaint.is_empty() { "" } else { ": " };
        Err(format!("{} ended with {status}{joint}{complaint}", self.program.display()))
    }

    /// The program's path. The search of the system would use the keeper's `PATH`.
    fn found(&self) -> PathBuf {
        let is_bare = self.program.components().count() == 1 && !self.program.is_absolute();
        let path = self.variables.iter().find(|(name, _)| name == "PATH");
        let (true, Some((_, path))) = (is_bare, path) else { return self.program.clone() };
        let mut candidates = std::env::split_paths(path).map(|folder| folder.join(&self.program));
        candidates.find(|file| file.is_file()).unwrap_or_else(|| self.program.clone())
    }
}

impl Notifier for Desktop {
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            let late = || Err(format!("timed out after {} s", ATTEMPT_MAX.as_secs()));
            // A call that is given up is killed with the future that waits for it.
            match timeout(ATTEMPT_MAX, self.call(&notice)).await.unwrap_or_else(|_| late()) {
                Ok(()) => Delivery::Delivered { proof: Proof::Sent, by: "the desktop".to_owned() },
                Err(reason) => Delivery::Failed(reason),
            }
        })
    }
}

/// Options, then `--`: a text that begins with a dash is a text. The body may hold markup, so it is escaped.
fn arguments(notice: &Notice) -> Vec<String> {
    let (urgency, icon) = match notice.kind {
        NoticeKind::Stalled | NoticeKind::Blind(_) => ("critical", "dialog-warning"),
        NoticeKind::Resolved if notice.is_unanswered() => ("normal", "dialog-warning"),
        _ => ("normal", "dialog-information"),
    };
    vec![
        "--app-name=Abide".to_owned(),
        format!("--urgency={urgency}"),
        format!("--icon={icon}"),
        "--".to_owned(),
        line(&notice.title(), SUMMARY_CHARS_MAX),
        fit(&notice.body(), BODY_CHARS_MAX, entity, characters),
    ]
}
