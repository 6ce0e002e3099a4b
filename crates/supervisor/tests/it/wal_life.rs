//! A life of an agent's state in steps, and the naive model beside it: the list of everything the agent was promised.
//!
//! The agent's state *is* that list, written out in each checkpoint, so that a restore shows at once what is missing,
//! doubled or out of order.

use std::{collections::BTreeMap, time::Duration};

use abide_supervisor::{PrivateState, RestoreError, RestoredState, StoredEntry, WalAppendError};
use abide_testkit::SplitMix64;
use uuid::Uuid;

use crate::wal_world::World;

/// A step of a life.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Appends a batch of so many entries, after repeating so many.
    Append { fresh: u64, repeated: u64 },
    /// Makes a checkpoint that lacks the effects of the last so many entries.
    Checkpoint { lag: usize },
    /// Removes what is past its time.
    Tidy,
    /// Lets hours pass.
    Wait { hours: u64 },
    /// Goes back to the `n`th checkpoint of those that are there.
    GoBack { n: usize },
    /// Opens the state again after a kill of the process.
    Kill,
    /// Opens the state again after a power cut.
    PowerCut,
}

/// Why a life stopped.
#[derive(Debug)]
pub(crate) struct Stopped;

/// A state and its model.
pub(crate) struct Life {
    pub(crate) world: World,
    state: Option<PrivateState>,
    /// What the agent holds: everything that was acknowledged, oldest first.
    pub(crate) held: Vec<String>,
    /// What it may hold instead: steps that were not answered may have happened.
    or_else: Vec<Vec<String>>,
    /// The sequences of `held`.
    sequences: Vec<u64>,
    next: u64,
    /// What each checkpoint holds.
    checkpoints: BTreeMap<Uuid, Vec<String>>,
    counter: u64,
    noise: SplitMix64,
}

fn list_of(restored: &RestoredState) -> Vec<String> {
    let snapshot = restored.snapshot.as_deref().unwrap_or_default();
    let text = str::from_utf8(snapshot).unwrap();
    let mut list: Vec<_> =
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    list.extend(restored.entries.iter().map(|e| String::from_utf8(e.data.clone()).unwrap()));
    list
}

impl Life {
    pub(crate) fn new(world: World) -> Self {
        Self {
            world,
            state: None,
            held: Vec::new(),
            or_else: Vec::new(),
            sequences: Vec::new(),
            next: 1,
            checkpoints: BTreeMap::new(),
            counter: 0,
            noise: SplitMix64::new(7),
        }
    }

    /// Opens the state and holds it to the model. `Err` where the disk does not let it.
    pub(crate) fn open(&mut self) -> Result<RestoredState, Stopped> {
        let (state, restored) = match self.world.try_open() {
            Ok(opened) => opened,
            Err(error) => {
                assert!(matches!(error, abide_supervisor::PrivateStateError::Io { .. }), "{error}");
                return Err(Stopped);
            }
        };
        let list = list_of(&restored);
        let fits = list == self.held || self.or_else.contains(&list);
        assert!(fits, "restored {list:?}, held {:?}, or {:?}", self.held, self.or_else);
        assert!(restored.next_sequence >= self.next, "sequence {} twice", restored.next_sequence);
        self.or_else.clear();
        self.next = restored.next_sequence;
        self.sequences = restored.entries.iter().map(|entry| entry.sequence).collect();
        self.held = list;
        self.state = Some(state);
        Ok(restored)
    }

    /// Drops the state as a crash does.
    pub(crate) fn crash(&mut self, is_power_cut: bool) {
        self.state = None;
        if is_power_cut { self.world.disk.power_cycle() } else { self.world.disk.kill() }
    }

    /// Opens again after a crash that must not have cost anything.
    pub(crate) fn recover(&mut self, is_power_cut: bool) {
        // Faults that have not come yet do not come any more.
        self.world.disk.fail_sync_at(u64::MAX / 2);
        self.world.disk.fail_write_at(u64::MAX / 2);
        self.crash(is_power_cut);
        let restored = self.open().unwrap();
        let is_calm = restored.report.iter().all(|trouble| {
            matches!(trouble, abide_supervisor::PrivateStateProblem::TornTail { .. })
        });
        assert!(is_calm, "a crash damages nothing: {:?}", restored.report);
        self.crash(false);
        let restored = self.open().unwrap();
        assert_eq!(restored.report, [], "said once");
    }

    /// Does a step; `Err` where the disk failed, so that the state has to be opened again.
    pub(crate) fn step(&mut self, step: Step) -> Result<(), Stopped> {
        if self.state.is_none() {
            self.open()?;
        }
        match step {
            Step::Append { fresh, repeated } => self.append(fresh, repeated),
            Step::Checkpoint { lag } => self.checkpoint(lag),
            Step::Tidy => self.tidy(),
            Step::Wait { hours } => {
                self.world.clock.advance(Duration::from_hours(hours));
                Ok(())
            }
            Step::GoBack { n } => self.go_back(n),
            Step::Kill => {
                self.crash(false);
                self.open().map(drop)
            }
            Step::PowerCut => {
                self.crash(true);
                self.open().map(drop)
            }
        }
    }

