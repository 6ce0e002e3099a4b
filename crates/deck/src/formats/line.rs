//! One line of a list: a count, a name, and what follows the name, read from the right.

use super::sections::zone_of;
use crate::{
    card::CardFinish,
    limits::{ENTRY_COUNT_MAX, ENTRY_TAGS_MAX, TAG_CHARS_MAX},
    list::{DeckZone, ListEntry, ListLineError, PrintingRef, clean_name, is_too_long, one_line},
};

/// What a reader of lists asks about cards.
pub trait CardNames {
    /// Whether there is a set of this code.
    fn has_set(&self, code: &str) -> bool;
    /// Whether some card or face is called so.
    fn has_name(&self, name: &str) -> bool;
}

/// Knows no card: what stands in square brackets is a category, and every line needs a count.
#[derive(Clone, Copy, Debug)]
pub struct NoCardNames;

impl CardNames for NoCardNames {
    fn has_set(&self, _: &str) -> bool {
        false
    }

    fn has_name(&self, _: &str) -> bool {
        false
    }
}

/// Reads a line that is neither empty nor a header. `zone` is where its section puts it.
pub(super) fn read(
    line: &str,
    zone: DeckZone,
    names: &dyn CardNames,
) -> Result<ListEntry, ListLineError> {
    let (line, zone) = match line.get(..3) {
        Some(prefix) if prefix.eq_ignore_ascii_case("SB:") => {
            (line.get(3..).unwrap_or_default().trim_start(), DeckZone::Sideboard)
        }
        _ => (line, zone),
    };
    let (count, rest) = match counted(line) {
        // A name may begin with a number.
        _ if names.has_name(line) => (Some(1), line),
        Some((count, rest)) => (count, rest),
        None => return uncounted(line, zone, names),
    };
    if count == Some(0) {
        return Err(ListLineError::CountOfZero);
    }
    let count = count.filter(|count| *count <= ENTRY_COUNT_MAX);
    let count = count.ok_or(ListLineError::CountTooLarge)?;
    with_name(ListEntry { count, ..read_rest(rest, zone, names) })
}

/// A line without a count is a card where it has the name of one.
fn uncounted(
    line: &str,
    zone: DeckZone,
    names: &dyn CardNames,
) -> Result<ListEntry, ListLineError> {
    let entry = read_rest(line, zone, names);
    if names.has_name(&entry.name) {
        Ok(ListEntry { count: 1, ..entry })
    } else {
        Err(ListLineError::NotACard)
    }
}

fn with_name(entry: ListEntry) -> Result<ListEntry, ListLineError> {
    if entry.name.is_empty() {
        Err(ListLineError::NoName)
    } else if is_too_long(&entry.name) {
        Err(ListLineError::NameTooLong)
    } else {
        Ok(entry)
    }
}

/// `4x Sol Ring` as 4 and the rest; a count of none is one that is too large for a number.
fn counted(line: &str) -> Option<(Option<u32>, &str)> {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    let rest = rest.strip_prefix(['x', 'X', '×']).unwrap_or(rest);
    let is_count = digits > 0 && (rest.is_empty() || rest.starts_with(char::is_whitespace));
    is_count.then(|| (number.parse().ok(), rest.trim_start()))
}

/// What follows a name, as far as it is read.
#[derive(Clone, Default)]
struct Suffix {
    printing: Option<PrintingRef>,
    finish: CardFinish,
    /// From the last to the first.
    tags: Vec<String>,
    label: Option<String>,
    brackets: Option<String>,
}

fn read_rest(rest: &str, zone: DeckZone, names: &dyn CardNames) -> ListEntry {
    let mut suffix = Suffix::default();
    let mut rest = rest.trim();
    // What is known as a name is never taken apart.
    while !names.has_name(rest) {
        let Some((shorter, taken)) = suffix.stripped(rest, names) else { break };
        (rest, suffix) = (shorter, taken);
    }
    let mut entry = ListEntry {
        name: clean_name(rest),
        zone,
        printing: suffix.printing,
        finish: suffix.finish,
        label: suffix.label,
        ..ListEntry::default()
    };
    let written = suffix.tags.into_iter().rev().filter_map(|tag| clean_tag(&tag));
    entry.tags = written.collect();
    if let Some(brackets) = suffix.brackets {
        let code = brackets.trim();
        if entry.printing.is_none() && is_set_code(code) && names.has_set(code) {
            entry.printing = Some(PrintingRef { set: code.to_lowercase(), number: None });
        } else {
            read_categories(&brackets, &mut entry);
        }
    }
    entry.tags.dedup();
    entry.tags.truncate(ENTRY_TAGS_MAX);
    entry
}

/// A way to take the last part off what follows a name.
type Way<'a> = fn(&mut Suffix, &'a str, &dyn CardNames) -> Option<&'a str>;

