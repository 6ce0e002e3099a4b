//! One form of a name for comparing: composed, in lower case, with single spaces.

use icu_normalizer::ComposingNormalizerBorrowed;

/// Folds a name. Punctuation stays: `K/DA` and `KDA` are two names.
pub(crate) fn fold(text: &str) -> String {
    let lower = text.to_lowercase();
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(&lower);
    composed.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The key of an album: whose it is and what it is called. Neither the folder nor the disc is part of it.
pub(crate) fn album_key(album_artist: &str, album: &str) -> String {
    format!("{}\u{1f}{}", fold(album_artist), fold(album))
}

/// Cuts a text to so many characters.
pub(crate) fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect()
}

#[cfg(test)]
mod tests {
    use super::{album_key, fold};

    #[test]
    fn composed_and_decomposed_names_have_one_key() {
        assert_eq!(fold("Bj\u{f6}rk "), fold("BJO\u{308}RK"));
        assert_eq!(album_key("Various  Artists", "Hits"), album_key("various artists", "HITS"));
        assert_ne!(fold("K/DA"), fold("KDA"));
    }
}
