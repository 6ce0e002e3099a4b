//! Work that can be seen, and waits with an end, are no silence.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, channel},
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::{HOOK, Hook, PATIENCE, count, up};
use crate::home::{Home, Keeper};

/// Patient enough that a word every few milliseconds is no silence on a busy machine.
const SOON: &str = "[watchdog]\ninterval = \"100ms\"\nthreshold = \"1s\"\nbell_window = \"100ms\"\n\
                    channel_window = \"200ms\"\ncooldown = \"1s\"\ngrace = \"0s\"\n\
                    [limits]\nturn = \"1s\"\n";
/// Between two words.
const WORD_EVERY: Duration = Duration::from_millis(20);

/// A model that says a word at a time until it is told to come to an end; asked anything else meanwhile, it asks for a pause.
struct SlowModel {
    url: String,
    /// Says that it was asked first.
    is_asked: Receiver<()>,
    may_end: Arc<AtomicBool>,
}

impl SlowModel {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let may_end = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&may_end);
        let (asked, is_asked) = channel();
        thread::spawn(move || {
            let mut streams = listener.incoming();
            let first = streams.next().unwrap().unwrap();
            asked.send(()).unwrap();
            thread::spawn(move || speak(first, &end));
            streams.for_each(|stream| refuse(stream.unwrap()));
        });
        Self { url, is_asked, may_end }
    }
}

fn read_request(stream: TcpStream) -> TcpStream {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let header = line.trim().to_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
    reader.into_inner()
}

fn speak(stream: TcpStream, may_end: &AtomicBool) {
    let mut stream = read_request(stream);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut say = |delta: Value, end: Value| {
        let piece = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": end}]});
        stream.write_all(format!("data: {piece}\n\n").as_bytes()).unwrap();
    };
    while !may_end.load(Ordering::Relaxed) {
        say(json!({"content": "so "}), Value::Null);
        thread::park_timeout(WORD_EVERY);
    }
    say(json!({"content": "it ends."}), json!("stop"));
    stream.write_all(b"data: [DONE]\n\n").unwrap();
}

fn refuse(stream: TcpStream) {
    let head = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 60\r\ncontent-length: 0\r\n\
                connection: close\r\n\r\n";
    // The keeper may be gone by now.
    drop(read_request(stream).write_all(head.as_bytes()));
}

fn found(keeper: &Keeper, agent: &str) -> Value {
    let view = keeper.client.read("/watchdog");
    let all = view["agents"].as_array().unwrap();
    all.iter().find(|one| one["agent"] == agent).unwrap().clone()
}

#[test]
fn an_answer_that_grows_and_a_pause_that_a_provider_asks_for_are_no_stalls_and_cut_nothing_off() {
    let (model, hook) = (SlowModel::start(), Hook::start());
    let agents =
        "[[agent]]\nid = \"felix\"\nmind = \"model\"\n[[agent]]\nid = \"ada\"\nmind = \"model\"\n";
    let url = &model.url;
    let home = Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n{SOON}{HOOK}{agents}"
    ));
    let keeper = up(&home, &hook);
    let mut events = keeper.client.events("/events", &[]);
    let ask = |agent: &str| {
        let body = json!({"message": "go on", "citizen": agent});
        keeper.client.post("/start-epoch", &body).json()["epoch_id"].as_str().unwrap().to_owned()
    };
    let long = ask("felix");
    model.is_asked.recv_timeout(PATIENCE).expect("nobody asked");
    ask("ada");
    events.until("turn.failed");
    // Three times as long as anybody may be silent, and as an asking may take without a word.
    for _ in 0..30 {
        events.until("watchdog.scanned");
    }
    let (felix, ada) = (found(&keeper, "felix"), found(&keeper, "ada"));
    assert_eq!(felix["verdict"], "active", "{felix}");
    assert_eq!(
        (&ada["verdict"], &ada["waits_for"]),
        (&json!("waiting"), &json!("provider")),
        "{ada}"
    );
    assert!(ada["until"].is_string(), "{ada}");
    model.may_end.store(true, Ordering::Relaxed);
    events.until("epoch.committed");
    let told = keeper.client.read(&format!("/epochs/{long}"));
    let reply = told["final_response"].as_str().unwrap();
    assert!(reply.starts_with("so so so ") && reply.ends_with("it ends."), "{reply}");
    assert_eq!(count(&home, "turn.failed"), 1, "nothing was cut off");
    for kind in ["stall_opened", "paged", "escalated"] {
        assert_eq!(count(&home, &format!("watchdog.{kind}")), 0, "{kind}");
    }
}
