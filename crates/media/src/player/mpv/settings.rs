//! Which mpv, and where its sound goes.

use std::{ffi::OsString, path::PathBuf};

/// Where the sound goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MpvAudio {
    /// To the output that mpv chooses.
    #[default]
    System,
    /// Nowhere, at the speed of real playing.
    Silent,
}

/// How mpv is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MpvSettings {
    /// The program: a path, or a name that is looked for on the `PATH` of the environment below.
    pub program: PathBuf,
    /// Where the sound goes.
    pub audio: MpvAudio,
    /// All of its environment. Sound servers are found by `XDG_RUNTIME_DIR`, `PULSE_SERVER`, `HOME`.
    pub environment: Vec<(OsString, OsString)>,
}

impl Default for MpvSettings {
    fn default() -> Self {
        Self { program: PathBuf::from("mpv"), audio: MpvAudio::System, environment: Vec::new() }
    }
}
