//! The names of tools that are most like one that no tool has: what a mind most likely meant.
//!
//! A name is compared whole, and without its server, which minds leave out. It never names a tool that it was not given.

use super::terms::split_name;

/// Names at most.
const NEAREST_MAX: usize = 3;
/// How similar a name must be, from 0 to 1.
const SIMILARITY_MIN: f64 = 0.7;

/// Those of the known names that are like the wanted one, the most similar first.
pub(crate) fn nearest_names<'a>(known: impl Iterator<Item = &'a str>, wanted: &str) -> Vec<String> {
    let similarity = |known: &str| {
        let own = strsim::jaro_winkler(split_name(known).1, wanted);
        strsim::jaro_winkler(known, wanted).max(own)
    };
    let mut near: Vec<(f64, &str)> = known
        .map(|known| (similarity(known), known))
        .filter(|(similarity, _)| *similarity >= SIMILARITY_MIN)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    near.into_iter().take(NEAREST_MAX).map(|(_, known)| known.to_owned()).collect()
}
