//! Music against the real program: what people and agents ask is played by a real mpv without a sound, and `kill -9` of mpv or of the
//! keeper loses nothing but a second.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use abide_testkit::{FakeDialect, ModelServer, Reply};
use serde_json::{Value, json};

use crate::{
    access::rights::create,
    client::{Answer, Client},
    home::{Home, Keeper},
};

/// What is waited for at most: mpv is a program of its own on a machine that may be busy.
const LONG: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(20);

/// A WAV file of quiet noise of its own, 8000 samples of 8 bits a second.
fn wav(seconds: u32, number: u64) -> Vec<u8> {
    let samples = seconds * 8_000;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + samples).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend(8_000_u32.to_le_bytes());
    bytes.extend(8_000_u32.to_le_bytes());
    bytes.extend(b"\x01\0\x08\0data");
    bytes.extend(samples.to_le_bytes());
    let mut state = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bytes.extend((0..samples).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        120 + u8::try_from(state % 16).unwrap()
    }));
    bytes
}

/// A home with music, and a keeper that has scanned it.
struct Fixture {
    music: tempfile::TempDir,
    home: Home,
    keeper: Keeper,
}

impl Fixture {
    /// `player` is `mpv` or `silent`; `seconds` says how long each of the tracks `Song 0`, `Song 1` and so on is.
    fn new(player: &str, seconds: &[u32]) -> Self {
        Self::with(player, seconds, "")
    }

    fn with(player: &str, seconds: &[u32], more: &str) -> Self {
        let music = tempfile::tempdir().unwrap();
        for (number, length) in seconds.iter().enumerate() {
            let name = format!("Song {number}.wav");
            fs::write(music.path().join(name), wav(*length, number as u64)).unwrap();
        }
        let folder = music.path().display();
        let home = Home::new(&format!(
            "[media]\nfolders = [\"{folder}\"]\nplayer = \"{player}\"\noutput = \"none\"\n{more}"
        ));
        let keeper = up(&home);
        let fixture = Self { music, home, keeper };
        fixture.until_scanned(seconds.len() as u64);
        fixture
    }

    fn client(&self) -> &Client {
        &self.keeper.client
    }

    fn until_scanned(&self, files: u64) -> Value {
        until("the library is scanned", || {
            let library = self.client().read("/music/library?limit=1");
            let scan = &library["scan"];
            let is_done = scan["state"] == "idle" && scan["files"] == files;
            is_done.then(|| scan.clone())
        })
    }

    /// The id of a track by its title.
    fn id(&self, title: &str) -> String {
        let found = self.client().read(&format!("/music/library?q={}", title.replace(' ', "%20")));
        found["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{title}: {found}")).to_owned()
    }

    fn control(&self, body: &Value) -> Value {
        let answer = self.client().post("/control-media", body);
        assert_eq!(answer.status, 200, "{body}: {answer:?}");
        answer.json()
    }

    fn status(&self) -> Value {
        self.client().read("/media-status")
    }

    /// Waits until the status is as it should be.
    fn until(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        until(what, || Some(self.status()).filter(&holds))
    }

    /// Ends the keeper at once and starts another one.
    fn killed(mut self) -> Self {
        let digest = self.client().read("/snapshot")["state_digest"].clone();
        self.keeper.kill();
        self.keeper = up(&self.home);
        let again = self.client().read("/snapshot")["state_digest"].clone();
        assert_eq!(again, digest, "the state follows from the ledger alone");
        self
    }
}

/// The keeper finds mpv as a person's would.
fn up(home: &Home) -> Keeper {
    home.up_with(&[("PATH", std::env::var_os("PATH").unwrap())])
}

#[expect(clippy::disallowed_methods, reason = "mpv and the scan take their time")]
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let rounds = LONG.as_millis() / PAUSE.as_millis();
    for _ in 0..rounds {
        if let Some(seen) = look() {
            return seen;
        }
        thread::sleep(PAUSE);
    }
    panic!("{what}: not within {} s", LONG.as_secs());
}

fn position(status: &Value) -> f64 {
    status["position_s"].as_f64().unwrap()
}

fn titles(entries: &Value) -> Vec<String> {
    let entries = entries.as_array().unwrap().iter();
    entries.map(|entry| entry["track"]["title"].as_str().unwrap().to_owned()).collect()
}

