//! The bytes of a file as text: in which encoding, with which line ends. It is text only where that is sure.
//!
//! What is read as text can be written back byte for byte: decoding and encoding are each other's inverse.

/// How a text is written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextEncoding {
    Utf8,
    Utf8Bom,
    Utf16Le,
    Utf16Be,
    Latin1,
}

const UTF8_BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];
const UTF16_LE_BOM: [u8; 2] = [0xFF, 0xFE];
const UTF16_BE_BOM: [u8; 2] = [0xFE, 0xFF];

impl TextEncoding {
    /// The name for people and minds.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Bom => "UTF-8 with BOM",
            Self::Utf16Le => "UTF-16 little-endian with BOM",
            Self::Utf16Be => "UTF-16 big-endian with BOM",
            Self::Latin1 => "Latin-1",
        }
    }

    /// A text as bytes; the first character that the encoding lacks, where there is one.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        Ok(match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Utf8Bom => [&UTF8_BOM, text.as_bytes()].concat(),
            Self::Utf16Le => {
                let units = text.encode_utf16().flat_map(u16::to_le_bytes);
                UTF16_LE_BOM.into_iter().chain(units).collect()
            }
            Self::Utf16Be => {
                let units = text.encode_utf16().flat_map(u16::to_be_bytes);
                UTF16_BE_BOM.into_iter().chain(units).collect()
            }
            Self::Latin1 => text
                .chars()
                .map(|c| u8::try_from(u32::from(c)).map_err(|_| c))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// A file's bytes, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileText {
    /// It is text.
    Text { encoding: TextEncoding, text: String },
    /// It is not, or not surely; with what it seems to be.
    Binary { seems: &'static str },
}

/// Reads bytes as text where that is sure.
pub(crate) fn decode(bytes: &[u8]) -> FileText {
    if let Some(rest) = bytes.strip_prefix(&UTF8_BOM) {
        return match std::str::from_utf8(rest) {
            Ok(text) if is_text(text) => text_in(TextEncoding::Utf8Bom, text.to_owned()),
            _ => FileText::Binary { seems: "damaged UTF-8 with BOM" },
        };
    }
    if let Some(rest) = bytes.strip_prefix(&UTF16_LE_BOM) {
        return decode_utf16(TextEncoding::Utf16Le, rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(&UTF16_BE_BOM) {
        return decode_utf16(TextEncoding::Utf16Be, rest, u16::from_be_bytes);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if is_text(text) => text_in(TextEncoding::Utf8, text.to_owned()),
        Ok(_) => FileText::Binary { seems: "binary" },
        Err(_) => decode_single_bytes(bytes),
    }
}

/// The bytes up to the last whole character, where the rest of a UTF-8 text was not read.
pub(crate) fn without_cut_character(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => {
            bytes.get(..error.valid_up_to()).unwrap_or_default()
        }
        _ => bytes,
    }
}

fn text_in(encoding: TextEncoding, text: String) -> FileText {
    FileText::Text { encoding, text }
}

fn decode_utf16(encoding: TextEncoding, rest: &[u8], unit: fn([u8; 2]) -> u16) -> FileText {
    let damaged = FileText::Binary { seems: "damaged UTF-16" };
    let (pairs, odd) = rest.as_chunks::<2>();
    if !odd.is_empty() {
        return damaged;
    }
    let decoded: Result<String, _> =
        char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect();
    match decoded {
        Ok(text) if is_text(&text) => text_in(encoding, text),
        _ => damaged,
    }
}

/// Bytes that are not UTF-8: Latin-1 where nothing speaks against it.
fn decode_single_bytes(bytes: &[u8]) -> FileText {
    if bytes.contains(&0) {
        return FileText::Binary { seems: "binary" };
    }
    // A damaged UTF-8 text would come out as gibberish.
    let has_utf8 = bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    if has_utf8 {
        return FileText::Binary { seems: "text that is partly UTF-8 and partly not" };
    }
    if bytes.iter().any(|byte| (0x80..0xA0).contains(byte)) {
        return FileText::Binary { seems: "text of a Windows code page, or binary" };
    }
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let ascii = bytes.iter().filter(|byte| byte.is_ascii()).count();
    if !is_text(&text) || ascii.saturating_mul(2) < bytes.len() {
        return FileText::Binary { seems: "binary" };
    }
    text_in(TextEncoding::Latin1, text)
}

/// Whether decoded characters are those of a text: no controls but those that texts have. U+FEFF within is one of them.
fn is_text(text: &str) -> bool {
    let is_control = |byte: u8| {
        byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B | 0x08) || byte == 0x7F
    };
    !text.bytes().any(is_control)
}

