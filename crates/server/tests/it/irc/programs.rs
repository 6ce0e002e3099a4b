//! Real programs, as people use them: irssi, weechat and ii ask an agent in `#abide` and alone, and read the house's answer
//! to a command.

use std::{
    ffi::OsString,
    fs::{self, OpenOptions},
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use abide_testkit::{ModelServer, Reply, SeenRequest};

use super::{FELIX, address, home_for};
use crate::home::{Home, Keeper};

/// In which everything that a test waits for happens, on a machine that is busy with other things.
const LONG: Duration = Duration::from_mins(1);

/// The program of this name. Where it is missing the test has nothing to do; with `CI=true` it must be there.
pub(super) fn there(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|p| p.exists());
    if found.is_none() {
        assert_ne!(std::env::var_os("CI"), Some(OsString::from("true")), "{name} is not there");
    }
    found
}

/// A program that is killed when the test lets go of it.
struct Program(Child);

impl Program {
    fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut screen = child.stdout.take().unwrap();
        // Read on, or the terminal would fill up; what is on it is in its files as well.
        thread::spawn(move || while screen.read(&mut [0; 4096]).is_ok_and(|n| n > 0) {});
        Self(child)
    }

    fn type_in(&mut self, keys: &str) {
        self.0.stdin.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Waits until a text is in a file, which may not be there yet.
#[expect(clippy::disallowed_methods, reason = "another program writes the file when it likes")]
fn until_written(path: &Path, text: &str) {
    let begun = Instant::now();
    loop {
        let written = fs::read(path).unwrap_or_default();
        let written = String::from_utf8_lossy(&written);
        if written.contains(text) {
            return;
        }
        assert!(begun.elapsed() < LONG, "{text:?} is not in {}: {written}", path.display());
        thread::sleep(Duration::from_millis(10));
    }
}

/// A pipe that a program reads. It stays open, and each line is one write: ii forgets a line whose end is not there yet.
struct Pipe(fs::File);

impl Pipe {
    #[expect(clippy::disallowed_methods, reason = "another program makes the pipe when it likes")]
    fn open(path: &Path) -> Self {
        let begun = Instant::now();
        while !path.exists() {
            assert!(begun.elapsed() < LONG, "{} is not there", path.display());
            thread::sleep(Duration::from_millis(10));
        }
        // Opened for both, so that it does not wait for the reader.
        Self(OpenOptions::new().read(true).write(true).open(path).unwrap())
    }

    fn write(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

/// A house in which felix answers everything the same way.
fn keeper_with_irc() -> (ModelServer, Home, Keeper, String) {
    let answer = |_: &SeenRequest| Reply::text("felix hears you");
    let model = ModelServer::builder().rule(answer).start().unwrap();
    let home = home_for(&model, FELIX);
    let keeper = home.up();
    let at = address(&keeper);
    let port = at.rsplit(':').next().unwrap().to_owned();
    (model, home, keeper, port)
}

#[test]
fn ii_asks_an_agent_and_gives_a_command() {
    let Some(ii) = there("ii") else { return };
    let (_model, home, _keeper, port) = keeper_with_irc();
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(ii);
    command.args(["-s", "127.0.0.1", "-p", &port, "-n", "iann", "-k", "II_PASSWORD", "-i"]);
    command.arg(folder.path()).env("II_PASSWORD", home.token());
    let _ii = Program::start(&mut command);
    let server = folder.path().join("127.0.0.1");
    until_written(&server.join("out"), "Welcome to Abide");
    let mut input = Pipe::open(&server.join("in"));
    input.write("/j #abide");
    let mut channel = Pipe::open(&server.join("#abide/in"));
    until_written(&server.join("#abide/out"), "iann");
    channel.write("@felix hello from ii");
    until_written(&server.join("#abide/out"), "<felix> iann: felix hears you");
    input.write("/j felix psst from ii");
    until_written(&server.join("felix/out"), "<felix> felix hears you");
    input.write(r"/j abide \stdout read: last 10");
    until_written(&server.join("abide/out"), "<abide> No stdout entries for @iann yet");
}

#[test]
fn irssi_asks_an_agent_and_gives_a_command() {
    let (Some(irssi), Some(script)) = (there("irssi"), there("script")) else { return };
    let (_model, home, _keeper, port) = keeper_with_irc();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let config = format!(
        r##"
        servers = ({{ address = "127.0.0.1"; chatnet = "abide"; port = "{port}"; password = "{token}"; use_tls = "no"; autoconnect = "yes"; }});
        chatnets = {{ abide = {{ type = "IRC"; }}; }};
        channels = ({{ name = "#abide"; chatnet = "abide"; autojoin = "yes"; }});
        settings = {{ core = {{ real_name = "I"; user_name = "i"; nick = "irann"; }};
          "fe-common/core" = {{ autolog = "yes"; autolog_path = "{root}/$0.log"; }}; }};
        "##,
        token = home.token(),
        root = root.display()
    );
    fs::write(root.join("config"), config).unwrap();
    let mut command = Command::new(script);
    let line = format!("{} --home={}", irssi.display(), root.display());
    command.args(["-qfec", &line, "/dev/null"]).env("TERM", "xterm");
    let mut irssi = Program::start(&mut command);
    until_written(&root.join("#abide.log"), "irann");
    irssi.type_in("/msg #abide @felix hello from irssi\r");
    until_written(&root.join("#abide.log"), "irann: felix hears you");
    irssi.type_in("/msg felix psst from irssi\r");
    until_written(&root.join("felix.log"), "felix hears you");
    irssi.type_in("/msg abide \\stdout read: last 10\r");
    until_written(&root.join("abide.log"), "No stdout entries for @irann yet");
    irssi.type_in("/quit\r");
}

/// weechat with an account in `#abide`, at its defaults; gives where its logs are, and where it takes commands.
fn weechat(root: &Path, token: &str, port: &str) -> Option<(Program, Pipe)> {
    let weechat = there("weechat-headless")?;
    let add = format!(
        "/server add abide 127.0.0.1/{port} -notls -nicks=wcann -autojoin=#abide -sasl_mechanism=plain \
         -sasl_username=wcann -sasl_password={token}"
    );
    let pipe = root.join("fifo");
    let mut command = Command::new(weechat);
    command.arg("-d").arg(root);
    command.args(["-r", &format!("/set fifo.file.path \"{}\"", pipe.display())]);
    command.args(["-r", "/set logger.file.flush_delay 0"]);
    command.args(["-r", "/set irc.server_default.capabilities \"*\""]);
    command.args(["-r", &add, "-r", "/connect abide"]);
    let weechat = Program::start(&mut command);
    until_written(&weechat_log(root, "#abide"), "has joined #abide");
    Some((weechat, Pipe::open(&pipe)))
}

fn weechat_log(root: &Path, name: &str) -> PathBuf {
    root.join(format!("logs/irc.abide.{name}.weechatlog"))
}

#[test]
fn weechat_asks_an_agent_and_gives_a_command_after_sasl() {
    let (_model, home, _keeper, port) = keeper_with_irc();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let Some((_weechat, mut pipe)) = weechat(root, &home.token(), &port) else { return };
    pipe.write("irc.abide.#abide *@felix hello from weechat");
    until_written(&weechat_log(root, "#abide"), "wcann: felix hears you");
    pipe.write("irc.abide.#abide */msg felix psst from weechat");
    until_written(&weechat_log(root, "felix"), "felix hears you");
    pipe.write(r"irc.abide.#abide */msg abide \stdout read: last 10");
    until_written(&weechat_log(root, "abide"), "No stdout entries for @wcann yet");
}

#[test]
fn what_weechat_sends_a_line_every_two_seconds_is_one_question() {
    let (_model, home, _keeper, port) = keeper_with_irc();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let Some((_weechat, mut pipe)) = weechat(root, &home.token(), &port) else { return };
    for line in ["@felix look at this:", "one", "two", "three."] {
        pipe.write(&format!("irc.abide.#abide *{line}"));
    }
    until_written(&weechat_log(root, "#abide"), "wcann: felix hears you");
    let ledger = home.ledger();
    let asked = ledger.iter().filter(|line| line["kind"] == "stimulus.accepted");
    let asked: Vec<_> = asked.map(|line| line["data"]["content"].as_str().unwrap()).collect();
    assert_eq!(asked, ["look at this:\none\ntwo\nthree."]);
}
