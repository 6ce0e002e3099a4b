//! One statement and a later one: whether the later takes the place of the earlier.

use std::collections::HashMap;

use super::{
    claim::Claim,
    introduction::Cue,
    lexicon::Attribute,
    statement::{Relation, Statement},
};

/// How many statements of a conversation a correction without a subject reaches back over.
pub(crate) const STEPS_BACK_MAX: usize = 3;

/// How a later claim's matter stands to an earlier one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matter {
    Same,
    /// The later names less of it than the earlier did.
    Shorter,
    /// The later narrows it further, or something is in common and no more.
    Near,
    Other,
}

/// How a later statement stands to an earlier one.
pub(super) fn relation(
    (older, old): (&Statement<'_>, &[Claim]),
    (newer, new): (&Statement<'_>, &[Claim]),
) -> Relation {
    // A fact may come to be known long after it was told.
    if !newer.is_later_than(older) || newer.by_agent {
        return Relation::Apart;
    }
    let pairs = old.iter().flat_map(|old| new.iter().map(move |new| (old, new)));
    let relations = pairs.map(|(old, new)| of_claims((older, old), (newer, new)));
    relations.max().unwrap_or(Relation::Apart)
}

fn of_claims(
    (older, old): (&Statement<'_>, &Claim),
    (newer, new): (&Statement<'_>, &Claim),
) -> Relation {
    let is_same_speaker = older.by == newer.by;
    if !old.is_asserted() || !new.is_asserted() || new.is_beside {
        return Relation::Apart;
    }
    // What two people say of themselves are two things.
    if old.is_own && !is_same_speaker {
        return Relation::Apart;
    }
    let by_words = if old.is_own == new.is_own {
        by_value(old, new).max(by_denial(old, new))
    } else {
        Relation::Apart
    };
    match by_words.max(by_attribute(old, new, is_same_speaker)) {
        Relation::Replaces if old.is_rule && !is_same_speaker => Relation::Disputes,
        other => other,
    }
}

/// By another value of the same type.
fn by_value(old: &Claim, new: &Claim) -> Relation {
    let differing = old.differing(new);
    if differing.is_empty() {
        return Relation::Apart;
    }
    let is_single = differing.iter().all(|kind| old.is_single(*kind) && new.is_single(*kind));
    match (matter(old, new), new.cue) {
        // What is not so says nothing of what is.
        (Matter::Same | Matter::Shorter | Matter::Near, _) if denies_another(old, new) => {
            Relation::Unsure
        }
        (Matter::Same | Matter::Shorter, Cue::Change | Cue::Correction) => Relation::Replaces,
        (Matter::Same, Cue::None) if is_single && old.is_denied == new.is_denied => {
            Relation::Replaces
        }
        (Matter::Other, _) => Relation::Apart,
        (Matter::Same | Matter::Shorter | Matter::Near, _) => Relation::Unsure,
    }
}

/// Whether the later says of another value that it is not so.
const fn denies_another(old: &Claim, new: &Claim) -> bool {
    new.is_value_denied && !old.is_value_denied
}

/// By another value of what people or projects have one of, in whatever words it is spoken of.
fn by_attribute(old: &Claim, new: &Claim, is_same_speaker: bool) -> Relation {
    let differing = old.differing(new);
    let replaced = old.attributes.iter().any(|attribute| {
        let is_spoken_of = new.attributes.iter().any(|one| std::ptr::eq(*one, *attribute));
        is_spoken_of
            && !denies_another(old, new)
            && new.changes(attribute)
            && differing.iter().any(|kind| attribute.kinds.contains(kind))
            && is_same_holder((old, new), attribute, is_same_speaker)
    });
    if replaced { Relation::Replaces } else { Relation::Apart }
}

/// Whether it is the same person's, or the same project's.
fn is_same_holder(
    (old, new): (&Claim, &Claim),
    attribute: &Attribute,
    is_same_speaker: bool,
) -> bool {
    // What stands behind the value says nothing of whose it is.
    let (of_old, of_new) = (old.words_beside(attribute), new.lead_beside(attribute));
    if attribute.is_personal {
        let is_own = old.is_own || old.is_ours;
        return is_own && is_same_speaker && old.others == new.others && of_new.is_subset(&of_old);
    }
    let shares = !new.words_beside(attribute).is_disjoint(&of_old);
    old.is_own == new.is_own && shares && of_new.is_subset(&of_old)
}

/// By "no longer": the same words, taken back.
fn by_denial(old: &Claim, new: &Claim) -> Relation {
    let is_taken_back = new.takes_back && !old.is_denied;
    let (old_words, new_words) = (old.words(), new.words());
    let shared = old_words.intersection(&new_words).count();
    let is_same = shared > 0 && new_words.is_subset(&old_words) && old_words.len() <= shared + 1;
    let is_same_value = !old.differs(new) || old.values.is_empty() || new.values.is_empty();
    if is_taken_back && is_same && is_same_value { Relation::Replaces } else { Relation::Apart }
}

fn matter(old: &Claim, new: &Claim) -> Matter {
    if old.heads.is_empty() || new.heads.is_empty() {
        return Matter::Other;
    }
    if old.heads != new.heads {
        let shared = old.heads.intersection(&new.heads).count();
        return if shared > 0 { Matter::Near } else { Matter::Other };
    }
    if old.modifiers == new.modifiers {
        Matter::Same
    } else if new.modifiers.is_empty() {
        Matter::Shorter
    } else if old.modifiers.is_disjoint(&new.modifiers) && !old.modifiers.is_empty() {
        Matter::Other
    } else {
        Matter::Near
    }
}

/// The statement that a correction without a subject means ("No, make that 17 March"): the last one before it in the same
/// conversation, by the same person, with a value of the same type.
pub(super) fn answered(all: &[(&Statement<'_>, &Vec<Claim>)], place: usize) -> Option<usize> {
    let (newer, new) = all.get(place)?;
    let correction = new.iter().find(|claim| claim.is_bare_correction())?;
    if newer.by_agent {
        return None;
    }
    let by_seq: HashMap<u64, usize> = all
        .iter()
        .enumerate()
        .filter(|(_, (one, _))| !one.by_agent)
        .map(|(at, (one, _))| (one.seq, at))
        .collect();
    let mut previous = newer.previous;
    for _ in 0..STEPS_BACK_MAX {
        let at = *by_seq.get(&previous?)?;
        let (older, old) = all.get(at)?;
        if older.by != newer.by || !newer.is_later_than(older) {
            return None;
        }
        let is_meant = |claim: &&Claim| correction.kinds().any(|kind| claim.has_kind(kind));
        if let Some(claim) = old.iter().rev().find(is_meant) {
            return claim.is_asserted().then_some(at).filter(|_| claim.differs(correction));
        }
        previous = older.previous;
    }
    None
}
