//! Names of passages: a stored part of what was said is searched, embedded and shown in passages of some sixty words.
//!
//! Pure. Parts keep the numbers and texts that they always had, so that a reference of an old ledger still leads to the same
//! words; a passage of a part is named beside it and cut again from it when it is read. A change of how parts are cut into
//! passages would change what references lead to: it needs other numbers.

use super::parts::PARTS_MAX;
use crate::search::passages;

/// Passages of a part at most.
const PASSAGES_MAX: usize = 15;
/// Names of passages of one part: as many as there may be, and none.
pub(super) const NAMES: u64 = 16;
/// The bits of a reference's number that name the part.
const PART_BITS: u32 = PARTS_MAX.ilog2();

/// Cuts a part into its passages.
pub(super) fn passages_of(part: &str) -> Vec<&str> {
    passages(part, PASSAGES_MAX)
}

/// The row of a part in its table.
pub(super) fn part_row(seq: u64, part: u32) -> u64 {
    seq.saturating_mul(PARTS_MAX as u64).saturating_add(u64::from(part))
}

/// The commit that a part's row belongs to, and its number.
pub(super) fn seq_and_part_of_row(row: u64) -> (u64, u32) {
    let parts = PARTS_MAX as u64;
    (row / parts, u32::try_from(row % parts).unwrap_or(0))
}

/// The row of a passage, by which it is indexed and has its vector.
pub(super) fn passage_row(part_row: u64, number: usize) -> u64 {
    let number = u64::try_from(number).unwrap_or(0).min(NAMES - 1);
    part_row.saturating_mul(NAMES).saturating_add(number)
}

/// The row of the part that a passage's row belongs to, and which passage of it.
pub(super) fn part_row_and_number(row: u64) -> (u64, usize) {
    (row / NAMES, usize::try_from(row % NAMES).unwrap_or(0))
}

/// The commit that a passage's row belongs to, and the number by which a reference names the passage.
pub(super) fn seq_and_part(row: u64) -> (u64, u32) {
    let (part_row, number) = part_row_and_number(row);
    let (seq, part) = seq_and_part_of_row(part_row);
    (seq, named(part, number))
}

/// The number by which a reference names a passage of a part.
fn named(part: u32, number: usize) -> u32 {
    let number = u32::try_from(number).unwrap_or(0) + 1;
    part | (number << PART_BITS)
}

/// The part that a reference's number names, and the passage of it, if not the whole.
pub(super) fn part_and_passage(named: u32) -> (u32, Option<usize>) {
    let number = usize::try_from(named >> PART_BITS).unwrap_or(0);
    (named & ((1 << PART_BITS) - 1), number.checked_sub(1))
}

/// What a reference's number names of a part's text, and the number itself, in its shortest form: of a part that is not cut
/// the part's own. `None` where there is no such passage.
pub(super) fn shown(named: u32, text: String) -> Option<(u32, String)> {
    let (part, passage) = part_and_passage(named);
    let Some(passage) = passage else { return Some((named, text)) };
    let cut = passages_of(&text);
    let is_whole = cut.len() == 1;
    let found = cut.get(passage).map(|found| (*found).to_owned())?;
    Some(if is_whole { (part, found) } else { (named, found) })
}

#[cfg(test)]
mod tests {
    use super::{part_row, part_row_and_number, passage_row, passages_of, seq_and_part, shown};

    #[test]
    fn a_passage_is_named_beside_its_part() {
        let row = passage_row(part_row(991, 3), 2);
        assert_eq!(seq_and_part(row), (991, 3 + 3 * 256));
        assert_eq!(part_row_and_number(row), (part_row(991, 3), 2));
        assert!(passage_row(part_row(991, 3), 99) < passage_row(part_row(991, 4), 0));
    }

    #[test]
    fn a_number_without_a_passage_is_the_whole_part_and_one_passage_alone_is_too() {
        let long = "A sentence of seven words stands here. ".repeat(24);
        assert_eq!(shown(3, long.clone()), Some((3, long.clone())));
        let cut = passages_of(&long);
        assert!(cut.len() > 1);
        assert_eq!(shown(3 + 2 * 256, long.clone()), Some((3 + 2 * 256, cut[1].to_owned())));
        assert_eq!(shown(3 + 14 * 256, long), None);
        assert_eq!(shown(3 + 256, "short".into()), Some((3, "short".into())));
    }
}
