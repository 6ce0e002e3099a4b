//! Cuts texts at whole characters.

/// The beginning of a text, of at most so many bytes.
pub(crate) fn shorten(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or(text)
}

/// The part of a line around a place in it, of at most so many bytes, with dots where something is left out.
pub(crate) fn shorten_around(line: &str, at: usize, bytes_max: usize) -> String {
    if line.len() <= bytes_max {
        return line.to_owned();
    }
    let from = line.floor_char_boundary(at.saturating_sub(bytes_max / 4));
    let rest = line.get(from..).unwrap_or_default();
    let part = shorten(rest, bytes_max);
    let before = if from > 0 { "…" } else { "" };
    let after = if part.len() < rest.len() { "…" } else { "" };
    format!("{before}{part}{after}")
}
