//! Tokens of conditions. One is read at a time, so that nothing beyond the closing parenthesis is read.

use crate::{
    command::{Command, query_opens, read_query, read_word},
    condition::tree::Comparison,
    cursor::Cursor,
    error::{ParseError, ParseErrorKind},
    escape::TERMINATOR,
    literal::Number,
    name::{Name, Sigil, is_word_char},
};

/// A token of a condition.
#[derive(Clone, Debug)]
pub(super) enum Token {
    /// A keyword, a field, a function or a unit.
    Word(String),
    /// A number, and whether a letter follows it at once, as in `90s`.
    Number { number: Number, is_glued: bool },
    /// A text in quotes.
    Text(String),
    /// `@x` or `#x`.
    Mention(Sigil, Name),
    /// `<`, `=` and so on.
    Comparison(Comparison),
    /// `(` or `?(`.
    Open,
    /// `)`.
    Close,
    /// `,`.
    Comma,
    /// `$(…)`, whole.
    Query(Vec<Command>),
    /// The end of the body.
    End,
}

/// Reads the token at the cursor, which is past blanks, `depth` deep in other forms.
pub(super) fn read_token(cursor: &mut Cursor, depth: usize) -> Result<Token, ParseError> {
    let Some(c) = cursor.peek() else { return Ok(Token::End) };
    if let Some(op) = comparison(cursor) {
        return Ok(Token::Comparison(op));
    }
    for (text, token) in
        [("(", Token::Open), ("?(", Token::Open), (")", Token::Close), (",", Token::Comma)]
    {
        if cursor.eat(text) {
            return Ok(token);
        }
    }
    match c {
        '"' | '\'' => read_text(cursor, c),
        '@' | '#' => read_mention(cursor, c),
        '$' if query_opens(cursor) => Ok(Token::Query(read_query(cursor, depth)?)),
        c if c.is_ascii_alphabetic() || c == '_' => {
            let word = read_word(cursor);
            Ok(Token::Word(cursor.text(word).to_owned()))
        }
        c if c.is_ascii_digit() => read_number(cursor),
        '-' if cursor.peek_second().is_some_and(|c| c.is_ascii_digit()) => read_number(cursor),
        _ => Err(unexpected(cursor, c)),
    }
}

fn comparison(cursor: &mut Cursor) -> Option<Comparison> {
    let symbols = [
        ("<=", Comparison::LessOrEqual),
        ("<", Comparison::Less),
        (">=", Comparison::GreaterOrEqual),
        (">", Comparison::Greater),
        ("==", Comparison::Equal),
        ("=", Comparison::Equal),
        ("!=", Comparison::NotEqual),
    ];
    symbols.into_iter().find_map(|(text, op)| cursor.eat(text).then_some(op))
}

fn unexpected(cursor: &Cursor, c: char) -> ParseError {
    let hint = match c {
        '&' | '+' => "; write `and`",
        '|' => "; write `or`",
        '!' => "; write `not` or `!=`",
        '“' | '”' | '‘' | '’' | '`' => "; write texts in straight quotes",
        '$' => "; a query is written `$(\\name … ---)`",
        _ => "",
    };
    cursor.error(ParseErrorKind::Unexpected, format!("unexpected `{}`{hint}", c.escape_debug()))
}

fn read_text(cursor: &mut Cursor, quote: char) -> Result<Token, ParseError> {
    let start = cursor.at();
    cursor.bump();
    let mut text = String::new();
    while let Some(c) = cursor.bump() {
        if c == quote {
            return Ok(Token::Text(text));
        }
        if c != '\\' {
            text.push(c);
        } else if cursor.eat(TERMINATOR) {
            text.push_str(TERMINATOR);
        } else if cursor.peek().is_some_and(|c| matches!(c, '"' | '\'' | '\\')) {
            text.extend(cursor.bump());
        } else {
            text.push(c);
        }
    }
    let message = format!("the text has no closing `{quote}`; `---` in it is written `\\---`");
    Err(cursor.error_at(start, ParseErrorKind::UnclosedString, message))
}

fn read_mention(cursor: &mut Cursor, c: char) -> Result<Token, ParseError> {
    cursor.bump();
    let name = Name::read(cursor)?;
    Ok(Token::Mention(Sigil::from_char(c).unwrap_or(Sigil::Entity), name))
}

fn read_number(cursor: &mut Cursor) -> Result<Token, ParseError> {
    let start = cursor.at();
    cursor.eat("-");
    cursor.eat_while(|c| c.is_ascii_digit());
    if cursor.peek() == Some('.') && cursor.peek_second().is_some_and(|c| c.is_ascii_digit()) {
        cursor.bump();
        cursor.eat_while(|c| c.is_ascii_digit());
    }
    let is_glued = cursor.peek().is_some_and(is_word_char);
    match Number::read(cursor.text(cursor.since(start))) {
        Some(number) => Ok(Token::Number { number, is_glued }),
        None => Err(cursor.error_at(start, ParseErrorKind::BadNumber, "the number is too large")),
    }
}
