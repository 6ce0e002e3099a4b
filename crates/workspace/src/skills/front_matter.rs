//! The head of a `SKILL.md`: lines of `key: value` between two lines of `---`.
//!
//! It is read as far as skills use it and never more cleverly: a value is the rest of its line as text, with one pair of
//! quotes taken off, so that `: ` and `[` in it are text; `|` and `>` begin a text of the indented lines that follow. Other
//! indented lines belong to the key before them.

/// Longest head, in lines.
const LINES_MAX: usize = 200;

/// The head and where the text behind it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter<'a> {
    pub(super) values: Vec<HeadValue<'a>>,
    pub(super) body: &'a str,
}

/// One key with its value, and in which line it stands, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeadValue<'a> {
    pub(super) key: &'a str,
    pub(super) value: String,
    pub(super) line: usize,
}

/// What is wrong in a head, and in which line, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrontMatterError {
    pub(super) line: usize,
    pub(super) what: String,
}

impl<'a> FrontMatter<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, FrontMatterError> {
        let failed = |line: usize, what: &str| FrontMatterError { line, what: what.to_owned() };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.split_inclusive('\n');
        if lines.next().is_none_or(|first| first.trim_end() != "---") {
            return Err(failed(1, "the file does not begin with a line of ---"));
        }
        let mut values: Vec<HeadValue<'a>> = Vec::new();
        for (index, line) in lines.by_ref().enumerate() {
            let number = index + 2;
            if number > LINES_MAX {
                return Err(failed(
                    number,
                    "the head is too long, or its line of --- at the end is missing",
                ));
            }
            let line = line.trim_end();
            if line == "---" {
                return Ok(Self {
                    values: values.into_iter().map(unfolded).collect(),
                    body: rest(text, number),
                });
            }
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with([' ', '\t']) {
                let Some(HeadValue { value, .. }) = values.last_mut() else {
                    return Err(failed(number, "an indented line belongs to no key"));
                };
                value.push('\n');
                value.push_str(line.trim());
                continue;
            }
            let Some((key, value)) = line.split_once(':') else {
                return Err(failed(number, "a line is neither `key: value` nor indented"));
            };
            let (key, value) = (key.trim(), value.trim().to_owned());
            values.push(HeadValue { key, value, line: number });
        }
        Err(failed(1, "the line of --- that ends the head is missing"))
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.find(key).map(|found| found.value.as_str())
    }

    /// The first value of a key, with its line.
    pub(super) fn find(&self, key: &str) -> Option<&HeadValue<'a>> {
        self.values.iter().find(|value| value.key == key)
    }
}

/// The text behind so many lines.
fn rest(text: &str, lines: usize) -> &str {
    let end = text.split_inclusive('\n').take(lines).map(str::len).sum();
    text.get(end..).unwrap_or_default()
}

/// A value as text: without its quotes, or its block without the sign that began it.
fn unfolded(found: HeadValue<'_>) -> HeadValue<'_> {
    let is_block = |first: &str| matches!(first, "|" | "|-" | "|+" | ">" | ">-" | ">+");
    if let Some((first, lines)) = found.value.split_once('\n')
        && is_block(first)
    {
        let joint = if first.starts_with('>') { " " } else { "\n" };
        let value = lines.lines().collect::<Vec<_>>().join(joint);
        return HeadValue { value, ..found };
    }
    for quote in ['"', '\''] {
        let inside = found.value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inside) = inside {
            return HeadValue { value: inside.to_owned(), ..found };
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::FrontMatter;

    #[test]
    fn values_are_text_whatever_signs_they_hold() {
        let text = "---\nname: pdf\ndescription: Fill forms: [all] of \"them\"\nquoted: 'a: b'\nfolded: >\n  one\n  two\nlist:\n  - x\n# no\n---\nBody\n---\nmore";
        let head = FrontMatter::parse(text).unwrap();
        assert_eq!(head.get("name"), Some("pdf"));
        assert_eq!(head.get("description"), Some("Fill forms: [all] of \"them\""));
        assert_eq!(head.get("quoted"), Some("a: b"));
        assert_eq!(head.get("folded"), Some("one two"));
        assert_eq!(head.get("list"), Some("\n- x"));
        assert_eq!(head.body, "Body\n---\nmore");
    }

    #[test]
    fn what_is_no_head_is_named_with_its_line() {
        for (text, line) in [
            ("name: x", 1),
            ("", 1),
            ("---\nname: x\n", 1),
            ("---\n  x\n---\n", 2),
            ("---\nname: x\nnonsense\n---\n", 3),
        ] {
            assert_eq!(FrontMatter::parse(text).unwrap_err().line, line, "{text:?}");
        }
    }
}
