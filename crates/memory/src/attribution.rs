//! Whose words a message holds: its sender's own, and those that it quotes or passes on from others (English, German, French,
//! Spanish).
//!
//! Pure, and by form alone: marks of quotation, headings of forwarded mail, "Lee wrote:". It takes too much for somebody
//! else's rather than too little: what it calls the sender's own may become a fact about them. It must never guess an author
//! whom the text does not name.

#![expect(
    clippy::option_option,
    reason = "whether words are somebody else's, and whether the text names that person, are two things"
)]

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributed<'a> {
    /// The piece, as it stands.
    pub text: &'a str,
    /// None: the sender's own words. Otherwise somebody else's, and whose, where the message says it.
    pub foreign: Option<Option<String>>,
}

/// Words that a forwarded message begins with, at the beginning of a line. All after it is somebody else's.
const FORWARDED: [&str; 22] = [
    "fwd:",
    "fw:",
    "wg:",
    "tr:",
    "rv:",
    "forwarded:",
    "forwarded from",
    "forwarded message",
    "---------- forwarded",
    "begin forwarded",
    "-----original",
    "-----ursprüngliche",
    "weitergeleitet",
    "weitergeleitete nachricht",
    "anfang der weitergeleiteten",
    "transféré",
    "message transféré",
    "-------- message",
    "début du message",
    "reenviado",
    "mensaje reenviado",
    "---------- mensaje",
];
/// Heads of a mail that name its author.
const FROM: [&str; 3] = ["from:", "von:", "de:"];
/// Words between a name and the words of that person.
const SAYING: [&str; 22] = [
    "wrote",
    "writes",
    "said",
    "says",
    "told me",
    "told us",
    "asked",
    "sagte",
    "sagt",
    "schrieb",
    "schreibt",
    "meinte",
    "a écrit",
    "écrit",
    "a dit",
    "dit",
    "m'a dit",
    "escribió",
    "escribe",
    "dijo",
    "dice",
    "me dijo",
];
/// Marks of quotation, opening and closing.
const MARKS: [(char, char); 6] = [
    ('"', '"'),
    ('\u{201c}', '\u{201d}'),
    ('\u{201e}', '\u{201c}'),
    ('\u{ab}', '\u{bb}'),
    ('\u{2018}', '\u{2019}'),
    ('\'', '\''),
];
/// A quotation of at least so many words is a sentence of somebody's and not a name.
const QUOTED_WORDS_MIN: usize = 4;
/// Words of a name at most.
const NAME_WORDS_MAX: usize = 3;

/// The pieces of a message in their order.
pub fn attribute(text: &str) -> Vec<Attributed<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    // The author whose words a block of lines holds, after "Lee wrote:".
    let mut block: Option<Option<String>> = None;
    while !rest.is_empty() {
        let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let (line, behind) = rest.split_at(end);
        let trimmed = line.trim();
        let lower = trimmed.to_lowercase();
        if FORWARDED.iter().any(|head| lower.starts_with(head)) {
            pieces.push(Attributed { text: rest, foreign: Some(forwarded_author(rest)) });
            return pieces;
        }
        if trimmed.is_empty() {
            block = None;
            pieces.push(Attributed { text: line, foreign: None });
        } else if trimmed.starts_with('>') {
            pieces.push(Attributed { text: line, foreign: Some(block.clone().flatten()) });
        } else if let Some(author) = introduced(trimmed) {
            block = Some(Some(author));
            pieces.push(Attributed { text: line, foreign: None });
        } else if block.is_some() {
            pieces.push(Attributed { text: line, foreign: block.clone() });
        } else {
            in_line(line, &mut pieces);
        }
        rest = behind;
    }
    pieces
}

/// Whether a message is mostly somebody else's words, and whose, where it says so.
pub fn foreign_author(text: &str) -> Option<Option<String>> {
    let pieces = attribute(text);
    let words = |is_foreign: bool| -> usize {
        let pieces = pieces.iter().filter(|piece| piece.foreign.is_some() == is_foreign);
        pieces.map(|piece| piece.text.split_whitespace().count()).sum()
    };
    let (foreign, own) = (words(true), words(false));
    let author = pieces.iter().find_map(|piece| piece.foreign.clone())?;
    (foreign >= own).then_some(author)
}

