//! An agent for trials: keeps notes that survive its death, and misbehaves on demand.
//!
//! `trial-agent shim …` is the shim; otherwise arguments say how it misbehaves from the start ([`Manner`]), and messages
//! how later ([`work`]). It speaks over stdin and stdout, or with `--connect` over a Unix socket. Tests and benches run it.

#![expect(
    clippy::unwrap_used,
    clippy::exit,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a trial agent ends by any means, and its threads sleep"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Read, Write},
    os::unix::net::UnixStream,
    process::{Command, ExitCode},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use abide_domain::Timestamp;
use abide_wire::{
    AgentHandshake, AgentStep, Body as _, Checkpoint, DeframeEvent, Deframer, Direction, Failure,
    FromAgent, Heartbeat, Hello, HotReload, HotReloadAck, Message, Payload, Pong, ProcessRequest,
    Raw, Ready, Restore, RestoreAck, Secret, Shutdown, ToAgent, Version, WalEntry,
};
use serde_json::{Value, json};

mod work;

/// How it behaves from the start.
#[derive(Debug, Default)]
struct Manner {
    words: Vec<String>,
}

impl Manner {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|given| given == word)
    }

    /// The word behind another.
    fn after(&self, word: &str) -> Option<&str> {
        let at = self.words.iter().position(|given| given == word)?;
        self.words.get(at + 1).map(String::as_str)
    }

    fn version(&self) -> Version {
        let number = self.after("--version").and_then(|text| text.parse().ok()).unwrap_or(3);
        Version::from_number(number).unwrap()
    }
}

/// What all threads share.
struct Agent {
    manner: Manner,
    out: Mutex<Box<dyn Write + Send>>,
    notes: Mutex<Vec<String>>,
    /// Code that it was given, by module.
    code: Mutex<BTreeMap<String, String>>,
    next_sequence: Mutex<u64>,
    acked: Mutex<u64>,
    told: Condvar,
    cancelled: Mutex<BTreeSet<String>>,
    progress: AtomicU64,
    beats: AtomicBool,
    kept: AtomicBool,
}

impl Agent {
    fn send<B>(&self, body: B)
    where
        FromAgent: From<B>,
    {
        let body = FromAgent::from(body);
        let frame = Message::<FromAgent>::new(self.manner.version(), now(), body).encode().unwrap();
        self.send_bytes(&frame);
    }

    fn send_bytes(&self, bytes: &[u8]) {
        let mut out = self.out.lock().unwrap();
        // A keeper that is gone ends every agent.
        if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
            std::process::exit(3);
        }
    }

    /// Writes an operation ahead and waits until it is durable.
    fn log(&self, operation: &str, params: &Value) -> u64 {
        let mut next = self.next_sequence.lock().unwrap();
        let sequence = *next;
        *next += 1;
        self.send(WalEntry::new(sequence, operation, Raw::from_json(params)));
        drop(next);
        if self.manner.version() >= Version::V3 {
            let acked = self.acked.lock().unwrap();
            drop(self.told.wait_while(acked, |acked| *acked < sequence).unwrap());
        }
        sequence
    }

    fn state(&self) -> Raw {
        let notes = self.notes.lock().unwrap();
        let filling = self.manner.after("--state-bytes").and_then(|text| text.parse().ok());
        let filling: usize = filling.unwrap_or(0);
        Raw::from_json(&json!({"notes": *notes, "filling": "x".repeat(filling)}))
    }

    fn checkpoint(&self) {
        let sequence = *self.next_sequence.lock().unwrap() - 1;
        let state = Payload::Plain(self.state());
        self.kept.store(false, Ordering::SeqCst);
        self.send(Checkpoint { state, wal_sequence: Some(sequence) });
    }

    fn take_over(&self, restore: &Restore) {
        let state = restore.state.unpack().unwrap().to_json().unwrap();
        let kept = state.get("notes").and_then(Value::as_array).cloned().unwrap_or_default();
        let kept = kept.iter().filter_map(Value::as_str).map(str::to_owned);
        let logged = restore.wal_entries.iter().map(|entry| {
            let params = entry.params.to_json().unwrap();
            params.get("text").and_then(Value::as_str).unwrap_or_default().to_owned()
        });
        let notes: Vec<_> = kept.chain(logged).collect();
        eprintln!("took {} notes over", notes.len());
        *self.notes.lock().unwrap() = notes;
        *self.next_sequence.lock().unwrap() = restore.next_sequence.unwrap_or(1);
    }

    /// Loads code, or does what it says instead.
    fn load(&self, reload: &HotReload) {
        let module = reload.module.clone();
        let error = match reload.code.as_str() {
            "die" => std::process::abort(),
            "silent" => return,
            "refuse" => Some(Failure { code: None, message: "as told".into() }),
            code => {
                self.code.lock().unwrap().insert(module.clone(), code.to_owned());
                None
            }
        };
        self.send(HotReloadAck { module, ok: error.is_none(), error });
    }

    fn shut_down(&self, shutdown: &Shutdown) {
        if self.manner.has("--ignore-shutdown") {
            return;
        }
        if shutdown.create_checkpoint {
            self.checkpoint();
            let acked = self.acked.lock().unwrap();
            let is_waiting = |_: &mut u64| !self.kept.load(Ordering::SeqCst);
            drop(self.told.wait_timeout_while(acked, Duration::from_secs(5), is_waiting).unwrap());
        }
        std::process::exit(0);
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap())
}

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    if args.peek().is_some_and(|first| first == "shim") {
        return abide_supervisor::shim::run(args.skip(1));
    }
    let words = args.map(|word| word.into_string().unwrap()).collect();
    live(Manner { words });
    ExitCode::SUCCESS
}

