//! The children of `abide bench recovery`, an agent that keeps a ballast and two that know nothing of Abide, and the server of tools
//! of `abide bench epoch`.
//!
//! It runs as a hidden word of the binary, so that what is compared is started from the same file. It must never be of use
//! to anybody else, and nothing of it runs inside of a keeper.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, ErrorKind, Read as _, Write as _},
    os::{fd::AsFd as _, unix::net::UnixDatagram},
    path::Path,
    process::ExitCode,
};

use abide_modules::serve_process;
use abide_sdk::{
    Agent, Entry, Keeper, Raw, State, StateError, Turn, TurnError, pack_bytes, unpack, unpack_bytes,
};
use serde_json::{Value, json};

use crate::{error::BenchError, tool_server};

/// The hidden word under which the binary runs [`bench_agent`].
pub const BENCH_AGENT: &str = "bench-agent";

/// An agent; with a path, it says its first word there.
pub(crate) const AGENT: &str = "agent";
/// A child that says its first word and waits for the end of its input.
pub(crate) const CHILD: &str = "child";
/// A child that reads so many bytes, writes so many, and again.
pub(crate) const ECHO: &str = "echo";
/// A server with one tool.
pub(crate) const TOOL_SERVER: &str = "tool-server";
/// A process of modules, without what the keeper confines it by.
pub(crate) const MODULES: &str = "modules";

/// Has the agent log a turn and then say how it stands.
pub(crate) const TURN: &str = "turn";
/// Has the agent say the checksum of its ballast.
pub(crate) const CHECK: &str = "check";
/// What the agent answers to anything else.
pub(crate) const HEARD: &str = "heard";
/// The logged operation, and the first word of the message, that gives the agent a ballast.
const GROW: &str = "grow";

/// Bytes behind the ballast in a snapshot.
const COUNT_BYTES: usize = 8;

/// Has the agent take so many bytes of ballast, and then say how it stands.
pub(crate) fn grow(bytes: usize) -> String {
    format!("{GROW} {bytes}")
}

/// What the agent answers when asked how it stands.
pub(crate) fn standing(turns: u64, bytes: usize) -> String {
    format!("{turns} turns, {bytes} bytes")
}

/// What it answers about a ballast when asked for its checksum.
pub(crate) fn checksum(ballast: &[u8]) -> String {
    format!("{:08x}", crc32c::crc32c(ballast))
}

/// Bytes that no compressor makes smaller: what embeddings are like. The same at each call.
pub(crate) fn opaque(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = Vec::with_capacity(count + COUNT_BYTES);
    while bytes.len() < count {
        // xorshift64*
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        bytes.extend_from_slice(&state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_le_bytes());
    }
    bytes.truncate(count);
    bytes
}