/// How the lines of a text end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// There is no line end.
    None,
    Lf,
    Crlf,
    Mixed,
}

impl LineEnds {
    /// Looks at a text.
    pub(crate) fn of(text: &str) -> Self {
        let all = text.bytes().filter(|byte| *byte == b'\n').count();
        let crlf = text.matches("\r\n").count();
        match (all, crlf) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            _ if all == crlf => Self::Crlf,
            _ => Self::Mixed,
        }
    }

    /// The name for people and minds.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "lf",
            Self::Crlf => "crlf",
            Self::Mixed => "mixed",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FileText, LineEnds, TextEncoding, decode, without_cut_character};

    #[test]
    fn texts_are_read_in_their_encoding() {
        for (bytes, encoding, text) in [
            (b"".to_vec(), TextEncoding::Utf8, ""),
            ("grün\r\n".as_bytes().to_vec(), TextEncoding::Utf8, "grün\r\n"),
            (b"\xEF\xBB\xBFa".to_vec(), TextEncoding::Utf8Bom, "a"),
            (b"\xFF\xFEa\0\n\0".to_vec(), TextEncoding::Utf16Le, "a\n"),
            (b"\xFE\xFF\0a\xD8\x3D\xDE\x00".to_vec(), TextEncoding::Utf16Be, "a😀"),
            (b"gr\xFCn\n".to_vec(), TextEncoding::Latin1, "grün\n"),
        ] {
            let read = decode(&bytes);
            assert_eq!(read, FileText::Text { encoding, text: text.to_owned() });
            assert_eq!(encoding.encode(text).unwrap(), bytes);
        }
    }

    #[test]
    fn what_is_not_surely_text_is_not_read_as_text() {
        for (bytes, seems) in [
            (b"a\0b".to_vec(), "binary"),
            (b"\x7FELF\x01\x02".to_vec(), "binary"),
            (b"\xFF\xFEa".to_vec(), "damaged UTF-16"),
            (b"\xFF\xFE\0\xD8a\0".to_vec(), "damaged UTF-16"),
            (b"\xFF\xFE\0\0a\0\0\0".to_vec(), "damaged UTF-16"),
            (b"\xEF\xBB\xBF\xFF".to_vec(), "damaged UTF-8 with BOM"),
            ("grün ".bytes().chain([0xFC]).collect(), "text that is partly UTF-8 and partly not"),
            (b"say \x93hello\x94".to_vec(), "text of a Windows code page, or binary"),
            (vec![0xE1, 0xE2, 0xF3, 0xC4, 0xF5, b'a'], "binary"),
        ] {
            assert_eq!(decode(&bytes), FileText::Binary { seems }, "{bytes:?}");
        }
    }

    #[test]
    fn an_encoding_says_which_character_it_lacks() {
        assert_eq!(TextEncoding::Latin1.encode("10 €"), Err('€'));
        assert_eq!(without_cut_character("a€".as_bytes().get(..3).unwrap()), b"a");
    }

    #[test]
    fn line_ends_are_recognised() {
        for (text, ends) in [
            ("", LineEnds::None),
            ("a\rb", LineEnds::None),
            ("a\nb", LineEnds::Lf),
            ("a\r\nb\r\n", LineEnds::Crlf),
            ("a\r\nb\n", LineEnds::Mixed),
        ] {
            assert_eq!(LineEnds::of(text), ends, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_as_text_is_written_back_byte_for_byte(bytes: Vec<u8>, bom in 0..4_usize) {
            let boms: [&[u8]; 4] = [b"", b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
            let bytes = [boms[bom], &bytes].concat();
            if let FileText::Text { encoding, text } = decode(&bytes) {
                prop_assert_eq!(encoding.encode(&text), Ok(bytes));
            }
        }
    }
}
