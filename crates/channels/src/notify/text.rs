//! Words for services that have limits and a markup of their own: nothing that came from outside may become a link, a
//! mention or a command of theirs.

use abide_domain::visible;

/// A text with what is hidden in it made visible, character by character as `piece` writes it, in at most `max` as `count` counts. `…` stands for what was cut.
pub(super) fn fit(
    text: &str,
    max: usize,
    piece: impl Fn(char) -> String,
    count: impl Fn(&str) -> usize,
) -> String {
    let text = visible(text);
    let pieces: Vec<String> = text.chars().map(piece).collect();
    let whole: usize = pieces.iter().map(|piece| count(piece)).sum();
    if whole <= max {
        return pieces.concat();
    }
    let room = max.saturating_sub(count("…"));
    let mut used = 0;
    let kept = pieces.iter().take_while(|piece| {
        used += count(piece);
        used <= room
    });
    let mut cut: String = kept.map(String::as_str).collect();
    cut.push('…');
    cut
}

/// A character as it is. What is hidden was made visible before; line ends stay.
pub(super) fn plain(c: char) -> String {
    c.to_string()
}

/// A character of a text in which `&`, `<` and `>` stand for themselves.
pub(super) fn entity(c: char) -> String {
    match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        c => plain(c),
    }
}

/// Counts characters.
pub(super) fn characters(text: &str) -> usize {
    text.chars().count()
}

/// One line of it: line ends are spaces.
pub(super) fn line(text: &str, max: usize) -> String {
    let piece = |c| if matches!(c, '\n' | '\t') { " ".to_owned() } else { plain(c) };
    fit(text, max, piece, characters)
}

#[cfg(test)]
mod tests {
    use super::{characters, entity, fit, line};

    #[test]
    fn a_text_is_cut_between_pieces_and_the_cut_shows() {
        assert_eq!(fit("a<b", 6, entity, str::len), "a&lt;b");
        assert_eq!(fit("a<b", 5, entity, characters), "a…", "no half of an entity");
        assert_eq!(fit("ab", 2, entity, characters), "ab");
        assert_eq!(fit("abc", 2, entity, characters), "a…");
        assert_eq!(fit("äöü", 5, entity, str::len), "ä…", "bytes, where bytes count");
        assert_eq!(line("a\u{202e}b\nc\0", 40), "a⟦U+202E⟧b c⟦U+0000⟧");
    }
}
