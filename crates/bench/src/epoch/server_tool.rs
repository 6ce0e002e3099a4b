//! What an epoch costs more whose tool another program has: a server of the Model Context Protocol over stdio.
//!
//! Two keepers in this process answer in turn, one with the tool in it, one with the same tool in a server; a bare pipe to the same
//! server stands beside the difference, which has the server's own time in it.

use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Arc,
};

use abide_mcp::{
    McpClient, McpClientParts, McpProgram, McpReach, McpServerSettings, PlainLauncher,
};

use super::{
    canned::{Canned, CannedCall},
    keeper::{BenchKeeper, KeeperPlan},
    pace::TOKENS_MAX,
    plan::EpochBench,
};
use crate::{
    agent::{BENCH_AGENT, TOOL_SERVER},
    error::BenchError,
    ledger::events,
    report::{Bar, BarSubject, Row},
    spread::Spread,
    system::{Stopwatch, SystemClock},
    tool_server,
};

/// Epochs of each keeper in a round, and calls through the bare pipe.
const EACH: usize = 100;
/// Those before the clock starts.
const WARM: usize = 3;

/// What the tool of a server adds to an epoch.
pub(super) fn measure(bench: &EpochBench<'_>, binary: &Path) -> Result<Row, BenchError> {
    let (mut added, mut raw) = (Vec::new(), Vec::new());
    let mut bare = BareServer::start(binary)?;
    for round in 0..bench.plan.rounds {
        added.push(bench.runtime.block_on(slice(bench, binary, round))?);
        raw.push(bare.calls(EACH)?);
    }
    Ok(Row::new(
        "epoch_server_tool",
        "an epoch with one tool of a server over stdio: what that adds to the same tool in the keeper, p50",
        "ms",
        &added,
    )
    .beside("a bare pipe to the same server: the call written, its answer read", &added, &raw)
    .held_to(Bar::at_most(BarSubject::Value, 1.0))
    .note(format!("{EACH} epochs of each keeper a round, in turn; the server's own time is in it")))
}

/// The difference of the two medians of a round, in milliseconds.
async fn slice(bench: &EpochBench<'_>, binary: &Path, round: u32) -> Result<f64, BenchError> {
    let model =
        |tool| Canned::start(&CannedCall { tool, arguments: events::arguments() }, events::ANSWER);
    let models = [model(events::TOOL)?, model(tool_server::TOOL)?];
    let client = client(binary)?;
    client.ready().await.map_err(BenchError::of("start a server of tools"))?;
    let folder = |name: &str| bench.scratch.join(format!("{name}-{round}"));
    let design = KeeperPlan { agents: 1, tokens_max: TOKENS_MAX };
    let own = BenchKeeper::open(&folder("own-tool"), design, &models[0]).await?;
    let foreign =
        BenchKeeper::open_with(&folder("server-tool"), design, &models[1], &client.tools()).await?;
    let (mut own_times, mut foreign_times) = (Vec::new(), Vec::new());
    for turn in 0..WARM + EACH {
        let (mine, theirs) = (own.epoch(0).await?, foreign.epoch(0).await?);
        if turn >= WARM {
            own_times.push(mine);
            foreign_times.push(theirs);
        }
    }
    own.close().await?;
    foreign.close().await?;
    client.stop().await;
    models.into_iter().for_each(Canned::stop);
    Ok(Spread::of(&foreign_times).median - Spread::of(&own_times).median)
}

fn client(binary: &Path) -> Result<McpClient, BenchError> {
    let args = vec![BENCH_AGENT.to_owned(), TOOL_SERVER.to_owned()];
    let command = binary.display().to_string();
    let program = McpProgram { command, args, environment: Vec::new() };
    let reach = McpReach::Process(program);
    let settings = McpServerSettings::reached(tool_server::SERVER_NAME, reach);
    let launcher = PlainLauncher::new(env::vars_os());
    let parts = McpClientParts::new(Arc::new(launcher), Arc::new(SystemClock::new()));
    McpClient::start(settings, parts).map_err(BenchError::of("start a server of tools"))
}

/// The same server behind two bare pipes.
struct BareServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl BareServer {
    fn start(binary: &Path) -> Result<Self, BenchError> {
        let mut command = Command::new(binary);
        command.args([BENCH_AGENT, TOOL_SERVER]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(BenchError::io("start a child"))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => {
                Ok(Self { child, input, output: BufReader::new(output) })
            }
            _ => Err(BenchError::Wrong("a child has no pipes".into())),
        }
    }

    /// So many calls, one after the other: their median in milliseconds.
    fn calls(&mut self, count: usize) -> Result<f64, BenchError> {
        let mut times = Vec::with_capacity(count);
        let mut answer = String::new();
        for id in 0..count {
            let line = tool_server::call_line(id as u64);
            answer.clear();
            let watch = Stopwatch::start();
            self.input.write_all(line.as_bytes()).map_err(BenchError::io("call a child"))?;
            self.output.read_line(&mut answer).map_err(BenchError::io("hear a child"))?;
            times.push(watch.millis());
            if !answer.contains("\"result\"") {
                return Err(BenchError::Wrong(format!("a child answered {answer:?}")));
            }
        }
        Ok(Spread::of(&times).median)
    }
}

impl Drop for BareServer {
    fn drop(&mut self) {
        // It is of no use to anybody, whatever it says to that.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