fn live(manner: Manner) {
    for _ in 0..manner.after("--children").and_then(|n| n.parse().ok()).unwrap_or(0) {
        drop(Command::new("sleep").arg("600").spawn().unwrap());
    }
    if manner.has("--abort-at-once") {
        std::process::abort();
    }
    if let Some(code) = manner.after("--exit-at-once") {
        std::process::exit(code.parse().unwrap());
    }
    let (input, out): (Box<dyn Read>, Box<dyn Write + Send>) = match manner.after("--connect") {
        Some(path) => {
            let stream = UnixStream::connect(path).unwrap();
            (Box::new(stream.try_clone().unwrap()), Box::new(stream))
        }
        None => (Box::new(std::io::stdin()), Box::new(std::io::stdout())),
    };
    let agent = Arc::new(Agent {
        manner,
        out: Mutex::new(out),
        notes: Mutex::default(),
        code: Mutex::default(),
        next_sequence: Mutex::new(1),
        acked: Mutex::default(),
        told: Condvar::new(),
        cancelled: Mutex::default(),
        progress: AtomicU64::new(0),
        beats: AtomicBool::new(true),
        kept: AtomicBool::new(false),
    });
    if agent.manner.has("--print") {
        agent.send_bytes(b"hello, world\n");
    }
    let beating = Arc::clone(&agent);
    thread::spawn(move || beat(&beating));
    let (tasks, to_do) = mpsc::channel();
    let working = Arc::clone(&agent);
    thread::spawn(move || to_do.iter().for_each(|request| work::answer(&working, &request)));
    greet(&agent);
    if let Some(count) = agent.manner.after("--log") {
        for n in 0..count.parse().unwrap() {
            agent.log("note", &json!({"text": format!("early {n}")}));
        }
    }
    listen(&agent, input, &tasks);
}

fn greet(agent: &Agent) {
    if agent.manner.has("--mute") || agent.manner.version() < Version::V3 {
        return;
    }
    let text = |name: &str| std::env::var(name).unwrap_or_default();
    let name = agent.manner.after("--agent").map_or_else(|| text("ABIDE_AGENT"), str::to_owned);
    let run = agent.manner.after("--run").map_or_else(|| text("ABIDE_RUN"), str::to_owned);
    let known = [("--zstd", "zstd"), ("--loads", "hot_reload")];
    let capabilities = known.iter().filter(|(word, _)| agent.manner.has(word));
    let capabilities = capabilities.map(|(_, capability)| (*capability).to_owned()).collect();
    agent.send(Hello {
        agent: name.parse().unwrap(),
        run,
        capabilities,
        sdk: Some("trial/1".into()),
        token: agent.manner.after("--token").map(Secret::new),
    });
}

