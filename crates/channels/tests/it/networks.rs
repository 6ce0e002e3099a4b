//! Our client against real servers, and against our own.

use std::{
    fs,
    net::{SocketAddr, TcpListener},
    path::Path,
    sync::{Arc, Mutex},
};

use abide_channels::{
    irc::{
        Speaker, SpokenKind, SpokenLine, Target,
        client::{
            self, ClientConfig, ClientHandle, ClientListener, ClientParts, ClientState, Jitter,
            Sasl, SayError, Security, SendCertainty,
        },
    },
    tls::Trust,
};
use abide_http::Secret;
use tokio::{
    process::{Child, Command},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::{
    irc_server::{PASSWORD, RealClock},
    plain::PlainClient,
    programs::{start, there},
    server::{certificate_folder, secure_server},
    wait::until,
};

#[derive(Debug)]
struct NoSpread;

impl Jitter for NoSpread {
    fn fraction(&self) -> f64 {
        0.0
    }
}

#[derive(Debug, Default)]
struct Kept(Mutex<Vec<SpokenLine>>);

impl ClientListener for Kept {
    fn on_line(&self, line: SpokenLine) {
        self.0.lock().unwrap().push(line);
    }
}

/// An agent on a network.
struct Joined {
    handle: ClientHandle,
    kept: Arc<Kept>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Joined {
    fn begin(config: ClientConfig) -> Self {
        let kept = Arc::new(Kept::default());
        let listener = Arc::clone(&kept) as Arc<dyn ClientListener>;
        let ports = ClientParts { clock: RealClock::new(), jitter: Arc::new(NoSpread), listener };
        let (service, handle) = client::service(config, ports).unwrap();
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(service.run(stop.clone()));
        Self { handle, kept, stop, tasks }
    }

    async fn online(&self) -> String {
        until("the client is in its channel", async || match self.handle.state() {
            ClientState::Online { nick, channels } if !channels.is_empty() => Some(nick),
            _ => None,
        })
        .await
    }

    async fn hears(&self, text: &str) -> SpokenLine {
        until(text, async || {
            self.kept.0.lock().unwrap().iter().find(|said| said.text == text).cloned()
        })
        .await
    }
}

fn config(port: u16) -> ClientConfig {
    ClientConfig {
        network: "test".into(),
        host: "127.0.0.1".into(),
        port,
        security: Security::Plain,
        agent: "felix".parse().unwrap(),
        nick: "felix".into(),
        alternates: Vec::new(),
        real_name: "Felix".into(),
        server_password: None,
        sasl: None,
        channels: vec!["#abide".into()],
        follows_invitations: true,
        siblings: Vec::new(),
    }
}

/// A port that was free a moment ago: these servers cannot be told to take any.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

async fn until_listening(port: u16) {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    until("the server listens", async || tokio::net::TcpStream::connect(address).await.ok()).await;
}

/// Both servers drop root's rights to a user that must be able to read its files.
fn opened(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn ngircd(home: &Path, port: u16) -> Option<Child> {
    let ngircd = there("ngircd")?;
    let text = format!(
        "[Global]\nName = irc.test.local\nInfo = test\nListen = 127.0.0.1\nPorts = {port}\nMotdPhrase = hello\n\
         AdminInfo1 = a\nAdminInfo2 = b\nAdminEMail = a@test.local\n\
         [Limits]\nMaxConnectionsIP = 0\nMaxPenaltyTime = 0\nMaxNickLength = 9\n\
         [Options]\nIdent = no\nDNS = no\nPAM = no\n"
    );
    opened(home);
    let path = home.join("ngircd.conf");
    fs::write(&path, text).unwrap();
    Some(start(Command::new(ngircd).arg("-n").arg("-f").arg(path)))
}

fn inspircd(home: &Path, port: u16) -> Option<Child> {
    let inspircd = there("inspircd")?;
    let modules = [
        "cap",
        "ircv3_accounttag",
        "ircv3_batch",
        "ircv3_ctctags",
        "ircv3_echomessage",
        "ircv3_labeledresponse",
        "ircv3_msgid",
        "ircv3_servertime",
        "services_account",
    ];
    let modules = modules.map(|name| format!("<module name=\"{name}\">\n")).concat();
    let home_path = home.display();
    let text = format!(
        "<config format=\"xml\">\n\
         <server name=\"irc.test.local\" description=\"test\" id=\"97K\" network=\"Test\">\n\
         <admin name=\"a\" nick=\"a\" email=\"a@test.local\">\n\
         <bind address=\"127.0.0.1\" port=\"{port}\" type=\"clients\">\n\
         <connect name=\"main\" allow=\"*\" localmax=\"100\" globalmax=\"100\" resolvehostnames=\"no\" timeout=\"60\">\n\
         <path configdir=\"{home_path}\" datadir=\"{home_path}\" logdir=\"{home_path}\" runtimedir=\"{home_path}\">\n\
         <pid file=\"{home_path}/inspircd.pid\">\n\
         <log method=\"file\" type=\"*\" level=\"default\" target=\"{home_path}/inspircd.log\">\n\
         {modules}"
    );
    opened(home);
    let path = home.join("inspircd.conf");
    fs::write(&path, text).unwrap();
    let mut command = Command::new(inspircd);
    command.arg("--config").arg(path).args(["--nofork", "--runasroot"]);
    Some(start(&mut command))
}

/// A person on a network without accounts.
async fn person(port: u16, nick: &str) -> PlainClient<tokio::net::TcpStream> {
    let mut person = PlainClient::connect(SocketAddr::from(([127, 0, 0, 1], port))).await;
    person.send(&format!("NICK {nick}")).await;
    person.send(&format!("USER {nick} 0 * :{nick}")).await;
    person.hear("001").await;
    person.send("JOIN #abide").await;
    person.hear("366").await;
    person
}

/// Talk both ways, with the proof that the network gives.
async fn talk(port: u16, felix: &Joined) -> SendCertainty {
    let nick = felix.online().await;
    let mut bob = person(port, "bob").await;
    bob.send(&format!("PRIVMSG #abide :{nick}: hello")).await;
    let said = felix.hears(&format!("{nick}: hello")).await;
    assert_eq!(said.target, Target::Channel("#abide".into()));
    assert_eq!(said.speaker, Speaker::Person(None));
    bob.send(&format!("PRIVMSG {nick} :psst")).await;
    assert_eq!(felix.hears("psst").await.target, Target::Agent("felix".parse().unwrap()));
    let sent = felix.handle.say("#abide", "hello bob\nhow are you?", SpokenKind::Speech).await;
    assert_eq!(bob.hear("PRIVMSG").await.param(1), "hello bob");
    assert_eq!(bob.hear("PRIVMSG").await.param(1), "how are you?");
    sent.unwrap()
}

#[tokio::test]
async fn the_client_talks_on_ngircd_and_gets_its_nick_back() {
    let home = tempfile::tempdir().unwrap();
    let port = free_port();
    let Some(mut ngircd) = ngircd(home.path(), port) else { return };
    until_listening(port).await;
    let mut squatter = person(port, "felix").await;
    let felix = Joined::begin(config(port));
    assert_eq!(felix.online().await, "felix_");
    squatter.send("QUIT :yours").await;
    until("the nick is free again", async || {
        matches!(felix.handle.state(), ClientState::Online { nick, .. } if nick == "felix")
            .then_some(())
    })
    .await;
    assert_eq!(talk(port, &felix).await, SendCertainty::Written, "ngircd confirms nothing");
    // A server that dies is waited for, and nothing is said into the void.
    ngircd.kill().await.unwrap();
    until("the end is noticed", async || {
        matches!(felix.handle.state(), ClientState::Waiting { .. }).then_some(())
    })
    .await;
    let refused = felix.handle.say("#abide", "x", SpokenKind::Speech).await;
    assert_eq!(refused, Err(SayError::NotConnected));
    let _again = self::ngircd(home.path(), port);
    talk(port, &felix).await;
}

#[tokio::test]
async fn a_long_nick_is_cut_as_ngircd_wants_it() {
    let home = tempfile::tempdir().unwrap();
    let port = free_port();
    let Some(_ngircd) = ngircd(home.path(), port) else { return };
    until_listening(port).await;
    let felix = Joined::begin(ClientConfig { nick: "felix-the-cat".into(), ..config(port) });
    until("the nick is cut", async || {
        matches!(felix.handle.state(), ClientState::Online { nick, .. } if nick == "felix-the")
            .then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_client_talks_on_inspircd_and_knows_that_it_was_heard() {
    let home = tempfile::tempdir().unwrap();
    let port = free_port();
    let Some(_inspircd) = inspircd(home.path(), port) else { return };
    until_listening(port).await;
    let mut felix = Joined::begin(config(port));
    let sent = talk(port, &felix).await;
    assert!(
        matches!(&sent, SendCertainty::Confirmed(Some(msgid)) if !msgid.is_empty()),
        "{sent:?}"
    );
    let mut bob = person(port, "carol").await;
    bob.send("JOIN #other").await;
    bob.hear("366").await;
    bob.send("INVITE felix #other").await;
    assert_eq!(bob.hear("JOIN").await.nick(), "felix");
    felix.stop.cancel();
    felix.tasks.join_next().await.unwrap().unwrap();
    assert_eq!(felix.handle.state(), ClientState::Stopped);
    let closed = felix.handle.say("#abide", "x", SpokenKind::Speech).await;
    assert_eq!(closed, Err(SayError::Closed));
}

#[tokio::test]
async fn the_client_proves_its_account_to_our_own_server_over_tls() {
    let Some(folder) = certificate_folder() else { return };
    let house = secure_server(folder.path()).await;
    let port = house.address.port();
    let authorities = fs::read_to_string(folder.path().join("ca.pem")).unwrap();
    let security = |trust| Security::Tls(trust);
    let sasl = |password: &str| {
        Some(Sasl { account: "guest-felix".into(), password: Secret::new(password) })
    };
    let trusted = ClientConfig {
        host: "localhost".into(),
        security: security(Trust::Authorities(authorities)),
        nick: "visitor".into(),
        sasl: sasl(PASSWORD),
        ..config(port)
    };
    let visitor = Joined::begin(trusted.clone());
    visitor.online().await;
    let sent = visitor.handle.say("#abide", "@felix hello", SpokenKind::Speech).await.unwrap();
    assert!(matches!(sent, SendCertainty::Confirmed(Some(_))), "{sent:?}");
    visitor.hears("felix heard: hello").await;
    let heard = house.heard();
    assert_eq!(heard[0].speaker, Speaker::Person(Some("guest-felix".into())));
    // A wrong password, and a certificate that nobody vouches for.
    let wrong = Joined::begin(ClientConfig { sasl: sasl("wrong"), ..trusted.clone() });
    let distrusted = Joined::begin(ClientConfig { security: security(Trust::System), ..trusted });
    for (client, reason) in [(wrong, "account was not accepted"), (distrusted, "TLS")] {
        until(reason, async || match client.handle.state() {
            ClientState::Waiting { reason: why } if why.contains(reason) => Some(()),
            _ => None,
        })
        .await;
    }
}

#[tokio::test]
async fn a_password_is_not_sent_in_the_clear() {
    let sasl = Some(Sasl { account: "felix".into(), password: Secret::new("pw") });
    let config = ClientConfig { host: "irc.example.org".into(), sasl, ..config(6667) };
    let ports = ClientParts {
        clock: RealClock::new(),
        jitter: Arc::new(NoSpread),
        listener: Arc::new(Kept::default()),
    };
    let refused = client::service(config, ports).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a password would be sent to irc.example.org without TLS; turn TLS on for this network"
    );
}
