//! Measures what a state of 100 MB costs from acceptance to durable, and back; beside it, on the same disk in the same
//! minute, a bare write and sync of the same bytes.
//!
//! `cargo run --release -p abide-supervisor --example checkpoint-speed [FOLDER]`

#![expect(clippy::disallowed_methods, reason = "it measures time")]
#![expect(clippy::print_stdout, reason = "its result")]

use std::{
    error::Error,
    fmt::Write as _,
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use abide_domain::{Clock, IdSource, Timestamp};
use abide_ledger::FileStorage;
use abide_supervisor::{
    PrivateState, PrivateStateFolders, PrivateStateLimits, PrivateStateOptions, StoredEntry,
};
use uuid::Uuid;

/// Bytes of the state.
const STATE_BYTES: usize = 100 * 1000 * 1000;
/// Rounds; the median counts.
const ROUNDS: usize = 7;

#[derive(Debug)]
struct SystemClock(Instant);

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

#[derive(Debug)]
struct TimeIds;

impl IdSource for TimeIds {
    fn uuid(&self, now: Timestamp) -> Uuid {
        Uuid::from_u128(u128::try_from(now.as_micros()).unwrap_or(0))
    }
}

/// JSON of memory blocks with embeddings, as an agent's state mostly is.
fn state() -> Vec<u8> {
    let mut random = 7_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        random >> 33
    };
    let mut text = String::with_capacity(STATE_BYTES + 10_000);
    while text.len() < STATE_BYTES {
        let _ = write!(text, "{{\"id\":\"block-{}\",\"text\":\"", next());
        for _ in 0..60 {
            let _ = write!(text, "word{} ", next() % 900);
        }
        text.push_str("\",\"embedding\":[");
        for _ in 0..256 {
            let _ = write!(text, "0.{:06},", next() % 1_000_000);
        }
        text.push_str("0],\"importance\":0.5}\n");
    }
    text.into_bytes()
}

fn timed<T>(work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(T, f64), Box<dyn Error>> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed().as_secs_f64()))
}

fn raw(path: &Path, bytes: &[u8]) -> Result<f64, Box<dyn Error>> {
    let ((), seconds) = timed(|| {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(())
    })?;
    std::fs::remove_file(path)?;
    Ok(seconds)
}

fn show(name: &str, mut seconds: Vec<f64>) {
    seconds.sort_by(f64::total_cmp);
    let ms = |at: usize| seconds.get(at).copied().unwrap_or_default() * 1e3;
    let (median, last) = (seconds.len() / 2, seconds.len().saturating_sub(1));
    println!("{name:42} {:8.1} ms   ({:.1} to {:.1})", ms(median), ms(0), ms(last));
}

fn main() -> Result<(), Box<dyn Error>> {
    let given = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let root = given.join("abide-checkpoint-speed");
    std::fs::create_dir_all(&root)?;
    let folders = PrivateStateFolders {
        wal: Arc::new(FileStorage::create(&root.join("wal"))?),
        checkpoints: Arc::new(FileStorage::create(&root.join("checkpoints"))?),
    };
    let options = PrivateStateOptions {
        agent: "felix".parse()?,
        limits: PrivateStateLimits { keep_for: Duration::ZERO, ..PrivateStateLimits::default() },
        clock: Arc::new(SystemClock(Instant::now())),
        ids: Arc::new(TimeIds),
    };
    let state = state();
    let (mut open, _) = PrivateState::open(folders.clone(), options.clone())?;
    let (mut kept, mut raws, mut packed, mut tidied) = (vec![], vec![], vec![], vec![]);
    let mut bytes = 0;
    for _ in 0..ROUNDS {
        let (checkpoint, seconds) = timed(|| Ok(open.checkpoint(&state, None)?))?;
        kept.push(seconds);
        bytes = checkpoint.bytes;
        tidied.push(timed(|| Ok(open.tidy()?))?.1);
        raws.push(raw(&root.join("raw"), &state)?);
        let stored = std::fs::read(root.join("checkpoints").join(&checkpoint.file))?;
        packed.push(raw(&root.join("raw"), &stored)?);
    }
    let mut appends = Vec::new();
    for sequence in (1..).take(2_000) {
        let sequence = open.durable_sequence().max(sequence - 1) + 1;
        let entry = StoredEntry {
            sequence,
            timestamp: 1,
            operation: "memory_add".into(),
            data: vec![b'x'; 300],
        };
        appends.push(timed(|| Ok(open.append(&[entry])?))?.1);
    }
    drop(open);
    let mut restored = Vec::new();
    for _ in 0..ROUNDS {
        let ((_, back), seconds) =
            timed(|| Ok(PrivateState::open(folders.clone(), options.clone())?))?;
        restored.push(seconds);
        assert!(back.snapshot.as_deref() == Some(&state[..]) && back.report.is_empty());
    }
    println!("state {} bytes, on disk {bytes}", state.len());
    show("checkpoint, accepted to durable", kept);
    show("bare write and sync of the state", raws);
    show("bare write and sync of the stored bytes", packed);
    show("tidy", tidied);
    show("open: newest verified, 2,000 entries", restored);
    show("append of one entry of 300 bytes, durable", appends);
    std::fs::remove_dir_all(&root)?;
    Ok(())
}
