//! What the client adds to a call: the same server asked over its bare pipes, then through the client.
//! `cargo run -p abide-mcp --example call_latency`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    dead_code,
    reason = "a measurement that fails by panicking, over the bench of the tests"
)]

#[path = "../tests/it/bench.rs"]
mod bench;

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::json;

/// How many calls are measured.
const CALLS: usize = 2_000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (bare, through) = (bare_pipes(), through_the_client().await);
    for (name, times) in [("bare pipes", &bare), ("the client", &through)] {
        let (p50, p99) = (times[CALLS / 2].as_micros(), times[CALLS * 99 / 100].as_micros());
        println!("{name}: p50 {p50} us, p99 {p99} us");
    }
    println!("added at p50: {} us", through[CALLS / 2].saturating_sub(bare[CALLS / 2]).as_micros());
}

fn bare_pipes() -> Vec<Duration> {
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/faulty.py");
    let mut child = Command::new("python3")
        .arg(script)
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    let mut times = Vec::new();
    for id in 0..=CALLS {
        let request = json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "append", "arguments": {"line": "x"}}
        });
        let began = Instant::now();
        writeln!(stdin, "{request}").unwrap();
        line.clear();
        stdout.read_line(&mut line).unwrap();
        times.push(began.elapsed());
    }
    drop(stdin);
    child.wait().unwrap();
    sorted(times)
}

async fn through_the_client() -> Vec<Duration> {
    let bench = bench::Setup::new(&[]).ready().await;
    let tool = bench.tool("mcp.test.append");
    let mut times = Vec::new();
    for _ in 0..=CALLS {
        let began = Instant::now();
        bench::run(tool.as_ref(), &json!({"line": "x"})).await.unwrap();
        times.push(began.elapsed());
    }
    bench.client.stop().await;
    sorted(times)
}

/// In order, without the first call, in which the server warms up.
fn sorted(mut times: Vec<Duration>) -> Vec<Duration> {
    times.remove(0);
    times.sort();
    times
}
