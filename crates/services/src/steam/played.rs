//! How long games were played on this machine, out of the file that Steam keeps for each account. Asks no server.
//!
//! The times are those of the account that the settings name, or of the only one: whose they would be else is not guessed.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use abide_domain::Timestamp;

use super::vdf::VdfBlock;
use crate::limits::{STEAM_ACCOUNT_FILE_BYTES_MAX, STEAM_ACCOUNTS_MAX};

/// What the number of an account has more in a player's number of 17 digits.
const PLAYER_NUMBER_BASE: u64 = 76_561_197_960_265_728;
/// Where the games are in the file of an account.
const GAMES_BLOCK: [&str; 5] = ["UserLocalConfigStore", "Software", "Valve", "Steam", "apps"];

/// How long and when a game was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PlayedTime {
    pub(super) minutes: Option<u64>,
    pub(super) last: Option<Timestamp>,
}

/// What the files of accounts say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PlayedTimes {
    /// By the number of the game.
    pub(super) games: BTreeMap<u64, PlayedTime>,
    /// Whether there are several accounts and the settings name none of them.
    pub(super) is_whose_unknown: bool,
    /// Files that could not be read.
    pub(super) unreadable: usize,
}

/// Reads the times of an account below the folders of Steam; `player` is its number of 17 digits, where that is known.
pub(super) fn read_played(roots: &[PathBuf], player: Option<&str>) -> PlayedTimes {
    let mut files = account_files(roots);
    let named =
        player.and_then(|player| player.parse::<u64>().ok()?.checked_sub(PLAYER_NUMBER_BASE));
    if let Some(named) = named {
        files.retain(|account, _| *account == named);
    }
    if files.len() > 1 {
        return PlayedTimes { is_whose_unknown: true, ..PlayedTimes::default() };
    }
    let mut found = PlayedTimes::default();
    // The same account may have a file below several roots.
    for file in files.into_values().flatten() {
        match VdfBlock::read(&file, STEAM_ACCOUNT_FILE_BYTES_MAX) {
            Some(account) => found.add(&account),
            None => found.unreadable += 1,
        }
    }
    found
}

/// The files of the accounts, by their numbers. No link is followed below a root.
fn account_files(roots: &[PathBuf]) -> BTreeMap<u64, Vec<PathBuf>> {
    let mut files: BTreeMap<u64, Vec<PathBuf>> = BTreeMap::new();
    for root in roots {
        // Two roots are often links to the same folder.
        let Ok(root) = root.canonicalize() else { continue };
        let Ok(accounts) = fs::read_dir(root.join("userdata")) else { continue };
        for account in accounts.flatten().take(STEAM_ACCOUNTS_MAX) {
            let number = account.file_name().to_str().and_then(|name| name.parse::<u64>().ok());
            let is_folder = account.file_type().is_ok_and(|kind| kind.is_dir());
            let file = account.path().join("config/localconfig.vdf");
            // Account 0 is nobody's: what was played before anybody logged in.
            if let Some(number) = number.filter(|number| is_folder && *number > 0)
                && is_regular(&file)
            {
                let known = files.entry(number).or_default();
                if !known.contains(&file) {
                    known.push(file);
                }
            }
        }
    }
    files
}

fn is_regular(file: &Path) -> bool {
    file.symlink_metadata().is_ok_and(|found| found.is_file())
}

impl PlayedTimes {
    fn add(&mut self, account: &VdfBlock) {
        let games = GAMES_BLOCK.iter().try_fold(account, |block, name| block.block(name));
        for (id, game) in games.into_iter().flat_map(VdfBlock::blocks) {
            let Ok(id) = id.parse::<u64>() else { continue };
            let number = |name| game.text(name).and_then(|text| text.parse::<u64>().ok());
            let last = number("LastPlayed").filter(|seconds| *seconds > 0);
            let last = last.and_then(|seconds| i64::try_from(seconds).ok()?.checked_mul(1_000_000));
            let read =
                PlayedTime { minutes: number("Playtime"), last: last.map(Timestamp::from_micros) };
            let known = self.games.entry(id).or_default();
            known.minutes = known.minutes.max(read.minutes);
            known.last = known.last.max(read.last);
        }
    }
}