/// A message with what is somebody else's taken out and `gap` in its place.
pub(crate) fn without_foreign(text: &str, gap: char) -> String {
    let mut own = String::with_capacity(text.len());
    for piece in attribute(text) {
        if piece.foreign.is_none() {
            own.push_str(piece.text);
            continue;
        }
        own.push(gap);
        if piece.text.ends_with('\n') {
            own.push('\n');
        }
    }
    own
}

/// The author that a forwarded message names: in its head, or behind the word itself ("Fwd from Lee: …").
fn forwarded_author(text: &str) -> Option<String> {
    let heads = text.lines().find_map(|line| {
        let line = line.trim();
        FROM.iter().find_map(|head| {
            let is_head =
                line.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head));
            is_head.then(|| line.get(head.len()..)).flatten()
        })
    });
    let named = heads.and_then(|name| name_of(name.split(['<', ',', '(']).next()?));
    named
        .or_else(|| {
            let first = text.lines().next()?;
            let behind = first.split_once("from ").or_else(|| first.split_once("von "))?.1;
            name_of(behind.split(':').next()?)
        })
        .or_else(|| {
            // "Fwd: Lee: I quit."
            let mut parts = text.lines().next()?.splitn(3, ':');
            let (_, name, rest) = (parts.next()?, parts.next()?, parts.next()?);
            name_of(name).filter(|_| !rest.trim().is_empty())
        })
}

/// The name on a line that introduces somebody's words and has no more: "On Monday, Lee wrote:", "Lee a écrit :".
fn introduced(line: &str) -> Option<String> {
    let head = line.strip_suffix(':')?.trim_end();
    let lower = head.to_lowercase();
    // As many characters in both, or the name would be cut elsewhere.
    let (name, _) = SAYING.iter().find_map(|saying| {
        let at = lower.rfind(&format!(" {saying}"))?;
        let tail = lower.get(at + 1 + saying.len()..)?;
        tail.is_empty().then(|| head.split_at_checked(at)).flatten()
    })?;
    let name = name.rsplit([',', ':']).next()?;
    name_of(name).or_else(|| name_of(name.split_whitespace().last()?))
}

/// A name: a few words, the first with a capital, or one word after `@`.
fn name_of(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let first = words.first()?.trim_start_matches('@');
    let is_name = first.chars().next().is_some_and(|c| {
        c.is_uppercase() || words.first().is_some_and(|word| word.starts_with('@'))
    });
    (is_name && words.len() <= NAME_WORDS_MAX)
        .then(|| words.join(" ").trim_start_matches('@').to_owned())
}

/// The pieces of a line: what stands between marks of quotation is somebody else's where it is a sentence or somebody is said
/// to have said it; so is all behind "Lee said:".
fn in_line<'a>(line: &'a str, pieces: &mut Vec<Attributed<'a>>) {
    let mut own_from = 0;
    let mut at = 0;
    while let Some((open, close)) = line.get(at..).and_then(|rest| quotation(rest, at, line)) {
        let quoted = line.get(open..close).unwrap_or_default();
        let before = line.get(own_from..open).unwrap_or_default();
        let author = said_by(before);
        let is_sentence = quoted.split_whitespace().count() >= QUOTED_WORDS_MIN;
        if author.is_some() || is_sentence {
            push_own(before, pieces);
            pieces.push(Attributed { text: quoted, foreign: Some(author.flatten()) });
            own_from = close;
        }
        at = close;
    }
    let rest = line.get(own_from..).unwrap_or_default();
    if let Some((before, behind)) = rest.split_once(": ")
        && let Some(author @ Some(_)) = said_by(before)
        && !behind.trim().is_empty()
    {
        push_own(rest.get(..before.len() + 2).unwrap_or_default(), pieces);
        pieces.push(Attributed { text: behind, foreign: Some(author) });
        return;
    }
    push_own(rest, pieces);
}

fn push_own<'a>(text: &'a str, pieces: &mut Vec<Attributed<'a>>) {
    if !text.is_empty() {
        pieces.push(Attributed { text, foreign: None });
    }
}

/// Where the next quotation of a line begins and ends, marks included. An apostrophe is no mark: a single one opens behind a
/// space and closes before none.
fn quotation(rest: &str, at: usize, line: &str) -> Option<(usize, usize)> {
    for (offset, c) in rest.char_indices() {
        let Some((_, close)) = MARKS.iter().find(|(open, _)| *open == c) else { continue };
        let from = at + offset;
        let before = line.get(..from).and_then(|text| text.chars().next_back());
        if matches!(c, '\'' | '\u{2018}') && before.is_some_and(|c| !c.is_whitespace()) {
            continue;
        }
        let inner = from + c.len_utf8();
        let behind = line.get(inner..)?;
        let end = behind.char_indices().find(|(end, mark)| {
            let next = behind.get(end + mark.len_utf8()..).and_then(|text| text.chars().next());
            *mark == *close
                && (*close != '\'' && *close != '\u{2019}'
                    || next.is_none_or(|c| !c.is_alphanumeric()))
        });
        if let Some((end, mark)) = end {
            return Some((from, inner + end + mark.len_utf8()));
        }
    }
    None
}

