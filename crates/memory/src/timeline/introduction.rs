//! How a statement begins: what stands before it and says how it is meant ("Sorry.", "Change of plan,"), and what only looks
//! like that ("No discount above 5 percent").

use super::{
    lexicon::{CORRECTION, FILLERS, MISTAKE, NO_LONGER, NOW, OF, PLANS, VERBS, WordList},
    tokens::{Token, spaced, tokens},
};

/// Most words that say no more than that something is over.
const OVER_WORDS_MAX: usize = 3;
/// Most words that introduce a statement.
const INTRODUCTION_WORDS_MAX: usize = 5;

/// How strongly a clause says that something changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cue {
    None,
    Correction,
    Change,
}

/// What stands before a statement and says how it is meant, and the rest: "Sorry.", "No,", "Change of plan,", "For your notes:".
pub(super) fn introduction(clause: &str) -> (Cue, &str) {
    if let Some((before, rest)) = clause.split_once(": ") {
        let words = tokens(before);
        let is_said = tokens(rest).iter().any(|word| VERBS.has(&word.lower));
        if words.len() <= INTRODUCTION_WORDS_MAX && is_said {
            return (cue_of_introduction(&words), rest);
        }
    }
    let (before, rest) = clause.split_once(", ").unwrap_or((clause, ""));
    let words = tokens(before);
    let lowers = words.iter().map(|word| word.lower.as_str());
    // "Not any more, I live in Nantes": what was is denied, and not what follows.
    let is_over = words.len() <= OVER_WORDS_MAX && NO_LONGER.stands_in(lowers, &spaced(&words));
    if is_over && !rest.is_empty() {
        return (Cue::Change, rest);
    }
    let cue = cue_of_introduction(&words);
    let lists = [&CORRECTION, &MISTAKE, &PLANS, &FILLERS, &OF, &NOW];
    let is_plain = words.iter().all(|word| lists.iter().any(|list| list.has(&word.lower)));
    let is_short = words.len() <= INTRODUCTION_WORDS_MAX;
    if is_short && is_plain && cue != Cue::None && !is_list_of_none(clause, &tokens(clause)) {
        return (cue, rest);
    }
    (Cue::None, clause)
}

fn cue_of_introduction(words: &[Token]) -> Cue {
    let is_said = |list: &WordList| words.iter().any(|word| list.has(&word.lower));
    if is_said(&PLANS) {
        Cue::Change
    } else if is_said(&CORRECTION) || is_said(&MISTAKE) {
        Cue::Correction
    } else {
        Cue::None
    }
}

/// "No discount above 5 percent": a rule, and no correction.
pub(super) fn is_list_of_none(clause: &str, words: &[Token]) -> bool {
    let first = words.first().map_or("", |word| word.lower.as_str());
    let is_no = matches!(
        first,
        "no" | "kein" | "keine" | "keinen" | "aucun" | "aucune" | "ningún" | "ninguna" | "pas"
    );
    let has_comma = clause
        .trim_start()
        .split(char::is_whitespace)
        .next()
        .is_some_and(|word| word.ends_with([',', '.', ':']));
    is_no
        && !has_comma
        && words.len() > 2
        && !words.get(1).is_some_and(|word| {
            matches!(word.lower.as_str(), "make" | "it" | "the" | "wait" | "es" | "que" | "that")
        })
}
