//! The games that are installed on this machine, out of Steam's own files. Asks no server.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use abide_domain::Timestamp;

use super::vdf::VdfBlock;
use crate::{
    foreign_text::one_line,
    limits::{STEAM_FILE_BYTES_MAX, STEAM_LIBRARIES_MAX, STEAM_MANIFESTS_MAX, TITLE_CHARS_MAX},
};

/// The bit of `StateFlags` that says that a game is wholly installed.
const INSTALLED: u64 = 4;

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct InstalledGames {
    /// By the number of the game.
    pub(super) games: BTreeMap<u64, InstalledGame>,
    /// Library folders that could be read.
    pub(super) libraries: usize,
    /// Files that could not be read.
    pub(super) unreadable: usize,
}

/// One game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InstalledGame {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) updated: Option<Timestamp>,
    /// Whether it is being installed or changed.
    pub(super) is_whole: bool,
}

/// Reads what is installed below the folders of Steam.
pub(super) fn read_installed(roots: &[PathBuf]) -> InstalledGames {
    let mut found = InstalledGames::default();
    for library in libraries(roots, &mut found) {
        let Ok(files) = fs::read_dir(library.join("steamapps")) else { continue };
        found.libraries += 1;
        for file in files.flatten().take(STEAM_MANIFESTS_MAX) {
            let name = file.file_name();
            let is_manifest = name.to_str().is_some_and(|name| {
                name.starts_with("appmanifest_")
                    && Path::new(name).extension().is_some_and(|e| e == "acf")
            });
            if !is_manifest {
                continue;
            }
            match read_vdf(&file.path()).as_ref().and_then(game_of) {
                Some((id, game)) => drop(found.games.insert(id, game)),
                None => found.unreadable += 1,
            }
        }
    }
    found
}

/// The library folders: each root itself, and what its list names.
fn libraries(roots: &[PathBuf], found: &mut InstalledGames) -> BTreeSet<PathBuf> {
    let mut libraries = BTreeSet::new();
    for root in roots {
        // Two roots are often links to the same folder.
        let Ok(root) = root.canonicalize() else { continue };
        let list = root.join("steamapps/libraryfolders.vdf");
        if list.is_file() {
            match read_vdf(&list).as_ref().and_then(|list| list.block("libraryfolders")) {
                Some(list) => libraries.extend(named_libraries(list)),
                None => found.unreadable += 1,
            }
        }
        libraries.insert(root);
    }
    libraries.into_iter().take(STEAM_LIBRARIES_MAX).collect()
}

fn named_libraries(list: &VdfBlock) -> Vec<PathBuf> {
    let paths = list.blocks().filter_map(|(_, library)| library.text("path"));
    paths.take(STEAM_LIBRARIES_MAX).filter_map(|path| Path::new(path).canonicalize().ok()).collect()
}

fn read_vdf(path: &Path) -> Option<VdfBlock> {
    VdfBlock::read(path, STEAM_FILE_BYTES_MAX)
}

fn game_of(manifest: &VdfBlock) -> Option<(u64, InstalledGame)> {
    let state = manifest.block("AppState")?;
    let number = |name: &str| state.text(name).and_then(|text| text.parse::<u64>().ok());
    let updated = number("LastUpdated").filter(|seconds| *seconds > 0);
    let updated = updated.and_then(|seconds| i64::try_from(seconds).ok()?.checked_mul(1_000_000));
    let game = InstalledGame {
        name: one_line(state.text("name")?, TITLE_CHARS_MAX),
        bytes: number("SizeOnDisk").unwrap_or_default(),
        updated: updated.map(Timestamp::from_micros),
        is_whole: number("StateFlags").unwrap_or_default() & INSTALLED != 0,
    };
    Some((number("appid")?, game))
}
