//! The embedded server over real sockets, spoken to by hand.

use std::{fs, net::SocketAddr, process::Command, sync::Arc};

use abide_channels::{
    irc::{SpokenKind, Target, server::Speech},
    tls,
};
use tokio::{io::AsyncWriteExt as _, net::TcpStream};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};

use crate::{irc_server::TestIrcServer, plain::PlainClient, programs::there, wait::until};

#[tokio::test]
async fn people_and_agents_talk_in_channels_and_alone() {
    let mut house = TestIrcServer::open().await;
    let mut ann = PlainClient::enter(house.address, "ann", "echo-message server-time").await;
    let mut bob = PlainClient::enter(house.address, "bob", "sasl").await;
    ann.send("PRIVMSG #abide :@felix are you there?").await;
    let echo = ann.hear("PRIVMSG").await;
    assert_eq!((echo.nick(), echo.param(1)), ("ann", "@felix are you there?"));
    for client in [&mut ann, &mut bob] {
        while client.hear("PRIVMSG").await.nick() != "felix" {}
    }
    ann.send("PRIVMSG claude-2 :and you?").await;
    assert_eq!(ann.hear("PRIVMSG").await.nick(), "ann");
    let alone = ann.hear("PRIVMSG").await;
    assert_eq!((alone.param(0), alone.param(1)), ("ann", "claude-2 heard: and you?"));
    ann.send("PRIVMSG felix :please refuse").await;
    assert!(ann.hear("NOTICE").await.param(1).contains("the queue is full"));
    ann.send("JOIN #work").await;
    ann.hear("366").await;
    ann.send("INVITE felix #work").await;
    assert_eq!(ann.hear("JOIN").await.nick(), "felix");
    until("the house remembers", async || (!house.invited().is_empty()).then_some(())).await;
    assert!(house.heard().iter().any(|said| said.target == Target::Channel("#abide".into())));
    house.stop.cancel();
    assert!(ann.hear("ERROR").await.param(0).contains("is stopping"));
    assert_eq!(ann.line().await, None);
    house.tasks.join_next().await.unwrap().unwrap();
}

#[tokio::test]
async fn what_was_said_before_is_shown_to_who_comes_later() {
    let house = TestIrcServer::open().await;
    let mut ann = PlainClient::enter(house.address, "ann", "sasl").await;
    for word in ["one", "two", "three"] {
        ann.send(&format!("PRIVMSG #abide :{word}")).await;
    }
    until("it is heard", async || (house.heard().len() == 3).then_some(())).await;
    let caps = "batch draft/chathistory server-time message-tags";
    let mut bob = PlainClient::enter(house.address, "bob", caps).await;
    bob.send("CHATHISTORY LATEST #abide * 2").await;
    let begin = bob.hear("BATCH").await;
    assert_eq!(begin.params[1..], ["chathistory", "#abide"]);
    let lines = [bob.hear("PRIVMSG").await, bob.hear("PRIVMSG").await];
    assert_eq!(lines.each_ref().map(|line| line.param(1)), ["two", "three"]);
    assert!(
        lines[0].tag("time").is_some() && lines[0].tag("batch") == begin.param(0).strip_prefix('+')
    );
    let msgid = lines[0].tag("msgid").unwrap();
    bob.send(&format!("CHATHISTORY BEFORE #abide msgid={msgid} 5")).await;
    assert_eq!(bob.hear("PRIVMSG").await.param(1), "one");
}

#[tokio::test]
async fn a_client_that_does_not_read_is_dropped_and_the_others_are_not_held_up() {
    let house = TestIrcServer::open().await;
    let slow = PlainClient::enter(house.address, "slow", "sasl").await;
    let mut ann = PlainClient::enter(house.address, "ann", "sasl").await;
    let text = "x".repeat(390);
    // Far more than socket buffers and the send queue together hold.
    let mut is_dropped = false;
    for _ in 0..40_000 {
        let speech = Speech {
            from: "felix".into(),
            target: "#abide".into(),
            text: format!("{text}\n").repeat(50),
            kind: SpokenKind::Notice,
        };
        house.handle.say(speech).await.unwrap();
        for _ in 0..50 {
            ann.hear("NOTICE").await;
        }
        is_dropped = house.people("#abide").await == ["ann"];
        if is_dropped {
            break;
        }
    }
    assert!(is_dropped);
    assert_eq!(ann.hear("QUIT").await.param(0), "Send queue exceeded");
    drop(slow);
}

