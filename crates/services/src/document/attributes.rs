//! Whether tags have more attributes than any made for people, judged from the bytes of a page before a parser sees it.
//!
//! A parser of HTML compares each attribute with all before it, and those of a further `<html>` or `<body>` with all that the
//! element has. Where a tag begins depends on scripts, comments and quotes, about which two readers may differ; so a tag is
//! followed from every place where one could begin. Those that are in the same place go on as one, with the higher count:
//! one pass, however the page is written.

use crate::limits::{HTML_ATTRIBUTES_MAX, HTML_ROOT_TAGS_MAX};

/// Where in a tag a reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    TagName,
    BetweenAttributes,
    AttributeName,
    AfterName,
    BeforeValue,
    DoubleQuoted,
    SingleQuoted,
    Unquoted,
}

/// The tags that may be open, one for each place, with the attributes of each so far.
type OpenTags = Vec<(Place, usize)>;

/// Whether a tag of a page has too many attributes, or too many tags add to those of the page's root.
pub(super) fn has_too_many_attributes(html: &str) -> bool {
    let (mut open, mut next) = (OpenTags::new(), OpenTags::new());
    let (mut before, mut last) = (0, 0);
    let mut root_tags = 0_usize;
    for (at, &byte) in html.as_bytes().iter().enumerate() {
        let begins = last == b'<' || (last == b'/' && before == b'<');
        (before, last) = (last, byte);
        next.clear();
        for &(place, count) in &open {
            let Some(to) = step(place, byte) else { continue };
            let is_new = to == Place::AttributeName && place != Place::AttributeName;
            go_on(&mut next, to, count + usize::from(is_new));
        }
        if begins && byte.is_ascii_alphabetic() {
            go_on(&mut next, Place::TagName, 0);
            root_tags += usize::from(is_root(html.as_bytes().get(at..).unwrap_or_default()));
        }
        let is_too_much = next.iter().any(|(_, count)| *count > HTML_ATTRIBUTES_MAX);
        if is_too_much || root_tags > HTML_ROOT_TAGS_MAX {
            return true;
        }
        std::mem::swap(&mut open, &mut next);
    }
    false
}

fn go_on(open: &mut OpenTags, place: Place, count: usize) {
    match open.iter_mut().find(|(own, _)| *own == place) {
        Some((_, own)) => *own = count.max(*own),
        None => open.push((place, count)),
    }
}

/// Where a byte leads; nowhere where it ends the tag.
const fn step(place: Place, byte: u8) -> Option<Place> {
    let is_space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c');
    Some(match (place, byte) {
        (Place::DoubleQuoted, b'"') | (Place::SingleQuoted, b'\'') => Place::BetweenAttributes,
        (Place::DoubleQuoted | Place::SingleQuoted, _) => place,
        (_, b'>') => return None,
        (Place::BeforeValue, b'"') => Place::DoubleQuoted,
        (Place::BeforeValue, b'\'') => Place::SingleQuoted,
        (Place::BeforeValue, _) if is_space => place,
        (Place::BeforeValue, _) => Place::Unquoted,
        (Place::Unquoted, _) if !is_space => place,
        (Place::AttributeName | Place::AfterName, b'=') => Place::BeforeValue,
        (Place::AttributeName | Place::AfterName, _) if is_space => Place::AfterName,
        (_, b'/') => Place::BetweenAttributes,
        (_, _) if is_space => Place::BetweenAttributes,
        (Place::TagName, _) => Place::TagName,
        _ => Place::AttributeName,
    })
}

/// Whether a tag is one of the page's root with attributes.
fn is_root(tag: &[u8]) -> bool {
    let name = tag.get(..4).unwrap_or_default();
    let is_named = name.eq_ignore_ascii_case(b"html") || name.eq_ignore_ascii_case(b"body");
    is_named && tag.get(4).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/')
}

#[cfg(test)]
mod tests {
    use super::has_too_many_attributes;

    fn attributes(n: usize) -> String {
        (0..n).fold(String::new(), |all, n| all + &format!(" a{n}=''"))
    }

    #[test]
    fn attributes_without_end_are_found_whatever_hides_them() {
        let many = attributes(3_000);
        for begin in [
            "<p",
            "</p",
            "<a x='>'",
            "<a x=\"<b y='\"",
            "<textarea><a x='</textarea><p",
            "<!--<a x='--><p",
        ] {
            assert!(has_too_many_attributes(&format!("{begin}{many}>")), "{begin}");
        }
        let bare = (0..3_000).fold(String::new(), |all, n| all + &format!("/b{n}"));
        assert!(has_too_many_attributes(&format!("<br{bare}>")));
        assert!(has_too_many_attributes(&"<html a=1><BODY b=1>".repeat(100)));
    }

    #[test]
    fn long_pages_have_few_attributes() {
        let words = "word ".repeat(5_000);
        for page in [
            format!("<p class=a title='{words}'>{words}</p>"),
            format!("<div{}>", attributes(1_000)).repeat(20),
            format!("a <b>{words}</b> 1 < 2 {words}"),
            "<html lang=en><body class=a><html><body>".to_owned(),
        ] {
            assert!(!has_too_many_attributes(&page), "{}", &page[..40]);
        }
    }

    #[test]
    fn what_is_hard_to_read_is_read_in_one_pass() {
        // In more than one pass it would not come to an end here.
        for text in ["<a x='", "<a", "<a b=\"c", "<a/"] {
            has_too_many_attributes(&text.repeat(200_000));
        }
    }
}
