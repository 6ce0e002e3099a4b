//! Real clients against our server: each joins `#abide`, speaks to an agent and shows its answer.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
};

use tokio::{io::AsyncReadExt as _, io::AsyncWriteExt as _, process::Command};

use crate::{
    irc_server::{PASSWORD, TestIrcServer},
    programs::{start, there},
    wait::until,
};

async fn until_joined(house: &TestIrcServer, nick: &str) {
    until(&format!("{nick} joins"), async || {
        house.people("#abide").await.contains(&nick.to_owned()).then_some(())
    })
    .await;
}

/// Waits for a text in a file that may not be there yet.
async fn until_written(path: &Path, text: &str) {
    until(&format!("{text:?} in {}", path.display()), async || {
        let written = fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&written).contains(text).then_some(())
    })
    .await;
}

/// A pipe that a program reads, opened as soon as it is there.
///
/// It stays open, and each line is one write: ii forgets a line whose end is not there yet, and what is written while
/// it opens its pipe again.
struct Pipe(fs::File);

impl Pipe {
    async fn open(path: &Path) -> Self {
        until(&path.display().to_string(), async || path.exists().then_some(())).await;
        // Opened for both, so that it does not wait for the reader.
        Self(OpenOptions::new().read(true).write(true).open(path).unwrap())
    }

    fn write(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

#[tokio::test]
async fn ii_talks_to_an_agent() {
    let Some(ii) = there("ii") else { return };
    let house = TestIrcServer::open().await;
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(ii);
    command.args(["-s", "127.0.0.1", "-p", &house.address.port().to_string(), "-n", "iitest"]);
    command.args(["-k", "II_PASSWORD", "-i"]).arg(home.path()).env("II_PASSWORD", PASSWORD);
    let _ii = start(&mut command);
    let server = home.path().join("127.0.0.1");
    until_written(&server.join("out"), "Welcome to Abide").await;
    let mut input = Pipe::open(&server.join("in")).await;
    input.write("/j #abide");
    until_joined(&house, "iitest").await;
    let mut channel = Pipe::open(&server.join("#abide/in")).await;
    channel.write("@felix hello from ii");
    until_written(&server.join("#abide/out"), "<felix> felix heard: hello from ii").await;
    // A query: the agent's answer opens a folder of its own.
    input.write("/j claude-2 psst from ii");
    until_written(&server.join("claude-2/out"), "claude-2 heard: psst from ii").await;
}

#[tokio::test]
async fn irssi_talks_to_an_agent() {
    let (Some(irssi), Some(script)) = (there("irssi"), there("script")) else { return };
    let house = TestIrcServer::open().await;
    let home = tempfile::tempdir().unwrap();
    let port = house.address.port();
    let config = format!(
        r#"
        servers = ({{ address = "127.0.0.1"; chatnet = "abide"; port = "{port}"; password = "{PASSWORD}"; use_tls = "no"; autoconnect = "yes"; }});
        chatnets = {{ abide = {{ type = "IRC"; }}; }};
        channels = ({{ name = "\#abide"; chatnet = "abide"; autojoin = "yes"; }});
        settings = {{ core = {{ real_name = "I"; user_name = "i"; nick = "irssitest"; }};
          "fe-common/core" = {{ autolog = "yes"; autolog_path = "{home}/$0.log"; }}; }};
        "#,
        home = home.path().display()
    );
    fs::write(home.path().join("config"), config.replace("\\#", "#")).unwrap();
    let mut command = Command::new(script);
    command.args([
        "-qfec",
        &format!("{} --home={}", irssi.display(), home.path().display()),
        "/dev/null",
    ]);
    command.env("TERM", "xterm");
    let mut irssi = start(&mut command);
    let mut keys = irssi.stdin.take().unwrap();
    let mut screen = irssi.stdout.take().unwrap();
    // Read on, or the terminal would fill up; what is on it is in the log as well.
    let mut reading = tokio::task::JoinSet::new();
    reading.spawn(async move { while screen.read(&mut [0; 4096]).await.is_ok_and(|n| n > 0) {} });
    until_joined(&house, "irssitest").await;
    keys.write_all(b"/msg #abide @felix hello from irssi\r").await.unwrap();
    until_written(&home.path().join("#abide.log"), "felix heard: hello from irssi").await;
    keys.write_all(b"/msg claude-2 psst from irssi\r").await.unwrap();
    until_written(&home.path().join("claude-2.log"), "claude-2 heard: psst from irssi").await;
    keys.write_all(b"/quit\r").await.unwrap();
    until("irssi is gone", async || house.people("#abide").await.is_empty().then_some(())).await;
}

#[tokio::test]
async fn weechat_talks_to_an_agent_after_sasl() {
    let Some(weechat) = there("weechat-headless") else { return };
    let house = TestIrcServer::open().await;
    let home = tempfile::tempdir().unwrap();
    let port = house.address.port();
    let add = format!(
        "/server add abide 127.0.0.1/{port} -notls -nicks=wctest -autojoin=#abide \
         -sasl_mechanism=plain -sasl_username=wctest -sasl_password={PASSWORD}"
    );
    let capabilities = "/set irc.server_default.capabilities \"*\"";
    let pipe = home.path().join("fifo");
    let mut command = Command::new(weechat);
    command.arg("-d").arg(home.path());
    command.args(["-r", &format!("/set fifo.file.path \"{}\"", pipe.display())]);
    command.args(["-r", "/set logger.file.flush_delay 0"]);
    command.args(["-r", capabilities, "-r", &add, "-r", "/connect abide"]);
    let _weechat = start(&mut command);
    until_joined(&house, "wctest").await;
    let log = home.path().join("logs/irc.abide.#abide.weechatlog");
    // The server knows of the join before weechat has a buffer to speak in.
    until_written(&log, "has joined #abide").await;
    let mut pipe = Pipe::open(&pipe).await;
    pipe.write("irc.abide.#abide *@felix hello from weechat");
    until_written(&log, "felix heard: hello from weechat").await;
    let said = house.heard();
    let said = said.iter().find(|said| said.nick == "wctest").unwrap();
    let account = abide_channels::irc::Speaker::Person(Some("wctest".into()));
    assert_eq!(said.speaker, account);
    pipe.write("irc.abide.#abide */msg claude-2 psst from weechat");
    let log = home.path().join("logs/irc.abide.claude-2.weechatlog");
    until_written(&log, "claude-2 heard: psst from weechat").await;
}
