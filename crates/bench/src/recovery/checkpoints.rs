//! A large state brought to the disk: by the store alone, all the way from the agent's process, and by a bare write.

use std::{
    fs::{self, File},
    io::Write as _,
    path::Path,
    sync::Arc,
};

use abide_ledger::{FileStorage, storage::Storage};
use abide_supervisor::{
    PrivateState, PrivateStateFolders, PrivateStateLimits, PrivateStateOptions,
};

use super::{
    plan::RecoveryBench,
    supervisor::{BenchSupervisor, SupervisorPlan},
};
use crate::{
    agent,
    error::BenchError,
    report::{Bar, BarSubject, Row},
    system::{Stopwatch, SystemClock, SystemIds},
};

pub(super) fn measure(bench: &RecoveryBench<'_>) -> Result<Vec<Row>, BenchError> {
    let (plan, bytes) = (bench.plan, agent::opaque(bench.plan.large.bytes));
    let mut state = open(&bench.scratch.join("store"))?;
    let folder = bench.scratch.join("ordered");
    let design = SupervisorPlan::of_one(&plan.binary);
    let supervisor = bench.runtime.block_on(async { BenchSupervisor::open(&folder, design) })?;
    let grown = agent::standing(0, bytes.len());
    bench.runtime.block_on(supervisor.expect(0, &agent::grow(bytes.len()), &grown))?;
    let raw_file = bench.scratch.join("raw-checkpoint");
    let (mut durable, mut ordered, mut raw) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        raw.push(raw_write(&raw_file, &bytes)?);
        durable.push(keep(&mut state, &bytes)?);
        let watch = Stopwatch::start();
        bench.runtime.block_on(supervisor.checkpoint(0))?;
        ordered.push(watch.seconds());
    }
    bench.runtime.block_on(supervisor.close())?;
    let (count, reference) = (bytes.len(), "write + fsync of the same bytes, a new file");
    Ok(vec![
        Row::new(
            "checkpoint_durable",
            format!("a checkpoint of {count} bytes, accepted to durable"),
            "s",
            &durable,
        )
        .beside(reference, &durable, &raw)
        .held_to(Bar::at_most(BarSubject::Value, 0.7))
        .note(
            "opaque bytes: compressed at level 1, hashed, synced, renamed, the folder synced, read \
             back, hashed again",
        ),
        Row::new(
            "checkpoint_ordered",
            "the same, from the order to an agent's process to durable",
            "s",
            &ordered,
        )
        .beside(reference, &ordered, &raw)
        .note("with the agent's snapshot, the way through its pipe, and old ones removed"),
    ])
}

fn open(folder: &Path) -> Result<PrivateState, BenchError> {
    let storage = |name: &str| -> Result<Arc<dyn Storage>, BenchError> {
        let made = FileStorage::create(&folder.join(name));
        Ok(Arc::new(made.map_err(BenchError::io("make a store"))?))
    };
    let folders =
        PrivateStateFolders { wal: storage("wal")?, checkpoints: storage("checkpoints")? };
    let options = PrivateStateOptions {
        agent: "bench".parse().map_err(BenchError::of("name an agent"))?,
        limits: PrivateStateLimits {
            keep_for: std::time::Duration::ZERO,
            ..PrivateStateLimits::default()
        },
        clock: Arc::new(SystemClock::new()),
        ids: Arc::new(SystemIds),
    };
    let (state, _) =
        PrivateState::open(folders, options).map_err(BenchError::of("open a store"))?;
    Ok(state)
}

/// One checkpoint, in seconds. What makes room afterwards is not in it.
fn keep(state: &mut PrivateState, bytes: &[u8]) -> Result<f64, BenchError> {
    let watch = Stopwatch::start();
    let kept = state.checkpoint(bytes, None).map_err(BenchError::of("keep a checkpoint"))?;
    let seconds = watch.seconds();
    if kept.raw_bytes != bytes.len() as u64 {
        return Err(BenchError::Wrong(format!("a checkpoint holds {} bytes", kept.raw_bytes)));
    }
    state.tidy().map_err(BenchError::io("remove old checkpoints"))?;
    Ok(seconds)
}

fn raw_write(path: &Path, bytes: &[u8]) -> Result<f64, BenchError> {
    let write = || {
        let watch = Stopwatch::start();
        let mut file = File::create_new(path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        let seconds = watch.seconds();
        drop(file);
        fs::remove_file(path)?;
        Ok(seconds)
    };
    write().map_err(BenchError::io("write a raw file"))
}
