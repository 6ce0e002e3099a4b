//! Finds the phrases of dates among the words of a text: longest first.

use std::collections::VecDeque;

use super::{
    lexicon::{Sense, is_glue, part_of_weekday, phrases, tells_of_the_past},
    token::{Token, tokens},
};

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
