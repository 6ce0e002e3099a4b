//! The public interface of the crate, on real files and a real mpv. Tests are named after the cases of the list of failures
//! of other players that they show (`dm_..`).
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod audio_files;
mod keeper;
mod ledger_line;
mod library;
mod mpv;
mod playback;
mod playlists;
mod queue;
mod session_players;
