//! Bytes to text: by a byte order mark, else what the header says, else what the document says of itself, else UTF-8.

use encoding_rs::{Encoding, UTF_8};

/// How far into a document its own word for its characters is looked for, in bytes.
const DECLARATION_BYTES_MAX: usize = 1_024;
/// One unreadable character in so many is told.
const DAMAGE_SHARE: usize = 200;

/// A text, and how sure it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DecodedText {
    pub(crate) text: String,
    /// The name of the character set.
    pub(crate) charset: &'static str,
    /// What is wrong, for the reader.
    pub(crate) warning: Option<String>,
}

/// Reads the bytes of a document.
pub(crate) fn decode(body: &[u8], content_type: &str) -> DecodedText {
    let mark = Encoding::for_bom(body).map(|(encoding, _)| encoding);
    let label = header_label(content_type).or_else(|| declared_label(body));
    let named = label.as_deref().and_then(|label| Encoding::for_label(label.as_bytes()));
    let encoding = mark.or(named).unwrap_or(UTF_8);
    let (text, encoding, _) = encoding.decode(body);
    let warning = match (mark.or(named), label) {
        (None, Some(label)) => Some(format!(
            "the character set `{}` is not known; read as UTF-8",
            crate::foreign_text::short(&label)
        )),
        _ => damage(&text, encoding.name()),
    };
    DecodedText { text: text.into_owned(), charset: encoding.name(), warning }
}

fn damage(text: &str, charset: &str) -> Option<String> {
    let all = text.chars().count();
    let unreadable =
        text.chars().filter(|c| *c == '\u{fffd}' || (c.is_control() && !c.is_whitespace())).count();
    (unreadable > 0 && unreadable.saturating_mul(DAMAGE_SHARE) >= all).then(|| {
        format!(
            "{unreadable} of {all} characters cannot be read as {charset}: the text may be rubbish"
        )
    })
}

fn header_label(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    })
}

/// What an HTML `meta` or an XML declaration says, in a document whose declaration is ASCII.
fn declared_label(body: &[u8]) -> Option<String> {
    let head = body.get(..DECLARATION_BYTES_MAX.min(body.len()))?;
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let after = |mark: &str| head.split_once(mark).map(|(_, rest)| rest);
    let xml = after("<?xml").and_then(|rest| rest.split_once("?>")).map(|(head, _)| head);
    let xml = xml.and_then(|head| head.split_once("encoding")).map(|(_, rest)| rest);
    let meta = || {
        let tags = head.split("<meta").skip(1);
        tags.filter_map(|tag| tag.split('>').next()?.split_once("charset"))
            .map(|(_, rest)| rest)
            .next()
    };
    let value = xml.or_else(meta)?.trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let is_label = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    let label: String = value.chars().take_while(|c| is_label(*c)).collect();
    (!label.is_empty()).then_some(label)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{GBK, SHIFT_JIS, UTF_16LE, WINDOWS_1252};

    use super::decode;

    fn encoded(encoding: &'static encoding_rs::Encoding, text: &str) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    /// HB-39.
    #[test]
    fn mark_wins_over_header_over_the_documents_own_word_over_utf_8() {
        let gbk = decode(&encoded(GBK, "中文网页"), "text/html; charset=gbk");
        assert_eq!((gbk.text.as_str(), gbk.charset, gbk.warning), ("中文网页", "GBK", None));
        let page = "<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=Shift_JIS\">日本語";
        let meta = decode(&encoded(SHIFT_JIS, page), "text/html");
        assert_eq!((meta.text.as_str(), meta.charset), (page, "Shift_JIS"));
        let xml = "<?xml version='1.0' encoding='windows-1252'?><a>Grüße</a>";
        assert_eq!(decode(&encoded(WINDOWS_1252, xml), "text/xml").text, xml);
        let marked = decode("\u{feff}Grüße".as_bytes(), "text/plain; charset=\"gbk\"");
        assert_eq!((marked.text.as_str(), marked.charset), ("Grüße", "UTF-8"));
        let mut wide = vec![0xff, 0xfe];
        wide.extend("Grüße".encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(decode(&wide, "text/plain").charset, UTF_16LE.name());
        assert_eq!(decode("Grüße".as_bytes(), "text/plain").charset, "UTF-8");
    }

    /// HB-39.
    #[test]
    fn rubbish_and_unknown_character_sets_are_told() {
        let rubbish = decode(&encoded(GBK, "中文网页"), "text/html");
        assert!(rubbish.warning.unwrap().contains("may be rubbish"));
        let unknown = decode(b"plain", "text/plain; charset=klingon");
        assert!(unknown.warning.unwrap().contains("`klingon` is not known"));
        let one_in_many = [b"x".repeat(10_000), vec![0xff]].concat();
        assert_eq!(decode(&one_in_many, "text/plain").warning, None);
    }
}
