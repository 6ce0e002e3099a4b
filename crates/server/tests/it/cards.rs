//! `abide cards` and `/cards`: a pull that is killed, cards that a running keeper takes up, pictures through it.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use crate::home::Home;

const CARDS: &str = "/default.jsonl.gz";
/// How often a file is looked at before a test gives up on it.
const LOOKS: usize = 3_000;

#[derive(Default)]
struct Shared {
    files: BTreeMap<String, (Vec<u8>, String)>,
    /// Requests: path and range.
    asked: Vec<(String, Option<String>)>,
    /// Of a path, how many bytes are sent before the connection stands still.
    stalls: BTreeMap<String, usize>,
    /// Connections that stand still.
    held: Vec<TcpStream>,
}

/// A stand-in for Scryfall. It goes on until the test ends.
struct Scryfall {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

impl Scryfall {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Mutex::new(Shared::default()));
        let (ready, is_ready) = mpsc::channel();
        let of_thread = Arc::clone(&shared);
        thread::spawn(move || {
            ready.send(()).unwrap();
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&of_thread);
                thread::spawn(move || drop(answer(stream, &shared)));
            }
        });
        is_ready.recv().unwrap();
        let this = Self { address, shared };
        let tag = json!({"id": "1", "slug": "mass-land-denial", "taggings": [{"oracle_id": "o0"}]});
        this.serve("/tags.jsonl.gz", gzip(&format!("{tag}\n")), "application/gzip");
        this
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn config(&self) -> String {
        format!("[tools.scryfall]\nurl = \"{}\"\n", self.url(""))
    }

    fn serve(&self, path: &str, bytes: Vec<u8>, media_type: &str) {
        let file = (bytes, media_type.to_owned());
        self.shared.lock().unwrap().files.insert(path.to_owned(), file);
    }

    /// Has so many cards from now on, made on a day.
    fn publish(&self, day: u32, count: usize) -> usize {
        let lines: String = (0..count).map(|number| self.line(number)).collect();
        let packed = gzip(&lines);
        let size = packed.len();
        self.serve(CARDS, packed, "application/gzip");
        let updated_at = format!("2026-11-{day:02}T09:00:00.000+00:00");
        let list = json!({"object": "list", "has_more": false, "data": [
            {"type": "default_cards", "updated_at": updated_at, "jsonl_download_uri": self.url(CARDS), "compressed_size": size},
            {"type": "oracle_tags", "updated_at": updated_at, "jsonl_download_uri": self.url("/tags.jsonl.gz")},
        ]});
        self.serve("/bulk-data", list.to_string().into_bytes(), "application/json");
        size
    }

    fn line(&self, number: usize) -> String {
        let images = |side: &str| {
            json!({"small": self.url(&format!("/small/{side}/{number}")),
                "normal": self.url(&format!("/normal/{side}/{number}"))})
        };
        let mut card = json!({
            "object": "card", "oracle_id": format!("o{number}"), "name": format!("Card {number} {}", number * 7919 % 104_729),
            "layout": "normal", "set": "tst", "collector_number": number.to_string(), "image_status": "highres_scan",
            "legalities": {"commander": "legal"}, "image_uris": images("front"),
        });
        if number == 1 {
            card["layout"] = json!("transform");
            card.as_object_mut().unwrap().remove("image_uris");
            card["card_faces"] = json!([
                {"name": "A", "image_uris": images("front")}, {"name": "B", "image_uris": images("back")},
            ]);
        }
        format!("{card}\n")
    }

    fn stall(&self, path: &str, after: usize) {
        self.shared.lock().unwrap().stalls.insert(path.to_owned(), after);
    }

    fn asked(&self, path: &str) -> Vec<Option<String>> {
        let mut shared = self.shared.lock().unwrap();
        let (found, others) = shared.asked.drain(..).partition(|(known, _)| known == path);
        shared.asked = others;
        let found: Vec<(String, Option<String>)> = found;
        found.into_iter().map(|(_, range)| range).collect()
    }
}

