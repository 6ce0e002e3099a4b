//! What commands and a player's words mean for the queue: events, which alone change it.

use std::time::Duration;

use super::{
    event::{QueueEntry, QueueEvent, RepeatMode, StopReason},
    state::QueueState,
};
use crate::{
    entry::EntryId,
    library::TrackRef,
    limits::QUEUE_ENTRIES_MAX,
    player::{EntryEnd, PlayIntent, PlayerEvent, Volume},
};

/// From here on, "previous" means the beginning of the same track.
const RESTART_FROM: Duration = Duration::from_secs(3);

/// Where new entries go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddPlace {
    /// To the end.
    End,
    /// Behind what is played.
    Next,
    /// Behind what is played, and the first of them is played at once.
    Now,
}

/// What somebody wants of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueCommand {
    /// Puts tracks in.
    Add {
        /// Which, in their order.
        tracks: Vec<TrackRef>,
        /// Where.
        place: AddPlace,
    },
    /// Takes entries out.
    Remove {
        /// Which.
        entries: Vec<EntryId>,
    },
    /// Puts an entry before another, or at the end.
    Move {
        /// Which.
        entry: EntryId,
        /// Before which other.
        before: Option<EntryId>,
    },
    /// Takes all entries out.
    Clear,
    /// Plays an entry from its beginning.
    PlayEntry {
        /// Which.
        entry: EntryId,
    },
    /// Goes on; from the first entry where nothing is played.
    Play,
    /// Stands.
    Pause,
    /// Ends playing.
    Stop,
    /// Plays the next entry.
    Next,
    /// Plays the present entry from its beginning, or the one before where it only just began.
    Previous {
        /// Where the present one is.
        position: Duration,
    },
    /// Sets what comes after the last entry.
    SetRepeat {
        /// What.
        repeat: RepeatMode,
    },
    /// Shuffles, or takes the order of the queue.
    SetShuffle {
        /// By what.
        seed: Option<u64>,
    },
    /// Sets how loud.
    SetVolume {
        /// How loud.
        volume: Volume,
    },
}

/// The queue cannot do that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// No such entry.
    #[error("entry {entry} is not in the queue; look at the queue again")]
    NoEntry {
        /// Which.
        entry: EntryId,
    },
    /// It is full.
    #[error("the queue holds at most {QUEUE_ENTRIES_MAX} entries, and {count} more do not fit")]
    Full {
        /// How many were to go in.
        count: usize,
    },
    /// There is nothing.
    #[error("the queue has nothing to play there")]
    Nothing,
}

impl QueueState {
    /// What a command comes to.
    pub fn decide(&self, command: QueueCommand) -> Result<Vec<QueueEvent>, QueueError> {
        let check =
            |entry: EntryId| self.entry(entry).map(|_| ()).ok_or(QueueError::NoEntry { entry });
        Ok(match command {
            QueueCommand::Add { tracks, place } => self.add_tracks(tracks, place)?,
            QueueCommand::Remove { entries } => {
                entries.iter().try_for_each(|entry| check(*entry))?;
                vec![QueueEvent::Removed { entries }]
            }
            QueueCommand::Move { entry, before } => {
                before.into_iter().chain([entry]).try_for_each(check)?;
                vec![QueueEvent::Moved { entry, before }]
            }
            QueueCommand::Clear => vec![QueueEvent::Cleared],
            QueueCommand::PlayEntry { entry } => {
                check(entry)?;
                start(entry)
            }
            QueueCommand::Play => self.play()?,
            QueueCommand::Pause => vec![QueueEvent::IntentSet { intent: PlayIntent::Pause }],
            QueueCommand::Stop => vec![QueueEvent::Stopped { reason: StopReason::Asked }],
            QueueCommand::Next => match (self.after(), self.current()) {
                (Some(entry), _) => vec![QueueEvent::EntryStarted { entry }],
                (None, Some(_)) => vec![QueueEvent::Stopped { reason: StopReason::EndOfQueue }],
                (None, None) => return Err(QueueError::Nothing),
            },
            QueueCommand::Previous { position } => {
                let before = self.before().filter(|_| position < RESTART_FROM);
                let entry = before.or_else(|| self.current()).ok_or(QueueError::Nothing)?;
                vec![QueueEvent::EntryStarted { entry }]
            }
            QueueCommand::SetRepeat { repeat } => vec![QueueEvent::RepeatSet { repeat }],
            QueueCommand::SetShuffle { seed } => vec![QueueEvent::ShuffleSet { seed }],
            QueueCommand::SetVolume { volume } => vec![QueueEvent::VolumeSet { volume }],
        })
    }

    /// What a player's word comes to.
    pub fn hear(&self, event: &PlayerEvent) -> Vec<QueueEvent> {
        match event {
            PlayerEvent::Ended { entry, end } if self.current() == Some(*entry) => {
                self.ended(*entry, end)
            }
            _ => Vec::new(),
        }
    }

    fn ended(&self, entry: EntryId, end: &EntryEnd) -> Vec<QueueEvent> {
        let ending = match end {
            EntryEnd::Finished => QueueEvent::EntryFinished { entry },
            EntryEnd::Failed { reason } => {
                QueueEvent::EntryFailed { entry, reason: reason.clone() }
            }
        };
        let mut then = self.clone();
        then.apply(&ending);
        let stopped = |reason| QueueEvent::Stopped { reason };
        // A whole round without one that could be played: more rounds would find no other.
        let going_on = if then.failures() > 0 && then.failures() >= then.entries().len() {
            stopped(StopReason::NothingPlayable)
        } else {
            match then.following() {
                Some(entry) => QueueEvent::EntryStarted { entry },
                None => stopped(StopReason::EndOfQueue),
            }
        };
        vec![ending, going_on]
    }

    fn play(&self) -> Result<Vec<QueueEvent>, QueueError> {
        if self.current().is_some() {
            return Ok(vec![QueueEvent::IntentSet { intent: PlayIntent::Play }]);
        }
        self.order().first().map(|entry| start(*entry)).ok_or(QueueError::Nothing)
    }

    fn add_tracks(
        &self,
        tracks: Vec<TrackRef>,
        place: AddPlace,
    ) -> Result<Vec<QueueEvent>, QueueError> {
        if self.entries().len() + tracks.len() > QUEUE_ENTRIES_MAX {
            return Err(QueueError::Full { count: tracks.len() });
        }
        let ids = self.next_id()..;
        let entries: Vec<QueueEntry> =
            ids.zip(tracks).map(|(id, track)| QueueEntry { id: EntryId(id), track }).collect();
        let first = entries.first().map(|entry| entry.id).ok_or(QueueError::Nothing)?;
        let at = |entry: &QueueEntry| Some(entry.id) == self.current();
        let behind = self.entries().iter().position(at).map(|place| place + 1);
        let before = match place {
            AddPlace::End => None,
            AddPlace::Next | AddPlace::Now => {
                behind.and_then(|place| self.entries().get(place)).map(|entry| entry.id)
            }
        };
        let mut events =
            vec![QueueEvent::Added { entries, before, play_next: place != AddPlace::End }];
        if place == AddPlace::Now {
            events.extend(start(first));
        }
        Ok(events)
    }
}

fn start(entry: EntryId) -> Vec<QueueEvent> {
    vec![QueueEvent::EntryStarted { entry }, QueueEvent::IntentSet { intent: PlayIntent::Play }]
}
