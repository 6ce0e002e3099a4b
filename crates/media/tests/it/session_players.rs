//! Players of other programs, on a bus of the test's own. Needs the Debian package `dbus-daemon`.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use abide_media::{
    PlayerStatus, SessionPlayerCommand, SessionPlayers, SessionPlayersError, Volume,
};
use futures_util::StreamExt as _;
use tokio::task::JoinSet;
use zbus::{Connection, MessageStream, ObjectPath, OwnedVariant, Variant, connection::Builder};

struct Bus {
    child: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Bus {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let configuration = folder.path().join("bus.conf");
        let text = format!(
            "<busconfig><type>session</type><listen>unix:path={}/bus</listen><auth>EXTERNAL</auth>\
             <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>\
             <allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>",
            folder.path().display()
        );
        std::fs::write(&configuration, text).unwrap();
        let mut child = Command::new("dbus-daemon")
            .args(["--nofork", "--print-address"])
            .arg(format!("--config-file={}", configuration.display()))
            .stdout(Stdio::piped())
            .spawn()
            .expect("dbus-daemon starts (Debian package dbus-daemon)");
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { child, address: address.trim().to_owned(), _folder: folder }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

type Calls = Arc<Mutex<Vec<String>>>;

/// A player of another program: shows what it is given and notes what it is asked.
async fn other_player(
    bus: &Bus,
    name: &str,
    shown: Vec<(&'static str, Variant<'static>)>,
    calls: &Calls,
    tasks: &mut JoinSet<()>,
) -> Connection {
    let connection = Builder::address(bus.address.as_str()).build().await.unwrap();
    connection.request_name(format!("org.mpris.MediaPlayer2.{name}")).await.unwrap();
    let (answering, calls, name) = (connection.clone(), Arc::clone(calls), name.to_owned());
    let mut messages = MessageStream::from(&connection);
    tasks.spawn(async move {
        while let Some(Ok(message)) = messages.next().await {
            let header = message.header();
            let Some(member) = header.member().map(ToString::to_string) else { continue };
            if name == "silent" || header.message_type() != zbus::message::Type::MethodCall {
                continue;
            }
            match member.as_str() {
                "GetAll" => {
                    let shown: HashMap<&str, &Variant<'_>> =
                        shown.iter().map(|(name, value)| (*name, value)).collect();
                    answering.reply(&header, &shown).await.unwrap();
                }
                "SetPosition" => {
                    let (track, micros): (ObjectPath<'_>, i64) = message
                        .body()
                        .deserialize()
                        .map(|(t, m): (ObjectPath<'_>, i64)| (t.to_owned(), m))
                        .unwrap();
                    calls.lock().unwrap().push(format!("{name} {member} {track} {micros}"));
                    answering.reply(&header, &()).await.unwrap();
                }
                "Set" => {
                    let body = message.body();
                    let (_, property, value): (String, String, OwnedVariant) =
                        body.deserialize().unwrap();
                    calls.lock().unwrap().push(format!("{name} {property} {:?}", *value));
                    answering.reply(&header, &()).await.unwrap();
                }
                _ => {
                    calls.lock().unwrap().push(format!("{name} {member}"));
                    answering.reply(&header, &()).await.unwrap();
                }
            }
        }
    });
    connection
}

#[tokio::test]
async fn players_of_other_programs_are_seen_and_steered() {
    let bus = Bus::start();
    let (calls, mut tasks) = (Calls::default(), JoinSet::new());
    let track: HashMap<&str, Variant<'_>> = HashMap::from([
        ("mpris:trackid", Variant::from(ObjectPath::try_from("/t/1").unwrap())),
        ("mpris:length", Variant::from(215_000_000_i64)),
        ("xesam:title", Variant::from("Jóga\u{7}")),
        ("xesam:artist", Variant::from(vec!["Björk", "Others"])),
    ]);
    let full = vec![
        ("Identity", Variant::from("VLC media player")),
        ("PlaybackStatus", Variant::from("Playing")),
        ("Metadata", Variant::from(track)),
        ("Position", Variant::from(12_500_000_i64)),
        ("Volume", Variant::from(0.4_f64)),
        ("CanSeek", Variant::from(true)),
        ("CanControl", Variant::from(true)),
    ];
    // What a careless program shows: no track id, a length of another kind, one artist as text.
    let careless: HashMap<&str, Variant<'_>> = HashMap::from([
        ("mpris:length", Variant::from(1_000_000_u64)),
        ("xesam:artist", Variant::from("Solo")),
    ]);
    let bare = vec![("Metadata", Variant::from(careless)), ("CanSeek", Variant::from(true))];
    let _full = other_player(&bus, "vlc", full, &calls, &mut tasks).await;
    let _bare = other_player(&bus, "careless.instance_1", bare, &calls, &mut tasks).await;
    let _silent = other_player(&bus, "silent", Vec::new(), &calls, &mut tasks).await;

    let players = SessionPlayers::connect(&bus.address).await.unwrap();
    let seen = players.list().await.unwrap();
    let [bare, vlc] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!((vlc.name.as_str(), vlc.identity.as_str()), ("vlc", "VLC media player"));
    assert_eq!((vlc.status, vlc.title.as_deref()), (PlayerStatus::Playing, Some("Jóga")));
    assert_eq!(vlc.artists, ["Björk", "Others"]);
    assert_eq!((vlc.position_ms, vlc.duration_ms), (Some(12_500), Some(215_000)));
    assert_eq!((vlc.volume, vlc.can_seek), (Some(Volume::new(40)), true));
    assert_eq!(
        (bare.name.as_str(), bare.identity.as_str()),
        ("careless.instance_1", "careless.instance_1")
    );
    assert_eq!(
        (bare.status, bare.can_seek, bare.duration_ms),
        (PlayerStatus::Idle, false, Some(1_000))
    );
    assert_eq!(bare.artists, ["Solo"]);

    for command in [
        SessionPlayerCommand::Pause,
        SessionPlayerCommand::Play,
        SessionPlayerCommand::Next,
        SessionPlayerCommand::Seek(Duration::from_secs(61)),
        SessionPlayerCommand::SetVolume(Volume::new(55)),
    ] {
        players.command("vlc", command).await.unwrap();
    }
    let asked = calls.lock().unwrap().clone();
    assert_eq!(asked[..4], ["vlc Pause", "vlc Play", "vlc Next", "vlc SetPosition /t/1 61000000"]);
    assert!(asked[4].starts_with("vlc Volume") && asked[4].contains("0.55"), "{asked:?}");
    let seek = SessionPlayerCommand::Seek(Duration::ZERO);
    let careless = players.command("careless.instance_1", seek).await;
    assert!(matches!(careless, Err(SessionPlayersError::Unable { .. })), "{careless:?}");
    let silent = players.command("silent", SessionPlayerCommand::Play).await;
    assert!(matches!(silent, Err(SessionPlayersError::Silent { .. })), "{silent:?}");
    let none = players.command("nobody", SessionPlayerCommand::Play).await;
    assert!(matches!(none, Err(SessionPlayersError::Refused { .. })), "{none:?}");
    for name in ["", "../x", "a b", "é"] {
        let named = players.command(name, SessionPlayerCommand::Play).await;
        assert!(matches!(named, Err(SessionPlayersError::Name { .. })), "{name}: {named:?}");
    }
}

#[tokio::test]
async fn without_a_session_bus_there_are_no_other_players() {
    for address in ["unix:path=/nowhere/bus", "no address", ""] {
        let connected = SessionPlayers::connect(address).await;
        assert!(matches!(connected, Err(SessionPlayersError::NoBus(_))), "{address}");
    }
}
