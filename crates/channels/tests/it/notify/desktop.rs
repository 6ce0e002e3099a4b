//! The desktop, with a program in the place of `notify-send`.

use std::{path::Path, process::Command};

use abide_channels::notify::{DESKTOP_VARIABLES, Desktop};
use abide_domain::event::watchdog::Proof;
use abide_watchdog::{NoticeKind, Notifier as _};

use super::{EPISODE, blind, delivered, item, notice, reason, stalled};

/// Puts a script in a folder. Another process writes it: one that this process held open for writing could not be run
/// while a child of another test inherits it.
fn script(folder: &Path, name: &str, text: &str) {
    let write = "printf '%s' \"$1\" > \"$2\" && chmod 755 \"$2\"";
    let file = folder.join(name);
    let done = Command::new("sh").args(["-c", write, "sh", text]).arg(&file).status().unwrap();
    assert!(done.success());
}

const KEEPS: &str = "#!/bin/sh\nfor word in \"$@\"; do printf '%s|' \"$word\"; done > \"$XDG_RUNTIME_DIR/words\"\n\
                     env > \"$XDG_RUNTIME_DIR/variables\"\n";

fn variables(folder: &Path) -> Vec<(String, String)> {
    let folder = folder.to_str().unwrap();
    vec![
        ("PATH".to_owned(), format!("{folder}:/usr/bin:/bin")),
        ("XDG_RUNTIME_DIR".to_owned(), folder.to_owned()),
    ]
}

#[tokio::test]
async fn the_program_gets_arguments_and_no_variable_of_the_keeper() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "notify-send", KEEPS);
    // Found on the path that is handed in.
    let desktop = Desktop::new("notify-send".into(), variables(folder.path()));
    assert_eq!(desktop.notify(stalled()).await, delivered(Proof::Sent, "the desktop"));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(
        read("words"),
        "--app-name=Abide|--urgency=critical|--icon=dialog-warning|--|felix has stalled|It was to answer a message of ann on Telegram, 12 min ago.\nNothing has come from it since 21:59 (5 min).\nTried: its process answered, but the task does not move; it was paged (page 7f3a), without effect.\nYou can acknowledge it (also: abide watchdog ack 7f3a), abort its task, or restart it.|"
    );
    let names: Vec<_> = read("variables")
        .lines()
        .filter_map(|line| line.split_once('=').map(|(name, _)| name.to_owned()))
        .filter(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(&name.as_str()))
        .collect();
    assert!(names.iter().all(|name| DESKTOP_VARIABLES.contains(&name.as_str())), "{names:?}");
}

#[tokio::test]
async fn a_text_is_neither_an_option_nor_markup_nor_a_command() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "shows", KEEPS);
    let desktop = Desktop::new(folder.path().join("shows"), variables(folder.path()));
    let why = format!("--x\n<b>$(id)</b> & `id`{}", "!".repeat(60));
    let mut sly = notice(NoticeKind::Blind(why.clone()), Vec::new());
    desktop.notify(sly.clone()).await;
    let words = || std::fs::read_to_string(folder.path().join("words")).unwrap();
    let told = words();
    let expected = "--app-name=Abide|--urgency=critical|--icon=dialog-warning|--|\
                    tickle-1: agents cannot be judged: --x <b>$(id)</b> & `id`!!";
    assert!(told.starts_with(expected), "{told}");
    assert!(told.contains("!…|--x\n&lt;b&gt;$(id)&lt;/b&gt; &amp; `id`!!"), "{told}");
    (sly.kind, sly.items) = (NoticeKind::Resolved, vec![item("felix", EPISODE)]);
    desktop.notify(sly).await;
    assert!(words().contains("--urgency=normal"), "{}", words());
}

#[tokio::test]
async fn a_program_that_fails_or_is_not_there_says_so() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "fails", "#!/bin/sh\necho \"no\tdesktop here\" >&2\nexit 3\n");
    let desktop = Desktop::new(folder.path().join("fails"), variables(folder.path()));
    let failed = reason(desktop.notify(blind()).await);
    assert!(failed.ends_with("exit status: 3: no desktop here"), "{failed}");
    let gone = Desktop::new("no-such-program".into(), variables(folder.path()));
    let failed = reason(gone.notify(blind()).await);
    assert!(failed.starts_with("no-such-program cannot be run: "), "{failed}");
}

#[tokio::test]
async fn a_program_that_does_not_end_is_given_up_and_killed() {
    let folder = tempfile::tempdir().unwrap();
    script(
        folder.path(),
        "hangs",
        "#!/bin/sh\necho $$ > \"$XDG_RUNTIME_DIR/pid\"\nexec sleep 1000\n",
    );
    let desktop = Desktop::new(folder.path().join("hangs"), variables(folder.path()));
    let calling = desktop.notify(stalled());
    tokio::pin!(calling);
    let pid = async || {
        let text = std::fs::read_to_string(folder.path().join("pid")).ok()?;
        text.trim().parse::<u32>().ok()
    };
    let pid = tokio::select! {
        delivery = &mut calling => panic!("{delivery:?}"),
        pid = crate::wait::until("the program", pid) => pid,
    };
    tokio::time::pause();
    let failed = reason(calling.await);
    tokio::time::resume();
    assert_eq!(failed, "timed out after 9 s");
    let stat = format!("/proc/{pid}/stat");
    crate::wait::until("its death", async || {
        let state = std::fs::read_to_string(&stat).ok();
        state.is_none_or(|state| state.contains(") Z ")).then_some(())
    })
    .await;
}
