//! Cuts a text into words of any script, without accents and case, and single signs.

/// A word or a sign of a text, and its bytes there.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) word: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A word without case and accents, as the phrases are written.
fn bare(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' => out.push('a'),
            'é' | 'è' | 'ê' | 'ë' => out.push('e'),
            'í' | 'ì' | 'î' | 'ï' => out.push('i'),
            'ó' | 'ò' | 'ô' | 'ö' | 'õ' => out.push('o'),
            'ú' | 'ù' | 'û' | 'ü' => out.push('u'),
            'ñ' => out.push('n'),
            'ç' => out.push('c'),
            'ß' => out.push_str("ss"),
            'œ' => out.push_str("oe"),
            '\u{2019}' => out.push('\''),
            '\u{2010}' | '\u{2011}' => out.push('-'),
            c if is_mark(c) => {}
            c => out.push(c),
        }
    }
    out
}

const fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

/// An accent that follows its letter as a character of its own.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Words and single signs of a phrase.
pub(super) fn bare_words(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.word).collect()
}

/// Articles that stand before an apostrophe: `d'avril` is two words, `aujourd'hui` is one.
const ELIDED: [&str; 5] = ["l", "d", "L", "D", "qu"];

/// Runs of letters, runs of digits, and single signs. An apostrophe joins where letters stand on both sides of it.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        let follows_article = tokens.last().is_some_and(|last| {
            last.end == start
                && ELIDED.contains(&text.get(last.start..last.end).unwrap_or_default())
        });
        if (first.is_whitespace() && first != '\n') || (is_apostrophe(first) && follows_article) {
            continue;
        }
        let mut end = start + first.len_utf8();
        let is_letter = |c: char| c.is_alphabetic() || is_mark(c);
        if first.is_ascii_digit() {
            while let Some((at, c)) = chars.next_if(|(_, c)| c.is_ascii_digit()) {
                end = at + c.len_utf8();
            }
        } else if is_letter(first) {
            while let Some((at, c)) = chars.next_if(|(at, c)| {
                let joins = is_apostrophe(*c)
                    && !ELIDED.contains(&text.get(start..*at).unwrap_or_default())
                    && text
                        .get(at + c.len_utf8()..)
                        .is_some_and(|rest| rest.starts_with(is_letter));
                is_letter(*c) || joins
            }) {
                end = at + c.len_utf8();
            }
        }
        let word = bare(text.get(start..end).unwrap_or_default());
        tokens.push(Token { word, start, end });
    }
    tokens
}
