//! What a clause says of what: whose it is, what is spoken of, which values it gives, and by which words it corrects.

use std::collections::BTreeSet;

use abide_domain::Zone;

use super::{
    lexicon::{
        AGAINST, AT, CHANGE, CORRECTION, CORRECTION_PHRASES, DENIAL, FILLERS, HEDGE, NO_LONGER,
        NOW, NOW_PHRASES, OF, ROLES, RULE, SLOTS, SPEAKER, VERBS, is_in,
    },
    statement::Statement,
    tokens::{Token, clauses, tokens},
    value::{Value, ValueKind, values},
};

/// Marks around words of somebody else.
const QUOTES: [char; 6] = ['"', '\u{201c}', '\u{201d}', '\u{ab}', '\u{bb}', '\u{201e}'];
/// Words before which somebody else's words are told.
const REPORTED: [&str; 24] = [
    "said",
    "says",
    "told",
    "wrote",
    "writes",
    "asked",
    "claims",
    "sagte",
    "sagt",
    "schrieb",
    "schreibt",
    "behauptet",
    "dit",
    "écrit",
    "écrivait",
    "raconte",
    "dijo",
    "dice",
    "escribió",
    "escribe",
    "wrote:",
    "fwd",
    "forwarded",
    "weitergeleitet",
];

/// How strongly a clause says that something changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cue {
    None,
    Correction,
    Change,
}

/// What one clause says.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a sign of its own in the words")]
pub(super) struct Claim {
    /// Whether the speaker says it of themselves.
    pub(super) is_own: bool,
    /// Whether it is a rule that its speaker wants kept.
    pub(super) is_rule: bool,
    /// What is spoken of.
    pub(super) heads: BTreeSet<String>,
    /// What narrows it.
    pub(super) modifiers: BTreeSet<String>,
    /// All words that mean something, but values.
    pub(super) content: BTreeSet<String>,
    pub(super) values: Vec<Value>,
    pub(super) cue: Cue,
    /// Whether it takes back what was so ("no longer").
    pub(super) takes_back: bool,
    pub(super) is_denied: bool,
    /// Whether it says that both hold, or that it was so once.
    pub(super) is_beside: bool,
    /// Whether it is a question, a condition, a guess or somebody else's words.
    pub(super) is_open: bool,
}

/// What a statement says, clause by clause.
pub(super) fn claims_of(statement: &Statement<'_>, zone: &Zone) -> Vec<Claim> {
    let is_foreign = is_reported(statement.text);
    let clauses = clauses(statement.text);
    let mut carried = Cue::None;
    let mut claims = Vec::new();
    for (clause, asks) in &clauses {
        let words = tokens(clause);
        // "Sorry." and "No." before a sentence correct it.
        if words.len() <= 2 && words.iter().all(|word| is_in(CORRECTION, &word.lower)) {
            carried = Cue::Correction;
            continue;
        }
        let mut claim = claim(clause, &words, (statement, zone));
        claim.is_open |= *asks || is_foreign;
        claim.cue = claim.cue.max(std::mem::replace(&mut carried, Cue::None));
        claims.push(claim);
    }
    claims
}

/// Whether a text tells words of somebody else.
fn is_reported(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_quoted = lower.lines().any(|line| line.trim_start().starts_with('>'));
    let is_marked = lower.contains(QUOTES) || lower.contains(": '");
    let has_verb = lower.split(|c: char| !c.is_alphanumeric()).any(|word| REPORTED.contains(&word));
    is_quoted
        || (is_marked && has_verb)
        || has_verb && lower.contains(':')
        || lower.trim_start().starts_with("fwd")
        || lower
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| matches!(word, "said" | "told" | "sagte" | "dijo" | "thinks" | "claims"))
}

