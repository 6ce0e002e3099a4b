//! Whether a distilled document may become the identity: how much of the one in force it changes, and whether it still
//! speaks as the agent (decision 22).
//!
//! Nothing is decided by what a document says about itself. A small change that keeps all headings is taken; a large one
//! waits for a person; one that is no identity at all counts as no answer.

use similar::{Algorithm, ChangeTag, TextDiff, capture_diff_slices};

use super::{IdentityError, IdentityRule, check_identity, rule::is_heading};

/// The largest share of an identity that may change without a person, 0 to 1.
pub const IDENTITY_CHANGE_MAX: f64 = 0.3;
/// At least one word in so many must be the agent's own `I` or `my`.
const WORDS_A_SELF_MAX: usize = 60;
/// Phrases of a mind that does not write as the agent.
const FOREIGN_PHRASES: &[&str] = &[
    "as an ai",
    "language model",
    "i cannot help",
    "i can't help",
    "i'm sorry, but",
    "here is the updated",
];

/// What a distilled document comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Revision {
    /// It says the same.
    Unchanged,
    /// It changes this share, which is little enough.
    Small(f64),
    /// A person must look: this share would change, or a heading would be lost.
    Large(f64),
}

/// Why a distilled document cannot be an identity at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevisionError {
    /// A rule of identities is broken.
    #[error(transparent)]
    Rule(#[from] IdentityError),
    /// It speaks about the agent, or as somebody else.
    #[error(
        "an identity must be written in the first person, as the agent itself; this one is not"
    )]
    NotFirstPerson,
}

/// Holds a distilled document against the identity in force.
pub fn revise(current: &str, proposed: &str) -> Result<Revision, RevisionError> {
    check_identity(proposed, IdentityRule::Strict)?;
    if !is_first_person(proposed) {
        return Err(RevisionError::NotFirstPerson);
    }
    let change = changed_share(current, proposed);
    if change <= 0.0 {
        return Ok(Revision::Unchanged);
    }
    let keeps_headings =
        headings(current).all(|heading| headings(proposed).any(|kept| kept == heading));
    let is_small = keeps_headings && change <= IDENTITY_CHANGE_MAX;
    Ok(if is_small { Revision::Small(change) } else { Revision::Large(change) })
}

/// The share of the words that differ between two documents, 0 to 1.
pub fn changed_share(old: &str, new: &str) -> f64 {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_whitespace().collect(), new.split_whitespace().collect());
    let all = old.len() + new.len();
    if all == 0 {
        return 0.0;
    }
    let kept: usize = capture_diff_slices(Algorithm::Myers, &old, &new)
        .iter()
        .filter(|op| op.tag() == similar::DiffTag::Equal)
        .map(|op| op.old_range().len())
        .sum();
    // Documents are bounded by their limit, so that the counts are exact.
    #[expect(clippy::cast_precision_loss, reason = "at most some ten thousand words")]
    let share = 1.0 - (2 * kept) as f64 / all as f64;
    share
}

/// What two versions differ in, line by line, as people know it: `-` before what went, `+` before what came.
pub fn identity_diff(old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut text = String::new();
    for change in diff.iter_all_changes() {
        text.push(match change.tag() {
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
            ChangeTag::Equal => ' ',
        });
        text.push_str(change.value().trim_end_matches('\n'));
        text.push('\n');
    }
    text
}

fn headings(document: &str) -> impl Iterator<Item = String> {
    let heads = document.lines().filter(|line| is_heading(line));
    heads.map(|line| line.trim_start_matches('#').trim().to_lowercase())
}

fn is_first_person(document: &str) -> bool {
    let lower = document.to_lowercase().replace('\u{2019}', "'");
    if FOREIGN_PHRASES.iter().any(|phrase| lower.contains(phrase)) {
        return false;
    }
    let prose: Vec<&str> =
        lower.lines().filter(|line| !is_heading(line)).flat_map(str::split_whitespace).collect();
    let bare = |word: &&&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'');
        matches!(word, "i" | "i'm" | "i've" | "i'll" | "i'd" | "my" | "me" | "mine" | "myself")
    };
    let own = prose.iter().filter(bare).count();
    own > 0 && own * WORDS_A_SELF_MAX >= prose.len()
}

#[cfg(test)]
mod tests {
    use super::{Revision, RevisionError, changed_share, identity_diff, revise};

    const CURRENT: &str = "# I am Felix\n\n## Who I am\n\nMy name is Felix. My role: assistant. I keep the records.\n\n\
         ## How I am\n\nI say plainly what I do not know, and I finish what I begin.\n";

    #[test]
    fn small_changes_are_taken_and_large_ones_wait() {
        let added = CURRENT.replace("records.", "records, and I like short answers.");
        let small = revise(CURRENT, &added).unwrap();
        assert!(matches!(small, Revision::Small(share) if share > 0.0 && share < 0.2), "{small:?}");
        assert_eq!(revise(CURRENT, &format!("{CURRENT}\n\n")), Ok(Revision::Unchanged));
        let lost = CURRENT.replace("## How I am\n\n", "");
        assert!(matches!(revise(CURRENT, &lost), Ok(Revision::Large(_))), "a heading is lost");
        let other = "# I am Felix\n\n## Who I am\n\nI am somebody else now and my whole past is mine to forget.\n\n## How I am\n\nI rest.\n";
        assert!(matches!(revise(CURRENT, other), Ok(Revision::Large(share)) if share > 0.3));
    }

    #[test]
    fn what_is_no_identity_is_no_answer() {
        let foreign = "# Felix\n\nFelix is an assistant. The user likes him. He keeps all of the records of the company.";
        assert_eq!(revise(CURRENT, foreign), Err(RevisionError::NotFirstPerson));
        let refusal = format!("{CURRENT}\nAs an AI language model I cannot do that.");
        assert_eq!(revise(CURRENT, &refusal), Err(RevisionError::NotFirstPerson));
        assert!(matches!(revise(CURRENT, "ok"), Err(RevisionError::Rule(_))));
    }

    #[test]
    fn a_diff_shows_lines_that_went_and_came() {
        assert_eq!(identity_diff("a\nb\n", "a\nc\n"), " a\n-b\n+c\n");
        assert!((changed_share("a b c d", "a b c e") - 0.25).abs() < 1e-9);
    }
}
