//! What a document is: by its first bytes where they say it, else by what its server says.

use abide_tools::{ToolError, ToolErrorKind};

/// How far a document is looked into, in bytes.
const SNIFFED_BYTES: usize = 1_024;

/// Kinds of documents that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    Html,
    /// Text, JSON, XML and the like: given as it is.
    Text,
    Pdf,
}

/// Beginnings of files that hold no text to read.
const PACKED: [(&[u8], &str); 15] = [
    (b"PK\x03\x04", "a zip archive, or an office document in one"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"RIFF", "a picture, a sound or a film"),
    (b"OggS", "a sound or a film"),
    (b"\x7fELF", "a program"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
];

/// Says what a document is, or why it cannot be read. `media_type` is what its server says, without parameters.
pub(crate) fn kind_of(media_type: &str, body: &[u8]) -> Result<DocumentKind, ToolError> {
    let head = body.get(..SNIFFED_BYTES.min(body.len())).unwrap_or_default();
    if head.windows(5).any(|bytes| bytes == b"%PDF-") && !is_html(head) {
        return Ok(DocumentKind::Pdf);
    }
    if let Some((_, what)) = PACKED.iter().find(|(beginning, _)| head.starts_with(beginning)) {
        return Err(refused(what));
    }
    let top = media_type.split('/').next().unwrap_or_default();
    if matches!(top, "image" | "audio" | "video" | "font") && media_type != "image/svg+xml" {
        return Err(refused(&format!("of the type {}", crate::foreign_text::short(media_type))));
    }
    // UTF-16 has zeros and says so with a mark.
    let has_mark = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    if head.contains(&0) && !has_mark {
        return Err(refused("no text"));
    }
    let says_html = matches!(media_type, "text/html" | "application/xhtml+xml");
    let may_be_html = matches!(media_type, "" | "application/octet-stream" | "text/plain");
    if says_html || (may_be_html && is_html(head)) {
        return Ok(DocumentKind::Html);
    }
    if media_type == "application/pdf" {
        return Err(refused("no PDF, though its server says so"));
    }
    Ok(DocumentKind::Text)
}

fn is_html(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with("<!doctype html") || text.starts_with("<html")
}

fn refused(what: &str) -> ToolError {
    ToolError::of(ToolErrorKind::Unreadable, format!("what is there is {what}; it cannot be read"))
}

#[cfg(test)]
mod tests {
    use super::{DocumentKind, kind_of};

    #[test]
    fn the_first_bytes_say_more_than_the_server() {
        let cases: [(&str, &[u8], Option<DocumentKind>); 13] = [
            ("application/octet-stream", b"%PDF-1.7\n", Some(DocumentKind::Pdf)),
            ("text/html", b"\n%PDF-1.4", Some(DocumentKind::Pdf)),
            ("application/pdf", b"hello", None),
            ("text/plain", b"PK\x03\x04rest", None),
            ("text/html", b"\x1f\x8brest", None),
            ("image/png", b"hello", None),
            ("application/octet-stream", b"a\0b", None),
            ("text/plain", b"\xff\xfea\0", Some(DocumentKind::Text)),
            ("", b"  <!DOCTYPE html><p>", Some(DocumentKind::Html)),
            ("text/html", b"<p>about %PDF", Some(DocumentKind::Html)),
            ("application/json", b"{}", Some(DocumentKind::Text)),
            ("application/octet-stream", b"words", Some(DocumentKind::Text)),
            ("text/plain", b"", Some(DocumentKind::Text)),
        ];
        for (media_type, body, expected) in cases {
            assert_eq!(kind_of(media_type, body).ok(), expected, "{media_type} {body:?}");
        }
    }
}