fn claim(clause: &str, words: &[Token], (statement, zone): (&Statement<'_>, &Zone)) -> Claim {
    let (values, used) = values(words, statement.at, zone);
    let lower = spaced(words);
    let has = |list: &[&str]| words.iter().any(|word| is_in(list, &word.lower));
    let has_phrase =
        |list: &[&str]| list.iter().any(|phrase| lower.contains(&format!(" {phrase} ")));
    let (heads, modifiers) = subject(words, &used);
    let starts_so = words.iter().take(2).any(|word| is_in(CORRECTION, &word.lower))
        && !is_list_of_none(clause, words);
    let ne_plus = has(&["ne", "n"]) && has(&["plus"]);
    let takes_back = has_phrase(NO_LONGER) || ne_plus;
    let is_change = has(CHANGE) || has(NOW) || has_phrase(NOW_PHRASES) || ne_plus;
    let cue = if is_change {
        Cue::Change
    } else if starts_so || has_phrase(CORRECTION_PHRASES) {
        Cue::Correction
    } else {
        Cue::None
    };
    // "It was renamed", "a été reporté", "wurde verschoben" tell of now.
    let is_past =
        has(AGAINST) && (!has(CHANGE) || has(&["too", "also", "auch", "aussi", "también"]));
    Claim {
        is_own: has(SPEAKER) && !has_phrase(CORRECTION_PHRASES)
            || words
                .iter()
                .any(|word| is_in(&["my", "mein", "meine", "mon", "ma", "mi"], &word.lower)),
        is_rule: has(RULE) || (is_list_of_none(clause, words)),
        content: content(words, &used),
        heads,
        modifiers,
        values,
        cue,
        takes_back,
        is_denied: has(DENIAL) && cue != Cue::Correction,
        is_beside: is_past,
        is_open: has(HEDGE),
    }
}

/// "No discount above 5 percent": a rule, and no correction.
fn is_list_of_none(clause: &str, words: &[Token]) -> bool {
    let first = words.first().map_or("", |word| word.lower.as_str());
    let is_no = matches!(
        first,
        "no" | "kein" | "keine" | "keinen" | "aucun" | "aucune" | "ningún" | "ninguna" | "pas"
    );
    let has_comma = clause
        .trim_start()
        .split(char::is_whitespace)
        .next()
        .is_some_and(|word| word.ends_with([',', '.', ':']));
    is_no
        && !has_comma
        && words.len() > 2
        && !words.get(1).is_some_and(|word| {
            matches!(word.lower.as_str(), "make" | "it" | "the" | "wait" | "es" | "que" | "that")
        })
}

/// Whether a clause of a text sets a rule.
pub(super) fn has_rule(text: &str) -> bool {
    clauses(text).iter().any(|(clause, asks)| {
        let words = tokens(clause);
        !asks
            && (words.iter().any(|word| is_in(RULE, &word.lower))
                || is_list_of_none(clause, &words))
    })
}

fn spaced(words: &[Token]) -> String {
    let mut text = String::from(" ");
    for word in words {
        text.push_str(&word.lower);
        text.push(' ');
    }
    text
}

/// A word as it is compared: one of several names for one matter, without the ending of a plural.
fn stem(word: &str) -> String {
    if let Some((slot, _)) = SLOTS.iter().find(|(_, names)| names.contains(&word)) {
        return (*slot).to_owned();
    }
    match word.strip_suffix('s') {
        Some(stem) if stem.chars().count() > 3 && !stem.ends_with('s') => stem.to_owned(),
        _ => word.to_owned(),
    }
}

fn means_something(word: &str) -> bool {
    let is_sign = !word.chars().any(char::is_alphanumeric);
    let lists = [CHANGE, NOW, CORRECTION, FILLERS, OF, AT, SPEAKER, RULE, DENIAL];
    !is_sign && !lists.iter().any(|list| is_in(list, word)) && word.chars().nth(1).is_some()
}

fn content(words: &[Token], used: &BTreeSet<usize>) -> BTreeSet<String> {
    let free = words.iter().enumerate().filter(|(at, _)| !used.contains(at));
    let meaning = free.filter(|(_, word)| {
        means_something(&word.lower)
            && (!is_in(VERBS, &word.lower) || stem(&word.lower).starts_with('~'))
    });
    meaning.map(|(_, word)| stem(&word.lower)).collect()
}

/// What is spoken of and what narrows it: the words before the verb, or, where those are none, those behind it.
fn subject(words: &[Token], used: &BTreeSet<usize>) -> (BTreeSet<String>, BTreeSet<String>) {
    let is_verb =
        |at: usize, word: &str| (is_in(VERBS, word) || is_in(CHANGE, word)) && !used.contains(&at);
    let verb = words.iter().enumerate().position(|(at, word)| at > 0 && is_verb(at, &word.lower));
    let end = verb.unwrap_or(words.len());
    let before = phrase(words, used, 0..end);
    if !before.0.is_empty() {
        return before;
    }
    let behind = phrase(words, used, end..words.len());
    if !behind.0.is_empty() {
        return behind;
    }
    // "I live in Lyon": the verb says what it is about.
    let doing = words.iter().enumerate().filter(|(at, word)| {
        !used.contains(at) && (is_in(VERBS, &word.lower) || is_in(CHANGE, &word.lower))
    });
    // Who says no more than that they moved changed their home.
    let of_verb = |word: &str| if word == "moved" { "~residence".to_owned() } else { stem(word) };
    let slots = doing.map(|(_, word)| of_verb(&word.lower)).filter(|stem| stem.starts_with('~'));
    (slots.collect(), BTreeSet::new())
}

fn phrase(
    words: &[Token],
    used: &BTreeSet<usize>,
    range: std::ops::Range<usize>,
) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut heads, mut modifiers) = (BTreeSet::new(), BTreeSet::new());
    let mut is_narrower = false;
    for at in range {
        let Some(word) = words.get(at).map(|word| word.lower.as_str()) else { break };
        if is_in(OF, word) && !heads.is_empty() {
            is_narrower = true;
            continue;
        }
        if is_in(AT, word) && !heads.is_empty() {
            is_narrower = true;
        }
        if used.contains(&at)
            || !means_something(word)
            || (is_in(VERBS, word) && !stem(word).starts_with('~'))
        {
            continue;
        }
        if is_narrower {
            modifiers.insert(stem(word))
        } else {
            heads.insert(stem(word))
        };
    }
    (heads, modifiers)
}