fn answer(mut stream: TcpStream, shared: &Mutex<Shared>) -> std::io::Result<()> {
    let (mut path, mut range) = (String::new(), None);
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?;
        match line.split_once(' ') {
            Some(("GET", rest)) => path.push_str(rest.split(' ').next().unwrap_or_default()),
            Some((name, value)) if name.eq_ignore_ascii_case("range:") => {
                range = Some(value.to_owned());
            }
            _ if line.is_empty() => break,
            _ => {}
        }
    }
    let (file, stall) = {
        let mut shared = shared.lock().unwrap();
        shared.asked.push((path.clone(), range.clone()));
        (shared.files.get(&path).cloned(), shared.stalls.remove(&path))
    };
    let Some((bytes, media_type)) = file else {
        return stream
            .write_all(b"HTTP/1.1 404 X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    };
    let from = range.as_deref().and_then(|range| range.strip_prefix("bytes="));
    let from = from.and_then(|from| from.trim_end_matches('-').parse::<usize>().ok());
    let body = &bytes[from.unwrap_or(0)..];
    let status = from.map_or_else(
        || "200 X".to_owned(),
        |from| format!("206 X\r\ncontent-range: bytes {from}-{}/{}", bytes.len() - 1, bytes.len()),
    );
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\ncontent-type: {media_type}\r\netag: \"{}\"\r\nconnection: close\r\n\r\n",
        body.len(),
        bytes.len()
    );
    stream.write_all(head.as_bytes())?;
    let Some(stall) = stall else { return stream.write_all(body) };
    stream.write_all(&body[..stall])?;
    stream.flush()?;
    shared.lock().unwrap().held.push(stream);
    Ok(())
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

fn status(home: &Home) -> Value {
    serde_json::from_slice(&home.run(["cards", "status", "--json"]).stdout).unwrap()
}

fn words(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits until a file has so many bytes.
fn until_has(path: &Path, bytes: u64) {
    for _ in 0..LOOKS {
        if path.metadata().is_ok_and(|found| found.len() >= bytes) {
            return;
        }
        thread::park_timeout(Duration::from_millis(10));
    }
    panic!("{} never had {bytes} bytes", path.display());
}

#[test]
fn a_pull_that_is_killed_keeps_the_old_cards_and_the_next_one_goes_on() {
    let scryfall = Scryfall::start();
    let home = Home::new(&scryfall.config());
    scryfall.publish(20, 400);
    let pulled = home.run(["cards", "pull"]);
    assert!(pulled.status.success(), "{}", words(&pulled));
    assert_eq!(status(&home)["cards"]["cards"], 400);
    let size = scryfall.publish(21, 4_000);
    let half = size / 2;
    scryfall.stall(CARDS, half);
    drop(scryfall.asked(CARDS));
    let mut command = home.command(["cards", "pull"]);
    let mut pull = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until_has(&home.path().join("cards/.default_cards.part"), half as u64);
    assert_eq!(status(&home)["pulling"], true);
    let second = home.run(["cards", "pull"]);
    assert!(words(&second).contains("another pull is at work"), "{}", words(&second));
    pull.kill().unwrap();
    pull.wait().unwrap();
    let before = status(&home);
    assert_eq!((&before["state"], &before["pulling"]), (&json!("ready"), &json!(false)));
    assert_eq!(before["cards"]["cards"], 400, "the cards of before are there");
    let pulled = home.run(["cards", "pull", "--json"]);
    assert!(pulled.status.success(), "{}", words(&pulled));
    let after: Value = serde_json::from_slice(&pulled.stdout).unwrap();
    assert_eq!((&after["outcome"], &after["cards"]["cards"]), (&json!("pulled"), &json!(4_000)));
    assert_eq!(scryfall.asked(CARDS), [None, Some(format!("bytes={half}-"))]);
    let again = home.run(["cards", "pull", "--if-older", "7d"]);
    assert!(words(&again).contains("nobody was asked"), "{}", words(&again));
    let again = home.run(["cards", "pull"]);
    assert!(words(&again).contains("no newer cards"), "{}", words(&again));
    assert!(scryfall.asked(CARDS).is_empty());
}

#[test]
fn a_keeper_takes_new_cards_up_and_shows_their_pictures() {
    let scryfall = Scryfall::start();
    let home = Home::new(&scryfall.config());
    let keeper = home.up();
    let client = &keeper.client;
    let before = client.read("/cards");
    assert_eq!((&before["state"], &before["cards"]), (&json!("missing"), &json!(0)));
    assert!(before["hint"].as_str().unwrap().contains("`abide cards pull`"), "{before}");
    assert_eq!(client.get("/cards/o1/image").status, 404);
    assert!(!home.path().join("cards").exists(), "a look makes nothing");

    scryfall.publish(20, 50);
    assert!(home.run(["cards", "pull"]).status.success());
    let after = client.read("/cards");
    assert_eq!((&after["state"], &after["cards"]), (&json!("ready"), &json!(50)));
    assert_eq!(after["source"], "scryfall default_cards");

    let picture = "RIFF1234WEBPVP8 and so on";
    for path in ["/normal/front/1", "/small/back/1"] {
        scryfall.serve(path, picture.into(), "image/webp");
    }
    scryfall.serve("/normal/front/2", "<script>".into(), "text/html");
    let answer = client.get("/cards/o1/image");
    assert_eq!((answer.status, answer.text.as_str()), (200, picture));
    assert_eq!(answer.header("content-type"), "image/webp");
    assert_eq!(answer.header("cache-control"), "private, max-age=604800");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(client.get("/cards/o1/image?size=small&face=1").text, picture);
    assert_eq!(scryfall.asked("/small/back/1").len(), 1);
    for path in
        ["/cards/o1/image?face=2", "/cards/nobody/image", "/cards/o2/image", "/cards/o3/image"]
    {
        let answer = client.get(path);
        assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"), "{path}");
    }
    for path in ["/cards/o1/image?size=huge", "/cards/o1/image?face=x", "/cards/o1/image?nobody=1"]
    {
        assert_eq!(client.get(path).status, 400, "{path}");
    }
    assert_eq!(client.anonymous().get("/cards/o1/image").status, 401);

    // A newer table, while it runs, and one that is damaged.
    scryfall.publish(21, 60);
    scryfall.serve("/normal/front/55", picture.into(), "image/webp");
    assert_eq!(client.get("/cards/o55/image").status, 404);
    assert!(home.run(["cards", "pull"]).status.success());
    assert_eq!(client.get("/cards/o55/image").status, 200);
    let folder = home.path().join("cards");
    let names = std::fs::read_dir(&folder).unwrap();
    let names = names.map(|entry| entry.unwrap().path());
    let table = names.into_iter().find(|path| path.to_string_lossy().contains("table-")).unwrap();
    std::fs::write(&table, b"damaged").unwrap();
    assert_eq!(status(&home)["state"], "damaged");
    let rows: Value =
        serde_json::from_slice(&home.run(["doctor", "--tools", "--json"]).stdout).unwrap();
    let row = rows["items"].as_array().unwrap().iter().find(|row| row["check"] == "cards").unwrap();
    assert_eq!(row["verdict"], "warn");
    assert!(row["detail"].as_str().unwrap().contains("abide cards pull"), "{row}");
    assert!(home.run(["cards", "pull"]).status.success());
    assert_eq!(status(&home)["state"], "ready");
    assert_eq!(client.get("/cards/o1/image").status, 200);
}

#[test]
fn without_a_network_the_pictures_that_are_there_are_shown_and_others_are_not() {
    let scryfall = Scryfall::start();
    scryfall.publish(20, 10);
    let picture = "RIFF1234WEBPVP8 and so on";
    scryfall.serve("/normal/front/4", picture.into(), "image/webp");
    let home = Home::new(&scryfall.config());
    assert!(home.run(["cards", "pull"]).status.success());
    {
        let keeper = home.up();
        assert_eq!(keeper.client.get("/cards/o4/image").status, 200);
    }
    // Nobody listens there any more.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let lines = format!(
        "{}{}",
        scryfall.line(4),
        scryfall.line(5).replace(&scryfall.address.to_string(), &gone.to_string())
    );
    std::fs::write(home.path().join("c.gz"), gzip(&lines)).unwrap();
    let file = home.path().join("c.gz");
    let taken = home.run(["cards", "pull", "--file", file.to_str().unwrap(), "--accept-fewer"]);
    assert!(taken.status.success(), "{}", words(&taken));
    std::fs::write(
        home.path().join("abide.toml"),
        format!("[tools.scryfall]\nurl = \"http://{gone}\"\n"),
    )
    .unwrap();
    let keeper = home.up();
    assert_eq!(keeper.client.get("/cards/o4/image").text, picture);
    let answer = keeper.client.get("/cards/o5/image");
    assert_eq!((answer.status, answer.code().as_str()), (503, "image_unavailable"), "{answer:?}");
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=30).contains(&wait), "{wait}");
    assert_eq!(keeper.client.read("/cards")["source"], "file c.gz default_cards");
    drop(keeper);
    let pulled = home.run(["cards", "pull"]);
    assert_eq!(pulled.status.code(), Some(1));
    assert!(words(&pulled).contains("--file PATH"), "{}", words(&pulled));
    std::fs::write(home.path().join("abide.toml"), "[decks]\nimages = false\n").unwrap();
    let keeper = home.up();
    assert_eq!(keeper.client.read("/cards")["images"], false);
    assert_eq!(keeper.client.get("/cards/o4/image").status, 404);
}
