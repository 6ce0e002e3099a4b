//! Markup that says that a call follows, outside of code blocks.

use abide_domain::tool::ToolSpec;

use super::keywords::{self, plain_name};

/// Longest tag that is read, in bytes.
const TAG_BYTES_MAX: usize = 200;
/// What opens and closes a tag.
const PAIRS: [(char, char); 7] =
    [('<', '>'), ('[', ']'), ('◁', '▷'), ('【', '】'), ('«', '»'), ('⟨', '⟩'), ('⟦', '⟧')];
const FENCE: &str = "```";

/// A text without the one code fence around all of it.
pub(super) struct Unfenced<'a> {
    pub(super) text: &'a str,
    /// Whether the fence itself says that it holds a call.
    pub(super) is_call: bool,
}

/// Takes the fence away that stands around a whole text.
pub(super) fn unfenced(text: &str) -> Unfenced<'_> {
    let plain = Unfenced { text, is_call: false };
    let inner = text.strip_prefix(FENCE).and_then(|rest| rest.strip_suffix(FENCE));
    let Some(inner) = inner.filter(|inner| !inner.contains(FENCE)) else { return plain };
    match inner.split_once('\n') {
        Some((language, body)) if !language.contains(['{', '<', '(', '[']) => Unfenced {
            text: body.trim(),
            is_call: keywords::is_mark(language) && language.trim() != "python",
        },
        _ => Unfenced { text: inner.trim(), is_call: false },
    }
}

/// The tool on offer that is called by markup, where there is any.
pub(super) fn marked_tool(text: &str, offered: &[ToolSpec]) -> Option<String> {
    let bare = without_code(text);
    let start = first_mark(&bare, offered)?;
    let after = plain_name(bare.get(start..)?);
    let named = |tool: &&ToolSpec| find_name(&after, &plain_name(&tool.name)).is_some();
    offered.iter().find(named).map(|tool| tool.name.clone())
}

/// Where a name stands as a word of its own; both in plain spelling.
pub(super) fn find_name(text: &str, name: &str) -> Option<usize> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find(name) {
        let (start, end) = (from + found, from + found + name.len());
        let before = text.get(..start)?;
        // `functions.x` and `default_api.x` are `x` too.
        let is_prefixed = before.ends_with("functions_") || before.ends_with("default_api_");
        let is_begun = is_prefixed || !before.chars().next_back().is_some_and(is_word);
        let is_ended = !text.get(end..)?.chars().next().is_some_and(is_word);
        if is_begun && is_ended {
            return Some(start);
        }
        from = end;
    }
    None
}

/// How much of a growing text can be shown: up to a tag that marks a call, or that may still turn out to. Whether it is one that
/// marks, which no later piece changes.
pub(super) fn shown_end(text: &str, from: usize, offered: &[ToolSpec]) -> (usize, bool) {
    let rest = text.get(from..).unwrap_or_default();
    for (at, letter) in rest.char_indices() {
        let Some((_, close)) = PAIRS.iter().find(|(open, _)| *open == letter) else { continue };
        let inner = rest.get(at + letter.len_utf8()..).unwrap_or_default();
        let end = inner.char_indices().take(TAG_BYTES_MAX).find(|(_, c)| c == close || *c == '\n');
        match end {
            Some((end, c)) if c == *close => {
                let tag = inner.get(..end).unwrap_or_default();
                if is_mark(tag, letter, offered) {
                    return (from + at, true);
                }
            }
            Some(_) => {}
            None if inner.chars().nth(TAG_BYTES_MAX).is_some() => {}
            None => return (from + at, false),
        }
    }
    (text.len(), false)
}

fn first_mark(text: &str, offered: &[ToolSpec]) -> Option<usize> {
    let tag = text.char_indices().find(|&(start, letter)| {
        let Some((_, close)) = PAIRS.iter().find(|(open, _)| *open == letter) else { return false };
        let Some(rest) = text.get(start + letter.len_utf8()..) else { return false };
        let Some(end) = rest.char_indices().take(TAG_BYTES_MAX).find(|(_, c)| c == close) else {
            return false;
        };
        let inner = rest.get(..end.0).unwrap_or_default();
        !inner.contains('\n')
            && (is_mark(inner, letter, offered) || is_tool_tag(inner, letter, offered))
    });
    let label = || {
        let mut start = 0;
        text.split_inclusive('\n').find_map(|line| {
            let own = start;
            start += line.len();
            let (label, rest) = line.split_once([':', '：'])?;
            let name = plain_name(rest.trim().trim_matches(['`', '*', '"', ' ']));
            let calls = |tool: &ToolSpec| find_name(&name, &plain_name(&tool.name)) == Some(0);
            (keywords::is_label(label) && offered.iter().any(calls)).then_some(own)
        })
    };
    let tag = tag.map(|(start, _)| start);
    tag.or_else(label).or_else(|| text.find("to=functions.")).or_else(|| fence_mark(text))
}

/// Whether what stands in a pair marks a call. Answers put names into square brackets, those of sections of a configuration among
/// them: such a name marks a call where a tool on offer has it.
fn is_mark(inner: &str, open: char, offered: &[ToolSpec]) -> bool {
    if open != '[' {
        return keywords::is_mark(inner);
    }
    let is_on_offer = || {
        let name = plain_name(inner);
        offered.iter().any(|tool| find_name(&name, &plain_name(&tool.name)).is_some())
    };
    keywords::is_bracket_mark(inner) && (!keywords::is_dotted_name(inner) || is_on_offer())
}

/// `<clock.now>`: the name of the tag is the name of a tool.
fn is_tool_tag(inner: &str, open: char, offered: &[ToolSpec]) -> bool {
    let name = inner.split([' ', '/', '\t']).next().unwrap_or_default();
    let name = plain_name(name.trim_matches('|'));
    open == '<' && offered.iter().any(|tool| plain_name(&tool.name) == name)
}

/// A fence whose language says that it holds a call; the language is left by [`without_code`].
fn fence_mark(text: &str) -> Option<usize> {
    text.match_indices(FENCE).map(|(start, _)| start).next()
}

/// The text with code blocks and inline code blanked, byte for byte; the fences of calls stay as they are.
fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('`') {
        let (before, code) = rest.split_at(start);
        out.push_str(before);
        let ticks = code.len() - code.trim_start_matches('`').len();
        let (fence, inner) = code.split_at(ticks);
        // An opening without an end covers nothing.
        let Some(end) = inner.find(fence) else {
            out.push_str(&" ".repeat(ticks));
            rest = inner;
            continue;
        };
        let body = inner.get(..end).unwrap_or_default();
        let language = body.lines().next().unwrap_or_default();
        let is_call = ticks >= FENCE.len()
            && keywords::is_mark(language)
            && !language.contains(['{', '<', '('])
            && language.trim() != "python";
        if is_call {
            out.push_str(fence);
            out.push_str(body);
            out.push_str(&" ".repeat(ticks));
        } else {
            out.push_str(&" ".repeat(2 * ticks + body.len()));
        }
        rest = inner.get(end + ticks..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}
