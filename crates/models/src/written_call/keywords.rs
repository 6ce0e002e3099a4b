//! Words that belong to markup and not to prose.

/// Words of tags that mark a call.
const MARKS: [&str; 22] = [
    "tool",
    "tools",
    "toolcall",
    "toolcalls",
    "tooluse",
    "toolrequest",
    "function",
    "functions",
    "functioncall",
    "functioncalls",
    "invoke",
    "call",
    "calls",
    "plugin",
    "action",
    "actions",
    "recipient",
    "python",
    "mcp",
    "command",
    "channel",
    "toolcode",
];
/// Words of brackets that mark a call; fewer, for brackets are used for links too.
const BRACKET_MARKS: [&str; 10] = [
    "tool",
    "tools",
    "toolcall",
    "toolcalls",
    "toolrequest",
    "function",
    "functions",
    "functioncall",
    "functioncalls",
    "tooluse",
];
/// Labels before the name of a tool at the beginning of a line.
const LABELS: [&str; 9] = [
    "action",
    "tool",
    "function",
    "toolcall",
    "functioncall",
    "call",
    "invoke",
    "tooluse",
    "toolname",
];
/// What may stand in markup beside names and arguments.
const MARKUP: [&str; 45] = [
    "tool",
    "tools",
    "call",
    "calls",
    "function",
    "functions",
    "name",
    "arguments",
    "args",
    "arg",
    "parameters",
    "parameter",
    "params",
    "input",
    "action",
    "json",
    "xml",
    "print",
    "default",
    "api",
    "commentary",
    "analysis",
    "to",
    "recipient",
    "assistant",
    "message",
    "constrain",
    "channel",
    "id",
    "type",
    "invoke",
    "begin",
    "end",
    "sep",
    "section",
    "argument",
    "start",
    "code",
    "python",
    "use",
    "request",
    "observation",
    "ipython",
    "await",
    "return",
];

/// The words of a text, in lower case, cut at whatever is no letter and no digit.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Whether a tag's text marks a call.
pub(super) fn is_mark(text: &str) -> bool {
    words(text).any(|word| MARKS.contains(&word.as_str()))
}

/// Whether a text of square brackets has a word that marks a call.
pub(super) fn is_bracket_mark(text: &str) -> bool {
    words(text).any(|word| BRACKET_MARKS.contains(&word.as_str()))
}

/// Whether a text is one name of several parts, such as that of a tool, or of a section of a configuration.
pub(super) fn is_dotted_name(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    text.contains('.') && text.split('.').all(is_part)
}

/// Whether a label before a colon announces a call.
pub(super) fn is_label(text: &str) -> bool {
    let joined: String = words(text).collect();
    LABELS.contains(&joined.as_str())
}

/// Whether a text that is left beside calls is prose.
pub(super) fn is_prose(text: &str) -> bool {
    words(text).any(|word| {
        !MARKUP.contains(&word.as_str()) && !word.chars().all(|letter| letter.is_ascii_digit())
    })
}

/// A name in the one spelling in which names are compared: models write dots, hyphens and underscores for each other.
pub(super) fn plain_name(name: &str) -> String {
    name.to_ascii_lowercase().replace(['.', '-'], "_")
}
