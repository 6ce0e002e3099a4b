//! In what two minds differ on one epoch: their calls, then their replies. By words and numbers alone: a help to look, no verdict.

use std::collections::BTreeSet;

use abide_memory::words;

use super::mind_leg::MindLeg;

/// What share of the words of two replies must be the same for them to be alike.
const ALIKE_SHARE: f64 = 0.3;
/// How many times as long as the other a reply must be to be named for it.
const LENGTH_FACTOR: usize = 3;
/// Numbers that are named of those in which two replies differ.
const NUMBERS_NAMED: usize = 3;
/// Words by which a reply begins that declines.
const REFUSALS: [&str; 6] =
    ["i can't", "i cannot", "i can’t", "i'm unable", "i am unable", "sorry, but i"];

/// Whether both called the same tools with the same arguments in the same order, and replied alike.
pub(super) fn agree(main: &MindLeg, candidate: &MindLeg) -> bool {
    candidate.leg.error.is_none()
        && main.calls == candidate.calls
        && are_alike(&main.reply, &candidate.reply)
}

/// Whether two replies share their words and say the same numbers. By words alone: it is a help to look, no verdict.
fn are_alike(one: &str, other: &str) -> bool {
    let (a, b) = (distinct(one), distinct(other));
    let all = a.union(&b).count();
    let shared = a.intersection(&b).count();
    #[expect(clippy::cast_precision_loss, reason = "words of two replies")]
    let share = if all == 0 { 1.0 } else { shared as f64 / all as f64 };
    share >= ALIKE_SHARE && numbers(one) == numbers(other)
}

fn distinct(text: &str) -> BTreeSet<String> {
    words(text).into_iter().collect()
}

fn numbers(text: &str) -> BTreeSet<String> {
    let is_apart = |c: char| !(c.is_ascii_digit() || c == '.' || c == ',');
    let runs = text.split(is_apart).map(|run| run.trim_matches(['.', ',']));
    runs.filter(|run| !run.is_empty()).map(str::to_owned).collect()
}

/// The first thing in which they differ, for people.
pub(super) fn divergence(main: &MindLeg, candidate: &MindLeg) -> Option<String> {
    match (&main.leg.error, &candidate.leg.error) {
        (None, Some(error)) => return Some(format!("it fails: {error}")),
        (Some(error), None) => return Some(format!("it answers where the other fails: {error}")),
        _ => {}
    }
    let calls = main.calls.iter().map(Some).chain(std::iter::repeat(None));
    let others = candidate.calls.iter().map(Some).chain(std::iter::repeat(None));
    let longest = main.calls.len().max(candidate.calls.len());
    for (place, (one, other)) in calls.zip(others).take(longest).enumerate() {
        let place = place + 1;
        match (one, other) {
            (Some(one), Some(other)) if one == other => {}
            (Some(one), Some(other)) if one.0 == other.0 => {
                return Some(format!("call {place} of {} has other arguments", one.0));
            }
            (Some(one), Some(other)) => {
                return Some(format!("call {place} is {} in place of {}", other.0, one.0));
            }
            (Some(one), None) => return Some(format!("it does not call {}", one.0)),
            (None, Some(other)) => return Some(format!("it calls {} besides", other.0)),
            (None, None) => {}
        }
    }
    reply_difference(&main.reply, &candidate.reply)
}

fn reply_difference(main: &str, candidate: &str) -> Option<String> {
    let declines = |reply: &str| {
        let begin = reply.trim_start().to_lowercase();
        REFUSALS.iter().any(|refusal| begin.starts_with(refusal))
    };
    let (one, other) = (numbers(main), numbers(candidate));
    let lengths = (main.chars().count(), candidate.chars().count());
    if declines(candidate) != declines(main) {
        let which = if declines(candidate) { "it declines" } else { "it does not decline" };
        return Some(which.to_owned());
    }
    if one != other {
        let only_in = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            let numbers: Vec<&str> =
                one.difference(other).take(NUMBERS_NAMED).map(String::as_str).collect();
            numbers.join(", ")
        };
        let (lacks, adds) = (only_in(&one, &other), only_in(&other, &one));
        return Some(match (lacks.as_str(), adds.as_str()) {
            (lacks, "") => format!("it leaves out numbers: {lacks}"),
            ("", adds) => format!("it says more numbers: {adds}"),
            (lacks, adds) => format!("other numbers: {adds} in place of {lacks}"),
        });
    }
    if lengths.1 > LENGTH_FACTOR * lengths.0.max(40) {
        return Some("a much longer reply".to_owned());
    }
    if lengths.0 > LENGTH_FACTOR * lengths.1.max(40) {
        return Some("a much shorter reply".to_owned());
    }
    (!are_alike(main, candidate)).then(|| "a reply in other words".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{MindLeg, agree, divergence, numbers, reply_difference};

    fn leg(calls: &[(&str, &str)], reply: &str) -> MindLeg {
        let calls = calls.iter().map(|(tool, arguments)| ((*tool).into(), (*arguments).into()));
        MindLeg { calls: calls.collect(), reply: reply.into(), ..MindLeg::default() }
    }

    #[test]
    fn minds_agree_that_call_the_same_and_reply_alike() {
        let main = leg(&[("rss.check", "{}")], "Three new posts since Monday.");
        let alike = leg(&[("rss.check", "{}")], "There are three new posts since Monday.");
        assert!(agree(&main, &alike));
        assert_eq!(divergence(&main, &alike), None);
        let other = leg(&[("rss.check", "{\"n\":1}")], "Three new posts since Monday.");
        assert!(!agree(&main, &other));
        let said = divergence(&main, &other).unwrap();
        assert!(said.contains("other arguments"), "{said}");
        let none = leg(&[], "Three new posts since Monday.");
        assert_eq!(divergence(&main, &none).unwrap(), "it does not call rss.check");
        assert_eq!(divergence(&none, &main).unwrap(), "it calls rss.check besides");
    }

    #[test]
    fn a_number_that_differs_is_said_before_other_words() {
        for (main, candidate, said) in [
            ("It is 42 degrees.", "It is 24 degrees.", "other numbers: 24 in place of 42"),
            ("It is warm.", "It is warm, 24 degrees.", "it says more numbers: 24"),
            ("1 of 2", "1 of them", "it leaves out numbers: 2"),
        ] {
            assert_eq!(reply_difference(main, candidate).unwrap(), said);
        }
        assert_eq!(reply_difference("Yes.", "I can't help with that.").unwrap(), "it declines");
        let found: Vec<_> = numbers("at 10:30, 1,5 kg.").into_iter().collect();
        assert_eq!(found, ["1,5", "10", "30"]);
    }
}
