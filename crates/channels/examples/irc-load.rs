//! How much the embedded IRC server carries: 500 clients in 50 channels, ten in each with one agent.
//!
//! The server is this process, the clients are another one of the same program, so that the server's memory is read by
//! itself. First everybody comes in; then every client says its burst at once; then the agents speak as fast as the
//! server takes it. What counts is what arrived at the clients. `cargo run --release -p abide-channels --example irc-load`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "an example that measures: it prints its figures and stops at whatever is wrong"
)]

use std::{
    net::SocketAddr,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_channels::irc::{
    SpokenKind, SpokenLine,
    server::{
        self, Admission, AgentPresence, ChannelSink, HistoryError, HistoryLine, HistoryQuery,
        ServerConfig, ServerHandle, ServerParts, SinkError, Speech,
    },
};
use abide_domain::{AgentId, Clock, IdSource, Timestamp};
use abide_http::Secret;
use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream, tcp::OwnedReadHalf},
    process::{Child, Command},
    task::JoinSet,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const CLIENTS: usize = 500;
const CHANNELS: usize = 50;
/// Lines that each client says at once: as many as the flood limit lets pass with the six that brought it in.
const BURST: usize = 10;
/// Lines that each agent speaks.
const SPEECHES: usize = 2_000;

#[derive(Debug)]
struct RealClock(Instant);

impl Clock for RealClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(1_795_817_403_000_000).plus(self.0.elapsed())
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

#[derive(Debug, Default)]
struct Ids(AtomicU64);

impl IdSource for Ids {
    fn uuid(&self, _now: Timestamp) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)))
    }
}

#[derive(Debug)]
struct OpenDoor;

impl Admission for OpenDoor {
    fn admit<'a>(&'a self, account: &'a str, _: &'a Secret) -> BoxFuture<'a, Option<String>> {
        async move { Some(account.to_owned()) }.boxed()
    }
}

/// Counts what it hears.
#[derive(Debug, Default)]
struct Counting(AtomicU64);

impl ChannelSink for Counting {
    fn on_line(&self, _: SpokenLine) -> Result<(), SinkError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn history(&self, _: HistoryQuery) -> BoxFuture<'_, Result<Vec<HistoryLine>, HistoryError>> {
        async { Ok(Vec::new()) }.boxed()
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    match std::env::args().nth(1) {
        Some(address) => clients(address.parse().unwrap()).await,
        None => serve().await,
    }
}

/// This process's memory, in KiB.
fn memory_kib(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// The other process, with what it says.
struct Other {
    child: Child,
    lines: tokio::io::Lines<BufReader<tokio::process::ChildStdout>>,
}

impl Other {
    fn start(address: SocketAddr) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg(address.to_string());
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = piped.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    async fn says(&mut self) -> String {
        self.lines.next_line().await.unwrap().unwrap()
    }

    async fn go(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"go\n").await.unwrap();
    }
}

fn rate(count: usize, time: Duration) -> f64 {
    f64::from(u32::try_from(count).unwrap()) / time.as_secs_f64()
}

async fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let clock = Arc::new(RealClock(Instant::now()));
    let house = Arc::new(Counting::default());
    let ports = ServerParts {
        clock,
        ids: Arc::new(Ids::default()),
        admission: Arc::new(OpenDoor),
        sink: Arc::clone(&house) as Arc<dyn ChannelSink>,
    };
    let config = ServerConfig { clients_per_address_max: CLIENTS, ..ServerConfig::default() };
    let (service, handle) = server::service(config, listener, ports);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { service.run(CancellationToken::new()).await.unwrap() });
    let agents = (0..CHANNELS).map(|number| {
        let id: AgentId = format!("agent-{number}").parse().unwrap();
        AgentPresence { nick: id.to_string(), id, description: String::new(), away: None }
    });
    handle.set_agents(agents.collect()).await.unwrap();
    for number in 0..CHANNELS {
        handle.join(&format!("agent-{number}"), &format!("#c{number}")).await.unwrap();
    }
    let empty = memory_kib("VmRSS");
    let mut other = Other::start(address);

    let begin = Instant::now();
    other.says().await;
    println!("{CLIENTS} clients in {CHANNELS} channels after {:?}", begin.elapsed());
    let full = memory_kib("VmRSS");
    println!("memory: {empty} KiB before, {full} KiB with them");

    let begin = Instant::now();
    other.go().await;
    other.says().await;
    let delivered = CLIENTS * BURST * (CLIENTS / CHANNELS - 1);
    let time = begin.elapsed();
    println!(
        "people: {} messages said, {delivered} delivered in {time:?}: {:.0} delivered/s, {} heard by the keeper",
        CLIENTS * BURST,
        rate(delivered, time),
        house.0.load(Ordering::Relaxed),
    );

    let begin = Instant::now();
    other.go().await;
    let mut speaking = JoinSet::new();
    for number in 0..CHANNELS {
        speaking.spawn(speak(handle.clone(), number));
    }
    while speaking.join_next().await.is_some() {}
    other.says().await;
    let time = begin.elapsed();
    let delivered = CHANNELS * SPEECHES * (CLIENTS / CHANNELS);
    println!(
        "agents: {} messages said, {delivered} delivered in {time:?}: {:.0} delivered/s",
        CHANNELS * SPEECHES,
        rate(delivered, time),
    );
    println!("memory at its peak: {} KiB", memory_kib("VmHWM"));
    tasks.abort_all();
}