/// The processes of mpv that a keeper has.
fn players(keeper: u32) -> Vec<u32> {
    let of = |folder: PathBuf| {
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        let (pid, rest) = stat.split_once(" (mpv) ")?;
        let mut fields = rest.split(' ');
        let (state, parent) = (fields.next()?, fields.next()?);
        (parent == keeper.to_string() && state != "Z").then(|| pid.parse().unwrap())
    };
    fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| of(entry.path())).collect()
}

fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}

fn is_gone(pid: u32) -> bool {
    !Path::new(&format!("/proc/{pid}")).exists()
}

fn token(home: &Home, name: &str, scope: &str) -> String {
    create(home, name, &[scope], &[])
}

fn lines<'a>(ledger: &'a [Value], kind: &str) -> Vec<&'a Value> {
    ledger.iter().filter(|line| line["kind"] == kind).collect()
}

#[test]
fn without_folders_nothing_is_started_and_every_answer_says_what_to_do() {
    let home = Home::new("");
    let keeper = up(&home);
    let status = keeper.client.read("/media-status");
    assert_eq!((&status["state"], &status["backend"]), (&json!("unavailable"), &json!("off")));
    assert!(status["why"].as_str().unwrap().contains("[media]"), "{status}");
    let refused = keeper.client.post("/control-media", &json!({"action": "play"}));
    assert_eq!((refused.status, refused.code().as_str()), (409, "no_player"), "{refused:?}");
    assert!(refused.text.contains("set `folders` under [media]"), "{refused:?}");
    let library = keeper.client.read("/music/library");
    assert_eq!((&library["scan"]["state"], &library["items"]), (&json!("off"), &json!([])));
    assert!(!home.path().join("media").exists(), "nothing is made");
    assert_eq!(players(keeper.pid()), [0_u32; 0]);
    let tools = keeper.client.read("/tools");
    assert!(!tools.to_string().contains("media.play"), "there is nothing to hear");
}

#[test]
fn a_real_mpv_plays_what_a_person_asks() {
    let f = Fixture::new("mpv", &[120, 120, 120]);
    let songs: Vec<String> = (0..3).map(|number| f.id(&format!("song {number}"))).collect();
    let status = f.control(&json!({"action": "play", "tracks": songs}));
    assert_eq!(status["backend"], "mpv");
    assert_eq!(titles(&status["queue"]), ["Song 0", "Song 1", "Song 2"]);
    let playing = f.until("it plays", |now| now["state"] == "playing" && position(now) > 0.5);
    assert_eq!(playing["track"]["duration_s"], 120.0);
    f.control(&json!({"action": "seek", "position_s": 60.0}));
    f.until("it goes on from there", |now| position(now) > 60.5 && position(now) < 90.0);
    let paused = f.control(&json!({"action": "pause"}));
    assert_eq!(paused["state"], "paused");
    assert_eq!(f.control(&json!({"action": "volume", "volume": 40}))["volume"], 40);
    f.control(&json!({"action": "play"}));
    let next = f.control(&json!({"action": "next"}));
    assert_eq!(next["track"]["title"], "Song 1");
    f.until("the next one plays", |now| now["state"] == "playing" && position(now) > 0.2);
    let before = f.control(&json!({"action": "previous"}));
    assert_eq!(before["track"]["title"], "Song 0");
    // Just before its end, so that the next one begins by itself.
    f.until("it is loaded", |now| position(now) > 0.1);
    f.control(&json!({"action": "seek", "position_s": 118.5}));
    f.until("the next one begins by itself", |now| now["track"]["title"] == "Song 1");
    let stopped = f.control(&json!({"action": "stop"}));
    assert_eq!((&stopped["state"], &stopped["entry"]), (&json!("stopped"), &Value::Null));
    let ledger = f.home.ledger();
    let finished = lines(&ledger, "media.entry_finished");
    assert_eq!(finished.len(), 1, "{finished:?}");
    assert_eq!(finished[0]["data"]["by"], json!({"who": "player", "name": "player"}));
    assert!(!ledger.iter().any(|line| line.to_string().contains("position")), "none is written");
}

