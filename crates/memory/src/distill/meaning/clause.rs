//! A text as words and operators: whom it is about, what it says, and what turns it around.

use std::collections::BTreeSet;

use super::{
    operators::{Operator, operator_of, phrase_at},
    word_lists::{
        BE, BE_PAST, DO, FIRST, FIRST_POSSESSIVE, HAVE, HAVE_PAST, LEADS, LIGHT, PAST_FORMS,
        SECOND, SECOND_POSSESSIVE, THIRD_POSSESSIVE, is_in,
    },
};
use crate::words as stems;

/// A word of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClauseWord {
    /// The speaker.
    Speaker,
    /// The speaker's.
    OfSpeaker,
    /// `his`, `her`, `their`.
    OfThird,
    /// A form of to be.
    Be,
    /// A form of to have.
    Have,
    /// Anything else: its stem, as it was written in lower case, and whether it began large.
    Word { stem: String, lower: String, is_name: bool },
}

/// A statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Clause {
    pub(super) words: Vec<ClauseWord>,
    pub(super) operators: BTreeSet<Operator>,
}

/// The names of one person, as they stand in claims.
#[derive(Clone, Debug)]
pub(super) struct PersonNames(Vec<String>);

impl PersonNames {
    pub(super) fn of(name: &str) -> Self {
        Self(tokens(name).into_iter().map(|(lower, _)| lower).collect())
    }

    /// Whether the words begin with the name, and how many words it has.
    fn at(&self, words: &[String]) -> Option<usize> {
        let length = self.0.len();
        (length > 0 && words.get(..length)? == self.0.as_slice()).then_some(length)
    }
}

impl ClauseWord {
    /// Whether a word of a claim is this word of a statement.
    pub(super) fn is_same(&self, stated: &Self) -> bool {
        match (self, stated) {
            (
                Self::Word { stem, lower, is_name },
                Self::Word { stem: other, lower: other_lower, is_name: is_other_name },
            ) => {
                lower == other_lower
                    || (!(is_value(lower) || (*is_name && *is_other_name))
                        && (stem == other || is_inflected(lower, other_lower)))
            }
            (Self::OfThird, Self::OfSpeaker) => true,
            _ => self == stated,
        }
    }

    /// Whether it is a verb's past.
    pub(super) fn is_past(&self) -> bool {
        match self {
            Self::Word { lower, is_name: false, .. } => {
                is_in(PAST_FORMS, lower)
                    || (lower.len() > 4 && lower.ends_with("ed") && !lower.ends_with("eed"))
            }
            _ => false,
        }
    }
}

fn is_value(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
}

/// `wohne` and `wohnt`: a long common beginning and different endings.
fn is_inflected(one: &str, other: &str) -> bool {
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let (one, other) = (one.chars().count(), other.chars().count());
    one.min(other) >= 4 && common >= 3 && common + 2 >= one.max(other)
}

impl Clause {
    /// A claim: the speaker stands in it by name.
    pub(super) fn of_claim(claim: &str, names: &PersonNames) -> Self {
        let text = claim.trim();
        let (head, rest) = text.split_once(':').unwrap_or(("", text));
        let of_head: Vec<String> = tokens(head).into_iter().map(|(lower, _)| lower).collect();
        // `nicolas: I live in Lyon` and `nicolas said: …` are the speaker's words as they stand.
        let spoken = names.at(&of_head).filter(|length| {
            let behind = of_head.get(*length..).unwrap_or_default();
            behind.is_empty() || matches!(behind, [word] if word == "said" || word == "says")
        });
        match spoken {
            Some(_) => Self::read(without_lead(rest.trim()), names, Voice::First),
            None => Self::read(text, names, Voice::Third),
        }
    }

    fn read(text: &str, names: &PersonNames, voice: Voice) -> Self {
        let found = tokens(text);
        let lower: Vec<String> = found.iter().map(|(lower, _)| lower.clone()).collect();
        let mut clause = Self::default();
        let mut at = 0;
        while let Some((word, is_large)) = found.get(at) {
            let rest = lower.get(at..).unwrap_or_default();
            let next = rest.get(1).map_or("", String::as_str);
            at += 1;
            if let Some((operator, length)) = phrase_at(rest) {
                clause.operators.insert(operator);
                at += length - 1;
                continue;
            }
            if voice == Voice::Third
                && let Some(length) = names.at(rest)
            {
                at += length - 1;
                let is_possessive = lower.get(at).is_some_and(|word| word == "s");
                clause.words.push(if is_possessive {
                    ClauseWord::OfSpeaker
                } else {
                    ClauseWord::Speaker
                });
                continue;
            }
            // The month, not the possibility.
            let is_month = word == "may" && *is_large && at > 1;
            if !is_month && let Some(operator) = operator_of(word) {
                clause.operators.insert(operator);
                continue;
            }
            clause.take(word, *is_large && at > 1, next, voice);
        }
        clause
    }

