//! One turn to an agent's process and back, beside the same bytes through bare pipes.

use std::sync::Arc;

use abide_domain::{
    IdSource as _, Timestamp,
    turn::{Thought, TurnRequest, Usage},
    voice::{EMOTIVE_STATE_DEFAULT, Voice},
};
use abide_engine::mind::Mind;
use abide_wire::{FromAgent, Message, ProcessRequest, ProcessResponse, ToAgent, Version};
use tokio::task::JoinSet;

use super::{
    asking,
    plan::RecoveryBench,
    supervisor::{BenchSupervisor, SupervisorPlan},
};
use crate::{
    agent::HEARD,
    echo::EchoChild,
    error::BenchError,
    ledger::events::QUESTION,
    report::{Bar, BarSubject, Row},
    system::{Stopwatch, SystemIds},
    times::RoundTimes,
};

pub(super) fn measure(bench: &RecoveryBench<'_>) -> Result<Vec<Row>, BenchError> {
    let design = SupervisorPlan::of_one(&bench.plan.binary);
    let folder = bench.scratch.join("frames");
    let supervisor = bench.runtime.block_on(async { BenchSupervisor::open(&folder, design) })?;
    let (mind, request) = (supervisor.mind(0)?, asking::request(supervisor.agent(0)?, QUESTION));
    let (question, answer) = sizes(&request)?;
    let mut echo = EchoChild::start(&bench.plan.binary, question, answer)?;
    let count = bench.plan.frames;
    // The first turn starts the process; a slice of each warms both.
    exchange(bench, &mind, &request, count)?;
    echo.exchange(count)?;
    let (mut ours, mut raw) = (RoundTimes::default(), RoundTimes::default());
    for _ in 0..bench.plan.rounds {
        raw.push(echo.exchange(count)?);
        ours.push(exchange(bench, &mind, &request, count)?);
    }
    bench.runtime.block_on(supervisor.close())?;
    Ok(rows(&ours, &raw, (question, answer)))
}

fn rows(ours: &RoundTimes, raw: &RoundTimes, (question, answer): (usize, usize)) -> Vec<Row> {
    let (p50s, raw_p50s) = (ours.p50s(), raw.p50s());
    let above: Vec<_> = p50s.iter().zip(&raw_p50s).map(|(ours, raw)| ours - raw).collect();
    let reference = "the same bytes through bare pipes, one thread on each side";
    vec![
        Row::new(
            "frame_above",
            "a turn to an agent's process and back, above bare pipes",
            "us",
            &above,
        )
        .held_to(Bar::at_most(BarSubject::Value, 60.0))
        .note("p50 less p50 of the same round; no tool, no log, an answer at once"),
        Row::new("frame_trip", "the same turn, p50", "us", &p50s)
            .beside(reference, &p50s, &raw_p50s)
            .note(format!("frames of {question} and about {answer} bytes")),
        Row::new("frame_trip_p99", "the same, p99", "us", &ours.p99s()).beside(
            reference,
            &ours.p99s(),
            &raw.p99s(),
        ),
    ]
}

/// Bytes of the frames of a turn and of its answer.
fn sizes(request: &TurnRequest) -> Result<(usize, usize), BenchError> {
    let id = SystemIds.uuid(Timestamp::default()).to_string();
    let voice = Voice {
        thought: String::new(),
        emotive_state: EMOTIVE_STATE_DEFAULT.into(),
        tool_calls: Vec::new(),
        final_response: Some(HEARD.into()),
    };
    let thought = Thought::new(voice, Usage::default());
    let mut response = ProcessResponse::from_thought(&id, &thought);
    response.usage = None;
    let request = ProcessRequest::from_turn(id, request);
    let now = Timestamp::from_micros(1_700_000_000_000_000);
    let question = Message::<ToAgent>::new(Version::V3, now, request).encode();
    let answer = Message::<FromAgent>::new(Version::V3, now, response).encode();
    let length = |frame: Result<Vec<u8>, _>| frame.map(|frame| frame.len());
    let failed = "write a frame";
    Ok((
        length(question).map_err(BenchError::of(failed))?,
        length(answer).map_err(BenchError::of(failed))?,
    ))
}

/// So many turns, each in microseconds. They are asked from a task of the runtime, as a lane asks.
fn exchange(
    bench: &RecoveryBench<'_>,
    mind: &Arc<dyn Mind>,
    request: &TurnRequest,
    count: u32,
) -> Result<Vec<f64>, BenchError> {
    let (mind, request) = (Arc::clone(mind), request.clone());
    let asking = async move {
        let mut times = Vec::new();
        for _ in 0..count {
            let watch = Stopwatch::start();
            let answer = asking::ask(&*mind, &request).await?;
            times.push(watch.micros());
            if answer != HEARD {
                return Err(BenchError::Wrong(format!("an agent answered `{answer}`")));
            }
        }
        Ok(times)
    };
    bench.runtime.block_on(async {
        let mut task = JoinSet::new();
        task.spawn(asking);
        let gone = || BenchError::Wrong("nobody asked".into());
        task.join_next().await.ok_or_else(gone)?.map_err(BenchError::of("ask an agent"))?
    })
}
