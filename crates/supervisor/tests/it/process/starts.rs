//! What an agent is born with, and what is said of one that is not born.

use std::{fs, os::unix::fs::PermissionsExt as _};

use abide_supervisor::{Process, ProcessEnd, ShimCommand, ShimStartError};

use super::world::{Running, agent, role, script, shim, spawn, whole};

async fn reason(spawn: &abide_supervisor::Spawn) -> String {
    let (mut process, _pipes) = Process::start(&shim(), spawn).unwrap();
    assert_eq!(process.started().await, None);
    match process.ended().await {
        ProcessEnd::NotStarted(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_agent_hears_speaks_and_ends_with_its_own_code() {
    let mut running = Running::start(&script("read x; echo \"heard $x\"; echo word >&2; exit 7"));
    running.say("hello").await;
    assert_eq!(running.line().await, "heard hello");
    assert_eq!(running.process.ended().await, ProcessEnd::Code(7));
    assert_eq!(running.process.ended().await, ProcessEnd::Code(7));
    assert_eq!(running.line().await, "(end)");
}

#[tokio::test]
async fn the_number_of_the_agent_itself_is_told() {
    let mut running = Running::start(&script("echo $$; read x"));
    let pid = running.process.started().await;
    assert_eq!(pid, running.process.agent_pid());
    assert_eq!(Some(running.line().await), pid.map(|pid| pid.to_string()));
    assert_ne!(pid, Some(running.process.pid()));
}

#[tokio::test]
async fn the_wait_for_the_start_and_the_end_can_be_given_up_and_taken_up() {
    let mut running = Running::start(&script("read x; exit 9"));
    for _ in 0..100 {
        tokio::select! {
            biased;
            ended = running.process.ended() => panic!("{ended:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    running.process.started().await;
    running.say("go").await;
    assert_eq!(running.process.ended().await, ProcessEnd::Code(9));
}

#[tokio::test]
async fn a_signal_of_its_own_is_told_apart_from_a_code() {
    assert_eq!(whole(&script("kill -SEGV $$")).await.1, ProcessEnd::Signal(11));
    assert_eq!(whole(&script("exit 139")).await.1, ProcessEnd::Code(139));
}

#[tokio::test]
async fn the_environment_is_the_given_one_and_two_names() {
    let mut order = spawn("env", &[]);
    order.environment.push(("FELIX_MOOD".into(), "curious".into()));
    let (text, ended) = whole(&order).await;
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let run = format!("ABIDE_RUN={}", order.run);
    let who = format!("ABIDE_AGENT={}", agent());
    let path = "PATH=/usr/local/bin:/usr/bin:/bin";
    assert_eq!(lines, [who.as_str(), &run, "FELIX_MOOD=curious", path]);
    assert_eq!(ended, ProcessEnd::Code(0));
}

#[tokio::test]
async fn an_agent_works_in_its_folder_and_is_found_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agent.sh");
    fs::write(&file, "#!/bin/sh\npwd -P\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let mut order = spawn("./agent.sh", &[]);
    order.folder = folder.path().into();
    let (text, ended) = whole(&order).await;
    assert_eq!(ended, ProcessEnd::Code(0));
    assert_eq!(text.trim(), folder.path().canonicalize().unwrap().to_str().unwrap());
}

#[tokio::test]
async fn an_agent_is_born_with_three_descriptors_and_none_of_the_keepers() {
    // What whoever started us left open for everybody below is not ours to close.
    let mut expected: Vec<String> =
        inherited().into_iter().chain(["0", "1", "2"].map(String::from)).collect();
    expected.sort();
    expected.dedup();
    let _ours = fs::File::open("/dev/null").unwrap();
    assert_eq!(whole(&role("descriptors")).await.0.trim(), format!("{expected:?}"));
}

/// Our descriptors that are not closed on exec.
fn inherited() -> Vec<String> {
    let closed = |text: &str| {
        let flags = text.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
        u32::from_str_radix(flags.trim(), 8).unwrap() & 0o2_000_000 != 0
    };
    fs::read_dir("/proc/self/fdinfo")
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| fs::read_to_string(entry.path()).is_ok_and(|text| !closed(&text)))
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

#[tokio::test]
async fn an_agent_is_in_no_group_or_session_of_the_keeper() {
    let (text, _) = whole(&script("cut -d' ' -f1,5,6 /proc/$$/stat")).await;
    let numbers: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(numbers[0], numbers[1], "it leads a group of its own");
    assert_ne!(numbers[2], own_session(), "its session is not ours");
}

/// Our session as the kernel tells it; `0` is one whose leader lives outside our PID namespace.
fn own_session() -> String {
    let text = fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = &text[text.rfind(')').unwrap() + 1..];
    after_name.split_whitespace().nth(3).unwrap().to_owned()
}

#[tokio::test]
async fn signals_are_as_a_program_expects_them() {
    let (text, _) = whole(&script("grep -E '^Sig(Blk|Ign)' /proc/self/status")).await;
    // The signals that a program can name; the C library keeps two more to itself.
    let named = |mask: &str| u64::from_str_radix(mask, 16).unwrap() & 0x7fff_ffff;
    let masks: Vec<u64> = text.split_whitespace().skip(1).step_by(2).map(named).collect();
    assert_eq!(masks, [0, 0]);
}

#[tokio::test]
async fn a_missing_program_is_told_with_the_place_that_was_looked_at() {
    assert_eq!(
        reason(&spawn("no-such-agent", &[])).await,
        "cannot start no-such-agent: there is no such program in PATH"
    );
    assert_eq!(
        reason(&spawn("./agent.py", &[])).await,
        "cannot start ./agent.py: there is no such file in /"
    );
}

#[tokio::test]
async fn what_is_no_program_is_told_with_what_is_wrong_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str, mode| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        spawn(file.to_str().unwrap(), &[])
    };
    let plain = reason(&write("plain", "#!/bin/sh\n", 0o644)).await;
    assert!(plain.ends_with("it may not be executed (chmod +x?)"), "{plain}");
    let lost = reason(&write("lost", "#!/no/such/python\n", 0o755)).await;
    assert!(lost.contains("the interpreter in its first line is missing"), "{lost}");
    let binary = reason(&write("binary", "\u{1}\u{2}\u{3}", 0o755)).await;
    assert!(binary.contains("no program for this machine"), "{binary}");
}

#[tokio::test]
async fn a_missing_folder_is_told_as_such() {
    let mut order = script("true");
    order.folder = "/no/such/folder".into();
    let reason = reason(&order).await;
    assert!(reason.starts_with("cannot use the working folder /no/such/folder: "), "{reason}");
}

#[tokio::test]
async fn a_shim_that_is_none_is_an_error_or_a_run_that_never_was() {
    let missing = ShimCommand { program: "/no/such/abide".into(), args: Vec::new() };
    let error = Process::start(&missing, &script("true")).unwrap_err();
    assert!(matches!(error, ShimStartError::Shim { .. }), "{error:?}");

    let wrong = ShimCommand { program: "true".into(), args: Vec::new() };
    let (mut process, _pipes) = Process::start(&wrong, &script("true")).unwrap();
    assert!(matches!(process.ended().await, ProcessEnd::NotStarted(_)));
}

#[test]
fn a_shim_that_is_started_by_hand_says_so() {
    let output = std::process::Command::new(super::world::SUPERVISED).arg("shim").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(words, "abide shim: this command is started by the keeper, not by hand\n");
}
