//! Texts for one line or a list: shortened, or indented so that a text of several lines reads as one entry.

/// The first `chars_max` Unicode scalar values, with `…` where that is not all.
pub fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// The same text with its further lines set in, so that it cannot pass for several entries of a list.
pub fn indented(text: &str) -> String {
    text.replace('\n', "\n    ")
}

#[cfg(test)]
mod tests {
    use super::{indented, shortened};

    #[test]
    fn only_what_is_longer_is_shortened_and_on_a_character() {
        assert_eq!(shortened("grün", 4), "grün");
        assert_eq!(shortened("grün", 3), "grü…");
        assert_eq!(shortened("", 0), "");
        assert_eq!(shortened("x", 0), "…");
    }

    #[test]
    fn a_text_of_several_lines_is_one_entry() {
        assert_eq!(indented("a\n[tick 9] b"), "a\n    [tick 9] b");
    }
}
