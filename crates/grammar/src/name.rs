//! Names after `@` and `#`: entities and spaces.
//!
//! A name begins with a letter or digit (ASCII), then letters, digits, `-`, `_`, `.`; a dot at its end belongs to the
//! sentence. It is kept as typed and compared ignoring case. Whether it exists is not checked here.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

use crate::{
    cursor::Cursor,
    error::{ParseError, ParseErrorKind},
    escape::TERMINATOR,
    limits::NAME_BYTES_MAX,
};

/// The text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a name: a name is 1 to 64 letters, digits, `-`, `_` or `.`, begins with a letter or digit, does not end with a dot and has no `---`"
)]
pub struct EntityNameError {
    /// The text as it came, cut to 64 characters.
    pub text: String,
}

/// A name without its sigil. Equality, order and hash ignore ASCII case.
#[derive(Clone, Debug)]
pub struct Name(Box<str>);

impl Name {
    /// The name as typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as it is compared, in lower case.
    pub fn lower(&self) -> String {
        self.0.to_ascii_lowercase()
    }

    fn lower_bytes(&self) -> impl Iterator<Item = u8> {
        self.0.bytes().map(|byte| byte.to_ascii_lowercase())
    }

    /// Whether this is `me`, which stands for whoever gives the command.
    pub fn is_me(&self) -> bool {
        self.matches("me")
    }

    /// Whether `text` is this name, ignoring case.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.eq_ignore_ascii_case(text)
    }

    /// Reads the name at the cursor.
    pub(crate) fn read(cursor: &mut Cursor) -> Result<Self, ParseError> {
        let start = cursor.at();
        let fault = |cursor: &Cursor, text: &str| {
            let text = text.chars().take(NAME_BYTES_MAX).collect();
            cursor.error_at(start, ParseErrorKind::BadName, EntityNameError { text }.to_string())
        };
        if !cursor.peek().is_some_and(is_name_start) {
            return Err(fault(cursor, ""));
        }
        while cursor.peek().is_some_and(is_name_char) && !cursor.looks_at(TERMINATOR) {
            cursor.bump();
        }
        let typed = cursor.text(cursor.since(start)).trim_end_matches('.').to_owned();
        cursor.go_to(start + typed.len());
        if typed.len() > NAME_BYTES_MAX {
            return Err(fault(cursor, &typed));
        }
        Ok(Self(typed.into()))
    }
}

/// Whether a name may begin with this character.
pub(crate) const fn is_name_start(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

const fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Whether a sigil after this character stands within a word, as in an e-mail address, and names nobody.
pub(crate) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl FromStr for Name {
    type Err = EntityNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_name = text.len() <= NAME_BYTES_MAX
            && text.starts_with(is_name_start)
            && text.chars().all(is_name_char)
            && !text.ends_with('.')
            && !text.contains(TERMINATOR);
        if is_name {
            Ok(Self(text.into()))
        } else {
            Err(EntityNameError { text: text.chars().take(NAME_BYTES_MAX).collect() })
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.matches(&other.0)
    }
}

impl Eq for Name {}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        self.lower_bytes().cmp(other.lower_bytes())
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.lower_bytes().for_each(|byte| state.write_u8(byte));
        state.write_u8(u8::MAX);
    }
}

/// The character before a name, which says what it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sigil {
    /// `@`: an agent, a person, or the keeper.
    Entity,
    /// `#`: a space in which several talk.
    Space,
}

impl Sigil {
    /// The sigil as it is written.
    pub const fn as_char(self) -> char {
        match self {
            Self::Entity => '@',
            Self::Space => '#',
        }
    }

    /// The sigil that `c` is.
    pub(crate) const fn from_char(c: char) -> Option<Self> {
        match c {
            '@' => Some(Self::Entity),
            '#' => Some(Self::Space),
            _ => None,
        }
    }
}

/// A name with its sigil: `@bob`, `#dev`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mention {
    /// Entity or space.
    pub sigil: Sigil,
    /// The name without its sigil.
    pub name: Name,
}

impl Mention {
    /// Whether `text` names it as a whole token: `@bob` is in `hi @Bob.`, and not in `@bobby`, `@bob-2` or `x@bob`.
    pub fn found_in(&self, text: &str) -> bool {
        self.name.is_mentioned(self.sigil, text)
    }
}