    fn take(&mut self, word: &str, is_name: bool, next: &str, voice: Voice) {
        let first = match voice {
            Voice::First => (FIRST, FIRST_POSSESSIVE),
            Voice::Second => (SECOND, SECOND_POSSESSIVE),
            Voice::Third => ("", ""),
        };
        let is_ing = |word: &str| word.len() > 5 && word.ends_with("ing");
        let is_participle =
            |word: &str| word == "been" || word.ends_with("ed") || is_in(PAST_FORMS, word);
        if is_in(first.0, word) {
            self.words.push(ClauseWord::Speaker);
        } else if is_in(first.1, word) {
            self.words.push(ClauseWord::OfSpeaker);
        } else if is_in(THIRD_POSSESSIVE, word) && !is_in(BE, word) {
            self.words.push(ClauseWord::OfThird);
        } else if word == "did" {
            self.operators.insert(Operator::Past);
        } else if is_in(BE_PAST, word) {
            self.operators.insert(Operator::Past);
            self.words.push(ClauseWord::Be);
        } else if is_in(BE, word) {
            if !is_ing(next) {
                self.words.push(ClauseWord::Be);
            }
        } else if is_in(HAVE_PAST, word) {
            self.operators.insert(Operator::Past);
            self.words.push(ClauseWord::Have);
        } else if is_in(HAVE, word) {
            if !is_participle(next) {
                self.words.push(ClauseWord::Have);
            }
        } else if !is_in(DO, word) && !is_in(LIGHT, word) {
            let stem = stems(word).pop().unwrap_or_else(|| word.to_owned());
            self.words.push(ClauseWord::Word { stem, lower: word.to_owned(), is_name });
        }
    }
}

/// Who speaks of whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voice {
    /// The speaker, of themselves.
    First,
    /// The agent, to the speaker.
    Second,
    /// Somebody, of the speaker.
    Third,
}

/// The sentences of a text.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim_start_matches(['-', '*', '\u{2022}', ' ', '\t']);
        while let Some(end) = sentence_end(rest) {
            let (sentence, behind) = rest.split_at(end);
            found.push(sentence.trim());
            rest = behind.trim_start();
        }
        found.push(rest.trim());
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

fn sentence_end(text: &str) -> Option<usize> {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if c.is_whitespace() && matches!(before, '.' | '!' | '?') {
            return Some(at);
        }
        before = c;
    }
    None
}

/// The statements of a sentence: whole, and in pieces where a new one begins. What holds for the sentence holds for each
/// piece, and what stands in front of its first comma does too.
pub(super) fn statements(sentence: &str, names: &PersonNames, is_confirmed: bool) -> Vec<Clause> {
    let voice = if is_confirmed { Voice::Second } else { Voice::First };
    let bare = without_lead(sentence);
    let whole = Clause::read(bare, names, voice);
    let mut shared: BTreeSet<Operator> =
        whole.operators.iter().copied().filter(|operator| operator.spans_sentence()).collect();
    if is_question(sentence) && !is_confirmed {
        shared.insert(Operator::Asked);
    }
    if is_quoting(sentence) {
        shared.insert(Operator::Reported);
    }
    let mut found = vec![whole];
    for part in split(bare, &["; ", " but ", ", aber ", ", mais ", ", pero ", " - ", " \u{2014} "])
    {
        for independent in split_at_openers(part) {
            let mut pieces = split(independent, &[", "]).into_iter();
            let Some(first) = pieces.next() else { continue };
            let first = Clause::read(first, names, voice);
            let ahead = first.operators.clone();
            found.push(Clause::read(independent, names, voice));
            found.push(first);
            for piece in pieces {
                let mut clause = Clause::read(piece, names, voice);
                clause.operators.extend(&ahead);
                found.push(clause);
            }
        }
    }
    for clause in &mut found {
        clause.operators.extend(&shared);
    }
    found
}

fn is_question(sentence: &str) -> bool {
    sentence.trim_end_matches(['"', '\'', ')', ' ']).ends_with('?')
        || sentence.starts_with('\u{bf}')
}

