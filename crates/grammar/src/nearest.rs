//! "Did you mean": the right word that is nearest to a wrong one.

/// Longest word that is compared: a longer one is no typing error.
const WORD_CHARS_MAX: usize = 32;
/// Most letters that a typing error adds, leaves out, changes or swaps.
const TYPOS_MAX: usize = 2;

/// A hint that ends a message, or nothing where no candidate is near.
pub(crate) fn nearest(word: &str, candidates: &[&str]) -> String {
    if word.len() > WORD_CHARS_MAX {
        return String::new();
    }
    let word = word.to_ascii_lowercase();
    let distance = |candidate: &&str| strsim::osa_distance(&word, candidate);
    match candidates.iter().min_by_key(|candidate| distance(candidate)) {
        Some(near) if distance(near) <= TYPOS_MAX.min(near.len() / 2) => {
            format!("; did you mean `{near}`?")
        }
        _ => String::new(),
    }
}
