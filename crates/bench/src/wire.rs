//! `abide bench wire`: our frames against the codecs that agents in Python and JavaScript have, on the same bytes.
//!
//! Reading order: `samples` (what is read and written), `ours`, `rival` (a codec in a child process), `duel` (slices of
//! both, in turns), `line` (from a frame to a line of the log).

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    error::BenchError,
    machine::Machine,
    report::{BenchReport, Row},
    scratch::Scratch,
};

mod duel;
mod line;
mod ours;
mod rival;
mod samples;

use rival::{Codec, RivalCodec};
use samples::SampleMessage;

/// How `abide bench wire` is run.
#[derive(Clone, Debug)]
pub struct WirePlan {
    /// A scratch folder is made in it, or in the nearest folder above it that exists.
    pub folder: PathBuf,
    /// Slices of each kind.
    pub rounds: u32,
    /// The source tree whose SDKs bring the rivals; without one, or where they are not installed, ours is measured alone.
    pub tree: Option<PathBuf>,
}

impl WirePlan {
    /// The usual plan, with the source tree that one of these places lies in.
    pub fn new(folder: PathBuf, places: &[PathBuf]) -> Self {
        let folders = places.iter().flat_map(|place| place.ancestors());
        let tree =
            folders.into_iter().find(|folder| folder.join("sdk/python/pyproject.toml").is_file());
        Self { folder, rounds: 15, tree: tree.map(Path::to_owned) }
    }
}

/// Runs all measurements of the wire; `tell` hears which is next. Blocks for seconds.
pub fn wire(plan: &WirePlan, tell: &dyn Fn(&str)) -> Result<BenchReport, BenchError> {
    let scratch = Scratch::within(&plan.folder)?;
    let machine = Machine::look(scratch.path())?;
    let samples = samples::all()?;
    for sample in &samples {
        let written = fs::write(scratch.join(sample.name), sample.body());
        written.map_err(BenchError::io("write a message"))?;
    }
    let (mut rivals, absent) = gather(plan, scratch.path());
    for why in &absent {
        tell(why);
    }
    let mut rows = Vec::new();
    for sample in &samples {
        tell(sample.title);
        rows.extend(duel::measure(plan.rounds, sample, &mut rivals, &absent)?);
    }
    tell("frames to lines");
    rows.extend(lines(plan.rounds, &samples)?);
    Ok(BenchReport {
        bench: "wire",
        version: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        rounds: plan.rounds,
        machine: machine.ended(),
        rows,
    })
}

/// Starts the rivals that are there, and says of each other one why it is not.
fn gather(plan: &WirePlan, bodies: &Path) -> (Vec<RivalCodec>, Vec<String>) {
    let (mut rivals, mut absent) = (Vec::new(), Vec::new());
    for codec in Codec::ALL {
        match RivalCodec::start(codec, plan.tree.as_deref(), bodies) {
            Ok(rival) => rivals.push(rival),
            Err(why) => absent.push(format!("not compared with {}: {why}", codec.name())),
        }
    }
    (rivals, absent)
}

fn lines(rounds: u32, samples: &[SampleMessage]) -> Result<Vec<Row>, BenchError> {
    let entry = samples.iter().find(|sample| sample.name == "wal_entry");
    line::measure(rounds, entry.ok_or_else(|| BenchError::Wrong("there is no wal_entry".into()))?)
}
