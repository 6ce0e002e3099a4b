//! A started agent, its lines, and a look at the processes of the machine.

use std::{ffi::OsString, fs, path::PathBuf};

use abide_domain::{AgentId, RunId};
use abide_supervisor::{Pipes, Process, ProcessEnd, ProcessLimits, ShimCommand, Spawn};
use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{ChildStderr, ChildStdin, ChildStdout},
};
use uuid::Uuid;

/// The binary that is every program of these tests.
pub(crate) const SUPERVISED: &str = env!("CARGO_BIN_EXE_supervised");

pub(crate) fn agent() -> AgentId {
    "felix".parse().unwrap()
}

pub(crate) fn run() -> RunId {
    // Unlike that of any other test which runs at this moment, and of the last run of this one.
    let time = fs::read_to_string("/proc/self/stat").unwrap();
    let mut hash = u128::from(std::process::id());
    for byte in time.bytes() {
        hash = hash.wrapping_mul(0x0100_0000_01b3) ^ u128::from(byte);
    }
    RunId::from_uuid(Uuid::from_u128(hash))
}

pub(crate) fn shim() -> ShimCommand {
    ShimCommand { program: SUPERVISED.into(), args: vec!["shim".into()] }
}

pub(crate) fn spawn(program: &str, args: &[&str]) -> Spawn {
    Spawn {
        program: program.into(),
        args: args.iter().map(OsString::from).collect(),
        folder: PathBuf::from("/"),
        environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
        limits: ProcessLimits::default(),
        confinement: None,
        agent: agent(),
        run: run(),
    }
}

/// A shell as the agent.
pub(crate) fn script(text: &str) -> Spawn {
    spawn("sh", &["-c", text])
}

/// One of our own programs as the agent.
pub(crate) fn role(name: &str) -> Spawn {
    spawn(SUPERVISED, &[name])
}

/// A running agent.
pub(crate) struct Running {
    pub(crate) process: Process,
    pub(crate) stdin: ChildStdin,
    pub(crate) lines: Lines<BufReader<ChildStdout>>,
    pub(crate) stderr: ChildStderr,
}

impl Running {
    pub(crate) fn start(spawn: &Spawn) -> Self {
        let (process, Pipes { stdin, stdout, stderr }) = Process::start(&shim(), spawn).unwrap();
        Self { process, stdin, lines: BufReader::new(stdout).lines(), stderr }
    }

    /// Its next line on standard output.
    pub(crate) async fn line(&mut self) -> String {
        self.lines.next_line().await.unwrap().unwrap_or_else(|| "(end)".into())
    }

    pub(crate) async fn say(&mut self, line: &str) {
        self.stdin.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Its next line as numbers of processes.
    pub(crate) async fn pids(&mut self) -> Vec<Pid> {
        pids(&self.line().await)
    }
}

/// Everything that an agent says, and how it ended.
pub(crate) async fn whole(spawn: &Spawn) -> (String, ProcessEnd) {
    let (mut process, mut pipes) = Process::start(&shim(), spawn).unwrap();
    drop(pipes.stdin);
    let mut text = String::new();
    pipes.stdout.read_to_string(&mut text).await.unwrap();
    (text, process.ended().await)
}

pub(crate) fn pids(line: &str) -> Vec<Pid> {
    line.split_whitespace().map(|word| Pid::from_raw(word.parse().unwrap()).unwrap()).collect()
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), signal).unwrap();
}

/// Whether there is a process of this number, ended but uncollected ones included.
pub(crate) fn exists(pid: Pid) -> bool {
    fs::exists(format!("/proc/{}", pid.as_raw_pid())).unwrap()
}

/// Whether a process of this number runs; one that has ended but is not collected does not.
pub(crate) fn runs(pid: Pid) -> bool {
    fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid()))
        .is_ok_and(|stat| !stat.rsplit_once(')').unwrap().1.trim_start().starts_with('Z'))
}

/// Waits for the end of a process that is not a child of ours.
pub(crate) fn wait_for_end(pid: Pid) {
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    let mut waits = [PollFd::new(&process, PollFlags::IN)];
    while poll(&mut waits, None).is_err() {}
}

/// The processes that carry the name of a run in their environment.
pub(crate) fn marked(run: RunId) -> Vec<String> {
    let mark = format!("ABIDE_RUN={run}");
    let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    processes
        .filter(|process| {
            fs::read(process.join("environ")).is_ok_and(|environment| {
                environment.split(|byte| *byte == 0).any(|line| line == mark.as_bytes())
            })
        })
        .map(|process| process.display().to_string())
        .collect()
}

/// Open descriptors of this process.
pub(crate) fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Children of this process, uncollected ones included.
pub(crate) fn children() -> String {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    threads
        .map(|thread| fs::read_to_string(thread.unwrap().path().join("children")).unwrap())
        .collect()
}
