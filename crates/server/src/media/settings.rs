//! What the configuration says of music, with the home and the environment.

use std::{
    ffi::OsString,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use abide_media::{LibrarySettings, MpvAudio, MpvSettings};

use crate::{
    config::{Environment, MediaOutput, MediaPlayer, MediaSection},
    home::Home,
};

/// Variables of the keeper's that mpv gets: it finds the program, the sound server and its own fonts by them.
const PLAYER_VARIABLES: [&str; 9] = [
    "PATH",
    "HOME",
    "LANG",
    "XDG_RUNTIME_DIR",
    "PULSE_SERVER",
    "PULSE_COOKIE",
    "PIPEWIRE_REMOTE",
    "DBUS_SESSION_BUS_ADDRESS",
    "ALSA_CONFIG_PATH",
];
const SESSION_BUS: &str = "DBUS_SESSION_BUS_ADDRESS";

/// What plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MusicBackend {
    /// An mpv.
    Mpv,
    /// A player without a sound.
    Silent,
    /// None.
    Off,
}

/// What music needs to know.
#[derive(Clone, Debug)]
pub(crate) struct MusicSettings {
    /// The library; none where there are no folders.
    pub(super) library: Option<LibrarySettings>,
    /// The folder of the home for music.
    pub(super) folder: PathBuf,
    /// What is to play.
    pub(crate) backend: MusicBackend,
    /// How mpv is started.
    pub(crate) mpv: MpvSettings,
    /// Between two scans; none: only when somebody asks.
    pub(super) rescan: Option<Duration>,
    /// Where players of other programs are found, if they are to be.
    pub(super) session_bus: Option<String>,
}

impl MusicSettings {
    /// Puts together what the section says.
    pub(crate) fn new(section: &MediaSection, home: &Home, environment: &Environment) -> Self {
        let folder = home.media_folder();
        let roots = section.roots(environment.get("HOME"));
        let library = (!roots.is_empty()).then(|| LibrarySettings {
            cover_bytes_max: section.cover_bytes(),
            ..LibrarySettings::new(&folder, roots)
        });
        let backend = match section.player {
            _ if library.is_none() => MusicBackend::Off,
            MediaPlayer::Auto | MediaPlayer::Mpv => MusicBackend::Mpv,
            MediaPlayer::Silent => MusicBackend::Silent,
            MediaPlayer::Off => MusicBackend::Off,
        };
        let variable = |name: &str| Some((OsString::from(name), environment.get(name)?.into()));
        let mpv = MpvSettings {
            program: PathBuf::from(&section.program),
            audio: match section.output {
                MediaOutput::System => MpvAudio::System,
                MediaOutput::None => MpvAudio::Silent,
            },
            environment: PLAYER_VARIABLES.into_iter().filter_map(variable).collect(),
        };
        let session_bus = environment.get(SESSION_BUS).filter(|_| section.other_players);
        let session_bus = session_bus.map(str::to_owned);
        let rescan = Some(section.rescan.0).filter(|rescan| !rescan.is_zero());
        Self { library, folder, backend, mpv, rescan, session_bus }
    }

    /// The folders that are scanned.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        self.library.as_ref().map_or(&[], |library| &library.roots)
    }

    /// The program of mpv, as it would be started; none where there is none.
    pub(crate) fn program(&self) -> Option<PathBuf> {
        let path = self.mpv.environment.iter().find(|(name, _)| name == "PATH");
        find_program(&self.mpv.program, path.map(|(_, path)| path))
    }
}

/// Where a program lies: itself where its name is a path, else what the folders of `path` have.
pub(crate) fn find_program(program: &Path, path: Option<&OsString>) -> Option<PathBuf> {
    let is_program = |file: &PathBuf| {
        let found = std::fs::metadata(file);
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if program.components().count() > 1 {
        return Some(program.to_owned()).filter(is_program);
    }
    let folders: Vec<PathBuf> = std::env::split_paths(path?).collect();
    folders.into_iter().map(|folder| folder.join(program)).find(is_program)
}