#[tokio::test]
async fn a_flood_is_read_no_faster_than_a_client_may_speak_and_nothing_of_it_is_lost() {
    let house = TestIrcServer::open().await;
    let mut ann = PlainClient::enter(house.address, "ann", "sasl").await;
    let flood = "PRIVMSG #abide :flood\r\n".repeat(25);
    ann.send(flood.trim_end()).await;
    ann.send("PING :end").await;
    ann.hear("PONG").await;
    assert_eq!(house.heard().len(), 25);
}

#[tokio::test]
async fn bytes_that_are_no_irc_hurt_nobody() {
    let house = TestIrcServer::open().await;
    let mut ann = PlainClient::enter(house.address, "ann", "sasl").await;
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let mut noise = vec![0xff_u8; 20_000];
    noise.extend_from_slice(b"\r\n\0\0\r\nGET / HTTP/1.1\r\n\r\n");
    stream.write_all(&noise).await.unwrap();
    let mut noisy = PlainClient::over(stream);
    noisy.hear("417").await;
    noisy.hear("451").await;
    ann.send("PRIVMSG #abide :caf\u{e9}").await;
    until("it is heard", async || (house.heard().len() == 1).then_some(())).await;
}

#[tokio::test]
async fn a_person_that_comes_again_takes_its_nick_back_from_a_connection_that_does_not_answer() {
    let house = TestIrcServer::open().await;
    let mut old = PlainClient::enter(house.address, "ann", "sasl").await;
    let _new = PlainClient::enter(house.address, "ann", "sasl").await;
    // Its end is read without an answer to the question whether it is still there.
    loop {
        let line = old.line().await.unwrap();
        if line.contains("ERROR") {
            assert!(
                line.contains("Another connection of your account took this nickname"),
                "{line}"
            );
            break;
        }
    }
    assert_eq!(old.line().await, None);
    assert_eq!(house.people("#abide").await, ["ann"]);
}

/// A certificate authority and a certificate for `localhost`, made for this test alone.
fn certificates(folder: &std::path::Path) -> Option<()> {
    let openssl = there("openssl")?;
    let run = |arguments: &[&str]| {
        let done = Command::new(&openssl).args(arguments).current_dir(folder).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    fs::write(folder.join("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n").unwrap();
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    run(&[
        &["req", "-x509"],
        &key[..],
        &["-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test", "-days", "2"],
    ]
    .concat());
    run(&[&["req"], &key[..], &["-keyout", "key.pem", "-out", "csr", "-subj", "/CN=localhost"]]
        .concat());
    run(&[
        "x509",
        "-req",
        "-in",
        "csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-out",
        "cert.pem",
        "-days",
        "2",
        "-extfile",
        "names",
    ]);
    Some(())
}

/// A folder with `ca.pem`, `cert.pem` and `key.pem`.
pub(crate) fn certificate_folder() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path())?;
    Some(folder)
}

/// A house that speaks TLS, with the certificates of a folder.
pub(crate) async fn secure_server(folder: &std::path::Path) -> TestIrcServer {
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let tls = tls::server_config(&text("cert.pem"), &text("key.pem")).unwrap();
    TestIrcServer::with(|config| config.tls = Some(tls)).await
}

#[tokio::test]
async fn the_server_speaks_tls_and_nothing_else_where_it_is_told_to() {
    let Some(folder) = certificate_folder() else { return };
    let house = secure_server(folder.path()).await;
    let mut ann = PlainClient::over(connect_tls(house.address, folder.path()).await);
    ann.register("ann", "sasl").await;
    ann.send("WHOIS ann").await;
    ann.hear("671").await;
    let mut plain = PlainClient::connect(house.address).await;
    plain.send("NICK bob").await;
    while let Some(line) = plain.line().await {
        // A TLS alert is no text and may look like anything but an answer.
        assert!(!line.contains("abide.local"), "{line}");
    }
}

async fn connect_tls(
    address: SocketAddr,
    folder: &std::path::Path,
) -> tokio_rustls::client::TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(folder.join("ca.pem")).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
}