impl Suffix {
    /// Takes the last part off, in the way that leaves a name where there is one; none where nothing of it is known.
    fn stripped<'a>(&self, rest: &'a str, names: &dyn CardNames) -> Option<(&'a str, Self)> {
        let ways: [Way<'a>; 6] = [
            |suffix, rest, _| suffix.strip_label(rest),
            |suffix, rest, names| suffix.strip_brackets(rest, names),
            |suffix, rest, _| suffix.strip_finish(rest),
            |suffix, rest, _| suffix.strip_tag(rest),
            |suffix, rest, names| suffix.strip_final_f(rest, names),
            |suffix, rest, names| suffix.strip_printing(rest, names),
        ];
        let mut first = None;
        for way in ways {
            let mut taken = self.clone();
            let Some(shorter) = way(&mut taken, rest, names) else { continue };
            let shorter = shorter.trim_end();
            if names.has_name(shorter) {
                return Some((shorter, taken));
            }
            first = first.or(Some((shorter, taken)));
        }
        first
    }

    /// `^Have,#37d67a^`
    fn strip_label<'a>(&mut self, rest: &'a str) -> Option<&'a str> {
        let (before, label) = rest.strip_suffix('^')?.rsplit_once(" ^")?;
        if self.label.is_some() {
            return None;
        }
        self.label = Some(one_line(label)).filter(|label| !label.is_empty());
        Some(before)
    }

    /// `[Ramp,Draw{noDeck}]`
    fn strip_brackets<'a>(&mut self, rest: &'a str, names: &dyn CardNames) -> Option<&'a str> {
        let (before, inside) = rest.strip_suffix(']')?.rsplit_once(" [")?;
        // Two pairs of brackets: a set and categories.
        if self.brackets.is_some() {
            if self.printing.is_some() || !names.has_set(inside.trim()) {
                return None;
            }
            self.printing = Some(PrintingRef { set: inside.trim().to_lowercase(), number: None });
        } else {
            self.brackets = Some(inside.to_owned());
        }
        Some(before)
    }

    /// `*F*`, `*E*`, `(F)`
    fn strip_finish<'a>(&mut self, rest: &'a str) -> Option<&'a str> {
        let (before, mark) = rest.rsplit_once(' ')?;
        self.finish = match mark.to_ascii_uppercase().as_str() {
            "*F*" | "(F)" => CardFinish::Foil,
            "*E*" | "(E)" => CardFinish::Etched,
            _ => return None,
        };
        Some(before)
    }

    /// `#ramp`, `#!Card Draw`
    fn strip_tag<'a>(&mut self, rest: &'a str) -> Option<&'a str> {
        let (before, tag) = rest.rsplit_once(" #")?;
        self.tags.push(tag.trim_start_matches('!').to_owned());
        Some(before)
    }

    /// `F` behind set and number
    fn strip_final_f<'a>(&mut self, rest: &'a str, names: &dyn CardNames) -> Option<&'a str> {
        let before = rest.strip_suffix(" F").or_else(|| rest.strip_suffix(" f"))?.trim_end();
        printing(before, names)?;
        self.finish = CardFinish::Foil;
        Some(before)
    }

    /// `(C21) 263`, `(C21)`, and in square brackets with a number
    fn strip_printing<'a>(&mut self, rest: &'a str, names: &dyn CardNames) -> Option<&'a str> {
        if self.printing.is_some() {
            return None;
        }
        let (before, printing) = printing(rest, names)?;
        self.printing = Some(printing);
        Some(before)
    }
}

/// Set and number at the end of a text, and what stands before them.
fn printing<'a>(text: &'a str, names: &dyn CardNames) -> Option<(&'a str, PrintingRef)> {
    let (before, number) = if text.ends_with(')') {
        (text, None)
    } else {
        let (before, number) = text.rsplit_once(char::is_whitespace)?;
        (before.trim_end(), Some(number))
    };
    if number.is_some_and(|number| !is_number(number)) {
        return None;
    }
    let (before, set) = if let Some(round) = before.strip_suffix(')') {
        round.rsplit_once(" (")?
    } else {
        let (before, set) = before.strip_suffix(']')?.rsplit_once(" [")?;
        (before, Some(set).filter(|set| names.has_set(set))?)
    };
    let set = set.trim();
    let printing = PrintingRef { set: set.to_lowercase(), number: number.map(str::to_owned) };
    is_set_code(set).then_some((before, printing))
}

/// Whether a text can be a number in a set: no tag, category, label or mark of a finish.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(['#', '[', '^', '('])
        && !text.ends_with([']', '^', ')'])
        && !matches!(text.to_ascii_uppercase().as_str(), "*F*" | "*E*" | "F")
        && !text.contains(char::is_whitespace)
        && one_line(text) == text
}

/// Whether a text has the form of a set's code.
pub(super) fn is_set_code(text: &str) -> bool {
    (2..=8).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Categories of Archidekt. The first that is a zone's name says where the card is; one that is out of the deck puts it into the
/// maybeboard.
fn read_categories(inside: &str, entry: &mut ListEntry) {
    let mut zone = None;
    let mut is_out = false;
    for category in inside.split(',') {
        let (name, flags) = category.split_at(category.find('{').unwrap_or(category.len()));
        is_out |= flags.to_ascii_lowercase().contains("{nodeck}");
        match zone_of(name.trim()) {
            Some(found) => zone = zone.or(Some(found)),
            None => entry.tags.extend(clean_tag(name)),
        }
    }
    entry.zone = zone.unwrap_or(if is_out { DeckZone::Maybeboard } else { entry.zone });
}

/// A tag without what lists use for something else; none where nothing is left.
pub(super) fn clean_tag(tag: &str) -> Option<String> {
    let plain: String = tag
        .chars()
        .map(|c| if matches!(c, '#' | '[' | ']' | '{' | '}' | ',' | '^' | '*') { ' ' } else { c })
        .collect();
    let plain: String = one_line(&plain).chars().take(TAG_CHARS_MAX).collect();
    let plain = plain.trim_start_matches(['!', ' ']).trim_end().to_owned();
    (!plain.is_empty()).then_some(plain)
}