/// Runs what stands behind the hidden word.
pub fn bench_agent(args: impl Iterator<Item = OsString>) -> ExitCode {
    match run(&args.collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody else could be told.
            drop(writeln!(io::stderr(), "abide {BENCH_AGENT}: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[OsString]) -> Result<(), BenchError> {
    let role = words.first().and_then(|word| word.to_str()).unwrap_or_default();
    let rest = words.get(1..).unwrap_or_default();
    match (role, rest) {
        (AGENT, []) => serve(),
        (AGENT, [listener]) => first_word(Path::new(listener)).and_then(|()| serve()),
        (CHILD, [listener]) => first_word(Path::new(listener)).and_then(|()| outlast_input()),
        (ECHO, [reads, writes]) => echo(count(reads)?, count(writes)?),
        (TOOL_SERVER, []) => tool_server::serve(),
        (MODULES, []) => serve_process().map_err(BenchError::of("serve modules")),
        _ => Err(BenchError::Wrong("`abide bench` starts this, nobody else".into())),
    }
}

fn count(word: &OsString) -> Result<usize, BenchError> {
    let count = word.to_str().and_then(|word| word.parse().ok());
    count.ok_or_else(|| BenchError::Wrong(format!("{} is no count", word.display())))
}

/// Says that this process runs, and under which number.
fn first_word(listener: &Path) -> Result<(), BenchError> {
    let said = UnixDatagram::unbound()
        .and_then(|socket| socket.send_to(std::process::id().to_string().as_bytes(), listener));
    said.map(drop).map_err(BenchError::io("say a first word"))
}

fn outlast_input() -> Result<(), BenchError> {
    let read = io::copy(&mut io::stdin().lock(), &mut io::sink());
    read.map(drop).map_err(BenchError::io("read to the end"))
}

/// Past the buffers of the standard library, which the other side does not have either.
fn echo(reads: usize, writes: usize) -> Result<(), BenchError> {
    let own = |stream: io::Result<_>| stream.map(File::from).map_err(BenchError::io("echo"));
    let mut input = own(io::stdin().as_fd().try_clone_to_owned())?;
    let mut output = own(io::stdout().as_fd().try_clone_to_owned())?;
    let (mut question, answer) = (vec![0; reads], vec![b'x'; writes]);
    loop {
        match input.read_exact(&mut question) {
            Ok(()) => output.write_all(&answer).map_err(BenchError::io("echo"))?,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(BenchError::io("echo")(error)),
        }
    }
}

fn serve() -> Result<(), BenchError> {
    let agent = Agent::new("bench").keeping(Ballast::default);
    let mut loaded = String::new();
    let agent = agent.on_hot_reload(move |_, code| {
        code.clone_into(&mut loaded);
        Ok(())
    });
    agent.run(answer).map_err(BenchError::of("serve a keeper"))
}

/// What the agent keeps: bytes that have to come back, and a count that must not lose one.
#[derive(Debug, Default)]
struct Ballast {
    bytes: Vec<u8>,
    turns: u64,
}

impl State for Ballast {
    fn apply(&mut self, entry: &Entry) -> Result<(), StateError> {
        match entry.operation.as_str() {
            TURN => self.turns += 1,
            GROW => {
                let params: Value = unpack(&entry.params)?;
                let bytes = params.get("bytes").and_then(Value::as_u64);
                let bytes = bytes.ok_or_else(|| StateError::new("it does not say how far"))?;
                self.bytes = opaque(usize::try_from(bytes)?);
            }
            other => return Err(StateError::new(format!("there is no operation {other}"))),
        }
        Ok(())
    }

    fn snapshot(&self) -> Result<Raw, StateError> {
        let mut snapshot = Vec::with_capacity(self.bytes.len() + COUNT_BYTES);
        snapshot.extend_from_slice(&self.bytes);
        snapshot.extend_from_slice(&self.turns.to_le_bytes());
        pack_bytes(&snapshot)
    }

    fn restore(&mut self, snapshot: &Raw) -> Result<(), StateError> {
        self.bytes = unpack_bytes(snapshot)?;
        let count = self.bytes.last_chunk::<COUNT_BYTES>();
        self.turns =
            u64::from_le_bytes(*count.ok_or_else(|| StateError::new("it holds no count"))?);
        self.bytes.truncate(self.bytes.len().saturating_sub(COUNT_BYTES));
        Ok(())
    }
}

async fn answer(turn: Turn, keeper: Keeper<Ballast>) -> Result<String, TurnError> {
    let message = turn.message();
    if message == CHECK {
        return Ok(keeper.read(|kept| checksum(&kept.bytes)));
    }
    if message == TURN {
        keeper.wal(TURN, &json!({})).await?;
    } else if let Some(bytes) = message.strip_prefix(GROW) {
        keeper.wal(GROW, &json!({"bytes": bytes.trim().parse::<u64>()?})).await?;
    } else {
        return Ok(HEARD.into());
    }
    Ok(keeper.read(|kept| standing(kept.turns, kept.bytes.len())))
}

#[cfg(test)]
mod tests {
    use abide_sdk::{Entry, Raw, State as _, pack};
    use serde_json::json;

    use super::{Ballast, GROW, TURN, bench_agent, opaque};

    #[test]
    fn what_the_agent_keeps_comes_back_whole() {
        let mut kept = Ballast::default();
        let grow = pack(&json!({"bytes": 1_001})).unwrap();
        kept.apply(&Entry::new(1, GROW, grow)).unwrap();
        kept.apply(&Entry::new(2, TURN, Raw::empty_map())).unwrap();
        let mut back = Ballast::default();
        back.restore(&kept.snapshot().unwrap()).unwrap();
        assert_eq!((back.bytes, back.turns), (opaque(1_001), 1));
        assert!(Ballast::default().restore(&Raw::empty_map()).is_err());
        assert!(Ballast::default().apply(&Entry::new(1, "x", Raw::empty_map())).is_err());
    }

    #[test]
    fn the_ballast_is_opaque_and_the_same_each_time() {
        let bytes = opaque(64 * 1024);
        assert_eq!(bytes, opaque(64 * 1024));
        let mut counts = [0_u32; 256];
        for byte in bytes {
            counts[usize::from(byte)] += 1;
        }
        assert!(counts.iter().all(|count| (128..512).contains(count)), "{counts:?}");
    }

    #[test]
    fn by_hand_it_does_nothing() {
        let words = |words: &[&str]| bench_agent(words.iter().map(Into::into));
        for wrong in [&[][..], &["child"], &["echo", "1"], &["echo", "one", "two"], &["shim"]] {
            assert_eq!(words(wrong), std::process::ExitCode::FAILURE, "{wrong:?}");
        }
    }
}