async fn speak(handle: ServerHandle, number: usize) {
    for _ in 0..SPEECHES {
        let speech = Speech {
            from: format!("agent-{number}"),
            target: format!("#c{number}"),
            text: "a sentence of about the length that people and agents write on IRC".into(),
            kind: SpokenKind::Speech,
        };
        handle.say(speech).await.unwrap();
    }
}

/// The other process: everybody comes in, says its burst when told, and counts what it hears.
async fn clients(address: SocketAddr) {
    let heard = Arc::new(AtomicU64::new(0));
    let mut readers = JoinSet::new();
    let mut writers = Vec::new();
    for number in 0..CLIENTS {
        let channel = number % CHANNELS;
        let (reader, mut writer) = TcpStream::connect(address).await.unwrap().into_split();
        let words = format!(
            "CAP REQ :server-time message-tags\r\nPASS p\r\nNICK n{number}\r\nUSER u 0 * :U\r\nCAP END\r\nJOIN #c{channel}\r\n"
        );
        writer.write_all(words.as_bytes()).await.unwrap();
        let mut reader = BufReader::new(reader);
        let mut line = String::new();
        while !line.contains(" 366 ") {
            line.clear();
            assert!(reader.read_line(&mut line).await.unwrap() > 0, "thrown out");
        }
        readers.spawn(count(reader, Arc::clone(&heard)));
        writers.push(writer);
    }
    println!("in");
    order().await;
    let burst = |number: usize| {
        let channel = number % CHANNELS;
        format!("PRIVMSG #c{channel} :a sentence of about the length that people write on IRC\r\n")
    };
    for (number, writer) in writers.iter_mut().enumerate() {
        writer.write_all(burst(number).repeat(BURST).as_bytes()).await.unwrap();
    }
    let said = u64::try_from(CLIENTS * BURST * (CLIENTS / CHANNELS - 1)).unwrap();
    until(&heard, said).await;
    println!("heard");
    order().await;
    let spoken = u64::try_from(CHANNELS * SPEECHES * (CLIENTS / CHANNELS)).unwrap();
    until(&heard, said + spoken).await;
    println!("heard");
    drop(readers);
}

/// Waits for a word of the other process.
async fn order() {
    let waiting = || std::io::stdin().read_line(&mut String::new());
    tokio::task::spawn_blocking(waiting).await.unwrap().unwrap();
}

async fn until(heard: &AtomicU64, count: u64) {
    while heard.load(Ordering::Relaxed) < count {
        sleep(Duration::from_millis(2)).await;
    }
}

/// Counts lines that hold a message, without looking at each of them for long.
async fn count(mut reader: BufReader<OwnedReadHalf>, heard: Arc<AtomicU64>) {
    let mut bytes = vec![0; 64 * 1024];
    let mut tail = Vec::new();
    while let Ok(length @ 1..) = reader.read(&mut bytes).await {
        tail.extend_from_slice(&bytes[..length]);
        let end = tail.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        let text = String::from_utf8_lossy(&tail[..end]);
        let count = text.matches(" PRIVMSG #").count();
        heard.fetch_add(u64::try_from(count).unwrap(), Ordering::Relaxed);
        tail.drain(..end);
    }
}