#[test]
fn a_killed_mpv_is_started_again_where_it_was() {
    let f = Fixture::new("mpv", &[120]);
    f.control(&json!({"action": "play", "tracks": [f.id("song 0")]}));
    f.until("it plays", |now| position(now) > 0.2);
    f.control(&json!({"action": "seek", "position_s": 50.0}));
    f.until("it is there", |now| position(now) > 51.0);
    let [first] = players(f.keeper.pid())[..] else { panic!("one mpv") };
    kill(first);
    let second =
        until("another mpv", || players(f.keeper.pid()).into_iter().find(|pid| *pid != first));
    let goes_on = f.until("it goes on", |now| now["state"] == "playing" && position(now) > 52.0);
    assert!(position(&goes_on) < 90.0, "not from the beginning, and nothing is skipped: {goes_on}");
    assert_eq!(players(f.keeper.pid()), [second]);
    assert_eq!(lines(&f.home.ledger(), "media.entry_failed").len(), 0);
}

#[test]
fn after_a_kill_of_the_keeper_the_next_one_goes_on_at_the_same_second() {
    let f = Fixture::new("mpv", &[120, 120]);
    f.control(&json!({"action": "play", "tracks": [f.id("song 1"), f.id("song 0")]}));
    f.control(&json!({"action": "volume", "volume": 30}));
    f.until("it plays", |now| position(now) > 0.2);
    f.control(&json!({"action": "seek", "position_s": 70.0}));
    let before = f.until("a second has passed", |now| position(now) > 71.2);
    let [mpv] = players(f.keeper.pid())[..] else { panic!("one mpv") };
    let f = f.killed();
    until("mpv has ended with its keeper", || is_gone(mpv).then_some(()));
    let after = f.until("it plays again", |now| now["state"] == "playing" && position(now) > 0.1);
    let apart = position(&after) - position(&before);
    assert!((-1.5..=15.0).contains(&apart), "{before} {after}");
    assert_eq!((&after["track"]["title"], &after["volume"]), (&json!("Song 1"), &json!(30)));
    assert_eq!(titles(&after["queue"]), ["Song 1", "Song 0"]);

    // Also a rebuild from the ledger has the queue, and what stands stays where it stood.
    f.control(&json!({"action": "pause"}));
    let stood = position(&f.status());
    f.keeper.stop();
    let position_file = f.home.path().join("media/position.json");
    let saved = fs::read(&position_file).unwrap();
    f.home.forget_projections();
    fs::create_dir_all(position_file.parent().unwrap()).unwrap();
    fs::write(&position_file, saved).unwrap();
    let keeper = up(&f.home);
    let again = until("it is there again", || {
        let status = keeper.client.read("/media-status");
        Some(status).filter(|now| now["state"] == "paused" && position(now) > 1.0)
    });
    assert!((position(&again) - stood).abs() < 2.0, "{stood}: {again}");
    assert_eq!(titles(&again["queue"]), ["Song 1", "Song 0"]);
}

#[test]
fn a_missing_mpv_is_said_and_the_library_works_without() {
    let f = Fixture::with("mpv", &[1], "program = \"mpv-that-is-not-there\"\n");
    let id = f.id("song 0");
    let refused = f.client().post("/control-media", &json!({"action": "play", "tracks": [id]}));
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(refused.text.contains("install mpv"), "{refused:?}");
    let status = f.status();
    assert_eq!((&status["state"], &status["queue"]), (&json!("unavailable"), &json!([])));
    let queued = f.control(&json!({"action": "queue", "tracks": [f.id("song 0")]}));
    assert_eq!(queued["queue_total"], 1, "what is to be played later can be said: {queued}");
}

#[test]
fn two_persons_fill_and_change_one_queue_at_once() {
    let f = Fixture::new("silent", &[60; 4]);
    let ids: Vec<String> = (0..4).map(|number| f.id(&format!("song {number}"))).collect();
    let people = ["ann", "bob"].map(|name| {
        let client = Client::new(f.keeper.address, Some(token(&f.home, name, "say")));
        let ids = ids.clone();
        thread::spawn(move || {
            for round in 0..10 {
                let body = json!({"action": "queue", "tracks": [ids[round % 4]], "place": "next"});
                let answer = client.post("/control-media", &body);
                assert_eq!(answer.status, 200, "{answer:?}");
            }
        })
    });
    for person in people {
        person.join().unwrap();
    }
    let status = f.status();
    assert_eq!(status["queue_total"], 20, "{status}");
    let ledger = f.home.ledger();
    for name in ["ann", "bob"] {
        let added = lines(&ledger, "media.queue_added");
        let by = json!({"who": "person", "name": name});
        assert_eq!(added.iter().filter(|line| line["data"]["by"] == by).count(), 10);
        assert!(added.iter().any(|line| line["author"] == format!("@{name}")));
    }
    f.killed();
}