/// Whether somebody's words stand in it in single quotation marks.
fn is_quoting(sentence: &str) -> bool {
    let begins =
        sentence.starts_with('\'') || sentence.contains(" '") || sentence.contains('\u{ab}');
    begins && sentence.matches('\'').count() != 1
}

fn split<'a>(text: &'a str, joints: &[&str]) -> Vec<&'a str> {
    let mut parts = vec![text];
    for joint in joints {
        parts = parts.into_iter().flat_map(|part| part.split(joint)).collect();
    }
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Cuts where the speaker begins anew: `I live in Lyon and we use Rust`.
fn split_at_openers(text: &str) -> Vec<&str> {
    let lower = text.to_ascii_lowercase();
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    for joint in [", and ", " and ", ", und ", " und ", " et ", " y "] {
        for (at, _) in lower.match_indices(joint) {
            let begin = at + joint.len();
            let opens = |rest: &str| {
                [
                    "i ", "i'm ", "my ", "we ", "our ", "ich ", "wir ", "mein", "je ", "j'",
                    "nous ", "yo ", "mi ",
                ]
                .iter()
                .any(|opener| rest.starts_with(opener))
            };
            if lower.get(begin..).is_some_and(opens) {
                cuts.push((at, begin));
            }
        }
    }
    cuts.sort_unstable();
    let (mut parts, mut from) = (Vec::new(), 0);
    for (end, begin) in cuts {
        if let Some(part) = text.get(from..end) {
            parts.push(part.trim());
            from = begin;
        }
    }
    parts.extend(text.get(from..).map(str::trim));
    parts
}

fn without_lead(text: &str) -> &str {
    let mut rest = text.trim();
    loop {
        let lower = rest.to_ascii_lowercase();
        let lead =
            LEADS.iter().filter(|lead| lower.starts_with(**lead)).map(|lead| lead.len()).max();
        match lead.and_then(|length| rest.get(length..)) {
            Some(shorter) => rest = shorter.trim_start(),
            None => return rest,
        }
    }
}

/// The words of a text in lower case without accents, and whether each began large. Short forms are written out.
fn tokens(text: &str) -> Vec<(String, bool)> {
    let text = text.replace(['\u{2019}', '\u{2018}'], "'");
    let mut found = Vec::new();
    let is_inner = |c: char| ".,:/-+@_%".contains(c);
    for raw in text.split(|c: char| c.is_whitespace() || "()[]\"!?;\u{2026}".contains(c)) {
        let raw = raw.trim_matches(|c: char| !c.is_alphanumeric() && c != '+' && c != '%');
        // A value keeps what stands in it; a word is cut there.
        let has_digit = raw.contains(|c: char| c.is_ascii_digit());
        let parts: Vec<&str> = if has_digit || raw.contains('@') {
            vec![raw.trim_matches(|c: char| ".,:".contains(c))]
        } else {
            raw.split(|c: char| is_inner(c) || c == '\'').collect()
        };
        let negates = raw.to_ascii_lowercase().ends_with("n't");
        for (index, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            let is_large = part.starts_with(char::is_uppercase);
            let lower = fold(part);
            match (negates, index, lower.as_str()) {
                (true, 0, "can") => found.push(("can".to_owned(), false)),
                (true, 0, "won") | (_, 1.., "ll") => found.push(("will".to_owned(), false)),
                (true, 0, _) => {
                    let bare = lower.strip_suffix('n').unwrap_or(&lower);
                    found.push((bare.to_owned(), is_large));
                }
                (true, _, "t") => found.push(("not".to_owned(), false)),
                (_, _, "cannot") => {
                    found.push(("can".to_owned(), false));
                    found.push(("not".to_owned(), false));
                }
                _ => found.push((lower, is_large)),
            }
        }
    }
    found
}

/// Lower case without the accents of the four languages.
fn fold(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            'à' | 'á' | 'â' | 'ä' => folded.push('a'),
            'è' | 'é' | 'ê' | 'ë' => folded.push('e'),
            'ì' | 'í' | 'î' | 'ï' => folded.push('i'),
            'ò' | 'ó' | 'ô' | 'ö' => folded.push('o'),
            'ù' | 'ú' | 'û' | 'ü' => folded.push('u'),
            'ç' => folded.push('c'),
            'ñ' => folded.push('n'),
            'ß' => folded.push_str("ss"),
            c => folded.push(c),
        }
    }
    folded
}