impl Name {
    /// Whether `text` names it with `sigil` before it, as a whole token.
    pub(crate) fn is_mentioned(&self, sigil: Sigil, text: &str) -> bool {
        let sigil = sigil.as_char();
        let mut from = 0;
        while let Some(found) = text.get(from..).and_then(|rest| rest.find(sigil)) {
            let at = from + found;
            let within_word = text.get(..at).is_some_and(|before| before.ends_with(is_word_char));
            let rest = text.get(at + 1..).unwrap_or_default();
            let end = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
            let token = rest.get(..end).unwrap_or_default();
            let token = token.split(TERMINATOR).next().unwrap_or(token).trim_end_matches('.');
            if !within_word && self.matches(token) {
                return true;
            }
            from = at + 1 + end;
        }
        false
    }
}

impl FromStr for Mention {
    type Err = EntityNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut rest = text.chars();
        match rest.next().and_then(Sigil::from_char) {
            Some(sigil) => Ok(Self { sigil, name: rest.as_str().parse()? }),
            None => Err(EntityNameError { text: text.chars().take(NAME_BYTES_MAX).collect() }),
        }
    }
}

impl fmt::Display for Mention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.sigil.as_char(), self.name)
    }
}

/// Whether `text` names `mention` (`@bob`, `#dev`) as a whole token, ignoring case; never where `mention` is none.
pub fn mentions(text: &str, mention: &str) -> bool {
    mention.parse::<Mention>().is_ok_and(|mention| mention.found_in(text))
}

/// Reads `@(a, b)` after its sigil: at least one name, each with or without the sigil.
pub(crate) fn read_group(cursor: &mut Cursor, sigil: Sigil) -> Result<Vec<Name>, ParseError> {
    let start = cursor.at();
    cursor.eat("(");
    let mut names = Vec::new();
    loop {
        cursor.skip_blanks();
        if cursor.peek() == Some(sigil.as_char()) {
            cursor.bump();
        }
        if cursor.is_at_end() {
            return Err(unclosed(cursor, start, sigil));
        }
        names.push(Name::read(cursor)?);
        cursor.skip_blanks();
        if cursor.eat(")") {
            return Ok(names);
        }
        if cursor.is_at_end() {
            return Err(unclosed(cursor, start, sigil));
        }
        if !cursor.eat(",") {
            let message = "expected `,` or `)` after a name in a group";
            return Err(cursor.error(ParseErrorKind::Unexpected, message));
        }
    }
}

fn unclosed(cursor: &Cursor, start: usize, sigil: Sigil) -> ParseError {
    let message = format!("the group `{}(` has no `)`", sigil.as_char());
    cursor.error_at(start, ParseErrorKind::UnclosedParenthesis, message)
}

#[cfg(test)]
mod tests {
    use super::{Mention, Name, mentions};

    #[test]
    fn a_mention_is_a_whole_token() {
        let cases = [
            ("hi @bob", true),
            ("@BOB: see", true),
            ("@bob--- x", true),
            ("ask @bob.", true),
            ("(@bob)", true),
            ("@bobby @bob", true),
            ("@@bob", true),
            ("@bobby", false),
            ("@bob-2", false),
            ("@bob.x", false),
            ("@bob_", false),
            ("mail x@bob", false),
            ("bob", false),
            ("@", false),
            ("é@bob", false),
        ];
        for (text, found) in cases {
            assert_eq!(mentions(text, "@bob"), found, "{text}");
        }
        assert!(mentions("in #dev, now", "#DEV"));
        assert!(!mentions("in @dev", "#dev"));
        assert!(!mentions("bob", "bob"));
    }

    #[test]
    fn names_keep_their_case_and_are_compared_without_it() {
        let name: Name = "Felix".parse().unwrap();
        assert_eq!((name.as_str(), name.lower().as_str()), ("Felix", "felix"));
        assert_eq!(name, "FELIX".parse().unwrap());
        assert!("ME".parse::<Name>().unwrap().is_me());
        for text in ["", "-a", ".a", "_a", "a.", "a b", "a---b", "é", &"a".repeat(65)] {
            assert!(text.parse::<Name>().is_err(), "{text}");
        }
        assert!("a".repeat(64).parse::<Name>().is_ok());
        assert_eq!("#x.y".parse::<Mention>().unwrap().to_string(), "#x.y");
    }
}
