//! Whether a claim says what was said: its subject, whether it is denied, how sure, when and under what condition.
//!
//! Words alone do not show it: "I eat no meat" and "I eat meat" share them all. A claim passes only where it follows one
//! statement word by word, from its subject on, with the same operators; it may leave out an end that changes nothing. What
//! is reworded more freely is not refused, it waits for a person: a wrong claim that passes would be believed. Pure.
//!
//! English, German, French and Spanish as far as their operators are in the table. Reading order: here the rule;
//! `clause` (a text as words and operators); `operators` (the table), `word_lists` (other words).

use std::collections::BTreeSet;

use super::own_words::GAP;

mod clause;
mod doubt;
mod operators;
mod word_lists;

pub use self::doubt::MeaningDoubt;

use self::{
    clause::{Clause, ClauseWord, PersonNames, sentences, statements},
    operators::Operator,
};

/// Words with which somebody says yes to what was just said.
const CONFIRMATIONS: &[&str] = &[
    "yes",
    "yep",
    "yeah",
    "right",
    "correct",
    "exactly",
    "true",
    "indeed",
    "that's right",
    "thats right",
    "confirmed",
    "jup",
];

/// What a claim is held against.
#[derive(Clone, Copy, Debug)]
pub struct SaidWords<'a> {
    /// Who said it.
    pub speaker: &'a str,
    /// Their own words ([`super::own_words()`]).
    pub own: &'a str,
    /// What the agent had said before it, where it may have been confirmed.
    pub before: Option<&'a str>,
}

/// Holds a claim against what was said in one exchange.
pub fn check_meaning(claim: &str, said: SaidWords<'_>) -> Result<(), MeaningDoubt> {
    let names = PersonNames::of(said.speaker);
    let claimed = Clause::of_claim(claim, &names);
    let own = said.own.split(GAP).map(|text| (text, false));
    let confirmed = said.before.filter(|_| is_confirmation(said.own)).map(|text| (text, true));
    let mut nearest = MeaningDoubt::Reworded;
    for (text, is_confirmed) in own.chain(confirmed) {
        for sentence in sentences(text) {
            for stated in statements(sentence, &names, is_confirmed) {
                match compare(&claimed, &stated) {
                    None => {}
                    Some(Ok(())) => return Ok(()),
                    Some(Err(doubt)) => nearest = doubt,
                }
            }
        }
    }
    Err(nearest)
}

/// Whether two clauses say the same; none where they are about different things.
fn compare(claimed: &Clause, stated: &Clause) -> Option<Result<(), MeaningDoubt>> {
    if claimed.words.len() < 2 || stated.words.len() < claimed.words.len() {
        return None;
    }
    let pairs = claimed.words.iter().zip(&stated.words);
    if !pairs.clone().all(|(claimed, stated)| claimed.is_same(stated)) {
        return None;
    }
    let doubt = doubt_of(claimed, stated).or_else(|| {
        let was_habit = stated.operators.contains(&Operator::UsedTo);
        let is_other_time = pairs.clone().any(|(a, b)| a.is_past() != b.is_past());
        (is_other_time && !was_habit).then_some(MeaningDoubt::Time)
    });
    Some(doubt.map_or(Ok(()), Err))
}

/// The first operator that only one of the two has.
fn doubt_of(claimed: &Clause, stated: &Clause) -> Option<MeaningDoubt> {
    if stated.operators.contains(&Operator::Asked) {
        return Some(MeaningDoubt::Question);
    }
    if stated.operators.contains(&Operator::Reported) {
        return Some(MeaningDoubt::Report);
    }
    let (mut ours, mut theirs): (BTreeSet<Operator>, BTreeSet<Operator>) =
        (claimed.operators.clone(), stated.operators.clone());
    if theirs.remove(&Operator::UsedTo) {
        let is_past = ours.remove(&Operator::UsedTo)
            || claimed.words.iter().any(ClauseWord::is_past)
            || ours.contains(&Operator::Past);
        ours.remove(&Operator::Past);
        if !is_past {
            return Some(MeaningDoubt::Time);
        }
    }
    // What is only possible may lie ahead or not.
    for operators in [&mut ours, &mut theirs] {
        if operators.contains(&Operator::Possible) {
            operators.remove(&Operator::Future);
        }
    }
    let first = ours.symmetric_difference(&theirs).next()?;
    Some(first.doubt())
}

/// Whether somebody says yes to what was said before.
pub(super) fn is_confirmation(own: &str) -> bool {
    let lower = own.trim_start().to_lowercase();
    CONFIRMATIONS.iter().any(|word| {
        lower.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests;
