//! `kill -9` of an agent's process: how soon the next one runs, and how soon it answers with its state taken back.
//!
//! Each kill is the first in a row, so that no pause of the restart policy is in any figure. Between two of them the agent
//! is restarted as a person does it, outside of the time.

use abide_supervisor::{ConfinementLevel, probe_sandbox};
use rustix::process::Pid;

use super::{
    bare::{BareChild, Listener, kill},
    plan::{Deaths, RecoveryBench},
    supervisor::{BenchSupervisor, SupervisorPlan},
};
use crate::{
    agent::{self, CHECK, TURN},
    error::BenchError,
    report::{Bar, BarSubject, Row},
    system::Stopwatch,
    times::RoundTimes,
};

/// Milliseconds from a kill to the next answer, with a small state.
const RECOVERED_MS_MAX: f64 = 50.0;
/// What a restart is compared with.
const BARE: &str = "a bare parent: kill, collect, fork and exec to the first word";

/// What was seen over all rounds.
#[derive(Debug, Default)]
struct DeathTimes {
    words: RoundTimes,
    answers: RoundTimes,
    bare: RoundTimes,
}

/// An agent that is killed again and again.
struct KilledAgent<'a> {
    bench: &'a RecoveryBench<'a>,
    supervisor: &'a BenchSupervisor,
    listener: &'a Listener,
    bytes: usize,
    checksum: &'a str,
    turns: u64,
    pid: Pid,
}

/// Milliseconds from a kill.
struct RestartTimes {
    word: f64,
    answer: f64,
}

/// The bars: an agent with a small state, as a keeper starts it here by default, and without confinement.
pub(super) fn small(bench: &RecoveryBench<'_>) -> Result<Vec<Row>, BenchError> {
    let deaths = bench.plan.small;
    let probed =
        probe_sandbox(&bench.plan.binary, &bench.scratch.join("probe"), ConfinementLevel::Isolated);
    let probed = probed.map_err(BenchError::io("try what confines a process here"))?;
    let mut rows = Vec::new();
    if let Some(level) = probed.level {
        let seen = run(bench, "confined", deaths, Some(level))?;
        let [p50, p99] = answers(["recovery_confined", "recovery_confined_p99"], deaths, &seen);
        let how = format!("confined at level {}, the strictest that holds here", level.number());
        rows.extend([
            first_word("restart_word_confined", &seen)
                .note(format!("{how}; {}", seen.words.note("ms"))),
            p50.held_to(Bar::at_most(BarSubject::Value, RECOVERED_MS_MAX)).note(how),
            p99,
        ]);
    }
    let seen = run(bench, "small", deaths, None)?;
    let note = format!("the first restart of a row, by the supervisor; {}", seen.words.note("ms"));
    let first = first_word("restart_word", &seen).held_to(Bar::at_most(BarSubject::Value, 6.0));
    rows.extend([
        first.note(note),
        Row::new("restart_word_p99", "the same, p99", "ms", &seen.words.p99s()).beside(
            "the bare parent, p99",
            &seen.words.p99s(),
            &seen.bare.p99s(),
        ),
    ]);
    let [p50, p99] = answers(["recovery_small", "recovery_small_p99"], deaths, &seen);
    rows.extend([p50.held_to(Bar::at_most(BarSubject::Value, RECOVERED_MS_MAX)), p99]);
    Ok(rows)
}

fn first_word(id: &'static str, seen: &DeathTimes) -> Row {
    let (words, bare) = (seen.words.p50s(), seen.bare.p50s());
    let title = "a killed agent started again under its shim, to its first word, p50";
    Row::new(id, title, "ms", &words).beside(BARE, &words, &bare)
}

/// An agent with a large state.
pub(super) fn large(bench: &RecoveryBench<'_>) -> Result<Vec<Row>, BenchError> {
    let deaths = bench.plan.large;
    let seen = run(bench, "large", deaths, None)?;
    Ok(answers(["recovery_large", "recovery_large_p99"], deaths, &seen).into())
}

fn answers([p50, p99]: [&'static str; 2], deaths: Deaths, seen: &DeathTimes) -> [Row; 2] {
    let Deaths { bytes, kills } = deaths;
    let title = format!("kill -9 of an agent, restored with {bytes} bytes, next answer");
    let (p50s, p99s) = (seen.answers.p50s(), seen.answers.p99s());
    [
        Row::new(p50, format!("{title}, p50"), "ms", &p50s)
            .beside(BARE, &p50s, &seen.bare.p50s())
            .note("a checkpoint and an entry behind it taken back; the answer logs another first"),
        Row::new(p99, "the same, p99", "ms", &p99s)
            .beside("the bare parent, p99", &p99s, &seen.bare.p99s())
            .note(format!("of {kills} kills a round; {}", seen.answers.note("ms"))),
    ]
}

fn run(
    bench: &RecoveryBench<'_>,
    name: &str,
    deaths: Deaths,
    level: Option<ConfinementLevel>,
) -> Result<DeathTimes, BenchError> {
    let (folder, listener) = (bench.scratch.join(name), Listener::open()?);
    let design = SupervisorPlan {
        listener: Some(listener.path()),
        level,
        ..SupervisorPlan::of_one(&bench.plan.binary)
    };
    let supervisor = bench.runtime.block_on(async { BenchSupervisor::open(&folder, design) })?;
    let checksum = agent::checksum(&agent::opaque(deaths.bytes));
    let grown = agent::standing(0, deaths.bytes);
    bench.runtime.block_on(supervisor.expect(0, &agent::grow(deaths.bytes), &grown))?;
    bench.runtime.block_on(supervisor.checkpoint(0))?;
    let mut victim = KilledAgent {
        bench,
        supervisor: &supervisor,
        listener: &listener,
        bytes: deaths.bytes,
        checksum: &checksum,
        turns: 0,
        pid: listener.first_word()?,
    };
    victim.turn()?;
    let mut bare = BareChild::start(&bench.plan.binary)?;
    let mut seen = DeathTimes::default();
    for _ in 0..bench.plan.rounds {
        let (mut words, mut answers, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..deaths.kills {
            bench.settle();
            starts.push(bare.restart()?);
            bench.settle();
            let death = victim.die()?;
            words.push(death.word);
            answers.push(death.answer);
            victim.calm()?;
        }
        seen.words.push(words);
        seen.answers.push(answers);
        seen.bare.push(starts);
    }
    bench.runtime.block_on(supervisor.close())?;
    Ok(seen)
}

impl KilledAgent<'_> {
    /// Takes a turn, which has to know of every one before.
    fn turn(&mut self) -> Result<(), BenchError> {
        self.turns += 1;
        let standing = agent::standing(self.turns, self.bytes);
        self.bench.runtime.block_on(self.supervisor.expect(0, TURN, &standing))
    }

    fn die(&mut self) -> Result<RestartTimes, BenchError> {
        let watch = Stopwatch::start();
        kill(self.pid)?;
        self.pid = self.listener.first_word()?;
        let word = watch.millis();
        self.turn()?;
        Ok(RestartTimes { word, answer: watch.millis() })
    }

    /// Looks whether all of the state came back, and begins a new row.
    fn calm(&mut self) -> Result<(), BenchError> {
        let runtime = self.bench.runtime;
        runtime.block_on(self.supervisor.expect(0, CHECK, self.checksum))?;
        runtime.block_on(self.supervisor.restart(0))?;
        self.pid = self.listener.first_word()?;
        self.turn()
    }
}
