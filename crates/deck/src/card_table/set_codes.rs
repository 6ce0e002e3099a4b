//! Codes of sets as Arena and Magic Online write them, where Scryfall writes others.

use std::borrow::Cow;

/// Another program's code, and Scryfall's. Arena has one code for a year of rebalanced and digital cards, so that one code may
/// mean several sets; which one, the card says.
const OTHERS: [(&str, &[&str]); 8] = [
    ("y22", &["ymid", "yneo", "ysnc"]),
    ("y23", &["ydmu", "ybro", "yone"]),
    ("y24", &["ywoe", "ylci", "ymkm", "yotj"]),
    ("y25", &["yblb", "ydsk", "ydft", "ytdm"]),
    ("dar", &["dom"]),
    ("conf", &["con"]),
    ("ps1", &["td0"]),
    ("mps_akh", &["mp2"]),
];

/// Scryfall's codes that a written code may mean, itself first, in lower case.
pub(super) fn candidates(written: &str) -> impl Iterator<Item = Cow<'static, str>> {
    let written = written.to_lowercase();
    let others = OTHERS.iter().find(|(other, _)| *other == written).map(|(_, codes)| *codes);
    std::iter::once(Cow::Owned(written))
        .chain(others.unwrap_or_default().iter().map(|code| Cow::Borrowed(*code)))
}