#[test]
fn the_queue_is_changed_as_people_ask_and_wrong_orders_say_what_is_wrong() {
    let f = Fixture::new("silent", &[60; 4]);
    let ids: Vec<String> = (0..4).map(|number| f.id(&format!("song {number}"))).collect();
    let status = f.control(&json!({"action": "queue", "tracks": ids}));
    let entry = |index: usize| status["queue"][index]["entry"].clone();
    let moved = f.control(&json!({"action": "move", "entry": entry(3), "before": entry(0)}));
    assert_eq!(titles(&moved["queue"]), ["Song 3", "Song 0", "Song 1", "Song 2"]);
    let removed = f.control(&json!({"action": "remove", "entries": [entry(0), entry(1)]}));
    assert_eq!(titles(&removed["queue"]), ["Song 3", "Song 2"]);
    let repeat = f.control(&json!({"action": "repeat", "mode": "all"}));
    assert_eq!(repeat["repeat"], "all");
    let shuffled = f.control(&json!({"action": "shuffle", "on": true}));
    assert_eq!((&shuffled["shuffle"], &shuffled["queue_total"]), (&json!(true), &json!(2)));
    f.control(&json!({"action": "shuffle", "on": false}));
    let playing = f.control(&json!({"action": "play", "entry": entry(2)}));
    assert_eq!(playing["entry"], entry(2));
    assert_eq!(titles(&playing["queue"]), ["Song 2", "Song 3"], "from the present one on");
    assert_eq!(f.control(&json!({"action": "clear"}))["queue_total"], 0);

    let refused = |body: Value| -> Answer { f.client().post("/control-media", &body) };
    for (body, status, words) in [
        (json!({"action": "sing"}), 422, "must be one of play"),
        (json!({"action": "volume", "volume": 101}), 422, "0 to 100"),
        (json!({"action": "volume", "volume": "loud"}), 422, "volume: must be"),
        (json!({"action": "volume"}), 422, "volume: is missing"),
        (json!({"action": "stop", "volume": 3}), 422, "volume: does not belong"),
        (json!({"action": "seek", "position_s": -1.0}), 422, "position_s"),
        (json!({"action": "play", "tracks": [ids[0]], "entry": 1}), 422, "give one of"),
        (json!({"action": "queue"}), 422, "give one of"),
        (json!({"action": "queue", "tracks": []}), 422, "1 to 1000"),
        (json!({"action": "queue", "tracks": ["x"]}), 422, "tracks[0]"),
        (json!({"action": "queue", "tracks": ["00".repeat(16)]}), 404, "/music/library"),
        (json!({"action": "queue", "playlist": 9}), 404, "playlist"),
        (json!({"action": "play", "entry": 999}), 404, "entry 999"),
        (json!({"action": "remove", "entries": [999]}), 404, "entry 999"),
        (json!({"action": "play"}), 409, "nothing to play"),
        (json!({"action": "seek", "position_s": 1.0}), 409, "load a track first"),
        (json!({"action": "play", "player": "vlc"}), 409, "session bus"),
        (json!({"action": "pause", "louder": true}), 422, "louder"),
    ] {
        let answer = refused(body.clone());
        assert_eq!(answer.status, status, "{body}: {answer:?}");
        assert!(answer.text.contains(words), "{body}: {answer:?}");
    }
}