impl Claim {
    /// Whether it says that something is so.
    pub(super) const fn is_asserted(&self) -> bool {
        !self.is_open
    }

    /// The types of its values.
    pub(super) fn kinds(&self) -> impl Iterator<Item = ValueKind> {
        self.values.iter().map(|value| value.kind)
    }

    pub(super) fn has_kind(&self, kind: ValueKind) -> bool {
        self.kinds().any(|own| own == kind)
    }

    /// All its words that mean something, names too: in German every noun looks like one.
    pub(super) fn words(&self) -> BTreeSet<&str> {
        let content = self.content.iter().map(String::as_str);
        content.chain(self.keys(ValueKind::Name)).collect()
    }

    fn keys(&self, kind: ValueKind) -> BTreeSet<&str> {
        self.values
            .iter()
            .filter(|value| value.kind == kind)
            .map(|value| value.key.as_str())
            .collect()
    }

    /// The types of which both have values and none in common; values that a correction denies count for nothing.
    pub(super) fn differing(&self, later: &Self) -> Vec<ValueKind> {
        let kinds: BTreeSet<ValueKind> =
            self.kinds().filter(|kind| later.has_kind(*kind)).collect();
        let differ = |kind: &ValueKind| {
            let (old, new) = (self.keys(*kind), later.keys(*kind));
            // "17 March instead of 3 March" names the old one too.
            let names_old = later.cue != Cue::None && new.len() > 1 && !new.is_subset(&old);
            old.is_disjoint(&new) || names_old
        };
        kinds.into_iter().filter(differ).collect()
    }

    /// Whether a later claim has another value of some type.
    pub(super) fn differs(&self, later: &Self) -> bool {
        !self.differing(later).is_empty()
    }

    /// A correction that names no matter: "No, make that 17 March".
    pub(super) fn is_bare_correction(&self) -> bool {
        self.cue == Cue::Correction
            && self.heads.is_empty()
            && self.content.is_empty()
            && !self.values.is_empty()
            && self.is_asserted()
            && !self.is_beside
    }

    /// Whether what it is about has one value at a time.
    pub(super) fn is_single(&self, kind: ValueKind) -> bool {
        let has_slot = self.heads.iter().any(|head| head.starts_with('~'));
        let has_role = self.content.iter().any(|word| is_in(ROLES, word));
        match kind {
            ValueKind::Date | ValueKind::Phone | ValueKind::Version | ValueKind::State => true,
            ValueKind::Name | ValueKind::Address => has_slot || has_role,
            ValueKind::Percent | ValueKind::Money | ValueKind::Number | ValueKind::Time => has_slot,
            ValueKind::Weekday | ValueKind::Month => false,
        }
    }
}
