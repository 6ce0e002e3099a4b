//! Characters that are not seen and change what is seen: controls, marks of direction, separators of lines, zero widths.
//!
//! What others wrote is shown with them made visible, as `⟦U+202E⟧`, everywhere (decision 62): a text must not clear a
//! screen, turn `gpj.exe` into `exe.jpg` on an approval, end a line of a protocol or begin one of ours. The text in the ledger stays
//! as it came.

use std::{borrow::Cow, fmt::Write as _};

/// Whether a character is not seen by itself, line ends and tabs included.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether a text shows nothing: it is empty, or all of it is spaces and characters that are not seen.
pub fn is_blank(text: &str) -> bool {
    // Variation selectors and the empty braille pattern show nothing where they stand alone.
    let shows_nothing = |c: char| {
        c.is_whitespace() || is_hidden(c) || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{2800}')
    };
    text.chars().all(shows_nothing)
}

/// A text of several lines, with everything hidden in it made visible. Line ends and tabs stay; a return before a line end
/// is part of it.
pub fn visible(text: &str) -> Cow<'_, str> {
    let text = if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() };
    shown(text, |c| matches!(c, '\n' | '\t'))
}

/// A text on one line, with everything hidden in it made visible, line ends and tabs too: a title cannot pass for two lines.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    shown(text.into(), |_| false)
}

/// A text of several lines with everything hidden in it taken out. Line ends and tabs stay, returns do not.
pub fn without_hidden(text: &str) -> Cow<'_, str> {
    replaced(text.into(), |c| matches!(c, '\n' | '\t'), |_, _| {})
}

/// JSON with everything hidden in it escaped as `\uXXXX`. What it says is the same: outside of its strings JSON has
/// nothing hidden but line ends and tabs, which stay.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t' | '\r');
    let is_plain = json.is_ascii() && !json.bytes().any(|b| b == 0x7f || b < b'\t');
    if is_plain || !json.contains(is_unsafe) {
        return json.into();
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if !is_unsafe(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out.into()
}

fn shown(text: Cow<'_, str>, may_stay: impl Fn(char) -> bool) -> Cow<'_, str> {
    replaced(text, may_stay, |out, c| {
        // Writing to a string cannot fail.
        let _ = write!(out, "⟦U+{:04X}⟧", u32::from(c));
    })
}

/// A text with what `replace` writes in place of each hidden character that may not stay and joins nothing.
fn replaced(
    text: Cow<'_, str>,
    may_stay: impl Fn(char) -> bool,
    replace: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if !text.contains(|c: char| is_hidden(c) && !may_stay(c)) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = None;
    while let Some(c) = chars.next() {
        if !is_hidden(c) || may_stay(c) || joins(before, c, chars.peek().copied()) {
            out.push(c);
        } else {
            replace(&mut out, c);
        }
        before = Some(c);
    }
    out.into()
}

/// Whether a character joins its neighbours as a script or an emoji needs it: `👩‍🚀`, `می‌خواهم`. Beside ASCII it does not.
fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_joined = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_hidden(c));
    matches!(c, '\u{200c}' | '\u{200d}') && is_joined(before) && is_joined(after)
}

#[cfg(test)]
mod tests {
    use super::{escaped_json, is_blank, is_hidden, visible, visible_line, without_hidden};

    #[test]
    fn what_is_hidden_is_shown_by_its_number() {
        assert_eq!(visible("rm \u{202e}gpj.exe"), "rm ⟦U+202E⟧gpj.exe");
        assert_eq!(visible("a\tb\r\nc\u{1b}[2J\rd\0"), "a\tb\nc⟦U+001B⟧[2J⟦U+000D⟧d⟦U+0000⟧");
        assert_eq!(visible_line("a\nb\tc"), "a⟦U+000A⟧b⟦U+0009⟧c");
        assert_eq!(visible("a\u{2028}b\u{85}c\u{9b}1m"), "a⟦U+2028⟧b⟦U+0085⟧c⟦U+009B⟧1m");
        for hidden in
            "\u{200e}\u{200f}\u{61c}\u{2066}\u{2069}\u{202a}\u{200b}\u{feff}\u{7f}\u{9d}\u{e0041}"
                .chars()
        {
            assert!(is_hidden(hidden), "{hidden:?}");
            let shown = visible_line(&format!("a{hidden}b")).into_owned();
            assert_eq!(shown, format!("a⟦U+{:04X}⟧b", u32::from(hidden)));
        }
    }

    #[test]
    fn what_people_write_stays_as_it_is() {
        for text in
            ["", "grün 🦀 漢字\n\tcafe\u{301}", "👩\u{200d}🚀", "می\u{200c}خواهم", "❤\u{fe0f}"]
        {
            assert_eq!(visible(text), text);
        }
        assert_eq!(visible("a\u{200d}b"), "a⟦U+200D⟧b", "nothing to join");
    }

    #[test]
    fn what_is_taken_out_is_what_would_be_shown_by_its_number() {
        let cases = [
            ("a\u{ad}b\u{200b}c\r\nd", "abc\nd"),
            ("x\u{e0049}\u{e0067}y", "xy"),
            ("👩\u{200d}🚀 می\u{200c}خواهم", "👩\u{200d}🚀 می\u{200c}خواهم"),
            ("a\u{200d}b", "ab"),
            // A joiner beside something hidden joins nothing.
            ("é\u{200b}\u{200d}é", "éé"),
            ("é\u{200d}\u{200d}é", "éé"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_hidden(text), expected);
            let shown = visible(text).into_owned();
            assert_eq!(shown.contains('⟦'), text.replace('\r', "") != expected, "{shown}");
        }
    }

    #[test]
    fn a_text_of_hidden_characters_is_blank() {
        for blank in
            ["", " \n\t", "\u{200b}\u{2060}", "\u{3164}", "\u{202e} \u{0}", "\u{2800}\u{fe0f}"]
        {
            assert!(is_blank(blank), "{blank:?}");
        }
        for text in ["x", "\u{200b}.", "🦀"] {
            assert!(!is_blank(text), "{text:?}");
        }
    }

    #[test]
    fn json_says_the_same_with_its_hidden_characters_escaped() {
        let value = serde_json::json!({"a\u{9b}": "x\u{202e}y\u{7f}\n\u{e0041}\u{0}"});
        for json in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let escaped = escaped_json(&json);
            assert!(!escaped.contains(|c| is_hidden(c) && c != '\n'), "{escaped:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
        }
        assert_eq!(escaped_json("{\n}"), "{\n}");
    }

    proptest::proptest! {
        #[test]
        fn nothing_hidden_is_left_but_what_may_be(text in "\\PC*|.*|[\u{0}-\u{2100}\u{fe00}-\u{ffff}]*") {
            let shown = visible_line(&text).into_owned();
            let is_left = |c| is_hidden(c) && !matches!(c, '\u{200c}' | '\u{200d}');
            let is_seen = !shown.contains(is_left);
            proptest::prop_assert!(is_seen);
            let shown = visible(&text).into_owned();
            proptest::prop_assert_eq!(visible(&shown), shown.as_str());
        }
    }
}
