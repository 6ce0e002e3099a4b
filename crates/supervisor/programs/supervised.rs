//! The programs that the tests of this crate start as real processes: a shim, a keeper to be killed, agents that misbehave.
//!
//! The first argument says which. None of them may outlive its test: all but the keeper run under a shim.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    clippy::exit,
    reason = "a program of the tests, which may fail loudly"
)]

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, BufRead as _, Read as _},
    os::fd::AsRawFd as _,
    process::{Command, ExitCode, Stdio},
};

use abide_supervisor::{
    Process, ProcessLimits, ShimCommand, Spawn,
    confine::{self, CONFINE_COMMAND},
    shim,
};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let role = args.next().unwrap_or_default();
    match role.to_str().unwrap_or_default() {
        "shim" => return shim::run(args),
        CONFINE_COMMAND => return confine::run(args),
        "keeper" => keeper(),
        "family" => family(),
        "daemon" => daemon(),
        "sleeper" => loop {
            std::thread::park();
        },
        "descriptors" => descriptors(),
        "eater" => eater(),
        "opener" => opener(),
        "spinner" => loop {
            std::hint::spin_loop();
        },
        other => panic!("no program {other:?}"),
    }
    ExitCode::SUCCESS
}

/// This binary in another role.
fn program(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(role);
    command
}

/// Keeps one family, repeats its line with the shim's number in front, and waits to be killed.
fn keeper() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let own = std::env::current_exe().unwrap();
        let command = ShimCommand { program: own.clone(), args: vec!["shim".into()] };
        let spawn = Spawn {
            program: own,
            args: vec!["family".into()],
            folder: "/".into(),
            environment: Vec::new(),
            limits: ProcessLimits::default(),
            confinement: None,
            agent: "felix".parse().unwrap(),
            run: abide_domain::RunId::from_uuid(uuid::Uuid::from_u128(7)),
        };
        let (mut process, pipes) = Process::start(&command, &spawn).unwrap();
        let mut lines = tokio::io::BufReader::new(pipes.stdout);
        let mut line = String::new();
        tokio::io::AsyncBufReadExt::read_line(&mut lines, &mut line).await.unwrap();
        print!("{} {line}", process.pid());
        process.ended().await;
        panic!("the family ended before its keeper");
    });
}

/// An agent with one grandchild of its own session (by `daemon`) and one child; says all of their numbers in one line. It
/// ends by itself, without them, when its input does.
fn family() {
    let child = program("sleeper").stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let output = program("daemon").stdin(Stdio::null()).output().unwrap();
    let daemons = String::from_utf8(output.stdout).unwrap();
    println!("{} {} {}", std::process::id(), child.id(), daemons.trim());
    io::stdin().lock().read_to_end(&mut Vec::new()).unwrap();
    std::process::exit(4);
}

/// Leaves the session, starts two that stay (one by a further fork), and goes.
#[expect(clippy::zombie_processes, reason = "that is what a daemon does")]
fn daemon() {
    rustix::process::setsid().unwrap();
    let mut sleeper = program("sleeper");
    sleeper.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let first = sleeper.spawn().unwrap();
    let second = sleeper.spawn().unwrap();
    println!("{} {}", first.id(), second.id());
}

/// Prints which descriptors it inherited.
fn descriptors() {
    let mut names: Vec<OsString> = fs::read_dir("/proc/self/fd")
        .unwrap()
        .map(|entry| entry.unwrap())
        // The one through which this very list is read.
        .filter(|entry| !fs::read_link(entry.path()).is_ok_and(|target| target.ends_with("fd")))
        .map(|entry| entry.file_name())
        .collect();
    names.sort();
    println!("{names:?}");
}

/// Takes a gigabyte; ends with 3 if it does not get it.
fn eater() {
    let mut memory: Vec<u8> = Vec::new();
    if memory.try_reserve_exact(1 << 30).is_err() {
        std::process::exit(3);
    }
    // The end of the input, so that the reservation is not thrown away unused.
    io::stdin().lock().read_until(b'\n', &mut memory).unwrap();
}

/// Opens files until it may not, and says how many are open then.
fn opener() {
    let open: Vec<File> =
        std::iter::from_fn(|| File::open("/dev/null").ok()).take(10_000).collect();
    println!("{}", open.last().map_or(0, |last| last.as_raw_fd() + 1));
}
