//! The nearest right name to a wrong one.

/// The candidate that looks most like `wrong`; none where there are no candidates.
pub(crate) fn nearest<'a>(
    wrong: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    // Letters to change first; among equals the one that begins alike.
    let order = |name: &str| {
        let name = name.to_lowercase();
        (distance(&wrong, &name), 1.0 - strsim::jaro_winkler(&wrong, &name))
    };
    candidates
        .into_iter()
        .map(|name| (order(name), name))
        .min_by(|(a, _), (b, _)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))
        .map(|(_, name)| name)
}

/// How many letters must change to get from one name to the other.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    strsim::damerau_levenshtein(a, b)
}