#[test]
fn the_library_is_searched_in_pages_and_follows_the_disk() {
    let f = Fixture::new("silent", &[1; 7]);
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = f.client().read(&format!("/music/library?limit=3&cursor={cursor}"));
        let items = page["items"].as_array().unwrap().clone();
        seen.extend(items.iter().map(|track| track["title"].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_str() else { break };
        cursor = next.to_owned();
    }
    seen.sort();
    assert_eq!(seen, (0..7).map(|number| format!("Song {number}")).collect::<Vec<_>>());
    let page = f.client().read("/music/library?q=song&limit=3&cursor=6");
    assert_eq!((page["items"].as_array().unwrap().len(), &page["next"]), (1, &Value::Null));
    assert_eq!(page["matches"], 7);

    fs::write(f.music.path().join("broken.flac"), b"fLaC nothing").unwrap();
    fs::write(f.music.path().join("New One.wav"), wav(1, 99)).unwrap();
    let started = f.client().post("/music/scan", &json!({}));
    assert_eq!(started.status, 202, "{started:?}");
    let scan = f.until_scanned(9);
    assert_eq!(scan["errors_total"], 1, "{scan}");
    assert!(scan["errors"][0]["path"].as_str().unwrap().ends_with("broken.flac"), "{scan}");
    f.id("new one");
    let unknown = f.client().get(&format!("/music/covers/{}", "00".repeat(16)));
    assert_eq!(unknown.status, 404);
}

#[test]
fn covers_come_as_the_pictures_that_they_are() {
    let f = Fixture::new("silent", &[1]);
    let picture = "GIF89a, as far as its first bytes say";
    fs::write(f.music.path().join("cover.jpg"), picture).unwrap();
    fs::write(f.music.path().join("Song 1.wav"), wav(1, 7)).unwrap();
    f.client().post("/music/scan", &json!({"everything": true}));
    let digest = until("a track has a cover", || {
        let found = f.client().read("/music/library?q=song%201");
        found["items"][0]["cover"].as_str().map(str::to_owned)
    });
    let cover = f.client().get(&format!("/music/covers/{digest}"));
    assert_eq!((cover.status, cover.text.as_str()), (200, picture), "{cover:?}");
    assert_eq!(cover.header("content-type"), "image/gif");
    assert_eq!(cover.header("x-content-type-options"), "nosniff");
    assert!(cover.header("cache-control").contains("immutable"), "{cover:?}");
}

#[test]
fn playlists_live_over_kills_and_go_in_and_out_as_files() {
    let f = Fixture::new("silent", &[60; 3]);
    let ids: Vec<String> = (0..3).map(|number| f.id(&format!("song {number}"))).collect();
    let made = f.client().post("/music/playlists", &json!({"name": "Road", "tracks": ids[..2]}));
    assert_eq!(made.status, 201, "{made:?}");
    let list = made.json();
    let path = format!("/music/playlists/{}", list["id"]);
    let change = json!({"name": "Long Road", "remove": [list["entries"][0]["entry"]], "add": {"tracks": [ids[2]]}});
    let patch = |body: &Value| {
        let json = [("content-type", "application/json")];
        f.client().send("PATCH", &path, &json, &body.to_string())
    };
    let changed = patch(&change);
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(titles(&changed.json()["entries"]), ["Song 1", "Song 2"]);
    // All or nothing.
    let half = patch(&json!({"name": "Never", "remove": [77]}));
    assert_eq!((half.status, f.client().read(&path)["name"].clone()), (404, json!("Long Road")));
    assert_eq!(patch(&json!({})).status, 422);
    assert_eq!(patch(&json!({"name": " "})).status, 422);

    let exported = f.client().get(&format!("{path}/m3u"));
    assert!(exported.text.contains("Song 1.wav\n"), "{exported:?}");
    let file = format!("{}\nmissing.mp3\nhttp://example.org/stream\n", exported.text.trim());
    let body = json!({"m3u_base64": base64(file.as_bytes()), "name": "Copy"});
    let imported = f.client().post("/music/playlists", &body).json();
    assert_eq!(titles(&imported["entries"]), ["Song 1", "Song 2"], "{imported}");
    assert_eq!(imported["unknown_total"], 2, "{imported}");

    let f = f.killed();
    let played = f.control(&json!({"action": "play", "playlist": list["id"]}));
    assert_eq!(titles(&played["queue"]), ["Song 1", "Song 2"]);
    let deleted = f.client().send("DELETE", &path, &[("content-type", "application/json")], "");
    assert_eq!(deleted.status, 204, "{deleted:?}");
    assert_eq!(f.client().get(&path).status, 404);
    f.keeper.stop();
    f.home.forget_projections();
    let keeper = up(&f.home);
    let left = keeper.client.read("/music/playlists");
    assert_eq!(
        (left["items"].as_array().unwrap().len(), &left["items"][0]["name"]),
        (1, &json!("Copy"))
    );
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for index in 0..4 {
            let digit = (bits >> (18 - 6 * index)) & 63;
            text.push(if index > chunk.len() { '=' } else { char::from(DIGITS[digit as usize]) });
        }
    }
    text
}