    fn batch(&mut self, fresh: u64, repeated: u64) -> Vec<StoredEntry> {
        let known = self.sequences.len() as u64;
        let repeated = repeated.min(known);
        let from = self.next - repeated.min(self.next - 1);
        (from..self.next + fresh)
            .map(|sequence| {
                self.counter += 1;
                let length = usize::try_from(self.noise.below(90)).unwrap();
                let data = format!("{}.{sequence} {}", self.counter, "y".repeat(length));
                let operation = format!("operation_{}", self.noise.below(4));
                StoredEntry { sequence, timestamp: 1_705_392_000, operation, data: data.into() }
            })
            .collect()
    }

    fn append(&mut self, fresh: u64, repeated: u64) -> Result<(), Stopped> {
        let batch = self.batch(fresh, repeated);
        let new: Vec<_> = batch.iter().filter(|entry| entry.sequence >= self.next).collect();
        let texts: Vec<_> =
            new.iter().map(|entry| String::from_utf8(entry.data.clone()).unwrap()).collect();
        let sequences: Vec<_> = new.iter().map(|entry| entry.sequence).collect();
        match self.state.as_mut().unwrap().append(&batch) {
            Ok(appended) => {
                self.next += fresh;
                assert_eq!((appended.durable, appended.stored), (self.next - 1, fresh));
                assert_eq!(appended.replayed, batch.len() as u64 - fresh);
                self.held.extend(texts);
                self.sequences.extend(sequences);
                self.or_else.clear();
                Ok(())
            }
            Err(error) => {
                match error {
                    // Nothing of it is there, nor ever comes back.
                    WalAppendError::DiskFull(_) => return Ok(()),
                    WalAppendError::Broken { .. } => {}
                    error => panic!("{error}"),
                }
                self.or_else.extend((1..=texts.len()).map(|count| {
                    self.held.iter().chain(texts.iter().take(count)).cloned().collect()
                }));
                Err(Stopped)
            }
        }
    }

    fn checkpoint(&mut self, lag: usize) -> Result<(), Stopped> {
        // Only entries that the agent was given or sent since can be left out, and none twice.
        let lag = lag.min(self.sequences.len());
        let (list, _) = self.held.split_at(self.held.len() - lag);
        let noise: String =
            (0..150).map(|_| (self.noise.below(u64::MAX >> 31)).to_string()).collect();
        let snapshot = format!("#{noise}\n{}", list.join("\n"));
        let state = self.state.as_mut().unwrap();
        let named = match lag {
            0 => self.next - 1,
            lag => self.sequences[self.sequences.len() - lag] - 1,
        };
        match state.checkpoint(snapshot.as_bytes(), Some(named)) {
            Ok(checkpoint) => {
                assert_eq!(checkpoint.wal_sequence, named);
                self.checkpoints.insert(checkpoint.id, list.to_vec());
                self.sequences.drain(..self.sequences.len() - lag);
                Ok(())
            }
            Err(abide_supervisor::CheckpointWriteError::Disk { .. })
                if self.world.disk.is_off() =>
            {
                Err(Stopped)
            }
            Err(abide_supervisor::CheckpointWriteError::Disk { .. }) => Ok(()),
            Err(error) => panic!("{error}"),
        }
    }

    fn tidy(&mut self) -> Result<(), Stopped> {
        self.state.as_mut().unwrap().tidy().map(drop).map_err(|_| Stopped)
    }

    fn go_back(&mut self, n: usize) -> Result<(), Stopped> {
        let listed =
            abide_supervisor::list_checkpoints(&self.world.checkpoints, &self.world.options.agent);
        let listed = listed.map_err(|_| Stopped)?;
        if listed.is_empty() {
            return Ok(());
        }
        let id = listed[n % listed.len()].checkpoint.as_ref().unwrap().id;
        let Some(list) = self.checkpoints.get(&id).cloned() else { return Ok(()) };
        match self.state.as_mut().unwrap().restore(id) {
            Ok(restored) => {
                assert_eq!(list_of(&restored), list);
                assert_eq!(restored.next_sequence, self.next);
                self.held = list;
                self.sequences.clear();
                self.or_else.clear();
                Ok(())
            }
            Err(RestoreError::Disk(_) | RestoreError::Open(_)) => {
                self.or_else.push(list);
                Err(Stopped)
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Goes on with an ordinary day, to see that nothing is left in the way.
    pub(crate) fn go_on(&mut self) {
        for step in [
            Step::Append { fresh: 3, repeated: 1 },
            Step::Checkpoint { lag: 1 },
            Step::Tidy,
            Step::Append { fresh: 2, repeated: 0 },
            Step::Kill,
            Step::Append { fresh: 1, repeated: 0 },
            Step::PowerCut,
        ] {
            self.step(step).unwrap();
        }
        assert_eq!(self.or_else, Vec::<Vec<String>>::new());
    }

    /// The checkpoints that are there and verify, newest first, by what they hold.
    pub(crate) fn verified(&self) -> Vec<Vec<String>> {
        let (storage, agent) = (&self.world.checkpoints, &self.world.options.agent);
        let listed = abide_supervisor::list_checkpoints(storage, agent).unwrap();
        let verified = listed.iter().filter_map(|listed| {
            let verified = abide_supervisor::verify_checkpoint(storage, agent, listed);
            let checkpoint = verified.checkpoint.filter(|_| verified.problem.is_none())?;
            self.checkpoints.get(&checkpoint.id).cloned()
        });
        verified.collect()
    }
}
