//! Facts without a model: what people plainly state about themselves and their work, and nothing else.
//!
//! Each rule reads a whole clause from its first word, so that reports, quotations, hopes and stories do not match. A
//! rule that could be wrong is not here: what is missed stays in the conversations and can be found there, what is wrong
//! would be believed. Identity is left as it is, and no dream is made up.

use futures_util::future::{BoxFuture, ready};

use super::{
    DistillAnswer, DistillInput, DistillOutcome, Distiller, FACTS_A_PART_MAX, FactCategory,
    FoundDream, FoundFact, Passage,
    own_words::{is_prompt, own_words, repeated_texts},
    sentence::clauses,
};
use crate::normalise;

mod claim;
mod project;
mod user;

use self::claim::{Claim, Clause, POINTERS, sentence};

/// How sure a plain statement is.
const CONFIDENCE: f64 = 0.8;
/// How sure one is that its speaker asked to remember.
const CONFIDENCE_ASKED: f64 = 0.9;
/// What asks for a statement to be kept.
const REMEMBER: &[&str] = &[
    "remember that ",
    "remember: ",
    "remember, ",
    "remember ",
    "don't forget that ",
    "do not forget that ",
    "note that ",
    "note: ",
    "keep in mind that ",
    "for the record, ",
    "for the record: ",
    "take note that ",
];

/// What may stand before a statement that somebody names.
const THAT: &[&str] = &["that ", "the fact that ", "forget that ", "forget about ", "forget "];

/// Distils by rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleDistiller;

impl Distiller for RuleDistiller {
    fn name(&self) -> String {
        "rules".to_owned()
    }

    fn is_paid(&self) -> bool {
        false
    }

    fn facts<'a>(
        &'a self,
        material: &'a DistillInput,
    ) -> BoxFuture<'a, DistillAnswer<Vec<FoundFact>>> {
        let found = facts(&material.passages);
        let outcome =
            if found.is_empty() { DistillOutcome::Empty } else { DistillOutcome::Found(found) };
        Box::pin(ready(DistillAnswer::free(outcome)))
    }

    fn identity<'a>(&'a self, _: &'a DistillInput) -> BoxFuture<'a, DistillAnswer<String>> {
        Box::pin(ready(DistillAnswer::free(DistillOutcome::Empty)))
    }

    fn dream<'a>(&'a self, _: &'a DistillInput) -> BoxFuture<'a, DistillAnswer<FoundDream>> {
        let why = "a dream needs a model, and none is configured".to_owned();
        Box::pin(ready(DistillAnswer::free(DistillOutcome::Skipped(why))))
    }
}

/// All facts that people stated, in the order in which they did.
fn facts(passages: &[Passage]) -> Vec<FoundFact> {
    let forms = repeated_texts(passages);
    let mut said_by_agent: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for passage in passages {
        let is_own = passage.is_of_person()
            && !is_prompt(&passage.stimulus)
            && !forms.contains_key(&normalise(&passage.stimulus));
        if is_own {
            let own = own_words(&passage.stimulus);
            for clause in clauses(&own) {
                let is_echo = said_by_agent.iter().any(|reply| reply.contains(&normalise(clause)));
                if !is_echo && let Some(claim) = claim(clause, &passage.sender) {
                    found.push(fact(claim, passage));
                }
            }
        }
        said_by_agent.push(normalise(&passage.reply));
    }
    found.truncate(FACTS_A_PART_MAX);
    found
}

fn fact((claim, confidence): (Claim, f64), passage: &Passage) -> FoundFact {
    FoundFact {
        content: claim.content,
        category: claim.category,
        tags: vec![claim.tag.to_owned()],
        confidence,
        slot: claim.slot,
        replaces: None,
        sources: vec![passage.epoch],
        told_by: passage.sender.clone(),
        said_at: passage.sent_at,
        // The statement is the person's own, whatever the agent had before it.
        untrusted: false,
        doubt: None,
    }
}

/// What a text states as its sender's own words: each statement, and the slot that it is a value of.
pub(crate) fn claims_of(text: &str, sender: &str) -> Vec<(String, Option<String>)> {
    let own = own_words(text);
    let stated = clauses(&own).into_iter().filter_map(|clause| {
        let lower = clause.to_ascii_lowercase();
        let heads = THAT.iter().filter(|head| lower.starts_with(**head)).map(|head| head.len());
        let bare = clause.get(heads.max().unwrap_or(0)..)?;
        claim(bare, sender)
    });
    stated.map(|(claim, _)| (claim.content, claim.slot)).collect()
}

/// What a clause states, and how sure that is.
fn claim(text: &str, sender: &str) -> Option<(Claim, f64)> {
    let lower = text.to_ascii_lowercase();
    if let Some(length) =
        REMEMBER.iter().filter(|cue| lower.starts_with(**cue)).map(|cue| cue.len()).max()
    {
        let asked = text.get(length..)?.trim();
        let lower = asked.to_ascii_lowercase();
        let clause = Clause { text: asked, lower: &lower, sender };
        let claim = stated_claim(clause).or_else(|| remembered_on_request(clause))?;
        return Some((claim, CONFIDENCE_ASKED));
    }
    stated_claim(Clause { text, lower: &lower, sender }).map(|claim| (claim, CONFIDENCE))
}

fn stated_claim(clause: Clause<'_>) -> Option<Claim> {
    user::claim(clause).or_else(|| project::claim(clause))
}

/// What somebody asked to remember, in their own words.
fn remembered_on_request(clause: Clause<'_>) -> Option<Claim> {
    let Clause { text, lower, sender } = clause;
    let words = text.split_whitespace().count();
    let first = lower.split_whitespace().next()?;
    if !(3..=40).contains(&words) || POINTERS.contains(&first) {
        return None;
    }
    let is_personal = ["i", "i'm", "i've", "my", "we", "our", "we're"].contains(&first);
    let content = if is_personal { format!("{sender}: {text}") } else { sentence(text) };
    let category = if is_personal { FactCategory::User } else { FactCategory::Project };
    Some(Claim { content, category, tag: "remembered", slot: None })
}

#[cfg(test)]
mod tests;