fn beat(agent: &Agent) {
    loop {
        if agent.beats.load(Ordering::SeqCst) && !agent.manner.has("--no-heartbeats") {
            let is_new = agent.manner.version() >= Version::V3;
            let progress = is_new.then(|| agent.progress.load(Ordering::SeqCst));
            // Nothing comes before hello.
            if !is_new || progress > Some(0) {
                agent.send(Heartbeat { progress });
            }
        }
        thread::sleep(Duration::from_millis(100));
    }
}

fn listen(agent: &Arc<Agent>, mut input: Box<dyn Read>, tasks: &mpsc::Sender<ProcessRequest>) {
    let mut deframer = Deframer::new(Direction::ToAgent);
    let mut handshake = AgentHandshake::new();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let bytes = match input.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(bytes) => bytes,
        };
        let mut rest = chunk.get(..bytes).unwrap();
        while let Some(event) = deframer.take(&mut rest).unwrap() {
            let DeframeEvent::Frame(frame) = event else { continue };
            let message = Message::<ToAgent>::decode(&frame).unwrap();
            if agent.manner.version() < Version::V3 {
                take(agent, message.body, tasks);
                continue;
            }
            match handshake.receive(message.clone()).unwrap() {
                AgentStep::Welcomed(welcome) => {
                    *agent.next_sequence.lock().unwrap() = welcome.next_sequence;
                    begin(agent);
                }
                AgentStep::AwaitRestore(_) => {}
                AgentStep::Restore(restore) => {
                    agent.take_over(&restore);
                    let restored = restore.next_sequence.unwrap_or(1) - 1;
                    let sequence = if agent.manner.has("--restore-nothing") { 0 } else { restored };
                    let ok = !agent.manner.has("--refuse-restore");
                    agent.send(RestoreAck { ok, sequence, error: None });
                    begin(agent);
                }
                AgentStep::Refused(error) => {
                    eprintln!("refused: {}", error.error.message);
                    std::process::exit(4);
                }
                AgentStep::Pass => take(agent, message.body, tasks),
            }
        }
    }
}

fn begin(agent: &Agent) {
    if !agent.manner.has("--never-ready") {
        agent.send(Ready {});
    }
    agent.progress.fetch_add(1, Ordering::SeqCst);
    if let Some(name) = agent.manner.after("--vector") {
        work::send_vector(agent, name);
    }
}

fn take(agent: &Arc<Agent>, body: ToAgent, tasks: &mpsc::Sender<ProcessRequest>) {
    match body {
        ToAgent::Restore(restore) => agent.take_over(&restore),
        ToAgent::ProcessRequest(request) => tasks.send(request).unwrap(),
        ToAgent::ProcessCancel(cancel) => {
            agent.cancelled.lock().unwrap().insert(cancel.request_id);
        }
        ToAgent::WalAck(ack) => {
            *agent.acked.lock().unwrap() = ack.sequence;
            agent.told.notify_all();
        }
        ToAgent::CheckpointAck(_) => {
            agent.kept.store(true, Ordering::SeqCst);
            let _acked = agent.acked.lock().unwrap();
            agent.told.notify_all();
        }
        ToAgent::Ping(ping) if agent.beats.load(Ordering::SeqCst) => {
            agent.send(Pong { nonce: ping.nonce });
        }
        ToAgent::CheckpointRequest(_) if !agent.manner.has("--no-checkpoints") => {
            agent.checkpoint();
        }
        // The acknowledgement of its last checkpoint is read here meanwhile.
        ToAgent::Shutdown(shutdown) => {
            let ending = Arc::clone(agent);
            thread::spawn(move || ending.shut_down(&shutdown));
        }
        ToAgent::Error(error) => {
            eprintln!("the keeper says {}: {}", error.error.code, error.error.message);
        }
        ToAgent::HotReload(reload) => agent.load(&reload),
        ToAgent::EvolutionResult(result) => eprintln!("evolution: {}", result.reason),
        other => eprintln!("left alone: {:?}", other.message_type()),
    }
}
