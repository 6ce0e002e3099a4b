//! Cuts a text into words of any script, without accents and case, and finds the phrases of dates in them: longest first.

use std::collections::VecDeque;

use super::lexicon::{Sense, is_glue, part_of_weekday, phrases, tells_of_the_past};

/// A piece of a text that means something in a date, or nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) sense: Sense,
    /// Its bytes in the text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it stands directly after the one before it.
    pub(super) is_joined: bool,
    /// Which sentence of the text it stands in.
    pub(super) sentence: usize,
    /// What it says about its sentence.
    pub(super) hint: Hint,
}

/// What a word says about its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    /// Nothing.
    None,
    /// It goes on with the sentence and names nothing.
    Glue,
    /// It is the French article `le`.
    French,
    /// The sentence tells of the past.
    Past,
}

impl Hint {
    fn of(sense: Sense, word: &str, written: &str) -> Self {
        match word {
            "le" => Self::French,
            _ if sense == Sense::Other && tells_of_the_past(word, written) => Self::Past,
            _ if is_glue(word) => Self::Glue,
            _ => Self::None,
        }
    }
}

#[derive(Debug)]
struct Token {
    word: String,
    start: usize,
    end: usize,
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
fn tokens(text: &str) -> Vec<Token> {
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

/// The lexemes of a text, in their order.
pub(super) fn lexemes(text: &str) -> Vec<Lexeme> {
    let mut tokens: VecDeque<Token> = tokens(text).into();
    let is_german = is_german(&tokens);
    let mut lexemes = Vec::new();
    let mut sentence = 0;
    let mut last_end = 0;
    while let Some(first) = tokens.front() {
        let (start, word) = (first.start, first.word.clone());
        let (sense, length) = match sense_at(&tokens) {
            // `hier` is `here` in German.
            (_, 1) if word == "hier" && is_german => (Sense::Other, 1),
            found => found,
        };
        let end = tokens.iter().take(length).next_back().map_or(start, |token| token.end);
        tokens.drain(..length);
        let written = text.get(start..end).unwrap_or_default();
        let ends_sentence = matches!(sense, Sense::Sign('!' | '?' | '\n' | ';'))
            || (sense == Sense::Sign('.')
                && !text
                    .get(..start)
                    .is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit())));
        lexemes.push(Lexeme {
            sense,
            start,
            end,
            is_joined: start == last_end && start > 0,
            sentence,
            hint: Hint::of(sense, &word, written),
        });
        last_end = end;
        sentence += usize::from(ends_sentence);
    }
    lexemes
}

/// Whether more words of a text are German than French.
fn is_german(tokens: &VecDeque<Token>) -> bool {
    const GERMAN: &str = " ich ist und der die das den wir nicht ein eine bin sind war mit es du ihr wo von auch noch so man ";
    const FRENCH: &str = " je est le la les et nous vous un une il elle pas a ai suis mais que de on tu soir matin en avec ";
    let count = |words: &str| {
        let is_known = |token: &&Token| words.split_whitespace().any(|known| known == token.word);
        tokens.iter().filter(is_known).count()
    };
    count(GERMAN) > count(FRENCH)
}

/// What the longest phrase at the beginning means, and of how many tokens it is.
fn sense_at(tokens: &VecDeque<Token>) -> (Sense, usize) {
    let Some(first) = tokens.front() else { return (Sense::Other, 1) };
    let fits = |words: &[String]| {
        words.len() <= tokens.len()
            && words.iter().zip(tokens).all(|(word, token)| *word == token.word)
    };
    if let Some((words, sense)) = phrases(&first.word).iter().find(|(words, _)| fits(words)) {
        return (*sense, words.len());
    }
    if first.word.bytes().all(|byte| byte.is_ascii_digit()) {
        let value = first.word.parse().ok().filter(|_| first.word.len() <= 6);
        return (value.map_or(Sense::Other, |value| Sense::Digits(value, first.word.len())), 1);
    }
    if let Some(sense) = part_of_weekday(&first.word) {
        return (sense, 1);
    }
    let mut chars = first.word.chars();
    match (chars.next(), chars.next()) {
        (Some(sign), None) if !sign.is_alphanumeric() => (Sense::Sign(sign), 1),
        _ => (Sense::Other, 1),
    }
}
