//! What people state about their work: `we use X for Y`, `the deadline for X is Y`, `X is down`.

use super::claim::{Claim, Clause, POINTERS, is_name, sentence};
use crate::FactCategory;

/// States of a thing that are worth knowing later. What follows must be nothing or one of [`TAILS`].
const STATES: &[&str] = &[
    "down",
    "deprecated",
    "retired",
    "offline",
    "broken",
    "end of life",
    "archived",
    "frozen",
    "read-only",
    "shut down",
    "decommissioned",
    "back up",
    "back online",
    "up again",
    "fixed",
    "live",
    "out of date",
];

const TAILS: &[&str] = &[
    "since ",
    "until ",
    "again",
    "for ",
    "in favour of ",
    "in favor of ",
    "as of ",
    "from ",
    "now",
    "because ",
    "due to ",
    "after ",
];

/// A date is one of these, or holds a digit.
const TIMES: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "tomorrow",
    "today",
    "tonight",
    "noon",
    "midnight",
    "week",
    "month",
    "quarter",
    "year",
    "christmas",
    "easter",
];

const USES: &[&str] =
    &["we use ", "we're using ", "we are using ", "we now use ", "we only use ", "we always use "];
const CHANGES: &[&str] = &[
    "we switched ",
    "we've switched ",
    "we moved ",
    "we've moved ",
    "we migrated ",
    "we've migrated ",
];
const DECISIONS: &[&str] = &[
    "we decided to ",
    "we decided on ",
    "we decided that ",
    "we've decided to ",
    "we agreed to ",
    "we agreed on ",
    "we chose ",
    "we deploy to ",
    "we deploy on ",
    "we deploy with ",
    "we deploy every ",
];
const DEADLINES: &[&str] =
    &["the deadline", "our deadline", "the new deadline", "the due date", "the release date"];
const FALLS: &[&str] = &[
    " is now ",
    " is ",
    " moved to ",
    " has moved to ",
    " was moved to ",
    " has been moved to ",
    " slipped to ",
];

/// Most words of a thing's name.
const THING_WORDS_MAX: usize = 6;

/// What a clause states about the work.
pub(super) fn claim(clause: Clause<'_>) -> Option<Claim> {
    choice(clause).or_else(|| deadline(clause)).or_else(|| state(clause)).or_else(|| ours(clause))
}

fn of_project(clause: Clause<'_>, tag: &'static str, slot: Option<String>) -> Claim {
    Claim { content: sentence(clause.text), category: FactCategory::Project, tag, slot }
}

/// `we use X for Y`, `we switched from A to B`, `we decided to do X`.
fn choice(clause: Clause<'_>) -> Option<Claim> {
    if let Some(uses) = clause.after(USES) {
        uses.value()?;
        let (what, _, purpose) = uses.around(&[" for ", " as "])?;
        what.value()?;
        let slot = purpose.value().map(|_| format!("project/used for {}", plain(purpose.lower)));
        return Some(of_project(clause, "choice", slot));
    }
    if let Some(change) = clause.after(CHANGES) {
        change.after(&["to ", "from "])?.value()?;
        return Some(of_project(clause, "choice", None));
    }
    clause.after(DECISIONS)?.value()?;
    Some(of_project(clause, "decision", None))
}

/// `the deadline for X is Y`, `the deadline moved to Y`.
fn deadline(clause: Clause<'_>) -> Option<Claim> {
    let (what, _, date) = clause.around(FALLS)?;
    let of = DEADLINES.iter().find_map(|head| what.lower.strip_prefix(head))?;
    let of = [" for ", " of "]
        .iter()
        .find_map(|joint| of.strip_prefix(joint))
        .or_else(|| of.is_empty().then_some(of))?;
    let is_date = date.lower.contains(|c: char| c.is_ascii_digit())
        || date.lower.split(|c: char| !c.is_alphanumeric()).any(|word| TIMES.contains(&word));
    date.value()?;
    is_date
        .then(|| of_project(clause, "deadline", Some(format!("project/deadline of {}", plain(of)))))
}

/// `the staging server is down since Monday`, `libfoo is deprecated`.
fn state(clause: Clause<'_>) -> Option<Claim> {
    let (thing, _, said) =
        clause.around(&[" is now ", " is currently ", " is still ", " is ", " are "])?;
    let (state, tail) = STATES.iter().find_map(|state| {
        let tail = said.lower.strip_prefix(state)?;
        (tail.is_empty() || tail.starts_with([' ', ',', ':']))
            .then(|| (*state, tail.trim_matches([' ', ',', ':'])))
    })?;
    let is_tail = tail.is_empty() || TAILS.iter().any(|head| tail.starts_with(head.trim_end()));
    let first = thing.lower.split_whitespace().next()?;
    let is_thing = thing.lower.split_whitespace().count() <= THING_WORDS_MAX
        && !POINTERS.contains(&first)
        && !["i", "he", "she", "we", "they", "everyone", "everybody", "my", "your", "his"]
            .contains(&first)
        && (["the", "our"].contains(&first)
            || is_name(thing.text)
            || thing.lower.contains(['-', '_', '.', '/', '`'])
            || thing.lower.split_whitespace().count() == 1);
    let is_fact = is_thing && is_tail && thing.value().is_some() && said.value().is_some();
    let slot = format!("project/state of {}", plain(thing.lower));
    is_fact.then(|| Claim {
        slot: Some(slot),
        ..of_project(clause, if state == "deprecated" { "deprecation" } else { "state" }, None)
    })
}

/// `our staging server is staging-3.example.com`.
fn ours(clause: Clause<'_>) -> Option<Claim> {
    let (what, _, behind) = clause.after(&["our "])?.around(&[
        " is called ",
        " is named ",
        " is at ",
        " runs on ",
        " is ",
    ])?;
    let value = behind.value()?;
    let is_named = value.split_whitespace().count() <= 6
        && (is_name(value) || value.contains(|c: char| c.is_ascii_digit() || "./@:_".contains(c)));
    let fits = is_named && what.text.split_whitespace().count() <= 4;
    fits.then(|| of_project(clause, "naming", Some(format!("project/our {}", plain(what.lower)))))
}

/// A thing without its article, for comparing.
fn plain(lower: &str) -> &str {
    ["the ", "our ", "a ", "an "]
        .iter()
        .find_map(|article| lower.strip_prefix(article))
        .unwrap_or(lower)
}
