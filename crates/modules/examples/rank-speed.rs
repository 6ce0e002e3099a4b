//! What an order of 100 passages costs: `cargo run --release -p abide-modules --example rank-speed`. It starts itself as
//! the process of modules and asks the base module 2,000 times, one request after the other.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that measures and prints"
)]

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use abide_modules::{
    ModuleClient, ModuleKind, PassageFeatures, PassageRole, RankRequest, RankedPassage,
    limits::PASSAGES_MAX, serve_process,
};
use tokio::process::Command;

/// What tells a copy of this program to be the process.
const SERVE: &str = "serve";
const CALLS: usize = 2000;
const DEADLINE: Duration = Duration::from_secs(10);

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    if std::env::args().nth(1).as_deref() == Some(SERVE) {
        return Ok(serve_process()?);
    }
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(measure())
}

async fn measure() -> Result<(), Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    let command = command.arg(SERVE).stdin(Stdio::piped()).stdout(Stdio::piped());
    let began = Instant::now();
    let mut child = command.kill_on_drop(true).spawn()?;
    let output = child.stdout.take().ok_or("no output")?;
    let input = child.stdin.take().ok_or("no input")?;
    let mut client = ModuleClient::new(output, input);
    let base = ModuleKind::Memory.base_code();
    let loaded = client.load(ModuleKind::Memory, base, DEADLINE).await?;
    println!(
        "start and first load: {:?}, of which the load {} us",
        began.elapsed(),
        loaded.cost.wall_us
    );
    let again = client.load(ModuleKind::Memory, base, DEADLINE).await?;
    println!("second load: {} us", again.cost.wall_us);

    let request = request();
    let (mut trips, mut walls, mut processors) = (Vec::new(), Vec::new(), Vec::new());
    let mut memory_bytes = 0;
    for _ in 0..CALLS {
        let asked = request.clone();
        let began = Instant::now();
        let reply = client.rank(asked, DEADLINE).await?;
        trips.push(u64::try_from(began.elapsed().as_micros())?);
        walls.push(reply.cost.wall_us);
        processors.push(reply.cost.cpu_us);
        memory_bytes = reply.cost.memory_bytes;
    }
    println!(
        "{CALLS} calls of {PASSAGES_MAX} passages, {} bytes each",
        serde_json::to_vec(&request)?.len()
    );
    for (what, mut values) in [
        ("from the caller and back", trips),
        ("within the process", walls),
        ("processor of its engine's thread", processors),
    ] {
        values.sort_unstable();
        let at = |share: usize| values.get(values.len() * share / 100).copied().unwrap_or_default();
        println!("{what}: p50 {} us, p95 {} us, p99 {} us", at(50), at(95), at(99));
    }
    println!("resident afterwards: {} kB", memory_bytes / 1024);
    Ok(())
}

fn request() -> RankRequest {
    let most = u32::try_from(PASSAGES_MAX).unwrap_or(u32::MAX);
    let passage = |place: u32| {
        let share = f64::from(place * 37 % 100) / 100.0;
        RankedPassage {
            id: u64::from(place) + 1,
            text: "Mara said that the boat is in the harbour of Ulm until the ice is gone. "
                .repeat(3),
            speaker: "Mara".to_owned(),
            role: PassageRole::Person,
            at: 1_700_000_000.0 + f64::from(place) * 3600.0,
            features: PassageFeatures {
                score: share * 7.3,
                strength: share / 3.0,
                words: 3.0,
                words_share: share,
                own: share * 1.1,
                covered: 1.0 - share,
                meaning: 0.5 + share / 7.0,
                meaning_before: 0.4 + share / 9.0,
                meaning_after: 0.3 + share / 11.0,
                message_meaning: 0.2 + share / 13.0,
                shortness: 0.7,
                age_days: 12.5 + share,
                length: 219.0,
                rank: f64::from(place),
                ..PassageFeatures::default()
            },
        }
    };
    RankRequest {
        question: "Where is the boat?".to_owned(),
        asker: Some("Jonas".to_owned()),
        now: 1_700_500_000.5,
        passages: (0..most).map(passage).collect(),
    }
}