/// Whether words say before a quotation that somebody said it, and who, where it is a name.
fn said_by(before: &str) -> Option<Option<String>> {
    let head = before.trim_end().trim_end_matches([':', ',']).trim_end();
    let lower = head.to_lowercase();
    let saying = SAYING
        .iter()
        .filter(|saying| lower.ends_with(&format!(" {saying}")))
        .max_by_key(|saying| saying.len())?;
    let name = head.get(..head.len().checked_sub(saying.len())?)?.trim_end();
    let name = name.rsplit(['.', '!', '?', ',', ';', ':']).next()?;
    Some(name_of(name).or_else(|| name_of(name.split_whitespace().last()?)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{attribute, foreign_author, without_foreign};

    fn own(text: &str) -> String {
        without_foreign(text, ' ').split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_quoted_or_passed_on_is_its_authors_in_four_languages() {
        for (text, left, author) in [
            ("Fwd: I live in Rome.", "", None),
            ("FW: Lee: My birthday is on 5 May.", "", Some("Lee")),
            (
                "See below.\n---------- Forwarded message ----------\nFrom: Lee Jones <lee@example.com>\n\nI live in Rome.",
                "See below.",
                Some("Lee Jones"),
            ),
            ("WG: Termin\nVon: Lee\n\nIch wohne in Rom.", "", Some("Lee")),
            ("TR: rendez-vous\nDe: Léa\n\nJ'habite à Rome.", "", Some("Léa")),
            ("RV: cita\nDe: Luz\n\nVivo en Roma.", "", Some("Luz")),
            ("> I live in Rome.\nI live in Lyon.", "I live in Lyon.", None),
            (
                "On Monday, Lee wrote:\n> I live in Rome.\nI live in Lyon.",
                "On Monday, Lee wrote:",
                Some("Lee"),
            ),
            ("Lee said: 'I quit on Friday.'", "Lee said:", Some("Lee")),
            ("Lee sagte: „Ich kündige am Freitag.“", "Lee sagte:", Some("Lee")),
            ("Léa a dit : « Je pars vendredi. »", "Léa a dit :", Some("Léa")),
            ("Luz dijo: \"Me voy el viernes.\"", "Luz dijo:", Some("Luz")),
            ("Lee wrote: I live in Rome.", "Lee wrote:", Some("Lee")),
        ] {
            assert_eq!(own(text), left, "{text}");
            let named = attribute(text).into_iter().find_map(|piece| piece.foreign).unwrap();
            assert_eq!(named.as_deref(), author, "{text}");
        }
    }

    #[test]
    fn own_words_stay_with_apostrophes_names_in_marks_and_colons() {
        for text in [
            "I don't live in Rome, it's Lyon.",
            "The server is called \"heron\".",
            "Note: the launch is on 3 March.",
            "J'habite à Lyon, c'est l'adresse d'Anne.",
            "de la gare au bureau: dix minutes",
            "I said no to that.",
        ] {
            assert_eq!(own(text), text.split_whitespace().collect::<Vec<_>>().join(" "), "{text}");
            assert_eq!(foreign_author(text), None, "{text}");
        }
    }

    #[test]
    fn a_message_that_is_mostly_another_s_names_them() {
        assert_eq!(
            foreign_author("Fwd: Lee: My birthday is on 5 May."),
            Some(Some("Lee".to_owned()))
        );
        assert_eq!(foreign_author("> My birthday is on 5 May."), Some(None));
        assert_eq!(
            foreign_author("I think of all that we talked about on Monday when Lee said: 'no way'"),
            None
        );
    }

    proptest! {
        #[test]
        fn the_pieces_are_the_message(text in "(\\PC|\n|> |Fwd: |Lee said: |'|\"|« | »|wrote:\n){0,40}") {
            let whole: String = attribute(&text).iter().map(|piece| piece.text).collect();
            prop_assert_eq!(whole, text);
        }
    }
}
