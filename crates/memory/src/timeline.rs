//! What holds now: of statements about the same matter, which one a later one replaces (decisions 52 and 54).
//!
//! Pure rules over words in English, German, French and Spanish; passages, facts and nodes are judged together, on one
//! timeline. A search proposes what may belong together; only these rules say that something is replaced, and where they are
//! not sure, both stand beside each other with their dates. It must never take what somebody says about themselves for
//! replaced by what another says about them.
//!
//! Reading order: `statement` (what is judged); here what comes of it; `lexicon` (the word lists), `tokens`, `value` (dates,
//! numbers, names), `introduction` (how a statement begins), `claim` (what a clause says of what), `read_statement` (a statement
//! whose words were read, once), `replaces` (one statement and a later one), `attribute_question` (what is asked for, and what
//! gives it).

use abide_domain::{Timestamp, Zone};

mod attribute_question;
mod claim;
mod introduction;
mod lexicon;
mod read_statement;
mod replaces;
mod statement;
mod tokens;
mod value;
mod value_kind;

pub(crate) use self::replaces::STEPS_BACK_MAX;
pub use self::statement::{Relation, Statement};
pub(crate) use self::{
    attribute_question::AttributeQuestion,
    read_statement::{ClaimCache, ReadStatement},
};
use self::{
    claim::{Claim, claims_of},
    replaces::{answered, relation},
};

/// Most statements that are judged together.
pub const STATEMENTS_MAX: usize = 48;

/// What became of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The place of the statement that took its place.
    pub replaced_by: Option<usize>,
    /// The place of a later statement of somebody else that says otherwise.
    pub disputed_by: Option<usize>,
    /// Whether it took the place of another and holds now.
    pub in_force: bool,
}

/// How a later statement stands to an earlier one, by the words of the two alone.
pub fn compare(older: &Statement<'_>, newer: &Statement<'_>, zone: &Zone) -> Relation {
    let older = ReadStatement::new(older.clone(), zone);
    older.relation_to(&ReadStatement::new(newer.clone(), zone))
}

/// What became of each statement, in their order. Those beyond [`STATEMENTS_MAX`] are not judged.
pub fn judge(statements: &[Statement<'_>], zone: &Zone) -> Vec<Standing> {
    let mut standings = vec![Standing::default(); statements.len()];
    let judged = statements.get(..STATEMENTS_MAX).unwrap_or(statements);
    let claims: Vec<Vec<Claim>> = judged.iter().map(|one| claims_of(one, zone)).collect();
    let all: Vec<_> = judged.iter().zip(&claims).collect();
    for (place, (newer, new)) in all.iter().enumerate() {
        let meant = answered(&all, place);
        for (older_place, (older, old)) in all.iter().enumerate() {
            let relation = if meant == Some(older_place) {
                Relation::Replaces
            } else {
                relation((older, old), (newer, new))
            };
            let Some(standing) = standings.get_mut(older_place) else { continue };
            let slot = match relation {
                Relation::Replaces => &mut standing.replaced_by,
                Relation::Disputes => &mut standing.disputed_by,
                Relation::Apart | Relation::Unsure => continue,
            };
            // Of several, the newest counts.
            let is_newer =
                |known: usize| judged.get(known).is_none_or(|known| newer.is_later_than(known));
            if slot.is_none_or(is_newer) {
                *slot = Some(place);
            }
        }
    }
    let replacing: Vec<usize> = standings.iter().filter_map(|one| one.replaced_by).collect();
    for place in replacing {
        if let Some(standing) = standings.get_mut(place) {
            standing.in_force = standing.replaced_by.is_none();
        }
    }
    standings
}

/// Whether a text is a correction without a subject: what it corrects was said just before.
pub fn is_bare_correction(text: &str, at: Timestamp, zone: &Zone) -> bool {
    let statement = Statement { by: "", at, seq: 0, previous: None, by_agent: false, text };
    claims_of(&statement, zone).iter().any(Claim::is_bare_correction)
}

/// Whether a text sets a rule: what its speaker wants kept.
pub fn sets_a_rule(text: &str) -> bool {
    claim::has_rule(text)
}

#[cfg(test)]
mod tests;
