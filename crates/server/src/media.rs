//! Music in a keeper: the folders that are scanned, the queue of the home, and what plays it.
//!
//! Without folders nothing is opened, scanned or started. Every change of the queue is a line of the ledger before it counts, with who
//! did it; where within a track something plays stands in a file of the home, so that the next keeper goes on at the same second.
//! mpv ends with the keeper and is started again by its player's task, a few times a minute at most.
//!
//! Reading order: `settings`, `error`, `order` (what can be asked), `service` (the handle), `scanner`, `ledger_recorder`,
//! `library_files`, `other_players`, `agent_side` (what tools of agents see).

mod agent_side;
mod error;
mod ledger_recorder;
mod library_files;
mod limits;
mod order;
mod other_players;
mod scanner;
mod service;
mod settings;

pub(crate) use error::MusicError;
pub(crate) use limits::PROBLEMS_SHOWN;
pub(crate) use order::{AddedTracks, MusicOrder, PlayedNow};
pub(crate) use scanner::{ScanReport, ScanStage};
pub(crate) use service::{MusicService, MusicStatus, NO_FOLDERS, PlayedTrack};
pub(crate) use settings::{MusicBackend, MusicSettings};