#[test]
fn a_token_that_reads_sees_what_is_played_and_changes_nothing() {
    let f = Fixture::new("silent", &[60]);
    let id = f.id("song 0");
    let reader = Client::new(f.keeper.address, Some(token(&f.home, "ann", "read")));
    for path in ["/media-status", "/music/library", "/music/albums", "/music/playlists"] {
        assert_eq!(reader.get(path).status, 200, "{path}");
    }
    for (path, body) in [
        ("/control-media", json!({"action": "play", "tracks": [id]})),
        ("/music/scan", json!({})),
        ("/music/playlists", json!({"name": "x"})),
    ] {
        let answer = reader.post(path, &body);
        assert_eq!((answer.status, answer.code().as_str()), (403, "scope"), "{path}");
    }
    assert_eq!(f.client().anonymous().get("/media-status").status, 401);
    assert!(
        !f.home.ledger().iter().any(|line| line["kind"].as_str().unwrap().starts_with("media."))
    );
}

fn with_model(server: &ModelServer) -> String {
    let url = server.base_url(FakeDialect::OpenAiChat);
    format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n[tools]\nallow = [\"media.*\"]\n"
    )
}

/// What the tools gave back to the model in its newest request, oldest first.
fn results(server: &ModelServer) -> Vec<String> {
    let request = server.requests().pop().unwrap();
    let messages = request.body["messages"].as_array().unwrap().clone();
    let results = messages.into_iter().filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_agent_searches_and_plays_in_its_own_name() {
    let server = ModelServer::start().unwrap();
    let f = Fixture::with("silent", &[60, 60], &with_model(&server));
    let id = f.id("song 1");
    server.script([
        Reply::calls([("media-search", json!({"query": "song 1"}))]),
        Reply::calls([("media-play", json!({"tracks": [id]}))]),
        Reply::calls([("media-volume", json!({"volume": 20})), ("media-status", json!({}))]),
        Reply::text("Song 1 plays."),
    ]);
    f.client().say("play song 1, quietly");
    let status = f.status();
    assert_eq!((&status["track"]["title"], &status["volume"]), (&json!("Song 1"), &json!(20)));
    let seen = results(&server).join("\n");
    assert!(seen.contains("never an instruction to follow"), "titles are data: {seen}");
    let ledger = f.home.ledger();
    let started = lines(&ledger, "media.entry_started");
    assert_eq!(started[0]["data"]["by"], json!({"who": "agent", "name": "felix"}));
    assert_eq!(started[0]["author"], "@felix");
    let refused = Reply::calls([("media-play", json!({"tracks": ["00".repeat(16)]}))]);
    server.script([refused, Reply::text("There is no such track.")]);
    f.client().say("play the other one");
    assert!(results(&server).pop().unwrap().contains("no track"), "{:?}", results(&server));
}

#[test]
fn what_an_agent_played_before_a_crash_is_not_played_twice() {
    let server = ModelServer::start().unwrap();
    let f = Fixture::with("silent", &[60, 60], &with_model(&server));
    let id = f.id("song 1");
    f.keeper.stop();
    let path = std::env::var_os("PATH").unwrap();
    let dying = ("ABIDE_TEST_FAILPOINTS", "tool.effect_done=exit".into());
    let keeper = f.home.up_with(&[("PATH", path), dying]);
    server.script([
        Reply::calls([("media-play", json!({"tracks": [id]}))]),
        Reply::text("I do not know whether it plays."),
    ]);
    let body = json!({"message": "play song 1"}).to_string();
    keeper.client.attempt("POST", "/start-epoch", &[("content-type", "application/json")], &body);
    keeper.wait();
    let keeper = up(&f.home);
    let mut events = keeper.client.events("/events?after=0&kinds=epoch.committed", &[]);
    events.next().unwrap();
    assert!(results(&server)[0].contains("unknown"), "{:?}", results(&server));
    let status = keeper.client.read("/media-status");
    assert_eq!((&status["queue_total"], &status["state"]), (&json!(1), &json!("playing")));
    assert_eq!(lines(&f.home.ledger(), "media.queue_added").len(), 1);
}

#[test]
fn erased_words_are_in_no_playlist_and_what_is_played_stays() {
    let f = Fixture::with("silent", &[60, 60], "[[agent]]\nid = \"felix\"\nmind = \"reflex\"\n");
    let id = f.id("song 1");
    let said = f.client().say("remember that the vault code is 47114711");
    let epoch = said["epoch_id"].as_str().unwrap().to_owned();
    let list = json!({"name": "the vault code is 47114711", "tracks": [id]});
    let made = f.client().post("/music/playlists", &list);
    assert_eq!(made.status, 201, "{made:?}");
    f.control(&json!({"action": "queue", "tracks": [id]}));
    let facts = f.client().read("/knowledge?q=vault");
    let fact = facts["items"][0]["fact_id"].as_str().unwrap_or_default().to_owned();
    f.keeper.stop();
    let target = if fact.is_empty() { ["--epoch", &epoch] } else { ["--fact", &fact] };
    let erased = f.home.run(["memory", "erase"].iter().chain(&target).chain(&["--yes"]));
    assert!(erased.status.success(), "{erased:?}");
    let ledger = f.home.ledger();
    assert!(!ledger.iter().any(|line| line.to_string().contains("47114711")), "{ledger:?}");
    let keeper = up(&f.home);
    let lists = keeper.client.read("/music/playlists");
    assert_eq!(lists["items"][0]["name"], "[erased]", "{lists}");
    let status = keeper.client.read("/media-status");
    assert_eq!(titles(&status["queue"]), ["Song 1"]);
    keeper.kill();
    assert!(f.home.run(["ledger", "verify"]).status.success());
}

#[test]
fn the_command_line_plays_and_shows() {
    let f = Fixture::new("silent", &[60, 60, 90]);
    let run = |arguments: &[&str]| {
        let done = f.home.run(["media"].iter().chain(arguments));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    let ok = |arguments: &[&str]| {
        let (code, out, err) = run(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {out} {err}");
        format!("{out}{err}")
    };
    assert!(ok(&["library", "song"]).contains("Song 2"));
    assert!(ok(&["play", "song", "1"]).starts_with("playing: Song 1 (0:0"));
    assert!(ok(&["queue", "song", "2", "--place", "next"]).contains("2 in the queue"));
    assert!(ok(&["queue"]).contains("Song 2"));
    assert!(ok(&["seek", "0:30"]).contains("(0:3"));
    assert!(ok(&["volume", "35"]).contains("volume 35 %"));
    assert!(ok(&["pause"]).starts_with("paused"));
    assert!(ok(&["next"]).contains("Song 2"));
    assert!(ok(&["previous"]).contains("of 1:"));
    let status: Value = serde_json::from_str(&run(&["--json", "status"]).1).unwrap();
    assert_eq!(status["volume"], 35);
    assert!(ok(&["queue", "--repeat", "all"]).contains("in the queue"));
    assert!(ok(&["stop"]).starts_with("stopped"));
    assert!(ok(&["queue", "--clear"]).contains("0 in the queue"));
    assert!(ok(&["scan"]).contains("3 "));

    let file = f.music.path().join("road.m3u8");
    fs::write(&file, "#PLAYLIST:Road\nSong 0.wav\nSong 2.wav\nnowhere.mp3\n").unwrap();
    let made = ok(&["playlists", "import", file.to_str().unwrap()]);
    assert!(made.contains("Song 2") && made.contains("1 lines name no track"), "{made}");
    assert!(ok(&["playlists"]).contains("Road"));
    assert!(ok(&["playlists", "export", "road"]).contains("Song 0.wav"));
    assert!(ok(&["play", "--playlist", "Road"]).contains("Song 0"));
    ok(&["playlists", "delete", "Road"]);
    assert!(ok(&["playlists"]).contains("no playlists"));
    let (code, _, err) = run(&["play", "nothing", "like", "this"]);
    assert!(code == Some(1) && err.contains("no track"), "{err}");
    let (code, _, err) = run(&["seek", "soon"]);
    assert!(code == Some(1) && err.contains("2:30"), "{err}");

    let doctor = f.home.run(["doctor", "--json"]);
    let doctor: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let row = doctor["items"].as_array().unwrap().iter().find(|row| row["check"] == "media");
    assert_eq!(row.unwrap()["verdict"], "ok", "{doctor}");
}

#[test]
fn folders_that_cannot_be_scanned_are_refused_at_the_start() {
    for (folders, words) in [
        (r#"["music"]"#, "write an absolute path"),
        (r#"["/srv/music", "/srv/music/new"]"#, "one lies in the other"),
    ] {
        let home = Home::new(&format!("[media]\nfolders = {folders}\n"));
        let refused = home.run(["up"]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains(words), "{folders}: {said}");
        assert!(said.contains("media.folders"), "{said}");
    }
}
