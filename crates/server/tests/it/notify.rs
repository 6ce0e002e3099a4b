//! Every kind of service in one house, against servers that take everything: each is told, each attempt is in the ledger
//! under the service's name, and no secret is anywhere.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::Command,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::home::Home;

const PATIENCE: Duration = Duration::from_mins(1);
/// Stands in every address, key and password.
const SECRET: &str = "S3CR3T77";

const SERVICES: &str = r#"
[watchdog]
enabled = true
[[notify]]
kind = "webhook"
url_env = "HOOK"
secret_env = "KEY"
[[notify]]
kind = "ntfy"
name = "phone"
url_env = "HOOK"
secret_env = "KEY"
[[notify]]
kind = "pagerduty"
url_env = "HOOK"
secret_env = "KEY"
[[notify]]
kind = "alertmanager"
url_env = "HOOK"
secret_env = "KEY"
[[notify]]
kind = "slack"
url_env = "HOOK"
[[notify]]
kind = "discord"
url_env = "REFUSES"
"#;

/// A server of one line at a time; `talk` answers a line and says what is worth telling.
fn serve(
    talk: impl Fn(&mut BufReader<TcpStream>) -> Option<String> + Send + 'static,
) -> (SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, told): (SyncSender<String>, _) = sync_channel(100);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let told = talk(&mut BufReader::new(stream.unwrap()));
            if told.is_some_and(|told| sender.send(told).is_err()) {
                return;
            }
        }
    });
    (address, told)
}

/// Takes a request, refuses it where its path says so, and tells its path.
fn hook(line: &mut BufReader<TcpStream>) -> Option<String> {
    let mut first = String::new();
    line.read_line(&mut first).ok()?;
    let mut length = 0;
    loop {
        let mut header = String::new();
        line.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap();
        }
    }
    line.read_exact(&mut vec![0; length]).ok()?;
    let status = if first.contains("refuses") { "404 No" } else { "200 OK" };
    let answer = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    line.get_mut().write_all(answer.as_bytes()).ok()?;
    first.split(' ').nth(1).map(str::to_owned)
}

/// Takes a mail, and tells its subject.
fn post_office(line: &mut BufReader<TcpStream>) -> Option<String> {
    let mut subject = None;
    line.get_mut().write_all(b"220 here\r\n").ok()?;
    loop {
        let mut said = String::new();
        if line.read_line(&mut said).ok()? == 0 {
            return subject;
        }
        let answer = match said.split([' ', '\r']).next()? {
            "EHLO" => "250-here\r\n250 AUTH PLAIN\r\n",
            "AUTH" => "235 in\r\n",
            "MAIL" | "RCPT" | "." => "250 fine\r\n",
            "DATA" => "354 speak\r\n",
            "QUIT" => return subject,
            "Subject:" => {
                subject = Some(said.trim_end().to_owned());
                continue;
            }
            _ => continue,
        };
        line.get_mut().write_all(answer.as_bytes()).ok()?;
    }
}

/// All files below a folder that hold the secret.
fn holders(folder: &Path) -> Vec<String> {
    let found = Command::new("grep").args(["-rl", SECRET]).arg(folder).output().unwrap();
    String::from_utf8(found.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn every_service_is_told_and_journaled_by_name_and_no_secret_is_anywhere() {
    let (http, asked) = serve(hook);
    let (mail, mails) = serve(post_office);
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("notify-send");
    let write = "printf '#!/bin/sh\\nexit 0\\n' > \"$0\" && chmod 755 \"$0\"";
    assert!(Command::new("sh").args(["-c", write]).arg(&program).status().unwrap().success());
    let home = Home::new(&format!(
        "{SERVICES}[[notify]]\nkind = \"email\"\nserver = \"{mail}\"\ntls = \"off\"\nuser = \"ada\"\n\
         secret_env = \"KEY\"\nfrom = \"a@house.example\"\nto = [\"b@example.org\"]\n\
         [[notify]]\nkind = \"desktop\"\nprogram = {program:?}\n"
    ));
    let log = folder.path().join("log");
    let variables = [
        ("ABIDE_LOG", "debug".to_owned()),
        ("HOOK", format!("http://{http}/{SECRET}")),
        ("REFUSES", format!("http://{http}/refuses/{SECRET}")),
        ("KEY", format!("key-{SECRET}")),
    ];
    let mut keeper = home.begin_saying(&variables, File::create(&log).unwrap().into());
    assert_eq!(keeper.news()["event"], "ready");
    let mut events = keeper.client.events("/events?after=0", &[]);
    let tested = keeper.client.post("/watchdog/test-page", &json!({}));
    assert_eq!(tested.status, 200, "{tested:?}");
    assert_eq!(tested.json()["notify_failed"], Value::Null, "one of them is enough");
    let seen = events.until("watchdog.tested");
    let attempts = seen.last().unwrap().data["data"]["attempts"].as_array().unwrap().clone();
    let outcome = |attempt: &Value| {
        let text = |field: &str| attempt[field].as_str().unwrap().to_owned();
        (text("service"), text("outcome"), text("words"))
    };
    let row = |name: &str, outcome: &str, words: &str| {
        (name.to_owned(), outcome.to_owned(), words.to_owned())
    };
    let gone = "127.0.0.1 answered 404: there is nothing at this address";
    assert_eq!(
        attempts.iter().map(outcome).collect::<Vec<_>>(),
        [
            row("webhook", "confirmed", "webhook at 127.0.0.1"),
            row("phone", "confirmed", "ntfy at 127.0.0.1"),
            row("pagerduty", "confirmed", "pagerduty at 127.0.0.1"),
            row("alertmanager", "confirmed", "alertmanager at 127.0.0.1"),
            row("slack", "confirmed", "slack at 127.0.0.1"),
            row("discord", "failed", gone),
            row("email", "sent", "email by 127.0.0.1 to 1 of 1"),
            row("desktop", "sent", "the desktop"),
        ]
    );
    let mut paths: Vec<_> = (0..6).map(|_| asked.recv_timeout(PATIENCE).unwrap()).collect();
    paths.sort();
    let hook = format!("/{SECRET}");
    let mut expected = [
        "/".to_owned(),
        format!("{hook}/api/v2/alerts"),
        format!("/refuses{hook}?wait=true"),
        hook.clone(),
        hook.clone(),
        hook,
    ];
    expected.sort();
    assert_eq!(paths, expected);
    let subject = mails.recv_timeout(PATIENCE).unwrap();
    assert_eq!(subject, "Subject: tickle-1: this is a test; nobody is stalled");
    for view in ["/watchdog", "/evidence?author=tickle-1", "/attention", "/snapshot", "/metrics"] {
        let answer = keeper.client.get(view);
        assert!(!answer.text.contains(SECRET), "{view}");
    }
    keeper.stop();
    assert!(fs::metadata(&log).unwrap().len() > 0, "the log was written");
    assert_eq!(holders(&home.path()), Vec::<String>::new());
    assert_eq!(holders(folder.path()), Vec::<String>::new());
}
