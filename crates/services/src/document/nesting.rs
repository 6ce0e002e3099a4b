//! How deep a page nests its elements, judged from its bytes alone, before a parser sees it.
//!
//! A parser of HTML takes time that grows with the square of the depth, and repeats open formatting in every block; a page
//! of two megabytes could keep it busy for an hour. What is counted here is never less than what the parser would build,
//! but for corners that it closes by itself.

use crate::limits::HTML_DEPTH_MAX;

/// Elements without content.
const VOID: [&str; 16] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr", "keygen", "frame",
];
/// Elements that the next of their kind closes, so that they are often left open and never lie in each other.
const CLOSED_BY_NEXT: [&str; 19] = [
    "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "tbody", "thead", "tfoot",
    "colgroup", "rt", "rp", "rb", "html", "head", "body",
];
/// Elements that an end tag does not reach through.
const SCOPES: [&str; 9] =
    ["object", "marquee", "applet", "table", "template", "button", "svg", "math", "caption"];
/// Elements whose content is no markup.
const RAW: [&str; 2] = ["script", "style"];
/// Longest name of an element that is compared.
const NAME_BYTES_MAX: usize = 32;

/// Whether a page nests its elements deeper than any page made for people.
pub(super) fn is_too_deep(html: &str) -> bool {
    let mut open: Vec<String> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = rest.get(at + 1..).unwrap_or_default();
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = after_comment(comment);
        } else if let Some(end) = rest.strip_prefix('/') {
            close(&mut open, &name_of(end));
        } else if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let name = name_of(rest);
            rest = start(&mut open, name, rest);
            if open.len() > HTML_DEPTH_MAX * 2 {
                return true;
            }
        }
    }
    false
}

/// Takes in a start tag; gives what follows it, for an element without markup in it what follows its content.
fn start<'a>(open: &mut Vec<String>, name: String, rest: &'a str) -> &'a str {
    let (tag, after) = rest.split_once('>').unwrap_or((rest, ""));
    let is_foreign = open.iter().any(|own| own == "svg" || own == "math");
    let is_closed = is_foreign && tag.ends_with('/');
    if !is_foreign && RAW.contains(&name.as_str()) {
        return after_raw(&name, after);
    }
    let counts = !VOID.contains(&name.as_str()) && !CLOSED_BY_NEXT.contains(&name.as_str());
    if (counts || is_foreign) && !is_closed {
        open.push(name);
    }
    after
}

fn close(open: &mut Vec<String>, name: &str) {
    for (index, own) in open.iter().enumerate().rev() {
        if own == name {
            open.truncate(index);
            return;
        }
        if SCOPES.contains(&own.as_str()) {
            return;
        }
    }
}

fn name_of(text: &str) -> String {
    let is_part = |c: &char| !c.is_whitespace() && !matches!(c, '/' | '>');
    text.chars().take(NAME_BYTES_MAX).take_while(is_part).collect::<String>().to_ascii_lowercase()
}

/// What follows a comment, which `>` and `->` close at once. It is looked for in one go up to the comment's own end: a page
/// may consist of comments.
fn after_comment(text: &str) -> &str {
    for short in [">", "->"] {
        if let Some(after) = text.strip_prefix(short) {
            return after;
        }
    }
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let after = rest.get(at + 2..).unwrap_or_default();
        if let Some(after) = after.strip_prefix('>').or_else(|| after.strip_prefix("!>")) {
            return after;
        }
        rest = rest.get(at + 1..).unwrap_or_default();
    }
    ""
}

fn after_raw<'a>(name: &str, text: &'a str) -> &'a str {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("</")).map(|at| from + at) {
        let found = bytes.get(at + 2..at + 2 + name.len());
        if found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes())) {
            return text.get(at..).unwrap_or_default();
        }
        from = at + 2;
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::{after_comment, is_too_deep};

    #[test]
    fn what_nests_without_end_is_found_whatever_hides_it() {
        let n = 2_000;
        for deep in [
            "<div>".repeat(n),
            "<div></x>".repeat(n),
            "<div><object></div>".repeat(n),
            "<b a=1><p>".repeat(n),
            "<ul><li>".repeat(n),
            format!("<svg><style>{}", "<g>".repeat(n)),
            format!("<!-->{}", "<i>".repeat(n)),
            format!("<!--x--!>{}", "<i>".repeat(n)),
            format!("<script></scripT>{}", "<DIV class='/'>".repeat(n)),
            "<a title='>'><em>".repeat(n),
        ] {
            assert!(is_too_deep(&deep), "{}", &deep[..40]);
        }
    }

    #[test]
    fn a_comment_ends_where_a_parser_ends_it() {
        for comment in ["x-->", "x--!>", ">", "->", "-->", "--->", "--x-->", "x--!-->", "-!>-->"] {
            assert_eq!(after_comment(&format!("{comment}rest--> ")), "rest--> ", "{comment}");
        }
        assert_eq!(after_comment("x-- >--!"), "");
    }

    #[test]
    fn a_page_of_comments_is_looked_through_once() {
        for text in ["<!---->", "<!----!>", "<!--", "--"] {
            assert!(!is_too_deep(&text.repeat(100_000)), "{text}");
        }
    }

    #[test]
    fn long_flat_pages_are_not_deep() {
        let n = 5_000;
        for flat in [
            "<div>x</div>".repeat(n),
            "<p>one<li>two<tr><td>three<br><img src=x>".repeat(n),
            format!("<script>{}</script>", "'<div>'+".repeat(n)),
            format!("<!-- {} -->", "<div>".repeat(n)),
            format!("<svg>{}</svg>", "<path d='M1'/>".repeat(n)),
            "<b><i></b></i>".repeat(n),
            "a < b & c <3 ".repeat(n),
            "<svg><title>x</title></svg><style>a>b{}</style>".repeat(n),
        ] {
            assert!(!is_too_deep(&flat), "{}", &flat[..40]);
        }
    }
}
