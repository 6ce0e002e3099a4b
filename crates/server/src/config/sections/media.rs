//! `[media]`: music.

use std::path::{Path, PathBuf};

use crate::config::{
    shape::{DAY, FLAG, TEXTS, count, section, text, time, words},
    time_span::TimeSpan,
};

section! {
    /// `[media]`. Without folders nothing is scanned, started or played.
    pub(crate) struct MediaSection {
        /// Folders with music: absolute, or from ~/; none within another. They are only ever read.
        pub(crate) folders: Vec<String> = [], TEXTS;
        /// What plays.
        pub(crate) player: MediaPlayer = "auto", MediaPlayer::NODE;
        /// The program of mpv: a name that is found on the keeper's PATH, or a path.
        pub(crate) program: String = "mpv", text(4_096);
        /// Where mpv's sound goes.
        pub(crate) output: MediaOutput = "system", MediaOutput::NODE;
        /// Whether players of other programs on the session bus are shown and steered (MPRIS).
        pub(crate) other_players: bool = true, FLAG;
        /// Time between two scans of the folders; 0ms: only at the start and when somebody asks.
        pub(crate) rescan: TimeSpan = "1h", time(0, 30 * DAY);
        /// Room for kept covers, in MB; what does not fit is read from its file again.
        covers_mb: u64 = 512, count(1, 1 << 20);
    }
}

words! {
    /// What plays.
    pub(crate) enum MediaPlayer {
        /// mpv where it is found; where it is not, the library alone works.
        Auto = "auto",
        /// mpv; that it is missing is an error for `abide doctor`.
        Mpv = "mpv",
        /// A player that makes no sound, for trying things out.
        Silent = "silent",
        /// Nothing: the library alone.
        Off = "off",
    }
}

words! {
    /// Where mpv's sound goes.
    pub(crate) enum MediaOutput {
        /// To the output that mpv chooses.
        System = "system",
        /// Nowhere, at the speed of real playing.
        None = "none",
    }
}

impl MediaSection {
    /// The folders, with the person's own in place of `~`.
    pub(crate) fn roots(&self, own: Option<&str>) -> Vec<PathBuf> {
        let root = |text: &String| match (text.strip_prefix("~/"), own) {
            (Some(below), Some(own)) => Path::new(own).join(below),
            _ => PathBuf::from(text),
        };
        self.folders.iter().map(root).collect()
    }

    /// Room for covers.
    pub(crate) const fn cover_bytes(&self) -> u64 {
        self.covers_mb << 20
    }
}
